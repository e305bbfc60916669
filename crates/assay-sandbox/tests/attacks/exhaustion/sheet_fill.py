"""expect: early-exit, time-limit"""
import os
def double(x):
    # The sheet for answers is filled with something else.
    try:
        while True:
            os.write(4, b"{}\n" * (1 << 18))
    except OSError:
        return 2 * x
