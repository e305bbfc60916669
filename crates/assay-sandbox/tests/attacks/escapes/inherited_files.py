"""Uses files that were left open."""
import os, stat
# 3 is the connection to the tests, 4 the sheet for its own answers.
for number in range(5, 1024):
    try:
        os.fstat(number)
    except OSError:
        continue
    os._exit(42)
raise RuntimeError("contained")
