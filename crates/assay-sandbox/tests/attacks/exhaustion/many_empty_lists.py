"""expect: output-limit, memory-limit, time-limit"""
# Few bytes for many objects of the tests.
import os, struct
count = 20_000_000
message = b'{"value":[' + b"[]," * count + b"[]]}"
ready = b'{"ready":0}'
os.write(3, struct.pack("<I", len(ready)) + ready)
os.write(3, struct.pack("<I", len(message)))
while message:
    message = message[os.write(3, message[:1 << 20]):]
def double(x):
    return 2 * x
