"""The process of a program under test: loads it, and answers the calls of its tests."""

import os
import random
import sys
import types
from _socket import socket

import wire

SOURCE = "<program>"
# The file that answers are written on, if there are tests.
SHEET = 4
_write = os.write


class Request:
    """What is to be run, and how: a line of three words (the mode, the seconds of CPU time, the length
    of the preamble), the preamble, the program."""

    def __init__(self, data):
        head, _, texts = data.partition(b"\n")
        mode, seconds, length = head.split()
        length = int(length)
        self.mode, self.seconds = str(mode, "ascii"), int(seconds)
        self.preamble, self.program = str(texts[:length], "utf-8"), str(texts[length:], "utf-8")


def run(request, connection):
    """Runs a program. Never returns."""
    names = load(request, connection)
    if request.mode == "exam":
        Desk(names, connection).serve()
    elif request.mode == "compat":
        _tell(connection, {"done": True})
    _leave(connection)


def load(request, connection):
    """Runs a program to the end of its text; its names."""
    mode = request.mode
    name = "__main__" if mode == "main" else "builtins" if mode == "compat" else "program"
    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    if mode == "exam":
        sys.modules[name] = module
    sys.argv = [SOURCE]
    code = _compile(request.program, connection)
    try:
        if request.preamble:
            exec(compile(request.preamble, "<preamble>", "exec"), module.__dict__)
        exec(code, module.__dict__)
    except BaseException as error:
        _fail(connection, error)
    return module.__dict__


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
    """Ends the process as an interpreter does, with what the program left for its end."""
    try:
        threading = sys.modules.get("threading")
        if threading:
            threading._shutdown()
        import atexit

        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException as error:
        _fail(connection, error)
    os._exit(0)


def _fail(connection, error):
    """Tells how the program failed, and ends."""
    if isinstance(error, SystemExit):
        _flush()
        code = error.code
        _tell(connection, {"exit": code if type(code) is int else 0 if code is None else 1})
        os._exit(code & 0xFF if type(code) is int else 0 if code is None else 1)
    _tell(connection, _describe(error))
    try:
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__, limit=-10)
    except BaseException:
        pass
    _flush()
    os._exit(1)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def _describe(error):
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SOURCE:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        # Half a letter is none to whoever reads this.
        message = str.__str__(str(error))[:2000].encode("utf-8", "replace").decode()
    except BaseException:
        message = ""
    return {"raised": str.__str__(type(error).__name__)[:200], "message": message, "line": line}


def _tell(connection, message):
    try:
        wire.send(connection, message)
    except BaseException:
        os._exit(1)


class Desk:
    """Where the program answers its tests."""

    def __init__(self, names, connection, sheet=SHEET):
        self.names, self.connection, self.sheet = names, connection, sheet
        self.handles = []
        self.room = wire.SHEET

    def serve(self):
        """Answers until nobody asks any more."""
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
        else:
            on, do, arguments = question
            self.send(*self.answer(on, do, wire.decode(arguments, self.handle)))

    def make_calls(self, calls):
        """Makes calls that do not depend on each other's answers. The answers go on a sheet that the
        tests read when all are there, or when the program is not there any more."""
        for done, (name, arguments) in enumerate(calls):
            part, value = self.answer(name, "call", arguments)
            if part or not self.write(wire.to_json(value).encode() + b"\n"):
                wire.send(self.connection, {"ready": done})
                self.send(part, value)
                return
        wire.send(self.connection, {"ready": len(calls)})

    def write(self, line):
        """Writes on the sheet; whether there was room."""
        try:
            written = len(line) <= self.room and _write(self.sheet, line) == len(line)
        except OSError:
            written = False
        self.room = self.room - len(line) if written else 0
        return written

    def answer(self, on, do, arguments):
        """What comes of a question, as a message, and the long list that goes before it, if any."""
        try:
            value, long = self.find(on, do, arguments), None
            if type(value) is list and len(value) > wire.PART:
                long, value = value, value[-wire.PART :]
            return long, {"value": wire.encode(value, self.keep)}
        except SystemExit as error:
            _fail(self.connection, error)
        except BaseException as error:
            return None, _describe(error)

    def find(self, on, do, arguments):
        if isinstance(on, str):
            try:
                value = self.names[on]
            except KeyError:
                raise NameError("name %r is not defined" % on) from None
        else:
            value = self.handles[on]
        if do == "call":
            return value(*arguments[0], **arguments[1])
        return OPERATIONS[do](value, *arguments)

    def send(self, long, message):
        """Sends a message, and before it all of a long list but the end, which stands in the message:
        as one message it might not fit."""
        for at in range(0, len(long or ()) - wire.PART, wire.PART):
            part = long[at : min(at + wire.PART, len(long) - wire.PART)]
            wire.send(self.connection, {"part": wire.encode_part(part, self.keep)})
        wire.send(self.connection, message)

    def keep(self, value):
        self.handles.append(value)
        return {"h": [len(self.handles) - 1, str(type(value).__name__), callable(value)]}

    def handle(self, content):
        return self.handles[content[0]]


def _take(iterator, count):
    """The next few values, and whether there are more."""
    taken = []
    for value in iterator:
        taken.append(value)
        if len(taken) == count:
            return (taken, True)
    return (taken, False)


class _Iterator:
    """Keeps an iterator from being taken for plain data."""

    def __init__(self, values):
        self.values = iter(values)


OPERATIONS = {
    "attribute": getattr,
    "set": setattr,
    "item": lambda value, key: value[key],
    "length": len,
    "text": lambda value: str.__str__(str(value)),
    "iterate": _Iterator,
    "take": lambda value, count: _take(value.values, count),
}


def main():
    """One program in an interpreter of its own: it is described in the file of the number given."""
    with open(int(sys.argv[1]), "rb") as file:
        request = Request(file.read())
    sys.path[:] = [part for part in sys.path if part != os.path.dirname(__file__)]
    # A program that draws lots gets the same ones every time, and the same verdict.
    random.seed(0)
    run(request, socket(fileno=3))


if __name__ == "__main__":
    main()
