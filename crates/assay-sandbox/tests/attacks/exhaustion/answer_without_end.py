"""expect: output-limit, time-limit, exception, early-exit"""
import os
def double(x):
    # A message of which the rest never comes.
    os.write(3, b"\xff\xff\xff\x0f")
    while True:
        os.write(3, b"[" * 100000)
