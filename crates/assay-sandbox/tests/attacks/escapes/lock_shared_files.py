"""Locks files of the machine's software, so that others must wait."""
import fcntl, os
def open_one():
    return os.open("/usr/bin/env", os.O_RDONLY)
for lock in (fcntl.flock, fcntl.lockf):
    kind = fcntl.LOCK_EX if lock is fcntl.flock else fcntl.LOCK_SH
    number = open_one()
    lock(number, kind | fcntl.LOCK_NB)
    if os.fork() == 0:
        try:
            if lock is fcntl.flock:
                fcntl.flock(open_one(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                # Asks whether somebody's lock would stand in the way of writing.
                import struct
                asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
                told = fcntl.fcntl(open_one(), fcntl.F_GETLK, asked)
                if struct.unpack("hhqqi4x", told)[0] != fcntl.F_UNLCK:
                    os._exit(42)
        except OSError:
            os._exit(42)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.wait()[1]) != 0:
        os._exit(42)
raise RuntimeError("contained")
