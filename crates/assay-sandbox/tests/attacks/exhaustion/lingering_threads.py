"""expect: exception"""
import threading, time
def linger():
    while True:
        time.sleep(0.01)
for _ in range(5):
    threading.Thread(target=linger).start()
raise RuntimeError("done")
