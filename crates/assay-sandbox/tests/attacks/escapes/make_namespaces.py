"""Makes namespaces, in which it would be its own administrator."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000):
    if libc.unshare(flag) == 0:
        os._exit(42)
    # By clone, and by clone3, whose flags a filter cannot see.
    number = libc.syscall(56, flag | 17, 0, 0, 0, 0)
    if number == 0:
        os._exit(0)
    if number > 0:
        os._exit(42)
    arguments = (ctypes.c_uint64 * 11)(flag, 0, 0, 0, 17)
    number = libc.syscall(435, ctypes.byref(arguments), 88)
    if number == 0:
        os._exit(0)
    if number > 0:
        os._exit(42)
raise RuntimeError("contained")
