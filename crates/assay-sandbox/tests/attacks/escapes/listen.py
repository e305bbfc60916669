"""Listens on the network."""
import os, socket
try:
    server = socket.socket(socket.AF_INET)
    server.bind(("0.0.0.0", 0))
    server.listen()
    os._exit(42)
except OSError:
    raise RuntimeError("contained")
