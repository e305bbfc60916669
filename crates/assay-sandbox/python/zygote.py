"""A warmed interpreter that is forked for every program under test.

It stands in the sandbox's namespaces and has the right to make one more of process numbers; what
it forks gives that right up before it looks at the program.
"""

import ctypes
import gc
import os
import resource
import select
import signal
import socket
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
SYS = {"x86_64": (126, 317), "aarch64": (91, 277)}


class Filter(ctypes.Structure):
    """A seccomp program."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


class Server:
    """Forks a process for every program, and tells how each ended."""

    def __init__(self, control, instructions, own):
        self.control = control
        # The namespace of process numbers that it stands in itself; None without isolation.
        self.own = own
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.instructions = ctypes.create_string_buffer(instructions, len(instructions))
        address = ctypes.addressof(self.instructions)
        self.filter = Filter(len(instructions) // 8, address)
        self.capset, self.seccomp = SYS[os.uname().machine]

    def serve(self):
        """Until nobody asks any more."""
        while True:
            request, files = receive_with_files(self.control)
            if request is None:
                return
            pid = self.fork(request, files)
            for number in files:
                os.close(number)
            wire.send(self.control, {"pid": pid})
            self.wait(pid)

    def wait(self, pid):
        """Until the process has ended, by itself or because it was asked for. Exactly one byte comes
        from outside: the wish to end it, or the word that its end was heard."""
        watch = os.pidfd_open(pid)
        ready, _, _ = select.select([watch, self.control], [], [])
        os.close(watch)
        alive = watch not in ready
        if alive:
            self.hear()
            os.kill(pid, signal.SIGKILL)
        _, status, used = os.wait4(pid, 0)
        signalled = os.WIFSIGNALED(status)
        ended = {
            "signal": os.WTERMSIG(status) if signalled else None,
            "code": None if signalled else os.WEXITSTATUS(status),
            "cpu_us": int((used.ru_utime + used.ru_stime) * 1e6),
            "memory": used.ru_maxrss * 1024,
        }
        wire.send(self.control, ended)
        if not alive:
            self.hear()

    def hear(self):
        if not self.control.recv(1):
            os._exit(0)

    def fork(self, request, files):
        if self.own is not None:
            # Whoever is forked next is the first in a world of its own.
            self.libc.setns(self.own, CLONE_NEWPID)
            if self.libc.unshare(CLONE_NEWPID):
                raise OSError(ctypes.get_errno(), "unshare")
        pid = os.fork()
        if pid:
            return pid
        try:
            self.become(request, files)
        except BaseException as error:
            os.write(2, ("the sandbox failed: %r\n" % (error,)).encode())
        os._exit(111)

    def become(self, request, files):
        """Gives up every right, then runs the program."""
        # Copies beyond the numbers that they shall have, so that none overwrites another.
        files = [os.dup2(number, 200 + place) for place, number in enumerate(files)]
        for place, number in enumerate(files):
            os.dup2(number, place)
        os.closerange(4, 1 << 16)
        os.setsid()
        limits(request["limits"])
        os.chdir(request["folder"])
        self.give_up()
        candidate.run(request, socket.socket(fileno=3))

    def give_up(self):
        """No capabilities, no way to gain any, and no system calls that only mischief needs."""
        libc = self.libc
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        if libc.syscall(self.capset, header, (ctypes.c_uint32 * 6)()):
            raise OSError(ctypes.get_errno(), "capset")
        if libc.prctl(38, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        if self.filter.length and libc.syscall(self.seccomp, 1, 0, ctypes.byref(self.filter)):
            raise OSError(ctypes.get_errno(), "seccomp")


def limits(wanted):
    """What the process may use."""
    for name, value in wanted.items():
        number = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(number)[1]
        top = value if hard < 0 else min(value, hard)
        resource.setrlimit(number, (top, top))


def receive_with_files(control):
    """The next message, and the files that came with it; None at the end."""
    head, files, _, _ = socket.recv_fds(control, 4, 8)
    if not head:
        return None, files
    while len(head) < 4:
        head += wire.read_exactly(control, 4 - len(head))
    length = int.from_bytes(head, "little")
    return wire.json.loads(wire.read_exactly(control, length)), files


def main():
    control = socket.socket(fileno=3)
    for name in WARM:
        __import__(name)
    request, files = receive_with_files(control)
    server = Server(control, bytes.fromhex(request["filter"]), files[0] if files else None)
    sys.path[:] = [part for part in sys.path if part != os.path.dirname(__file__)]
    gc.collect()
    gc.freeze()
    wire.send(control, {"ready": True})
    server.serve()


if __name__ == "__main__":
    main()
