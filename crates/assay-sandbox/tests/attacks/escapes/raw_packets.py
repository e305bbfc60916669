"""Sends raw packets and talks to the kernel's network."""
import os, socket
for family, kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW),
                     (socket.AF_NETLINK, socket.SOCK_RAW), (socket.AF_VSOCK, socket.SOCK_STREAM)):
    try:
        socket.socket(family, kind)
        os._exit(42)
    except OSError:
        pass
raise RuntimeError("contained")
