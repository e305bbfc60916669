"""Mounts what is not there."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
os.makedirs("/tmp/p", exist_ok=True)
for kind in (b"proc", b"tmpfs", b"sysfs", b"overlay", b"devtmpfs"):
    if libc.mount(b"none", b"/tmp/p", kind, 0, None) == 0:
        os._exit(42)
if libc.umount2(b"/tmp", 2) == 0:
    os._exit(42)
raise RuntimeError("contained")
