"""expect: memory-limit, time-limit, early-exit"""
import os, time
for _ in range(20):
    if os.fork() == 0:
        kept = bytearray(300 << 20)
        for place in range(0, len(kept), 4096):
            kept[place] = 1
        time.sleep(100)
time.sleep(100)
