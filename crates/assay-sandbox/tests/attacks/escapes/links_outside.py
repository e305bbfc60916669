"""Follows links that lead outside."""
import os
os.symlink("/../../../etc/shadow", "/tmp/link")
os.symlink("/proc/1/root/etc/shadow", "/tmp/other")
for path in ("/tmp/link", "/tmp/other", "/proc/self/root/etc/shadow", "/.host/etc/shadow",
             "/dev/fd/../../../etc/shadow"):
    try:
        open(path).read()
        os._exit(42)
    except OSError:
        pass
raise RuntimeError("contained")
