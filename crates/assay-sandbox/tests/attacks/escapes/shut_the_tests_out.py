"""Shuts its folder at once, so that its tests cannot enter it."""
import os
os.chmod("/tmp/", 0)
raise RuntimeError("contained")
