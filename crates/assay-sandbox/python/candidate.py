"""The process of a program under test: loads it, and answers the calls of its tests."""

import json
import os
import random
import socket
import sys
import types

import wire

SOURCE = "<program>"


def run(request, connection):
    """Runs the program that `request` describes. Never returns."""
    mode = request["mode"]
    name = "__main__" if mode == "main" else "builtins" if mode == "compat" else "program"
    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    if mode == "exam":
        sys.modules[name] = module
    sys.argv = [SOURCE]
    code = _compile(request, connection)
    try:
        if request["preamble"]:
            exec(compile(request["preamble"], "<preamble>", "exec"), module.__dict__)
        exec(code, module.__dict__)
    except BaseException as error:
        _fail(connection, error)
    if mode == "exam":
        _serve(module.__dict__, connection)
    elif mode == "compat":
        _tell(connection, {"done": True})
    _leave(connection)


def _compile(request, connection):
    try:
        return compile(request["program"], SOURCE, "exec")
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
        message = str.__str__(str(error))[:2000]
    except BaseException:
        message = ""
    return {"raised": str.__str__(type(error).__name__)[:200], "message": message, "line": line}


def _tell(connection, message):
    try:
        wire.send(connection, message)
    except BaseException:
        os._exit(1)


def _serve(names, connection):
    """Answers calls until nobody asks any more."""
    handles = []

    def keep(value):
        handles.append(value)
        kind = type(value)
        return {"h": [len(handles) - 1, str(kind.__name__), callable(value)]}

    def find(number):
        return handles[number]

    _tell(connection, {"ready": True})
    while True:
        try:
            question = wire.receive(connection)
        except (EOFError, OSError):
            os._exit(0)
        try:
            value = _answer(question, names, find)
            if type(value) is list and len(value) > wire.PART:
                value = _send_parts(value, connection, keep)
            answer = wire.pack({"value": wire.encode(value, keep)})
        except SystemExit as error:
            _fail(connection, error)
        except BaseException as error:
            answer = wire.pack(_describe(error))
        try:
            connection.sendall(answer)
        except OSError:
            os._exit(0)


def _send_parts(value, connection, keep):
    """Sends all of a long list but its end, which is given back: as one message it might not fit."""
    at = 0
    while len(value) - at > wire.PART:
        part = value[at : at + wire.PART]
        connection.sendall(wire.pack({"part": wire.encode(part, keep)}))
        at += wire.PART
    return value[at:]


def _answer(question, names, find):
    target = question["on"]
    if isinstance(target, str):
        try:
            value = names[target]
        except KeyError:
            raise NameError("name %r is not defined" % target) from None
    else:
        value = find(target)
    do = question["do"]
    arguments = wire.decode(question["arguments"], lambda content: find(content[0]))
    if do == "call":
        return value(*arguments[0], **arguments[1])
    if do == "get":
        return value
    return OPERATIONS[do](value, *arguments)


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
    """One program in an interpreter of its own: it is described in the file with the number 4."""
    with open(4, "rb") as file:
        request = json.load(file)
    sys.path[:] = [part for part in sys.path if part != os.path.dirname(__file__)]
    # A program that draws lots gets the same ones every time, and the same verdict.
    random.seed(0)
    run(request, socket.socket(fileno=3))


if __name__ == "__main__":
    main()
