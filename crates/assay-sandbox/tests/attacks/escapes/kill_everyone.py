"""Kills every process that it can."""
import os, signal
for number in range(2, 5000):
    try:
        os.kill(number, signal.SIGKILL)
        os._exit(42)
    except ProcessLookupError:
        pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
try:
    os.killpg(0, signal.SIGTERM)
except OSError:
    pass
raise RuntimeError("contained")
