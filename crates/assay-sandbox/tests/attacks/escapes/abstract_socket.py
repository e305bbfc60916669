"""Talks to the host by a socket without a file."""
import os, socket
connection = socket.socket(socket.AF_UNIX)
try:
    connection.connect("\0assay-canary")
    os._exit(42)
except OSError:
    raise RuntimeError("contained")
