"""Writes to the folders around its own, and moves files out of it."""
import os
os.mkdir("/tmp/a")
with open("/tmp/a/file", "w") as file:
    file.write("x")
# Within its own folder, all of this is its right.
os.rename("/tmp/a/file", "/tmp/file")
os.link("/tmp/file", "/tmp/a/link")
for attempt in (
    lambda: open("/private/x", "w"),
    lambda: os.mkdir("/private/x"),
    lambda: os.rename("/tmp/file", "/private/file"),
    lambda: os.rename("/tmp", "/x"),
    lambda: os.unlink("/tmp"),
    lambda: os.rmdir("/private/tmp"),
    lambda: os.symlink("/", "/private/x"),
    lambda: os.setxattr("/private", "user.a", b"x"),
    lambda: os.chmod("/private", 0o777),
    lambda: os.utime("/private"),
):
    try:
        attempt()
    except OSError:
        continue
    os._exit(42)
raise RuntimeError("contained")
