"""expect: wrong-answer"""
import json, os, struct
# A short message for a list that holds the same long text over and over: to show it would take terabytes.
times = 10**6
answer = {"value": {"w": ["l", ["x" * 10**6], [times], "]" * times]}}
for message in (b'{"ready":0}', json.dumps(answer).encode()):
    os.write(3, struct.pack("<I", len(message)))
    while message:
        message = message[os.write(3, message):]
def double(x):
    return 2 * x
