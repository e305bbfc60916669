"""Finds the calls that a test makes whatever a program answers, by a rehearsal without a program.

They are sent to a program at once, which saves waiting between one question and the next. The answers in a rehearsal
are equal to everything, so the right answers cannot leak into the calls. If a test passes on a value that it has
compared an answer with, the program must have answered before.
"""

import ast
import os
import signal
from bisect import bisect_right

import wire

# The number of calls sent to a program at first; it is multiplied by four after each success.
FIRST = 32
GROWTH = 4
MOST_CALLS = 20000
MOST_BYTES = 16 << 20
# The number of pieces after which a rehearsal reports its calls.
MOST_WAITING = 300
# A rehearsal ends after so many seconds of work: answers that agree with everything may keep a loop
# going. One that waits instead is ended after twice as many.
LONGEST = 2.0
CONTAINERS = frozenset({list, tuple, dict, set, frozenset})


class Enough(BaseException):
    """The rehearsal is over."""


class Calls:
    """Calls that are known in advance, each as bytes."""

    def __init__(self, calls=()):
        self.calls = list(calls)
        # The calls that are sent only after all earlier ones are answered.
        self.ends = []
        self.parts = {}

    def __len__(self):
        return len(self.calls)

    def find(self, test, run):
        """Finds the calls of a test; `run` runs its code against an object."""
        # In a process of its own, so that its changes do not affect the programs' tests.
        reader, writer = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            # Then no call is known.
            os.close(reader)
            os.close(writer)
            return
        if not pid:
            try:
                _rehearse(test, run, Pupil(writer))
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, "rb") as found:
            for ahead, call in _found(found):
                self.ends += [] if ahead else [len(self.calls)]
                self.calls.append(call)
        os.waitpid(pid, 0)

    def is_at(self, at, name, arguments):
        """Returns whether the call number `at` is this one."""
        try:
            return self.calls[at] == wire.freeze((name, arguments))
        except ValueError:
            return False

    def until(self, at):
        """The calls before number `at`. The original is not changed: one program must not affect the next."""
        return Calls(self.calls[:at])

    def part_from(self, start):
        """The calls from number `start` on that are sent to a program at once: their number, and the question."""
        if start not in self.parts:
            count = FIRST
            while count <= start:
                count = count * GROWTH + FIRST
            count = min([count, *self.ends[bisect_right(self.ends, start) :][:1]])
            calls = [wire.thaw(call) for call in self.calls[start:count]]
            self.parts[start] = len(calls), wire.framed(wire.freeze(calls))
        return self.parts[start]


def _enough(*_):
    raise Enough


def _rehearse(test, run, pupil):
    """Runs a test against a pupil, as far as it goes."""
    signal.signal(signal.SIGVTALRM, _enough)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST, LONGEST / 10)
    signal.setitimer(signal.ITIMER_REAL, 2 * LONGEST)
    try:
        run(compile(Patient().visit(ast.parse(test)), "<rehearsal>", "exec"), pupil)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        pupil.tell_all()


def _found(file):
    """The calls that a rehearsal reports, and whether each may be sent ahead."""
    while len(head := file.read(5)) == 5:
        length = int.from_bytes(head[1:], "little")
        call = file.read(length)
        if len(call) < length:
            return
        yield head[0] == 1, call


def _pieces(values, within=False):
    """The bytes of values, and of the texts and containers within them, if they say more than yes or
    no. Numbers within a container tell nothing: all tests have the same few."""
    for value in values:
        kind = type(value)
        if kind in CONTAINERS:
            yield from _pieces([*value, *value.values()] if kind is dict else value, True)
        if kind in CONTAINERS or kind is str or not (within or value is None or kind is bool):
            try:
                yield wire.freeze(value)
            except ValueError:
                pass


class Patient(ast.NodeTransformer):
    """Replaces every assertion by an evaluation of its condition, which cannot fail."""

    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(node.test), node)


class Pupil:
    """A stand-in for a program in a rehearsal."""

    def __init__(self, told):
        self.told, self.waiting = told, []
        self.count, self.bytes = 0, 0
        # The values that answers were compared with and that are sent only with the next call, and whether there are
        # more that are unknown.
        self.compared, self.unknown = set(), False

    def named(self, name):
        def stand_in(*arguments, **named):
            self.add(name, (arguments, named))
            return Agreeable(self)

        stand_in.__name__ = name
        return stand_in

    def add(self, name, arguments):
        """Adds a call; Enough if none is to follow."""
        try:
            known = wire.is_plain(arguments) and not wire.has_twins(arguments, set())
            call = wire.freeze((name, arguments)) if known else None
        except (ValueError, RecursionError):
            call = None
        self.count, self.bytes = self.count + 1, self.bytes + len(call or b"")
        if call is None or self.count > MOST_CALLS or self.bytes > MOST_BYTES:
            # Even if the test swallows the exception.
            self.count = MOST_CALLS
            raise Enough
        # The right answer to one call may be passed to the next.
        handed = _pieces((*arguments[0], *arguments[1].values()))
        ahead = not self.unknown and self.compared.isdisjoint(handed)
        if not ahead:
            self.compared.clear()
            self.unknown = False
        self.waiting += [bytes([ahead]), len(call).to_bytes(4, "little"), call]
        if len(self.waiting) > MOST_WAITING:
            self.tell_all()

    def tell_all(self):
        """Reports the calls so far."""
        # Nothing may interrupt between sending the calls and noting that they were sent.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGVTALRM})
        data, self.waiting = memoryview(b"".join(self.waiting)), []
        while data:
            data = data[os.write(self.told, data) :]
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGVTALRM})


class Agreeable:
    """An answer that is equal to everything, and supports every operation."""

    __hash__ = None

    def __init__(self, pupil):
        self.__dict__["_pupil"] = pupil

    def _self(self, *others, **named):
        self._pupil.compared.update(_pieces((*others, *named.values())))
        return self

    def _as_another(self, value):
        """For what makes something else of it: what that is compared with is not seen."""
        self._pupil.unknown = True
        return value

    def _yes(self, *others):
        self._self(*others)
        return True

    def _no(self, *others):
        self._self(*others)
        return False

    def __iter__(self):
        return self._as_another(iter(()))

    def __len__(self):
        return self._as_another(0)

    def __float__(self):
        return self._as_another(0.0)

    def __str__(self):
        return self._as_another("")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    __repr__ = __str__
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __ne__ = _no
    __call__ = __getitem__ = __abs__ = __neg__ = __round__ = _self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = _self
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = _self
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _self
