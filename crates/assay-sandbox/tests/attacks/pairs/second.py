"""Prints all that a program can see of whoever ran before it; the same after every program."""
import ctypes
import fcntl
import os
import random
import resource
import signal
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)


def look(name, at):
    try:
        print(name, at())
    except BaseException as error:
        print(name, type(error).__name__, getattr(error, "errno", None))


def new_file():
    with open("/tmp/new", "w") as file:
        found = os.fstat(file.fileno())
    return found.st_ino, oct(found.st_mode), os.listxattr("/tmp/new")


def folder():
    found = os.stat("/tmp/")
    # Its time is that of the file system's making: not long ago, and never one that was chosen.
    fresh = all(abs(at - os.stat("/tmp/.").st_ctime) < 1 for at in (found.st_mtime, found.st_atime))
    return found.st_ino, oct(found.st_mode), found.st_nlink, found.st_size, fresh


def space():
    found = os.statvfs("/tmp/")
    return found.f_bfree, found.f_ffree, found.f_files


def old(name):
    """Whether nobody has touched a file since the machine was started, or lately."""
    found = os.stat(name)
    return found.st_mtime, found.st_atime


def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0mark")


def file_flags():
    return [fcntl.fcntl(number, fcntl.F_GETFL) & ~os.O_ACCMODE for number in range(4)]


def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


look("listing", lambda: sorted(os.listdir("/tmp/")))
look("shared memory", lambda: sorted(os.listdir("/dev/shm/")))
look("folder", folder)
look("attributes", lambda: os.listxattr("/tmp/"))
look("space", space)
look("new file", new_file)
look("null", lambda: old("/dev/null"))
look("zero", lambda: old("/dev/zero"))
look("software", lambda: old("/usr"))
look("folder's name", os.getcwd)
for call in ("shmget", "semget", "msgget"):
    look(call, lambda: getattr(libc, call)(77, 0, 0))
look("queue", lambda: libc.syscall(240, b"mark", os.O_RDONLY, 0, None))
look("key", lambda: libc.syscall(249, b"user", b"mark", None, 0))
look("host name", socket.gethostname)
look("abstract socket", connect)
look("name in a circle", lambda: socket.socket(socket.AF_UNIX).bind("\0circle"))
look("umask", lambda: os.umask(0))
look("priority", lambda: os.getpriority(os.PRIO_PROCESS, 0))
look("cores", lambda: len(os.sched_getaffinity(0)))
for limit in ("AS", "CPU", "DATA", "FSIZE", "NOFILE", "NPROC", "STACK", "CORE", "MEMLOCK", "SIGPENDING"):
    look(limit, lambda: resource.getrlimit(getattr(resource, "RLIMIT_" + limit)))
look("timer", lambda: signal.getitimer(signal.ITIMER_REAL))
look("ignored", lambda: signal.getsignal(signal.SIGUSR1))
look("pending", signal.sigpending)
look("numbers", lambda: (os.getpid(), os.getppid(), os.getsid(0), os.getpgid(0)))
look("next number", lambda: os.posix_spawn("/bin/true", ["true"], {}))
look("children", lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_nsignals)
look("environment", lambda: sorted(os.environ.items()))
look("builtins", lambda: hasattr(sys.modules["builtins"], "mark"))
look("modules", lambda: "mark" in sys.modules)
look("drawn", random.random)
look("files", lambda: [number for number in range(64) if is_open(number)])
look("flags", file_flags)
look("input", lambda: os.lseek(0, 0, 1))
