"""Sets the times of devices, which every program of the machine shares."""
import os
for name in ("/dev/null", "/dev/zero", "/dev/urandom"):
    try:
        os.utime(name)
    except OSError:
        continue
    os._exit(42)
raise RuntimeError("contained")
