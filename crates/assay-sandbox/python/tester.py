"""The process of the tests: puts programs through them, and says what it found.

It holds what a program must not see. All that it takes from a program is plain data.
"""

import json
import os
import random
import socket
import sys
import traceback

import rehearsal
import wire

CHUNK = 256
# No list that comes in parts is longer.
MOST = 1 << 25


# Classes that mean something to the tests or to Python itself: a program's are not taken for those.
SWALLOWED = (AssertionError, StopIteration, StopAsyncIteration)


class Gone(BaseException):
    """The program's process is no longer there, or talks nonsense."""


class Again(BaseException):
    """The program has made calls that its tests did not ask for: it must be run once more."""


class Raised(Exception):
    """The program raised an exception."""

    def __init__(self, name, message, line):
        super().__init__(message)
        self.name, self.message, self.line = name, message, line


class Handle:
    """An object that stays in the program's process. It is equal to itself alone."""

    def __init__(self, program, number, kind):
        self.__dict__["_assay"] = (program, number, kind)

    def __call__(self, *arguments, **named):
        return _ask(self, "call", (arguments, named))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _ask(self, "attribute", (name,))

    def __setattr__(self, name, value):
        _ask(self, "set", (name, value))

    def __getitem__(self, key):
        return _ask(self, "item", (key,))

    def __len__(self):
        length = _ask(self, "length", ())
        if type(length) is not int:
            raise TypeError("no length")
        return length

    def __iter__(self):
        iterator, more = _ask(self, "iterate", ()), True
        while more:
            taken = _ask(iterator, "take", (CHUNK,))
            if type(taken) is not tuple or len(taken) != 2 or type(taken[0]) is not list:
                self._assay[0].gone = True
                raise Gone
            yield from taken[0]
            more = taken[1] is True and len(taken[0]) == CHUNK

    def __bool__(self):
        return True

    def __str__(self):
        text = _ask(self, "text", ())
        return text if type(text) is str else "?"

    def __repr__(self):
        return "<%s>" % self._assay[2]


def _ask(handle, do, arguments):
    program, number, _ = handle._assay
    return program.ask(number, do, arguments)


class Program:
    """The program under test, as far as the tests can see it."""

    def __init__(self, connection, sheet, calls):
        self.connection, self.sheet, self.calls = connection, sheet, calls
        # How many of the calls it was told to make, and how many the tests have asked for.
        self.told, self.asked = 0, 0
        self.answers, self.read, self.left = [], 0, False
        # What stays so, whatever the test makes of the exception: that it must run once more, or is gone.
        self.again, self.gone = False, False
        self.last = ""

    def start(self):
        """Waits until it is loaded, and has made the first of the calls that are known beforehand."""
        message = self.make_calls()
        if "raised" in message:
            raise _exception(message)

    def make_calls(self):
        """Has it make the next of the calls that are known beforehand; the message that it ends with."""
        count, question = self.calls.part_from(self.told)
        self.told += count
        try:
            self.connection.sendall(question)
            message = self.receive()
        except (OSError, Gone):
            message = {}
        # If it is gone, what it has answered before that counts.
        self.left = type(message.get("ready")) is not int
        self.answers = self.read_sheet()
        self.answers.reverse()
        return message

    def read_sheet(self):
        """The answers that have come to stand on the sheet."""
        length = os.fstat(self.sheet).st_size - self.read
        if not 0 <= length <= wire.SHEET:
            raise Gone
        text = os.pread(self.sheet, length, self.read)
        self.read += len(text)
        # What comes after the last line's end is half an answer.
        return text.split(b"\n")[:-1]

    def answer_to_known(self, name, arguments):
        """The answer to a call that was known beforehand; None if this one was not."""
        at = self.asked
        if at == len(self.calls):
            return None
        if not self.calls.is_at(at, name, arguments):
            if at < self.told:
                self.ask_again()
            self.calls.cut(at)
            return None
        self.asked += 1
        if at == self.told:
            self.make_calls()
        if self.answers:
            return _message(self.answers.pop())
        if self.left:
            raise Gone
        # It had no room on the sheet.
        self.told = self.asked
        self.calls = self.calls.until(self.asked)
        return self.receive()

    def ask_again(self):
        """Has it run once more. Also if the test takes this for a failure of its own making."""
        self.again = True
        self.calls.cut(self.asked)
        raise Again

    def named(self, name):
        """What the program calls `name`, as something to call."""

        def stand_in(*arguments, **named):
            return self.ask(name, "call", (arguments, named))

        stand_in.__name__ = name
        return stand_in

    def ask(self, on, do, arguments):
        """What the program answers."""
        try:
            return self.answer_to(on, do, arguments)
        except Gone:
            self.gone = True
            raise

    def answer_to(self, on, do, arguments):
        if do != "call" and self.asked < self.told:
            self.ask_again()
        message = self.answer_to_known(on, arguments) if do == "call" else None
        if message is None:
            question = (on, do, wire.encode(arguments, self.number_of))
            try:
                self.connection.sendall(wire.framed(wire.freeze(question)))
            except OSError:
                raise Gone from None
            message = self.receive()
        value = self.whole(message)
        if do == "call":
            self.last = (on, arguments, value)
        return value

    def whole(self, message):
        """The value in a message; a long list comes in parts, the last of which is the value."""
        parts = []
        while "part" in message:
            part = self.value_of({"value": message["part"]})
            if type(part) is not list or not part or len(parts) > MOST:
                raise Gone
            parts += part
            message = self.receive()
        value = self.value_of(message)
        if parts and type(value) is list:
            parts += value
            return parts
        return value

    def receive(self):
        """The next message."""
        try:
            data = wire.receive_bytes(self.connection)
        except (EOFError, OSError, ValueError):
            raise Gone from None
        return _message(data)

    def value_of(self, message):
        """The value in a message, or the exception that it tells of."""
        if "raised" in message:
            raise _exception(message)
        try:
            return wire.decode(message["value"], self.handle)
        except Exception:
            raise Gone from None

    def handle(self, content):
        number, kind, _ = content
        if type(number) is not int or type(kind) is not str:
            raise ValueError("no handle")
        return Handle(self, number, kind[:100])

    def number_of(self, value):
        """A handle goes back as what it stands for; nothing else that is not plain may go."""
        if type(value) is Handle and value._assay[0] is self:
            return {"h": [value._assay[1]]}
        raise TypeError("%s cannot be handed to a program" % type(value).__name__)

    def last_call(self):
        """The last call and what came of it, for a person."""
        if not self.last:
            return ""
        name, (arguments, named), value = self.last
        shown = [_short(argument) for argument in arguments]
        shown += ["%s=%s" % (key, _short(argument)) for key, argument in named.items()]
        return "%s(%s) gave %s" % (name, ", ".join(shown), _short(value))


def _message(data):
    """What a program says."""
    try:
        message = wire.from_json(str(data, "utf-8"))
    except (ValueError, RecursionError):
        raise Gone from None
    if type(message) is not dict:
        raise Gone
    return message


def _short(value):
    try:
        text = repr(value)
    except BaseException:
        text = "?"
    return text if len(text) <= 120 else text[:117] + "..."


def _exception(message):
    """What the program raised, as an exception of the same class where Python knows it."""
    name, text, line = (message.get(key) for key in ("raised", "message", "line"))
    name = name[:200] if type(name) is str else "Exception"
    text = text[:2000] if type(text) is str else ""
    line = line if type(line) is int else None
    if message.get("syntax") is True:
        name = "syntax:" + name
    known = getattr(sys.modules["builtins"], name, None)
    if isinstance(known, type) and issubclass(known, Exception) and known not in SWALLOWED:
        try:
            return type(name, (Raised, known), {})(name, text, line)
        except TypeError:
            pass
    return Raised(name, text, line)


class Exam:
    """The tests of one problem."""

    def __init__(self, message):
        self.called = message["called"]
        self.tests = message["tests"]
        self.compiled, self.rehearsals = {}, {}
        self.names = {"__name__": "tests"}
        exec(compile(message["setting"], "<setting>", "exec"), self.names)

    def code(self, number):
        if number not in self.compiled:
            self.compiled[number] = compile(self.tests[number], "<tests>", "exec")
        return self.compiled[number]

    def run(self, code, program):
        """Puts the program through the code of a test."""
        # Tests that draw lots draw the same ones for every program.
        random.seed(0)
        names = dict(self.names)
        for name in self.called:
            names[name] = program.named(name)
        exec(code, names)

    def known_calls(self, number):
        """The calls of a test that are known beforehand."""
        if number not in self.rehearsals:
            calls = self.rehearsals[number] = rehearsal.Calls()
            calls.find(self.tests[number], self.run)
        return self.rehearsals[number]

    def line(self, number, error):
        """The test's line that an exception came from."""
        line, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "<tests>":
                line = trace.tb_lineno
            trace = trace.tb_next
        if line is None:
            return ""
        lines = self.tests[number].splitlines()
        return lines[line - 1].strip()[:300] if line <= len(lines) else ""


def examine(exam, number, connection, sheet, live):
    """What came of putting a program through a test."""
    program = Program(connection, sheet, rehearsal.Calls() if live else exam.known_calls(number))
    came = outcome(exam, number, program)
    if "passed" in came and program.asked < program.told:
        # It may have taken its time over calls that the test did without.
        program.calls.cut(program.asked)
        program.again = True
    if program.again:
        return {"again": True}
    return {"gone": True} if program.gone else came


def outcome(exam, number, program):
    """What came of a test for a program, if it was asked nothing that the test does not ask."""
    try:
        program.start()
        exam.run(exam.code(number), program)
    except Gone:
        return {"gone": True}
    except Again:
        return {"again": True}
    except Raised as error:
        return {"raised": error.name, "message": error.message, "line": error.line}
    except AssertionError as error:
        parts = [_text(error), exam.line(number, error), program.last_call()]
        return {"wrong": "; ".join(part for part in parts if part)}
    except BaseException as error:
        message = "%s (%s)" % (_text(error), exam.line(number, error))
        return {"raised": type(error).__name__, "message": message[:2000], "line": None}
    return {"passed": True}


def _text(error):
    """What an exception says; it may hold something of the program's, which may say anything."""
    try:
        return _short(str(error)) if str(error) else ""
    except BaseException:
        return ""


def enter_folder():
    """Goes where the program is, into a file system that is there only as long as the program."""
    try:
        os.chdir(os.environ["HOME"])
    except OSError:
        # The program has shut it off already; the tests do without.
        os.chdir("/")


def main():
    control = socket.socket(fileno=3)
    sys.setrecursionlimit(5000)
    exams = {}
    wire.send(control, {"ready": True})
    while True:
        try:
            message, files = wire.receive_with_files(control)
        except EOFError:
            return
        message = json.loads(message)
        key = message["key"]
        try:
            if "setting" in message:
                exams.pop(message["forget"], None)
                exams[key] = Exam(message)
                answer = {"ready": True}
            else:
                enter_folder()
                with socket.socket(fileno=files.pop(0)) as connection:
                    exam, number, live = exams[key], message["test"], message["live"]
                    answer = examine(exam, number, connection, files[0], live)
        except BaseException:
            answer = {"broken": traceback.format_exc(limit=-3)[-2000:]}
        os.chdir("/")
        for left in files:
            os.close(left)
        # Whoever waits for an answer can tell that it is the one to this question.
        answer["number"] = message["number"]
        # Half a letter, which a program's text may have, is none to whoever reads this.
        text = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        control.sendall(wire.framed(text))


if __name__ == "__main__":
    main()
