"""expect: output-limit, time-limit"""
import os, struct
# A list in parts, none of which is too long.
part = b'{"part":[' + b",".join([b"1"] * 3000000) + b"]}"
for message in [b'{"ready":0}'] + [part] * 20:
    os.write(3, struct.pack("<I", len(message)))
    while message:
        message = message[os.write(3, message):]
def double(x):
    return 2 * x
