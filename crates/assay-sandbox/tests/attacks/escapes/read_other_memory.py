"""Reads the memory of other processes."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
buffer = ctypes.create_string_buffer(8)
own = Part(ctypes.addressof(buffer), 8)
for number in range(1, 10):
    if libc.process_vm_readv(number, ctypes.byref(own), 1, ctypes.byref(own), 1, 0) > 0:
        os._exit(42)
raise RuntimeError("contained")
