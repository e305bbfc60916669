"""A warmed interpreter that is forked for every program under test.

It stands in the sandbox's namespaces and has the right to make one more of process numbers; what
it forks gives that right up before it looks at the program.
"""

import ctypes
import gc
import json
import os
import random
import resource
import socket
import struct
import sys

import candidate
import wire

# What programs import most, so that they need not wait for it.
WARM = (
    "abc ast atexit bisect cmath collections.abc contextlib copy dataclasses datetime decimal enum "
    "fractions functools hashlib heapq io itertools json math operator random re statistics string "
    "struct textwrap threading time traceback typing unicodedata"
).split()

CLONE_NEWPID = 0x20000000
# The number of a process.
NUMBER = struct.Struct("<Q")
# How a process ended, its microseconds of work, and its bytes of memory.
ENDED = struct.Struct("<QQQ")
CAPSET = {"x86_64": 126, "aarch64": 91}


class Server:
    """Forks a process for every program, and tells how each ended."""

    def __init__(self, control, own):
        self.control = control
        # The namespace of process numbers that it stands in itself; None without isolation.
        self.own = own
        libc = ctypes.PyDLL(None)
        # Not `os.fork`, which runs what modules want to be done in a child: that costs as much again,
        # and a server with one thread does not need it.
        self.bare_fork, self.setns, self.unshare = libc.fork, libc.setns, libc.unshare
        self.syscall = libc.syscall
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        self.no_capabilities = (CAPSET[os.uname().machine], header, (ctypes.c_uint32 * 6)())

    def serve(self):
        """Until nobody asks any more. Whoever asks also ends a process that takes too long."""
        while True:
            try:
                request, files = wire.receive_with_files(self.control)
            except EOFError:
                return
            pid = self.fork(request, files)
            self.control.send(NUMBER.pack(pid))
            for number in files:
                os.close(number)
            _, status, used = os.wait4(pid, 0)
            worked = int((used.ru_utime + used.ru_stime) * 1e6)
            self.control.send(ENDED.pack(status, worked, used.ru_maxrss * 1024))

    def fork(self, request, files):
        if self.own is not None:
            # Whoever is forked next is the first in a world of its own.
            self.setns(self.own, CLONE_NEWPID)
            if self.unshare(CLONE_NEWPID):
                raise OSError("unshare")
        pid = self.bare_fork()
        if pid < 0:
            raise OSError("fork")
        if pid:
            return pid
        try:
            self.become(json.loads(request), files)
        except BaseException as error:
            os.write(2, ("the sandbox failed: %r\n" % (error,)).encode())
        os._exit(111)

    def become(self, request, files):
        """Gives up every right, then runs the program."""
        for place, number in enumerate(files):
            os.dup2(number, place)
        # From now on, the connection to the tests has the number of the control.
        os.closerange(len(files), 1 << 16)
        # Signals to its process group are not to reach this server.
        os.setsid()
        seconds = request["seconds"]
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        # With them it loses what the filter of system calls lets this server do.
        if self.own is not None and self.syscall(*self.no_capabilities):
            raise OSError("capset")
        candidate.run(request, self.control)


def limit(wanted):
    """What every program may use; the time is limited for each."""
    for name, value in wanted.items():
        number = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(number)[1]
        top = value if hard < 0 else min(value, hard)
        resource.setrlimit(number, (top, top))


def warm_up():
    """Uses once what every program uses, so that not each of them pays for the first time."""
    for name in WARM:
        __import__(name)
    random.seed(0)
    names = {}
    exec(compile("from typing import List\ndef f(x: int) -> int:\n    return x + 1\n", "", "exec"), names)
    arguments = wire.encode(((1, 2.0, "a", [1, [2]], {"a": (1,)}), {}), None)
    wire.pack({"value": wire.encode([names["f"](1), wire.decode(arguments, None)], None)})


def main():
    control = socket.socket(fileno=3)
    warm_up()
    request, files = wire.receive_with_files(control)
    server = Server(control, files[0] if files else None)
    limit(json.loads(request)["limits"])
    sys.path[:] = [part for part in sys.path if part != os.path.dirname(__file__)]
    gc.collect()
    gc.freeze()
    wire.send(control, {"ready": True})
    server.serve()


if __name__ == "__main__":
    main()
