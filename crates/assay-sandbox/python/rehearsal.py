"""Which calls a test makes whatever a program answers, found by a rehearsal without one.

They are put to a program at once, which saves waiting between one question and the next. The answers
in a rehearsal agree with everything, so nothing of what the right ones are can get into the calls.
"""

import ast
import signal

import wire

# So many calls are put to a program at first, and four times as many each time that it did well.
FIRST = 32
GROWTH = 4
MOST_CALLS = 20000
MOST_BYTES = 16 << 20
# A rehearsal ends after so many seconds: answers that agree with everything may keep a loop going.
LONGEST = 2.0


class Enough(BaseException):
    """The rehearsal is over."""


class Calls:
    """Calls that are known beforehand, each as bytes."""

    def __init__(self, calls=()):
        self.calls = list(calls)
        self.bytes = 0
        self.parts = {}

    def __len__(self):
        return len(self.calls)

    def find(self, test, run):
        """Finds the calls of a test; `run` puts something through its code."""
        before = signal.signal(signal.SIGVTALRM, _enough)
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST, LONGEST / 10)
        try:
            run(compile(Patient().visit(ast.parse(test)), "<rehearsal>", "exec"), Pupil(self))
        except BaseException:
            # Where it failed, the calls that are known end.
            pass
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)

    def add(self, name, arguments):
        """Adds a call; Enough if none is to follow."""
        try:
            call = wire.freeze((name, arguments))
        except ValueError:
            raise Enough from None
        self.bytes += len(call)
        if self.bytes > MOST_BYTES or len(self.calls) >= MOST_CALLS:
            raise Enough
        self.calls.append(call)

    def is_at(self, at, name, arguments):
        """Whether the call number `at` is this one."""
        try:
            return self.calls[at] == wire.freeze((name, arguments))
        except ValueError:
            return False

    def cut(self, at):
        """Forgets the calls from number `at` on: there is a program for which they are others."""
        del self.calls[at:]
        self.parts.clear()

    def until(self, at):
        """The calls before number `at`."""
        return Calls(self.calls[:at])

    def part_from(self, start):
        """The calls from number `start` on that a program is told to make at once: how many, and the
        question."""
        if start not in self.parts:
            count = FIRST
            while count <= start:
                count = count * GROWTH + FIRST
            calls = [wire.thaw(call) for call in self.calls[start:count]]
            self.parts[start] = len(calls), wire.framed(wire.freeze(calls))
        return self.parts[start]


def _enough(*_):
    raise Enough


class Patient(ast.NodeTransformer):
    """Makes of every assertion a look at what it asserts, which cannot fail."""

    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(node.test), node)


class Pupil:
    """Stands for a program in a rehearsal."""

    def __init__(self, calls):
        self.calls = calls

    def named(self, name):
        def stand_in(*arguments, **named):
            self.calls.add(name, (arguments, named))
            return Agreeable()

        stand_in.__name__ = name
        return stand_in


class Agreeable:
    """An answer that agrees with everything, and with which everything can be done."""

    __hash__ = None

    def _self(self, *_, **__):
        return self

    def _yes(self, *_):
        return True

    def _no(self, *_):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __float__(self):
        return 0.0

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __ne__ = _no
    __call__ = __getitem__ = __abs__ = __neg__ = __round__ = _self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = _self
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = _self
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _self
