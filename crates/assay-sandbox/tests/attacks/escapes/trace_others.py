"""Traces other processes."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for number in (0, 1, 2, 3, 4, 5):
    if libc.ptrace(16, number, 0, 0) == 0:
        os._exit(42)
child = os.fork()
if child == 0:
    import time
    time.sleep(5)
    os._exit(0)
if libc.ptrace(16, child, 0, 0) == 0:
    os._exit(42)
raise RuntimeError("contained")
