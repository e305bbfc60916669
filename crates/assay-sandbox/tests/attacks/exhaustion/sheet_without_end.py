"""expect: early-exit, time-limit, wrong-answer"""
import os, struct
try:
    os.ftruncate(4, 1 << 50)
except OSError:
    os.ftruncate(4, 1 << 25)
data = b'{"ready":3}'
os.write(3, struct.pack("<I", len(data)) + data)
def double(x):
    return 2 * x
