"""Leaves a mark in every place that the next program of the same worker might look at."""
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)


def attempt(mark):
    try:
        mark()
    except BaseException:
        pass


def acl(tag_rights):
    """An access control list as the kernel takes it."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, rights, 0xFFFFFFFF) for tag, rights in tag_rights)


def many_files():
    for number in range(300):
        with open("/tmp/%d" % number, "w"):
            pass
        os.unlink("/tmp/%d" % number)


def lasting_files():
    os.makedirs("/tmp/kept/deep")
    for name in ("/tmp/kept/deep/x", "/tmp/.hidden", "/dev/shm/x"):
        with open(name, "w") as file:
            file.write("x")
    os.symlink("/", "/tmp/link")
    os.mkfifo("/tmp/fifo")


def locks():
    for name in ("/usr/bin/env", "/dev/null", sys.executable):
        number = os.open(name, os.O_RDONLY)
        fcntl.flock(number, fcntl.LOCK_EX)
        fcntl.fcntl(number, 1024, 0)


def stay():
    """A process that outlives this one, if it can."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            server = socket.socket(socket.AF_UNIX)
            server.bind("\0mark")
            server.listen()
            time.sleep(60)
        os._exit(0)


MARKS = (
    lambda: os.setxattr("/tmp", "user.mark", b"x"),
    many_files,
    lasting_files,
    lambda: os.utime("/tmp", (1, 1)),
    lambda: os.utime("/dev/null"),
    lambda: os.utime("/dev/zero"),
    lambda: os.utime("/usr", (1, 1)),
    locks,
    stay,
    lambda: libc.shmget(77, 4096, 0o1666),
    lambda: libc.semget(77, 1, 0o1666),
    lambda: libc.msgget(77, 0o1666),
    lambda: libc.syscall(240, b"mark", os.O_CREAT | os.O_RDWR, 0o600, None),
    lambda: libc.syscall(248, b"user", b"mark", b"x", 1, -4),
    lambda: libc.syscall(248, b"user", b"mark", b"x", 1, -3),
    lambda: socket.sethostname("mark"),
    lambda: os.umask(0o777),
    lambda: os.nice(7),
    lambda: os.setpriority(os.PRIO_USER, 0, 9),
    lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (64, 64)),
    lambda: signal.setitimer(signal.ITIMER_REAL, 30),
    lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN),
    lambda: libc.prctl(15, b"mark", 0, 0, 0),
    lambda: os.environ.__setitem__("MARK", "x"),
    lambda: os.putenv("MARK", "x"),
    lambda: setattr(sys.modules["builtins"], "mark", 1),
    lambda: sys.modules.__setitem__("mark", sys),
    lambda: [fcntl.fcntl(number, fcntl.F_SETFL, os.O_NONBLOCK) for number in range(5)],
    lambda: os.lseek(0, 5, 0),
    # Last of all: with these, nothing can be made there any more.
    lambda: os.setxattr("/tmp", "system.posix_acl_default", acl([(1, 0), (4, 0), (32, 0)])),
    lambda: os.chmod("/tmp", 0),
)
for mark in MARKS:
    attempt(mark)
