"""Takes back what it gave up."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 0, 0, 0, 0)
if libc.prctl(39, 0, 0, 0, 0) != 1:
    os._exit(42)
if libc.prctl(22, 0, 0, 0, 0) == 0:
    os._exit(42)
import resource
for name in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    soft, hard = resource.getrlimit(name)
    try:
        resource.setrlimit(name, (hard + 1, hard + 1))
        os._exit(42)
    except (ValueError, OSError):
        pass
raise RuntimeError("contained")
