"""Talks to the fork server in its own words."""
import gc, os, socket
sockets = [thing for thing in gc.get_objects() if isinstance(thing, socket.socket)]
for thing in sockets:
    if thing.fileno() > 3:
        os._exit(42)
# 3 is the connection to the tests, 4 the sheet for its own answers.
for number in range(5, 300):
    try:
        os.write(number, b"e")
        os._exit(42)
    except OSError:
        pass
raise RuntimeError("contained")
