"""Finds out what others have read, by what the kernel has in its cache."""
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
number = os.open(sys.executable, os.O_RDONLY)
if libc.syscall(451, number, (ctypes.c_uint64 * 2)(0, 4096), (ctypes.c_uint64 * 5)(), 0) == 0:
    os._exit(42)
own = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(own))
if libc.mincore(ctypes.c_void_p(address), ctypes.c_size_t(4096), ctypes.create_string_buffer(1)) == 0:
    os._exit(42)
try:
    os.preadv(number, [bytearray(16)], 0, os.RWF_NOWAIT)
    os._exit(42)
except OSError:
    pass
# What is mounted from where: statmount, listmount.
for call in (457, 458):
    libc.syscall(call, None, None, 0, 0)
    if ctypes.get_errno() != 1:
        os._exit(42)
raise RuntimeError("contained")
