"""expect: early-exit"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(64):
            try:
                os.close(number)
            except OSError:
                pass
        time.sleep(1000)
    os._exit(0)
os._exit(0)
