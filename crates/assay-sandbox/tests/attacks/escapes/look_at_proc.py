"""Looks at processes through /proc."""
import os
if os.path.exists("/proc/1") or os.path.exists("/proc/self"):
    os._exit(42)
raise RuntimeError("contained")
