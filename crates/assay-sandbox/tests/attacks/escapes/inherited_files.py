"""Uses files that were left open."""
import os, stat
for number in range(4, 1024):
    try:
        os.fstat(number)
    except OSError:
        continue
    os._exit(42)
raise RuntimeError("contained")
