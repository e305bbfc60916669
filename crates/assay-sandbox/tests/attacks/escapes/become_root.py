"""Becomes the administrator."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for call in (lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgid(0),
             lambda: os.setgroups([0]), lambda: os.seteuid(65534)):
    try:
        call()
        os._exit(42)
    except OSError:
        pass
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)(0xFFFFFFFF, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0)
if libc.syscall(126, header, data) == 0:
    os._exit(42)
if libc.prctl(47, 2, 21, 0, 0) == 0:
    os._exit(42)
raise RuntimeError("contained")
