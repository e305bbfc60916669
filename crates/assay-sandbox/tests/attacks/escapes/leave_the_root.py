"""Leaves its root by way of an open folder."""
import os
folder = os.open("/", os.O_RDONLY)
try:
    os.mkdir("/tmp/jail")
    os.chroot("/tmp/jail")
    for _ in range(100):
        os.chdir("..")
    os.chroot(".")
    os._exit(42)
except OSError:
    raise RuntimeError("contained")
