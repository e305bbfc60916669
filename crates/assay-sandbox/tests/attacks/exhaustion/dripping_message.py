"""expect: time-limit, early-exit"""
import os, time
os.write(3, b"\x00\xff\x00\x00")
while True:
    time.sleep(0.3)
    os.write(3, b" ")
