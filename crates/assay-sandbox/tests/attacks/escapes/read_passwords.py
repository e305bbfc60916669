"""Reads the host's passwords."""
import os
for path in ("/etc/shadow", "/etc/hostname", "/etc/machine-id", "/root/.bashrc", "/home"):
    if os.path.exists(path):
        os._exit(42)
raise RuntimeError("contained")
