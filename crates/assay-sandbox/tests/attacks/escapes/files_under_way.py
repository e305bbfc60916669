"""Sends so many files to itself that nobody else can send any."""
import os, socket
one, other = socket.socketpair()
file = os.open("/dev/null", os.O_RDONLY)
try:
    for _ in range(100):
        socket.send_fds(one, [b"x"], [file] * 250)
except OSError:
    pass
raise RuntimeError("contained")
