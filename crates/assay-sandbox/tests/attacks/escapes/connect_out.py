"""Connects to the network."""
import os, socket
for family, address in ((socket.AF_INET, ("127.0.0.1", 22)), (socket.AF_INET, ("1.1.1.1", 53)),
                        (socket.AF_INET6, ("::1", 22))):
    try:
        socket.create_connection(address, 1)
        os._exit(42)
    except OSError:
        pass
raise RuntimeError("contained")
