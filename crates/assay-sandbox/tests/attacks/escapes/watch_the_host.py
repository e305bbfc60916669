"""Watches what others do with files that it shares with them."""
import ctypes, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.inotify_init() >= 0 or libc.inotify_init1(0) >= 0 or libc.fanotify_init(0, 0) >= 0:
    os._exit(42)
with open("/tmp/own", "w") as file:
    own = file.fileno()
    folder = os.open("/usr/bin", os.O_RDONLY)
    # F_SETLEASE, F_GETLEASE, F_NOTIFY
    for number, command, argument in (
        (own, 1024, fcntl.F_WRLCK),
        (os.open(sys.executable, os.O_RDONLY), 1025, 0),
        (folder, 1026, fcntl.DN_ACCESS),
    ):
        try:
            fcntl.fcntl(number, command, argument)
        except OSError:
            continue
        os._exit(42)
raise RuntimeError("contained")
