"""expect: time-limit, exception, early-exit, memory-limit"""
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
