"""expect: early-exit, time-limit"""
import os, struct
# Words that are read over and over: a short message for a very long list.
there, length = 10**6, 6000
lengths = b",".join([b"%d,-%d" % (there, there)] * length)
answer = b'{"value":{"w":["t",["a"],[' + lengths + b'],"' + b"]" * there + b'"]}}'
for message in (b'{"ready":0}', answer):
    os.write(3, struct.pack("<I", len(message)))
    while message:
        message = message[os.write(3, message):]
def double(x):
    return 2 * x
