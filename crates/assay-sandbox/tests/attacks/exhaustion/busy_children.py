"""expect: time-limit, early-exit, exception"""
import os
for _ in range(8):
    if os.fork() == 0:
        while True:
            pass
while True:
    pass
