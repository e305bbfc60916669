"""The candidate as its tests see it: something to call, in another process.

A program only sends plain data, handles to objects that stay in its process, and the names of the exceptions that it
raises. A value that cannot be sent faithfully ends the test with `OneProcess`.
"""

import builtins
import os
import sys

import packing
import wire
from handles import Handle, handle

# The maximum length of a list that is sent in parts.
MOST = 1 << 25
# The largest share of its limit that is reported for a call.
ENDLESS = 1e9
# The number of characters shown of a value.
SHOWN = 120
# The number of lines of a program that are reported of an exception.
FRAMES = 6


# Classes with a meaning for the tests or for Python itself: a program's exceptions become these only if the test
# names them.
SPECIAL = frozenset(
    "AssertionError StopIteration StopAsyncIteration SystemExit KeyboardInterrupt GeneratorExit".split()
)
# Those of them that `except Exception` does not catch.
NO_EXCEPTIONS = frozenset("SystemExit KeyboardInterrupt GeneratorExit".split())


class Gone(BaseException):
    """The program's process is gone, or sends invalid messages."""


class Again(BaseException):
    """The program has made calls that its tests did not request: it must be run again."""


class OneProcess(BaseException):
    """The tests do something that does not work with a program in another process."""


class Raised(BaseException):
    """The program raised an exception."""

    def __init__(self, name, message, line, code=None):
        super().__init__(message)
        self.name, self.message, self.line, self.code = name, message, line, code
        self.frames = []


class RaisedException(Raised, Exception):
    """The program raised an exception that is no more special than others."""


class Function:
    """A function or a class of the program: tests can call it. Any other use needs it in the same process."""

    def __init__(self, program, name):
        object.__setattr__(self, "_assay", (program, name))

    def __call__(self, *arguments, **named):
        program, name = object.__getattribute__(self, "_assay")
        return program.ask(name, "call", (arguments, named))

    def __getattribute__(self, attribute):
        object.__getattribute__(self, "_assay")[0].in_one_process("its tests look at the function itself")

    def __setattr__(self, attribute, value):
        object.__getattribute__(self, "_assay")[0].in_one_process("its tests change the function itself")


def _surroundings():
    """Objects that tests may replace to observe or change a program, which is in another process."""
    return (sys.stdin, sys.stdout, sys.stderr, builtins.input, builtins.print, builtins.open)


SURROUNDINGS = _surroundings()


class Program:
    """The candidate, as far as the tests can see it."""

    def __init__(self, connection, sheet, calls, mentioned=frozenset()):
        self.connection, self.sheet, self.calls = connection, sheet, calls
        # The names that the test has, and its own classes of exceptions.
        self.mentioned, self.classes = mentioned, {}
        # The number of calls that it was told to make, and the number that the tests have requested.
        self.told, self.asked = 0, 0
        self.answers, self.read, self.left = [], 0, False
        # Flags that hold even if the test swallows the exception: it must run again, or in one process with its
        # tests, or is gone.
        self.again, self.one_process, self.gone = False, None, False
        self.called = False
        # A function that the tests call and it lacks: even if they handle that, there is nothing to test.
        self.missing = None
        # The properties of values that were lost between the processes.
        self.lost = set()
        # True if the tests have ended: nothing is requested any more.
        self.is_over = False
        self.handle_classes = {}
        # The arguments of the last call, and the containers within them.
        self.handed, self.containers = ((), {}), None
        self.last = ""
        # The name and the arguments of the last call, whether or not it was answered.
        self.asking = None
        # The largest share of its limit that a call of a table took.
        self.longest = 0.0

    def start(self):
        """Waits until it is loaded, and has made the first of the calls that are known in advance."""
        message = self.make_calls()
        if "raised" in message:
            raise self.exception(message)

    def make_calls(self):
        """Makes it run the next of the calls that are known in advance; returns its final message."""
        count, question = self.calls.part_from(self.told)
        self.told += count
        self.tell(question)
        try:
            message = self.receive()
        except Gone:
            message = {}
        # If it is gone, its answers before that count.
        self.left = type(message.get("ready")) is not int
        self.answers = self.read_sheet()
        self.answers.reverse()
        return message

    def sheet_from(self, start):
        """The bytes on the sheet from `start` on."""
        length = os.fstat(self.sheet).st_size - start
        if not 0 <= length <= wire.SHEET:
            raise Gone
        return os.pread(self.sheet, length, start)

    def read_sheet(self):
        """The answers that are on the sheet so far."""
        text = self.sheet_from(self.read)
        self.read += len(text)
        # The bytes after the last line end are a partial answer.
        return text.split(b"\n")[:-1]

    def begin_table(self, question):
        """Sends it the calls that follow."""
        self.tell(question)

    def answers_from(self, at):
        """Makes it run the calls of a table from number `at` on; returns its packed answers so far, and the exception
        to raise after them."""
        self.tell(wire.framed(wire.freeze(at)))
        message, gone = {}, None
        try:
            message = self.receive()
        except Gone as error:
            # Its answers before that count.
            gone = error
        if "raised" in message:
            return [], self.exception(message)
        longest = message.get("longest")
        if type(longest) is float:
            self.longest = max(self.longest, min(longest, ENDLESS))
        return _records(self.sheet_from(0)), gone

    def last_answer(self):
        """The answer whose hash it has sent."""
        self.tell(wire.framed(wire.freeze(None)))
        return self.whole(self.receive())

    def unpacked(self, packed):
        """The value of an answer."""
        try:
            return packing.unpack(packed, self.handle)
        except (ValueError, RecursionError):
            self.leave()

    def raise_from(self, data):
        """Raises the exception that it reports."""
        raise self.exception(_message(data))

    def leave(self):
        """Handles an invalid message: it counts as gone."""
        self.gone = True
        raise Gone

    def tell(self, question):
        """Sends it a question. If it is gone, its last message can still be read."""
        try:
            self.connection.sendall(question)
        except OSError:
            pass

    def answer_to_known(self, name, arguments):
        """The answer to a call that was known in advance; None if this one was not."""
        at = self.asked
        if at == len(self.calls):
            return None
        if not self.calls.is_at(at, name, arguments):
            if at < self.told:
                self.ask_again()
            self.calls = self.calls.until(at)
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
        """Makes it run again, even if the test swallows the exception."""
        self.again = True
        raise Again

    def in_one_process(self, reason):
        """Ends the test: the program must be run together with it."""
        self.one_process = reason
        raise OneProcess

    def named(self, name):
        """The program's object called `name`, as something to call."""
        return Function(self, name)

    def ask(self, on, do, arguments):
        """The answer of the program."""
        if self.is_over:
            raise ValueError("the tests are over")
        for now, before in zip(_surroundings(), SURROUNDINGS):
            if now is not before:
                self.in_one_process("its tests replace what programs read, print or open")
        self.called = True
        try:
            return self.answer_to(on, do, arguments)
        except Gone:
            self.gone = True
            raise

    def answer_to(self, on, do, arguments):
        if do != "call" and self.asked < self.told:
            self.ask_again()
        if do == "call" and type(on) is str:
            self.asking = (on, arguments)
        message = self.answer_to_known(on, arguments) if do == "call" else None
        if message is None:
            self.tell(wire.framed(wire.freeze((on, do, self.written(arguments)))))
            message = self.receive()
        self.handed, self.containers = arguments, None
        if type(message.get("lost")) is list:
            self.lost.update(word[:200] for word in message["lost"][:9] if type(word) is str)
        before = arguments
        if "changed" in message:
            before = _copy(arguments)
            self.asking = (on, before) if type(on) is str else self.asking
            self.change(message["changed"])
        value = self.whole(message)
        if do == "call":
            self.last = (on, before, value)
        return value

    def written(self, arguments):
        """Arguments for the other side: unchanged if they are plain, so that an object that occurs twice stays one
        object; otherwise with tags."""
        if wire.is_plain(arguments):
            return wire.freeze(arguments, 4)
        return wire.encode(arguments, self.number_of)

    def change(self, changed):
        """Changes the arguments of a call as the program has changed them."""
        try:
            contents = [(self.container(number), wire.decode(data, self.handle)) for number, data in changed]
            for container, content in contents:
                _fill(container, content)
        except (ValueError, TypeError):
            self.leave()

    def container(self, number):
        """A container of the call's arguments."""
        if self.containers is None:
            arguments, named = self.handed
            self.containers = wire.containers([*arguments, *named.values()], [])
        if type(number) is not int or not 0 <= number < len(self.containers):
            raise ValueError("no container")
        return self.containers[number]

    def whole(self, message):
        """The value in a message; a long list comes in parts, the last of which is the value."""
        parts = []
        while "part" in message:
            part = self.value_of({"value": message["part"]})
            if type(part) is not list or not part:
                raise Gone
            if len(parts) > MOST:
                raise wire.TooMuch("a list that is too long")
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
        except (EOFError, OSError):
            raise Gone from None
        return _message(data)

    def value_of(self, message):
        """The value in a message, or the exception that it reports."""
        if "raised" in message:
            raise self.exception(message)
        try:
            return wire.decode(message["value"], self.handle)
        except (wire.TooMuch, MemoryError):
            raise
        except Exception:
            raise Gone from None

    def handle(self, content):
        if type(content) is int:
            return self.container(content)
        return handle(self, content)

    def number_of(self, value):
        """Encodes a handle as the object it stands for; nothing else that is not plain may be sent."""
        if isinstance(value, Handle) and value._assay[0] is self:
            return {"h": [value._assay[1]]}
        self.in_one_process("its tests hand a %s to the program" % type(value).__name__)

    def exception(self, message):
        """The exception of the program, with the places in the program that it came from."""
        error = self.exception_of(message)
        error.frames = _frames(message.get("frames"))
        return error

    def exception_of(self, message):
        """The exception of the program, as one of the same class, or of its first base that is known here."""
        name, text, line = (message.get(key) for key in ("raised", "message", "line"))
        name = name[:200] if type(name) is str else "Exception"
        text = text[:2000] if type(text) is str else ""
        line, code = _small(line), _small(message.get("exit"))
        if message.get("missing") is True:
            self.missing = Raised(name, text, line)
            return self.missing
        if message.get("syntax") is True:
            return RaisedException("syntax:" + name, text, line)
        bases = message.get("bases")
        for base in [name, *(bases if type(bases) is list else ())]:
            for known in getattr(self.exception_class(base), "__mro__", (object,))[:-1]:
                try:
                    return type(name, (Raised, known), {})(name, text, line, code)
                except TypeError:
                    # Some classes want more than a text; their bases do not.
                    continue
        return (Raised if name in NO_EXCEPTIONS else RaisedException)(name, text, line, code)

    def exception_class(self, name):
        """The class that a test would catch by this name; None if there is none, or it is taken only where named."""
        if type(name) is not str or name in SPECIAL and name not in self.mentioned:
            return None
        known = self.classes.get(name) or getattr(builtins, name, None)
        return known if isinstance(known, type) and issubclass(known, BaseException) else None

    def last_call(self):
        """The last call and its outcome, as text for people."""
        if not self.last:
            return ""
        name, (arguments, named), value = self.last
        shown = [short(argument) for argument in arguments]
        shown += ["%s=%s" % (key, short(argument)) for key, argument in named.items()]
        return "%s(%s) gave %s" % (name, ", ".join(shown), short(value))


def _copy(arguments):
    """Arguments as they are now, to be shown after the program has changed them."""
    try:
        return wire.thaw(wire.freeze(arguments, 4)) if wire.is_plain(arguments) else arguments
    except (ValueError, RecursionError):
        return arguments


def _fill(container, content):
    """Gives a container the contents of the program's."""
    if type(container) in wire.DICTIONARIES:
        kept = dict(content)
        container.clear()
        dict.update(container, kept)
    elif type(container) is list or type(container) is bytearray:
        container[:] = content
    else:
        container.clear()
        (container.extend if type(container) is wire.deque else container.update)(content)


def _message(data):
    """A message of a program."""
    try:
        message = wire.parse(data)
    except (ValueError, RecursionError):
        raise Gone from None
    if type(message) is not dict:
        raise Gone
    return message


def _records(data):
    """The packed answers on a sheet; a partial one is ignored."""
    records, at, end = [], 0, len(data)
    while at + 4 <= end:
        size = int.from_bytes(data[at : at + 4], "little")
        at += 4 + size
        if at > end or not size:
            break
        records.append(data[at - size : at])
    return records


def _frames(frames):
    """Lines of a program with the names of their functions, at most so many."""
    if type(frames) is not list:
        return []
    pairs = (frame for frame in frames[:FRAMES] if type(frame) is list and len(frame) == 2)
    return [[_small(line), name[:SHOWN]] for line, name in pairs if _small(line) and type(name) is str]


def _small(number):
    """A number within the reader's range; None if it is not one."""
    return number if type(number) is int and 0 <= number < 1 << 31 else None


def short(value):
    """A short text for a value."""
    try:
        text = repr(beginning(value))
    except BaseException:
        text = "?"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def beginning(value, most=SHOWN):
    """The part of a value that is shown. Writing out a value that contains the same long text a million times would
    take for ever."""
    return _first_part(value, [most])


def _first_part(value, left):
    """A value without its later parts; `left` has the number of parts and characters that there is room for."""
    kind = type(value)
    left[0] -= 1
    if kind is str or kind is bytes:
        shown = value[: max(left[0] + 1, 1)]
        left[0] -= len(shown)
        return shown
    if kind is list or kind is tuple or kind is wire.deque:
        return kind(_first_parts(value, left))
    if kind in wire.DICTIONARIES:
        made = kind()
        for key, part in zip(value, _first_parts(value.values(), left)):
            made[key] = part
        return made
    return value


def _first_parts(values, left):
    for value in values:
        if left[0] <= 0:
            return
        yield _first_part(value, left)
