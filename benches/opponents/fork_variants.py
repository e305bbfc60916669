"""Forks programs from the sandbox's warmed interpreter without isolation, with one measure left out at a time.

Prints the CPU time and the page faults per program: of the program's process, which loads one of HumanEval's solutions
and answers two calls, and of the server that forks it.

usage: python3 fork_variants.py HumanEval.jsonl.gz [ROUNDS]
"""
import array
import fcntl
import gzip
import json
import marshal
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "crates/assay-sandbox/python"
PROGRAMS = 492
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "LD_BIND_NOW": "1",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}

# A name, the interpreter, its options, and what is replaced in `zygote.py`.
VARIANTS = [
    ("as it is", sys.executable, ["-S"], []),
    ("code of .pth files is run", sys.executable, [], [("    add_packages()\n", "")]),
    ("without gc.freeze", sys.executable, ["-S"], [("    gc.freeze()\n", "")]),
    ("without practice before the first fork", sys.executable, ["-S"], [("PRACTICE = 50", "PRACTICE = 0")]),
    ("os.fork instead of the C library's", sys.executable, ["-S"], [("= libc.fork,", "= os.fork,")]),
    ("libraries bound when they are used", sys.executable, ["-S", "LD_BIND_NOW="], []),
    ("Debian's statically linked interpreter", "/usr/bin/python3", ["-S"], []),
]


class Zygote:
    """The server that forks programs, as its worker sees it."""

    def __init__(self, python, options, scripts):
        ours, theirs = socket.socketpair()
        self.control = socket.socket(fileno=fcntl.fcntl(ours.detach(), fcntl.F_DUPFD, 50))
        os.dup2(fcntl.fcntl(theirs.detach(), fcntl.F_DUPFD, 60), 3)
        flags = [option for option in options if option.startswith("-")]
        extra = dict(option.split("=") for option in options if "=" in option)
        environment = {key: value for key, value in {**ENVIRONMENT, **extra}.items() if value}
        command = [python, "-s", *flags, str(scripts / "zygote.py")]
        self.process = subprocess.Popen(command, env={**environment, "HOME": str(scripts)}, pass_fds=[3])
        os.close(3)
        self.send(b"", [])
        self.read(int.from_bytes(self.read(4), "little"))

    def send(self, data, files):
        along = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.control.sendmsg([len(data).to_bytes(4, "little")], along)
        self.control.sendall(data)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.control.recv(count - len(data))
            if not part:
                raise SystemExit("the zygote is gone")
            data += part
        return data

    def used(self):
        """Milliseconds of work and page faults of the server."""
        folder = pathlib.Path("/proc") / str(self.process.pid)
        faults = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[7])
        return int((folder / "schedstat").read_text().split()[0]) / 1e6, faults

    def run(self, problem, nothing, sheet):
        """Milliseconds of work and page faults of one program."""
        ours, theirs = socket.socketpair()
        program = problem["prompt"] + problem["canonical_solution"]
        self.send(b"exam 5 0\n" + program.encode(), [nothing, nothing, nothing, theirs.fileno(), sheet])
        theirs.close()
        self.read(8)
        calls = marshal.dumps([(problem["entry_point"], ((1,), {}))] * 2, 2)
        ours.sendall(len(calls).to_bytes(4, "little") + calls)
        ours.recv(1 << 16)
        ours.close()
        usage = struct.unpack("16q", self.read(8 + 144)[8 : 8 + 128])
        return usage[0] * 1e3 + usage[1] / 1e3 + usage[2] * 1e3 + usage[3] / 1e3, usage[8]


def measure(python, options, changes, problems):
    with tempfile.TemporaryDirectory() as folder:
        scripts = pathlib.Path(folder) / "scripts"
        shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
        text = (scripts / "zygote.py").read_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (scripts / "zygote.py").write_text(text)
        zygote = Zygote(python, options, scripts)
        nothing, sheet = os.open("/dev/null", os.O_RDWR), os.memfd_create("sheet")
        before, work, faults = zygote.used(), 0.0, 0
        for number in range(PROGRAMS):
            one, faulted = zygote.run(problems[number % len(problems)], nothing, sheet)
            work, faults = work + one, faults + faulted
        after = zygote.used()
        zygote.process.kill()
        zygote.process.wait()
        return work / PROGRAMS, faults / PROGRAMS, (after[0] - before[0]) / PROGRAMS, (after[1] - before[1]) / PROGRAMS


def main():
    with gzip.open(sys.argv[1], "rt") as lines:
        problems = [json.loads(line) for line in lines]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    found = {name: [] for name, *_ in VARIANTS}
    for _ in range(rounds):
        for name, python, options, changes in VARIANTS:
            found[name].append(measure(python, options, changes, problems))
    print("%-40s %9s %7s %9s %7s %9s" % ("", "program", "faults", "server", "faults", "together"))
    for name, figures in found.items():
        work, faults, server, server_faults = min(figures, key=lambda one: one[0] + one[2])
        print("%-40s %6.2f ms %7.0f %6.2f ms %7.0f %6.2f ms" % (name, work, faults, server, server_faults, work + server))


if __name__ == "__main__":
    main()
