"""Finds the server's own object in its memory, and has it fork."""
import gc, os, sys
for module in list(sys.modules.values()):
    server = getattr(module, "Server", None)
    if server is None or not hasattr(server, "give_up"):
        continue
    for thing in gc.get_objects():
        if isinstance(thing, server):
            if thing.own is not None:
                if thing.libc.setns(thing.own, 0x20000000) == 0:
                    os._exit(42)
                if thing.libc.unshare(0x20000000) == 0:
                    os._exit(42)
raise RuntimeError("contained")
