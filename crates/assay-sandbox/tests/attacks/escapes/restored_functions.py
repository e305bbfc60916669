"""Brings back functions of os that a guard might have taken away."""
import importlib, os
import posix
importlib.reload(os)
number = posix.fork()
if number == 0:
    os.execv("/bin/sh", ["sh", "-c", "echo x > /escaped || echo x > /etc/escaped"])
os.waitpid(number, 0)
if os.path.exists("/escaped") or os.path.exists("/etc/escaped"):
    os._exit(42)
raise RuntimeError("contained")
