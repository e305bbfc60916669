"""expect: memory-limit, time-limit, early-exit, crashed"""
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(1, signal.SIGUSR1, 0, 0, 0)
signal.signal(signal.SIGUSR1, lambda *ignored: None)
for _ in range(12):
    if os.fork() == 0:
        kept = bytearray(400 << 20)
        for place in range(0, len(kept), 4096):
            kept[place] = 1
        time.sleep(100)
time.sleep(100)
