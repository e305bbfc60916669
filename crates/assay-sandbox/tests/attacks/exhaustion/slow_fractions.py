"""expect: output-limit"""
# A fraction whose parts have many digits: to find their common divisor takes the tests a minute.
import os, struct
parts = b'"' + b"7" * 750_000 + b'","' + b"3" * 749_999 + b'"'
for message in (b'{"ready":0}', b'{"value":{"F":[' + parts + b"]}}"):
    os.write(3, struct.pack("<I", len(message)))
    while message:
        message = message[os.write(3, message[:1 << 16]):]
def double(x):
    return 2 * x
