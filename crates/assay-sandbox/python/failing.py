"""What failed, as text for people: the assertion, the call, the expected value and the value that came.

Nothing here decides a verdict. It runs in the tests' process, after the test is over.
"""

import ast
import re

import wire
from program import Function, beginning

# The number of characters that are kept of a value, a call and an assertion.
LONGEST = 300
# The number of characters of a value that are compared, to show the place where it differs.
COMPARED = 20000
# The number of characters before the first difference that are shown.
BEFORE = 60
# An assertion of more characters is not looked into.
LONGEST_SOURCE = 20000
# Functions that an expected value may be computed with once more.
HARMLESS = frozenset(
    "abs bool bytes complex dict float frozenset int len list max min range reversed round set sorted str sum tuple".split()
)
# What an operator asks for, before the other side.
ASKS = {
    ast.Eq: "",
    ast.Is: "",
    ast.NotEq: "not ",
    ast.IsNot: "not ",
    ast.In: "one of ",
    ast.NotIn: "none of ",
    ast.Lt: "< ",
    ast.LtE: "<= ",
    ast.Gt: "> ",
    ast.GtE: ">= ",
}
MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def statements(nodes):
    """The places of the statements that a test can fail at."""
    found = (node for node in nodes if isinstance(node, (ast.Assert, ast.Expr, ast.Raise)))
    return [(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) for node in found]


def statement_at(text, places, line):
    """The smallest statement that covers a line, as it is written; the line alone if there is none."""
    # As Python's tokenizer counts lines: a carriage return alone ends one too.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    around = [place for place in places if place[0] <= line <= place[1]]
    if not around:
        return lines[line - 1].strip() if line <= len(lines) else ""
    first, last, begin, end = min(around, key=lambda place: (place[1] - place[0], -place[0], place[3] - place[2]))
    rows = [row.encode() for row in lines[first - 1 : last]] or [b""]
    # The end first: both may be on one line.
    rows[-1] = rows[-1][:end]
    rows[0] = rows[0][begin:]
    return b"\n".join(rows).decode("utf-8", "replace")


def in_one_line(text):
    """A text in one line, without its middle if it is long: the expected value is often at the end."""
    if len(text) > LONGEST_SOURCE:
        text = text[: LONGEST_SOURCE // 2] + " … " + text[-LONGEST_SOURCE // 2 :]
    return without_middle(" ".join(text.split()))


def without_middle(text):
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST // 2] + " … " + text[-(LONGEST // 2 - 3) :]


def call_text(name, arguments, named):
    """A call, as it is written."""
    shown = [written(argument, LONGEST) for argument in arguments]
    shown += ["%s=%s" % (key, written(argument, LONGEST)) for key, argument in named.items()]
    return without_middle("%s(%s)" % (name, ", ".join(shown)))


def written(value, most):
    """A value, as it is written; the first characters of it if it is long."""
    try:
        text = repr(beginning(value, most))
    except BaseException:
        text = "?"
    return text if len(text) <= most else text[: most - 1] + "…"


def pair(got, expected):
    """Two values as texts that show where they differ."""
    got, expected = written(got, COMPARED), written(expected, COMPARED)
    shorter = min(len(got), len(expected))
    at = next((at for at in range(shorter) if got[at] != expected[at]), shorter)
    return part_around(got, at), part_around(expected, at)


def part_around(text, at):
    """The part of a text with the character number `at`."""
    start = at - BEFORE if at > LONGEST - BEFORE else 0
    part = ("…" if start else "") + text[start : start + LONGEST]
    return part + ("…" if start + LONGEST < len(text) else "")


class Failure:
    """A failed assertion: the names that it saw, and the last call of the program."""

    def __init__(self, frame, program, test):
        self.names = {**frame.f_globals, **frame.f_locals}
        self.test = test
        # The arguments as they were, and as the program has left them.
        _, (self.arguments, _), self.value = program.last
        self.handed, _ = program.handed

    def expected(self, source):
        """What the assertion asks of the last call's value, as a pair of a text before it and a value or a text; None
        if it does not look at that value."""
        if len(source) > LONGEST_SOURCE:
            return None
        node = ast.parse(source).body[0]
        if isinstance(node, ast.Assert):
            return self.asked(node.test)
        return self.asked(node.value) if isinstance(node, ast.Expr) else None

    def asked(self, node):
        if isinstance(node, ast.BoolOp):
            parts = [part for part in node.values if self.looks_at_it(part)]
            return self.asked(parts[0]) if parts else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ("", False) if self.looks_at_it(node.operand) else None
        if isinstance(node, ast.Compare):
            return self.of_comparison(node)
        if not self.looks_at_it(node):
            return None
        if isinstance(node, ast.Call) and not self.is_the_call(node):
            return self.of_call(node)
        return "", True

    def of_comparison(self, node):
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:]):
            kind = type(operator)
            if self.looks_at_it(right) and not self.looks_at_it(left):
                left, right, kind = right, left, MIRRORED.get(kind, kind)
            if not self.looks_at_it(left):
                continue
            if self.looks_at_it(right):
                return None
            near = self.of_difference(left) if kind in (ast.Lt, ast.LtE) else None
            if near is not None:
                return "%s of " % self.text("within ", right), near
            return ASKS.get(kind, ""), self.value_of(right)
        return None

    def of_difference(self, node):
        """What a value is subtracted from or compared with in `abs(value - expected)`."""
        if isinstance(node, ast.Call) and len(node.args) == 1:
            node = node.args[0]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            node = node.left
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            return None
        sides = [side for side in (node.left, node.right) if not self.looks_at_it(side)]
        return self.value_of(sides[0]) if len(sides) == 1 else None

    def of_call(self, node):
        """What a function such as `isclose(value, expected)` compares a value with."""
        name = ast.unparse(node.func).lower()
        others = [argument for argument in node.args if not self.looks_at_it(argument)]
        compares = any(word in name for word in ("close", "equal", "assert", "same", "almost"))
        if compares and len(others) < len(node.args) and others:
            return "", self.value_of(others[0])
        return ("such that " + ast.unparse(node)[:LONGEST], None) if node.args else None

    def looks_at_it(self, node):
        """Returns whether an expression has the last call's value in it."""
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and self.is_of_program(part)]
        if calls:
            return any(map(self.is_the_call, calls))
        return any(isinstance(part, ast.Name) and self.holds_it(part.id) for part in ast.walk(node))

    def holds_it(self, name):
        """Returns whether a variable holds the last call's value. Small values are the same object wherever they come
        from: then the test must say so."""
        if name not in self.names or self.names[name] is not self.value:
            return False
        if type(self.value) not in (int, bool, str, tuple, type(None)):
            return True
        functions = (name for name, value in self.names.items() if type(value) is Function)
        assigned = r"\b%s\s*=[^=].*\b(%s)\(" % (re.escape(name), "|".join(map(re.escape, functions)))
        return re.search(assigned, self.test) is not None

    def is_of_program(self, node):
        return isinstance(node.func, ast.Name) and type(self.names.get(node.func.id)) is Function

    def is_the_call(self, node):
        """Returns whether a call in the assertion is the last one."""
        if not self.is_of_program(node):
            return False
        try:
            given = [self.evaluated(argument) for argument in node.args]
            return wire.freeze(given) in (wire.freeze(list(self.arguments)), wire.freeze(list(self.handed)))
        except BaseException:
            return True

    def value_of(self, node):
        """The value of an expression that does not call the program; its text if it cannot be known."""
        try:
            return self.evaluated(node)
        except BaseException:
            return Text(ast.unparse(node))

    def text(self, before, node):
        value = self.value_of(node)
        return before + (value.text if isinstance(value, Text) else written(value, LONGEST))

    def evaluated(self, node):
        for part in ast.walk(node):
            harmless = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in HARMLESS
            if isinstance(part, (ast.Call, ast.Attribute, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)) and not harmless:
                raise ValueError("it may do something")
            if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
                raise ValueError("it may take long")
        return eval(compile(ast.Expression(node), "<shown>", "eval"), self.names)


class Text:
    """An expression whose value is not known."""

    def __init__(self, text):
        self.text = text[:LONGEST]


def described(program, frames, test):
    """The call that an assertion failed for, the expected value and the one that came; empty if it looked at no call.
    The frames, the innermost first, come with the statement that each of them was at."""
    if not program.last or type(program.last[0]) is not str:
        return {}
    kept = program.one_process, program.again, program.gone, program.missing, set(program.lost), set(wire.LOST)
    try:
        for frame, source in frames:
            asked = Failure(frame, program, test).expected(source)
            if asked is not None:
                return _told(program.last, *asked)
        return {}
    except BaseException:
        return {}
    finally:
        # Looking at values must not change the verdict.
        program.one_process, program.again, program.gone, program.missing, lost, told = kept
        program.lost.clear()
        program.lost.update(lost)
        wire.LOST.clear()
        wire.LOST.update(told)


def _told(last, before, expected):
    name, (arguments, named), value = last
    call = call_text(name, arguments, named)
    if isinstance(expected, Text):
        return {"call": call, "got": written(value, LONGEST), "expected": before + expected.text}
    if before.startswith("such that "):
        return {"call": call, "got": written(value, LONGEST), "expected": before}
    got, expected = pair(value, expected)
    return {"call": call, "got": got, "expected": before + expected}
