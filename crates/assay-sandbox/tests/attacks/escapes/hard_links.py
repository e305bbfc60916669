"""Keeps a file by a second name, or makes it another user's."""
import os
for source in ("/.assay/tester.py", "/usr/bin/python3"):
    try:
        os.link(source, "/tmp/kept")
        os._exit(42)
    except OSError:
        pass
open("/tmp/own", "w").close()
try:
    os.chown("/tmp/own", 0, 0)
    os._exit(42)
except OSError:
    pass
try:
    os.mknod("/tmp/device", 0o60666, os.makedev(8, 0))
    os._exit(42)
except OSError:
    pass
raise RuntimeError("contained")
