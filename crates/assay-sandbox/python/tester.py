"""The process of the tests: runs them against programs, and reports the outcome.

It holds data that a program must not see. It only accepts plain data from a program.
"""

import ast
import builtins
import json
import os
import random
import signal
import socket
import sys
import traceback

import failing
import rehearsal
import wire
from packages import add_packages
from program import Again, Gone, OneProcess, Program, Raised
from table import Suite, Table


class CodeSuite:
    """The tests of one problem."""

    def __init__(self, message):
        self.tests = message["tests"]
        tree = ast.parse(message["setup"], "<setting>")
        self.entry_points = [name for name in message["entry_points"] if name != ALL_DEFINED]
        if ALL_DEFINED in message["entry_points"]:
            self.entry_points += names_taken(tree, self.tests)
        self.modules = {name for node in ast.walk(tree) for name in _imported(node)}
        self.setup = compile(tree, "<setting>", "exec")
        self.codes, self.rehearsals = {}, {}
        # Exceptions that tests catch by name are their own classes.
        self.exceptions = [name for name, value in self.names().items() if _is_exception(value)]

    def names(self):
        """The names that the setup defines, created again: changes by one program's tests must not affect the
        next."""
        names = {"__name__": "tests"}
        exec(self.setup, names)
        return names

    def code(self, number):
        if number not in self.codes:
            self.codes[number] = Code(self.tests[number], self.modules)
        return self.codes[number]

    def run(self, code, program, seed=0):
        """Runs the code of a test against the program."""
        # Tests get the same random numbers for every program, and no program knows them.
        random.seed(seed)
        # A copy: functions of the setup do not see objects that the test gives the same name.
        names = dict(self.names())
        program.classes = {name: names[name] for name in self.exceptions}
        for name in self.entry_points:
            if name not in program.classes:
                names[name] = program.named(name)
        random.seed(seed)
        exec(code, names)

    def known_calls(self, number, seed):
        """The calls of a test that are known in advance."""
        if (number, seed) not in self.rehearsals:
            calls = self.rehearsals[number, seed] = rehearsal.Calls()
            calls.find(self.tests[number], lambda code, pupil: self.run(code, pupil, seed))
        return self.rehearsals[number, seed]

    def places(self, number, error):
        """The frames of a test that an exception came through, the innermost first, each with its statement."""
        frames, trace = [], error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "<tests>":
                frames.insert(0, (trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        text, statements = self.tests[number], self.code(number).statements
        return [(frame, failing.statement_at(text, statements, line)) for frame, line in frames[:MOST_FRAMES]]


# The number of frames of a test that are looked at for the reason of a failure.
MOST_FRAMES = 4

# The entry point that means every name that the setup defines and the tests use.
ALL_DEFINED = "*"


def names_taken(setup, tests):
    """The names that tests take from a program if the setup holds its reference solution: those it defines, or if
    there are none, those it imports."""
    used = {node.id for test in tests for node in ast.walk(ast.parse(test)) if isinstance(node, ast.Name)}
    defined, imported = set(), set()
    for node in _of_module(setup):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
        elif isinstance(node, ast.ImportFrom):
            imported.update(alias.asname or alias.name for alias in node.names)
    return sorted(defined & used or imported & used)


def _of_module(tree):
    """The nodes of a module that are not within a function or a class."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _of_module(node)


class Code:
    """The code of a test, and its properties that are known without running it."""

    def __init__(self, text, modules):
        tree = ast.parse(text, "<tests>")
        self.compiled = compile(tree, "<tests>", "exec")
        nodes = list(ast.walk(tree))
        self.statements = failing.statements(nodes)
        self.mentioned = frozenset(node.id for node in nodes if isinstance(node, ast.Name))
        self.needs_identity = any(map(_asks_for_identity, nodes))
        imported = {name for node in nodes for name in _imported(node)} | modules
        self.reaches_out = any(_reaches_out(node, imported) for node in nodes)


def _asks_for_identity(node):
    """Returns whether a comparison tests if two values are one object; constants and types are the same in every
    process."""
    if not isinstance(node, ast.Compare) or not any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
        return False
    return not any(map(_is_everywhere, [node.left, *node.comparators]))


# The names of functions that change more than the test's own objects.
REACHING = frozenset(
    "patch setattr delattr environ putenv chdir umask simplefilter filterwarnings catch_warnings redirect_stdout "
    "redirect_stderr setrecursionlimit getcontext setcontext localcontext setlocale signal exec eval globals".split()
)


def _imported(node):
    """The names that an import defines."""
    names = node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ()
    return [(name.asname or name.name).partition(".")[0] for name in names]


def _reaches_out(node, imported):
    """Returns whether a test may change objects that are not its own, such as a module: the next test must not see
    that, and the program does not."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return isinstance(node, ast.Name) and node.id in imported
    return (
        isinstance(node, ast.Global)
        or isinstance(node, ast.Name) and node.id in REACHING
        or isinstance(node, ast.Attribute) and node.attr in REACHING
    )


def _is_everywhere(node):
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is ... or isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "type"
    return isinstance(node, ast.Name) and isinstance(getattr(builtins, node.id, None), type)


def _is_exception(value):
    return isinstance(value, type) and issubclass(value, BaseException)


def run_code_suite(suite, message, connection, sheet):
    """Runs a test that is code against a program; returns the outcome."""
    number, seed = message["test"], message["seed"]
    code = suite.code(number)
    if code.needs_identity:
        return {"one_process": "its tests ask whether two things are one object"}
    calls = rehearsal.Calls() if message["live"] else suite.known_calls(number, seed)
    program = Program(connection, sheet, calls, code.mentioned)

    def test():
        program.start()
        suite.run(code.compiled, program, seed)

    wire.LOST.clear()
    came = outcome(test, lambda error: suite.places(number, error), program, suite.tests[number])
    lost = sorted(program.lost | wire.LOST | ({REACHED_OUT} if code.reaches_out else set()))
    if program.missing is not None:
        came = {"raised": program.missing.name, "message": program.missing.message, "line": None}
    if program.one_process:
        return {"one_process": program.one_process}
    if "passed" in came and program.asked < program.told:
        # It may have spent time on calls that the test did not need.
        return {"again": True}
    if program.again:
        return {"again": True}
    if "passed" in came and not program.called:
        return {"wrong": "its tests did not call it"}
    if "passed" in came and lost:
        # One process shows whether that matters to these tests: the program must pass there too.
        came["one_process"] = "; ".join(lost)
    for key in came.keys() & {"wrong", "message"}:
        # It may be the reason why the program fails; accepting that as an excuse would mean trusting the program.
        came[key] = "; ".join([came[key], *(word for word in lost if word in (wire.SIMPLER, wire.ORDER))])
    return gone(program) if program.gone else came


REACHED_OUT = "its tests may change what programs find around them"


def run_table_suite(table, message, connection, sheet):
    """Runs a suite of calls against a program; returns the outcome."""
    program = Program(connection, sheet, rehearsal.Calls())
    suite = Suite(table, message["test"], program, message["details"])
    came = outcome(suite.run, lambda _: [], program)
    came = gone(program) if program.gone else {**came, "longest": program.longest}
    return {**came, "marks": suite.all_marks()} if message["details"] else came


def gone(program):
    """The outcome for a program that is gone; the call that it did not answer may be the reason."""
    program.is_over = True
    return {"gone": True, **safely(lambda: asking(program), {})}


def safely(describe, otherwise):
    """The description of a failure. Whatever goes wrong with it must not change the verdict."""
    try:
        return describe()
    except BaseException:
        return otherwise


def asking(program):
    """The last call of the program."""
    return {} if program.asking is None else {"call": failing.call_text(program.asking[0], *program.asking[1])}


def outcome(test, places, program, text=""):
    """The outcome of a test for a program; `places` finds the places in the test that an exception came through."""
    try:
        test()
        program.is_over = True
    except Gone:
        return gone(program)
    except (Again, OneProcess):
        return {}
    except wire.TooMuch:
        return {"too_much": True}
    except Raised as error:
        if error.name == "SystemExit" and error.code is not None:
            return {"exit": error.code}
        program.is_over = True
        told = {"raised": error.name, "message": error.message, "line": error.line}
        return {**told, "frames": error.frames, **safely(lambda: asking(program), {})}
    except AssertionError as error:
        program.is_over = True
        return safely(lambda: wrong(error, places(error), program, text), {"wrong": ""})
    except BaseException as error:
        program.is_over = True
        statements = safely(lambda: [failing.in_one_line(source) for _, source in places(error)[:1]], [])
        message = "%s (%s)" % (_text(error), "".join(statements))
        return {"raised": type(error).__name__, "message": message[:2000], "line": None}
    return {"passed": True}


def wrong(error, places, program, text):
    """The outcome of a test whose assertion failed."""
    statements = [failing.in_one_line(source) for _, source in places[:1]]
    if hasattr(error, "compared"):
        # The setup of the tests compares values by itself.
        statements, told = [], compared(program, error)
    else:
        told = getattr(error, "told", None) or failing.described(program, places, text)
    said = _text(error)
    # An assertion has its message in it.
    parts = [said if not any(said in statement for statement in statements) else "", *statements]
    call = told.get("call")
    if call and "expected" in told and not hasattr(error, "told"):
        parts.append("%s gave %s, not %s" % (call, told["got"], told["expected"]))
    elif not told:
        parts.append(program.last_call())
    return {"wrong": "; ".join(part for part in parts if part), **told}


def compared(program, error):
    """The call that a failed comparison is about, with the values that it compared."""
    got, expected = failing.pair(*error.compared)
    name, arguments = program.asking
    return {"call": failing.call_text(error.function, *arguments), "got": got, "expected": expected}


# The number of characters of an exception's message that are kept.
LONGEST_TEXT = 500


def _text(error):
    """The message of an exception; it may contain objects of the program, which may print anything."""
    try:
        return str(error)[:LONGEST_TEXT]
    except BaseException:
        return ""


class Tester:
    """Loads test suites, and runs them against programs."""

    def __init__(self):
        self.suites = {}

    def answer(self, message, files):
        """The answer to a message of the worker."""
        if "learn" in message:
            self.suites.pop(message["forget"], None)
            source = message["learn"]
            suite = Table(source, files[0]) if "rules" in source else CodeSuite(source)
            self.suites[message["key"]] = suite
            return {"ready": True}
        suite = self.suites[message["key"]]
        with socket.socket(fileno=files.pop(0)) as connection:
            enter_folder()
            _limit_work(message["seconds"])
            try:
                if isinstance(suite, Table):
                    return run_table_suite(suite, message, connection, files[0])
                if not suite.code(message["test"]).reaches_out:
                    return run_code_suite(suite, message, connection, files[0])
                suite.known_calls(message["test"], message["seed"])
                return apart(lambda: run_code_suite(suite, message, connection, files[0]), message["seconds"])
            finally:
                _limit_work(0)
                os.chdir("/")


def apart(work, seconds):
    """The result of `work`, run in a process of its own: its side effects are lost."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            _limit_work(seconds)
            _write_all(writer, json.dumps(work()).encode())
        except BaseException:
            _write_all(writer, json.dumps({"broken": traceback.format_exc(limit=-3)[-2000:]}).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        # As if it had been this one.
        os.kill(os.getpid(), os.WTERMSIG(status))
    return json.loads(said)


def _write_all(file, data):
    while data:
        data = data[os.write(file, data) :]


def _limit_work(seconds):
    """Kills this process after this much CPU time: processing an answer may never end."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def enter_folder():
    """Enters the program's folder, in a file system that exists only as long as the program."""
    try:
        os.chdir(os.environ["HOME"])
    except OSError:
        # The program has closed it already; the tests do not need it.
        os.chdir("/")


def main():
    control = socket.socket(fileno=3)
    add_packages()
    sys.setrecursionlimit(5000)
    tester = Tester()
    wire.send(control, {"ready": True})
    while True:
        try:
            message, files = wire.receive_with_files(control)
        except EOFError:
            return
        message = json.loads(message)
        try:
            answer = tester.answer(message, files)
        except BaseException:
            answer = {"broken": traceback.format_exc(limit=-3)[-2000:]}
        for left in files:
            os.close(left)
        # The number identifies the question that this answers.
        answer["number"] = message["number"]
        # A lone surrogate, which a program's text may contain, cannot be decoded by the reader.
        text = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        control.sendall(wire.framed(text))


if __name__ == "__main__":
    main()
