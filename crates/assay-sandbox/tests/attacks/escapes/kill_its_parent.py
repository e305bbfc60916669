"""Kills whoever started it."""
import os, signal
if os.getppid() > 0:
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(42)
raise RuntimeError("contained")
