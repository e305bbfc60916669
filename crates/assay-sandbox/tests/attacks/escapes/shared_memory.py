"""Leaves shared memory and messages for the next program."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
key = 4711
if libc.shmget(key, 4096, 0) >= 0:
    os._exit(42)
libc.shmget(key, 4096, 0o1666)
raise RuntimeError("contained")
