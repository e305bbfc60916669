"""Looks for the host's environment."""
import os
known = {"LD_BIND_NOW", "PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "USER"}
secrets = [name for name in os.environ if name not in known and not name.startswith(
    ("PYTHON", "OMP_", "OPENBLAS_", "MKL_", "GO"))]
if secrets:
    os._exit(42)
raise RuntimeError("contained")
