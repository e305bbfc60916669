"""Replaces the code of the sandbox itself."""
import os
for name in ("wire.py", "tester.py", "zygote.py", "candidate.py"):
    try:
        os.chmod("/.assay/" + name, 0o777)
        os._exit(42)
    except OSError:
        pass
    try:
        open("/.assay/" + name, "a").close()
        os._exit(42)
    except OSError:
        pass
raise RuntimeError("contained")
