"""Finds what another program has left."""
import os
if os.listdir("/tmp"):
    os._exit(42)
raise RuntimeError("contained")
