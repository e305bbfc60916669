"""Asks for memory that belongs to no process, which no limit would hold."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
if libc.memfd_create(b"x", 0) >= 0 or libc.shmget(0, 4096, 0o1666) >= 0:
    os._exit(42)
if libc.semget(0, 1, 0o1666) >= 0 or libc.msgget(0, 0o1666) >= 0:
    os._exit(42)
raise RuntimeError("contained")
