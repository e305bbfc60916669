"""The process of a candidate: loads it, and answers the calls of its tests."""

import builtins
import os
import random
import sys
import types
from _signal import ITIMER_PROF, ITIMER_REAL, SIGALRM, SIGPROF, setitimer
from _operator import is_
from _socket import socket
from sys import getrefcount
from time import perf_counter

import packing
import wire
from operations import OPERATIONS, abilities

SOURCE = "<program>"
# The file that answers are written on, if there are tests.
SHEET = 4
# The number of lines of the program that are reported of an exception.
FRAMES = 6
_write = os.write
_name_of = type.__dict__["__name__"].__get__


class Request:
    """A request to run a program: a line of three words (the mode, the seconds of CPU time, the length of the
    preamble), the preamble, the program."""

    def __init__(self, data):
        head, _, texts = data.partition(b"\n")
        mode, seconds, length = head.split()
        length = int(length)
        self.mode, self.seconds = str(mode, "ascii"), int(seconds)
        self.preamble, self.program = str(texts[:length], "utf-8"), str(texts[length:], "utf-8")


def run(request, connection):
    """Runs a program. Never returns."""
    if request.mode == "record":
        _record(request, connection)
    if request.mode == "calls":
        _end_by_timers()
        setitimer(ITIMER_PROF, LOADING)
    names = load(request, connection)
    if request.mode in ("tests", "calls"):
        Desk(names, connection).serve()
    elif request.mode == "compat":
        _tell(connection, {"done": True})
    _leave(connection)


def _end_by_timers():
    """Makes the process exit, with the signal's number as its status, when a timer expires. The first process of a
    namespace is not killed by signals without a handler; and this works even within a long operation."""
    import ctypes

    libc = ctypes.PyDLL(None)
    end = ctypes.cast(libc._exit, ctypes.c_void_p)
    for number in (SIGPROF, SIGALRM):
        libc.signal(number, end)


def _record(request, connection):
    """Records the answers of a reference solution; never returns."""
    sys.path.insert(0, os.path.dirname(__file__))
    import recorder

    try:
        recorder.record(request.preamble, request.program, SHEET)
    except BaseException as error:
        _fail(connection, error)
    _tell(connection, {"done": True})
    os._exit(0)


def load(request, connection):
    """Runs a program to its end; returns its names."""
    mode = request.mode
    name = "__main__" if mode == "main" else "builtins" if mode == "compat" else "program"
    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    if name == "program":
        sys.modules[name] = module
    sys.argv = [SOURCE]
    # As an interpreter does with a file.
    code = _compile(request.program.removeprefix("\ufeff"), connection)
    if mode == "main" and any(name in request.program for name in STANDARD):
        _open_standard_files()
    try:
        if request.preamble:
            exec(compile(request.preamble, "<preamble>", "exec"), module.__dict__)
        exec(code, module.__dict__)
    except BaseException as error:
        _fail(connection, error)
    return module.__dict__


# Names of standard input, output and errors, which a sandbox without `/proc` does not have.
STANDARD = {
    name: number
    for number, stream in enumerate(("stdin", "stdout", "stderr"))
    for name in ("/dev/" + stream, "/dev/fd/%d" % number, "/proc/self/fd/%d" % number)
}


def _open_standard_files():
    """Makes `open` treat these names as the files themselves."""
    import io

    def taking_names(plain):
        def opened(file, *arguments, **named):
            return plain(_standard(file), *arguments, **named)

        return opened

    plain = os.open
    builtins.open = io.open = taking_names(io.open)
    os.open = lambda path, *how, **named: (
        os.dup(STANDARD[path]) if path in STANDARD else plain(path, *how, **named)
    )


def _standard(file):
    """A new descriptor of a standard file that is opened by its name; anything else unchanged."""
    name = file.__fspath__() if hasattr(type(file), "__fspath__") else file
    return os.dup(STANDARD[name]) if type(name) is str and name in STANDARD else file


def _compile(program, connection):
    try:
        return compile(program, SOURCE, "exec")
    except BaseException as error:
        message = {"syntax": True, **_describe(error)}
        if isinstance(error, SyntaxError):
            message["message"], message["line"] = str(error.msg), error.lineno
        _tell(connection, message)
        os._exit(1)


def _leave(connection):
    """Ends the process as an interpreter does, including the program's exit handlers."""
    try:
        threading = sys.modules.get("threading")
        if threading:
            threading._shutdown()
        import atexit

        atexit._run_exitfuncs()
        # A program may have closed it itself.
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException as error:
        _fail(connection, error)
    os._exit(0)


def _fail(connection, error):
    """Reports how the program failed, and exits."""
    if isinstance(error, SystemExit):
        _flush()
        code = _status(error)
        _tell(connection, {"exit": code})
        os._exit(code)
    described = _describe(error)
    # Before the report, since its reader kills this process.
    try:
        import traceback

        traceback.print_exception(type(error), error, _own_frames(error.__traceback__), limit=-10)
    except BaseException:
        pass
    _flush()
    _tell(connection, described)
    os._exit(1)


def _own_frames(trace):
    """A traceback from the first line of the program on, as an interpreter would print it."""
    start = trace
    while start is not None and start.tb_frame.f_code.co_filename != SOURCE:
        start = start.tb_next
    return start or trace


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def _describe(error):
    frames, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SOURCE:
            frames = [*frames[1 - FRAMES :], [trace.tb_lineno, trace.tb_frame.f_code.co_name]]
        trace = trace.tb_next
    line = frames[-1][0] if frames else None
    try:
        # A lone surrogate cannot be decoded by the reader.
        message = str.__str__(str(error))[:2000].encode("utf-8", "replace").decode()
    except BaseException:
        message = ""
    kind = type(error)
    described = {"raised": _name(kind), "message": message, "line": line, "frames": frames}
    if getattr(builtins, described["raised"], None) is not kind:
        described["bases"] = [_name(base) for base in type.mro(kind)[1:10]]
    if isinstance(error, SystemExit):
        described["exit"] = _status(error)
    return described


def _name(kind):
    """The name of a class, whatever its own class says of it."""
    return _name_of(kind)[:200]


def _status(error):
    """The status that a process would exit with for this exception."""
    code = error.code
    return code & 0xFF if type(code) is int else 0 if code is None else 1


def _tell(connection, message):
    """Sends a message. The end of the process does not depend on it: the program may have closed the connection."""
    try:
        wire.send(connection, message)
    except BaseException:
        pass


class Desk:
    """The side of the candidate that answers its tests."""

    def __init__(self, names, connection, sheet=SHEET):
        self.names, self.connection, self.sheet = names, connection, sheet
        self.handles = []
        self.room = wire.SHEET

    def serve(self):
        """Answers until the tests are gone."""
        while True:
            try:
                self.answer_next()
            except (EOFError, OSError):
                os._exit(0)

    def answer_next(self):
        """Answers the next question."""
        question = wire.thaw(wire.receive_bytes(self.connection))
        if type(question) is list:
            self.make_calls(question)
        elif type(question) is dict:
            self.serve_table(question)
        else:
            on, do, arguments = question
            handed = wire.thaw(arguments) if type(arguments) is bytes else wire.decode(arguments, self.handle)
            self.send(*self.answer(on, do, handed))

    def serve_table(self, table):
        """Makes calls one after the other, until the tests stop."""
        calls = TableCalls(self, table)
        while True:
            at = wire.thaw(wire.receive_bytes(self.connection))
            if at is None:
                self.send(*self.told(calls.last))
            else:
                wire.send(self.connection, calls.make(at))

    def make_calls(self, calls):
        """Makes calls that do not depend on each other's answers. The answers are written to a sheet that the tests
        read when all are there, or when the program is gone."""
        for done, (name, arguments) in enumerate(calls):
            part, value = self.answer(name, "call", arguments)
            if part or not self.write(wire.to_json(value).encode() + b"\n"):
                wire.send(self.connection, {"ready": done})
                self.send(part, value)
                return
        wire.send(self.connection, {"ready": len(calls)})

    def write(self, line):
        """Writes to the sheet; returns whether there was room."""
        try:
            written = len(line) <= self.room and _write(self.sheet, line) == len(line)
        except OSError:
            written = False
        self.room = self.room - len(line) if written else 0
        return written

    def answer(self, on, do, arguments):
        """The outcome of a question, as a message, and the long list to send before it, if any."""
        if do == "call" and isinstance(on, str) and on not in self.names:
            return None, {"raised": "NameError", "message": "name %r is not defined" % on, "missing": True}
        try:
            if do == "call":
                long, message = self.call(self.names[on] if isinstance(on, str) else self.handles[on], *arguments)
            else:
                answer = [OPERATIONS[do](self.handles[on], *arguments)]
                if _holds_on(answer, ()):
                    wire.LOST.add(KEPT)
                long, message = self.told(answer.pop())
        except BaseException as error:
            long, message = None, _describe(error)
        if wire.LOST:
            message["lost"] = sorted(wire.LOST)
            wire.LOST.clear()
        return long, message

    def call(self, function, arguments, named):
        """The outcome of a call, and its arguments if they were changed in place."""
        handed = wire.containers([*arguments, *named.values()], [])
        if not handed:
            answer = [function(*arguments, **named)]
            if _holds_on(answer, ()):
                wire.LOST.add(KEPT)
            return self.told(answer.pop())
        before, holders = [_content(container) for container in handed], _holders(handed)
        answer = [function(*arguments, **named)]
        numbers = {id(container): number for number, container in reversed(list(enumerate(handed)))}
        if _were_kept(handed, holders, answer) or _holds_on(answer, numbers):
            wire.LOST.add(KEPT)
        long, message = self.told(wire.marked(answer.pop(), numbers))
        changed = [
            [number, wire.encode(wire.marked(_plain_content(container), numbers), self.keep)]
            for number, (container, content) in enumerate(zip(handed, before))
            if not _is_same(content, _content(container))
        ]
        if changed:
            message["changed"] = changed
        return long, message

    def told(self, value):
        """A value as a message, and the long list to send before it, if any."""
        long = None
        if type(value) is list and len(value) > wire.PART:
            long, value = value, value[-wire.PART :]
        return long, {"value": wire.encode(value, self.keep)}

    def named(self, name):
        """The program's object called `name`."""
        try:
            return self.names[name]
        except KeyError:
            raise NameError("name %r is not defined" % name) from None

    def send(self, long, message):
        """Sends a message, and before it all parts of a long list but the last, which is in the message: as one
        message it might not fit."""
        for at in range(0, len(long or ()) - wire.PART, wire.PART):
            part = long[at : min(at + wire.PART, len(long) - wire.PART)]
            wire.send(self.connection, {"part": wire.encode_part(part, self.keep)})
        wire.send(self.connection, message)

    def keep(self, value):
        self.handles.append(value)
        kind = type(value)
        return {"h": [len(self.handles) - 1, str(kind.__name__), abilities(kind)]}

    def handle(self, content):
        return self.handles[content[0]]


class TableCalls:
    """The calls of one function with inputs that are known in advance. Answers are written to the sheet, in rounds of
    increasing length: the tests check them in between, and kill a program whose answer is wrong."""

    def __init__(self, desk, table):
        self.desk, self.name = desk, table["name"]
        self.inputs, self.limits = wire.thaw(table["inputs"]), table["limits"]
        self.patience = SHORTEST_ROUND
        # The last answer that was sent as a hash.
        self.last = None

    def make(self, at):
        """Makes the calls from number `at` on, until the round is over; returns the message about it."""
        sheet, longest, written = self.desk.sheet, 0.0, 0
        os.lseek(sheet, 0, os.SEEK_SET)
        os.ftruncate(sheet, 0)
        # For a call that waits instead of working: the machine may be busy, so the limit is far higher.
        setitimer(ITIMER_REAL, WAITING * max(self.limits[at:], default=1.0))
        until = perf_counter() + self.patience
        ready = False
        while at < len(self.inputs) and not ready:
            limit = self.limits[at] * NEAR
            setitimer(ITIMER_PROF, limit)
            packed = self.answer(at)
            left, _ = setitimer(ITIMER_PROF, 0)
            longest = max(longest, (limit - left) / self.limits[at] if left else 0.0)
            written += _write(sheet, len(packed).to_bytes(4, "little") + packed)
            at += 1
            ready = packed[0] in STOPS or written > LONGEST_ROUND or perf_counter() > until
        setitimer(ITIMER_REAL, 0)
        self.patience = min(self.patience * 2, MOST_PATIENCE)
        return {"ready": at, "longest": longest}

    def answer(self, at):
        """The outcome of a call, packed."""
        arguments, self.inputs[at] = self.inputs[at], None
        try:
            self.last = self.desk.named(self.name)(*arguments)
            return packing.pack(self.last, self.desk.keep)
        except BaseException as error:
            return packing.RAISED + wire.to_json(_describe(error)).encode()


# A round of calls: seconds at first and at most, bytes at most.
SHORTEST_ROUND, MOST_PATIENCE = 0.004, 0.064
LONGEST_ROUND = 4 << 20
# The reasons to end a round: an exception, and an answer that may be requested.
STOPS = packing.RAISED + packing.HASHED
# The factors of its limit at which a call is killed, for CPU time and wall time.
NEAR, WAITING = 1.5, 15.0
# The CPU seconds for loading a program whose calls have limits.
LOADING = 7.5


# The program keeps references to values it returned or received: a later change on one side is not seen by the other.
KEPT = "the program holds on to what its tests hold too"


def _holds_on(answer, handed):
    """Returns whether a container within the only element of `answer` has several references: twice in the answer, or
    from the program. Those whose ids are in `handed` came from the tests."""
    # Referenced by its container, by the list of results, by the loop, and as an argument.
    return any(
        getrefcount(container) > 4 and id(container) not in handed for container in wire.containers(answer, [])
    )


def _holders(containers):
    return [getrefcount(container) for container in containers]


def _were_kept(handed, holders, answer):
    """Returns whether the arguments have more references than before, besides the answer."""
    more = [now - before for now, before in zip(_holders(handed), holders)]
    if not any(more):
        return False
    within = list(map(id, wire.containers(answer, [])))
    return any(count > within.count(id(container)) for container, count in zip(handed, more))


def _content(container):
    """The contents of a container, to be compared element by element."""
    if type(container) in wire.DICTIONARIES:
        return [part for pair in container.items() for part in pair]
    return list(container)


def _plain_content(container):
    """The contents of a container, as a list or a dictionary."""
    return dict(container) if type(container) in wire.DICTIONARIES else list(container)


def _is_same(before, now):
    """Returns whether two lists contain the same objects."""
    return len(before) == len(now) and all(map(is_, before, now))


def main():
    """Runs one program in a new interpreter: the request is in the file with the given descriptor."""
    with open(int(sys.argv[1]), "rb") as file:
        request = Request(file.read())
    from packages import add_packages

    add_packages()
    sys.path[:] = [part for part in sys.path if part != os.path.dirname(__file__)]
    # A program that uses random numbers gets the same ones every time, and the same verdict.
    random.seed(0)
    run(request, socket(fileno=3))


if __name__ == "__main__":
    main()
