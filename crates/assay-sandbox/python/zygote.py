"""A warmed interpreter that is forked for every program under test.

It stands in the sandbox's namespaces and has the right to make one more of process numbers; what
it forks gives that right up before it looks at the program.
"""

import ctypes
import gc
import os
import random
import sys
from _socket import socket, socketpair

import candidate
import wire
from packages import add_packages

# The modules that programs import most, loaded in advance. Each costs every fork a little, those that are libraries
# (`decimal`, `hashlib`) more than they save.
WARM = (
    "abc atexit bisect collections.abc contextlib copy functools heapq io itertools math operator re "
    "string threading time traceback typing"
).split()

# A typical program.
SAMPLE = b'''from typing import List, Tuple
import math

def f(x: int, y: List[int]) -> Tuple[int, List[int]]:
    """ A text about it.
    >>> f(1, [2])
    (1, [2])
    """
    total, seen = 0, {}
    for i, element in enumerate(y):
        if i % 2 == 0 and element not in seen:
            seen[element] = total + math.floor(x / 2)
        total += len([part for part in str(element) if part != "-"])
    return x, sorted(seen.values(), key=lambda value: (-value, str(value)))
'''
PRACTICE = 50
CLONE_NEWPID = 0x20000000
# The size of a `struct rusage`.
RUSAGE = 144
RLIMIT_CPU = 0
CAPSET = {"x86_64": 126, "aarch64": 91}


class Server:
    """Forks a process for every program, and reports how each ended."""

    def __init__(self, control, own):
        self.control = control
        # The process namespace of this server; None without isolation.
        self.own = own
        # Every program finds a file system of its own there.
        self.folder = os.environ["HOME"]
        libc = ctypes.PyDLL(None)
        # The user of assay may have a lower limit than candidates get.
        self.most_seconds = _hard_limit(libc, RLIMIT_CPU)
        # Not `os.fork`, which runs the modules' hooks for a child: that doubles the cost, and a server with one
        # thread does not need it.
        self.bare_fork, self.setns, self.unshare = libc.fork, libc.setns, libc.unshare
        self.syscall, self.wait4, self.setrlimit = libc.syscall, libc.wait4, libc.setrlimit
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        self.no_capabilities = (CAPSET[os.uname().machine], header, (ctypes.c_uint32 * 6)())
        # The exit status of a process, and its resource usage.
        self.ended = ctypes.create_string_buffer(8 + RUSAGE)
        self.used = ctypes.byref(self.ended, 8)

    def serve(self):
        """Serves requests until the worker is gone. The worker also kills a process that takes too long."""
        while True:
            try:
                request, files = wire.receive_with_files(self.control)
            except EOFError:
                return
            pid = self.fork(request, files)
            self.control.send(pid.to_bytes(8, "little"))
            for number in files:
                os.close(number)
            if self.wait4(pid, self.ended, 0, self.used) != pid:
                raise OSError("wait4")
            self.control.send(self.ended)

    def fork(self, request, files):
        if self.own is not None:
            # The next fork is the first process of a new namespace.
            self.setns(self.own, CLONE_NEWPID)
            if self.unshare(CLONE_NEWPID):
                raise OSError("unshare")
        pid = self.bare_fork()
        if pid < 0:
            raise OSError("fork")
        if pid:
            return pid
        try:
            self.become(candidate.Request(request), files)
        except BaseException as error:
            os.write(2, ("the sandbox failed: %r\n" % (error,)).encode())
        os._exit(111)

    def become(self, request, files):
        """Gives up every right, then runs the program."""
        for place, number in enumerate(files):
            os.dup2(number, place)
        # From now on, the connection to the tests has the descriptor of the control connection.
        os.closerange(len(files), 1 << 16)
        # Signals to its process group must not reach this server.
        os.setsid()
        os.chdir(self.folder)
        limit = min(request.seconds, self.most_seconds)
        seconds = (ctypes.c_uint64 * 2)(limit, limit)
        if self.setrlimit(RLIMIT_CPU, seconds):
            raise OSError("setrlimit")
        # With them it loses the privileges that the filter of system calls allows this server.
        if self.own is not None and self.syscall(*self.no_capabilities):
            raise OSError("capset")
        candidate.run(request, self.control)


def _hard_limit(libc, resource):
    limits = (ctypes.c_uint64 * 2)()
    if libc.getrlimit(resource, limits):
        raise OSError("getrlimit")
    return limits[1]


def warm_up():
    """Does what is done for every program, until the interpreter has made its notes about it. What
    it notes in a process that was forked, it forgets with that, and each note costs a page."""
    for name in WARM:
        __import__(name)
    random.seed(0)
    argv, modules = sys.argv, dict(sys.modules)
    tests, program = socketpair()
    questions = [("f", ((1, [2.0]), {}))] * 2, ("f", "call", wire.encode(((2, "a"), {}), None))
    with open("/dev/null", "wb", 0) as sheet:
        for _ in range(PRACTICE):
            request = candidate.Request(b"tests 1 0\n" + SAMPLE)
            desk = candidate.Desk(candidate.load(request, program), program, sheet.fileno())
            for question in questions:
                tests.sendall(wire.framed(wire.freeze(question)))
                desk.answer_next()
                wire.receive_bytes(tests)
    tests.close()
    program.close()
    sys.argv = argv
    sys.modules.clear()
    sys.modules.update(modules)


def main():
    control = socket(fileno=3)
    add_packages()
    warm_up()
    _, files = wire.receive_with_files(control)
    server = Server(control, files[0] if files else None)
    sys.path[:] = [part for part in sys.path if part != os.path.dirname(__file__)]
    gc.collect()
    gc.freeze()
    wire.send(control, {"ready": True})
    server.serve()


if __name__ == "__main__":
    main()
