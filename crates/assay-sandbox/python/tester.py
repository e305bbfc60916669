"""The process of the tests: puts programs through them, and says what it found.

It holds what a program must not see. All that it takes from a program is plain data.
"""

import json
import os
import random
import signal
import socket
import sys
import traceback

import rehearsal
import wire
from program import Again, Gone, Program, Raised, short
from table import Table


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


def examine_by_code(exam, number, live, connection, sheet):
    """What came of putting a program through a test that is code."""
    program = Program(connection, sheet, rehearsal.Calls() if live else exam.known_calls(number))

    def test():
        program.start()
        exam.run(exam.code(number), program)

    came = outcome(test, lambda error: exam.line(number, error), program)
    if "passed" in came and program.asked < program.told:
        # It may have taken its time over calls that the test did without.
        program.calls.cut(program.asked)
        program.again = True
    if program.again:
        return {"again": True}
    return {"gone": True} if program.gone else came


def examine_by_table(table, number, connection, sheet):
    """What came of putting a program through a suite of calls."""
    program = Program(connection, sheet, rehearsal.Calls())
    came = outcome(lambda: table.run(number, program), lambda _: "", program)
    return {"gone": True} if program.gone else {**came, "longest": program.longest}


def outcome(test, line, program):
    """What came of a test for a program; `line` finds the line of the test that an exception came from."""
    try:
        test()
    except Gone:
        return {"gone": True}
    except Again:
        return {"again": True}
    except wire.TooMuch:
        return {"too_much": True}
    except Raised as error:
        return {"raised": error.name, "message": error.message, "line": error.line}
    except AssertionError as error:
        parts = [_text(error), line(error), program.last_call()]
        return {"wrong": "; ".join(part for part in parts if part)}
    except BaseException as error:
        message = "%s (%s)" % (_text(error), line(error))
        return {"raised": type(error).__name__, "message": message[:2000], "line": None}
    return {"passed": True}


def _text(error):
    """What an exception says; it may hold something of the program's, which may say anything."""
    try:
        return short(str(error)) if str(error) else ""
    except BaseException:
        return ""


class Tester:
    """Learns tests, and puts programs through them."""

    def __init__(self):
        self.exams = {}

    def answer(self, message, files):
        """What is said to a message of the worker."""
        if "learn" in message:
            self.exams.pop(message["forget"], None)
            learned = message["learn"]
            exam = Table(learned, files[0]) if "rules" in learned else Exam(learned)
            self.exams[message["key"]] = exam
            return {"ready": True}
        exam, number = self.exams[message["key"]], message["test"]
        with socket.socket(fileno=files.pop(0)) as connection:
            _limit_work(message["seconds"])
            try:
                if isinstance(exam, Table):
                    return examine_by_table(exam, number, connection, files[0])
                return examine_by_code(exam, number, message["live"], connection, files[0])
            finally:
                _limit_work(0)


def _limit_work(seconds):
    """Ends this process when it has worked for so long: what a program answers may take it without end."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def main():
    control = socket.socket(fileno=3)
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
        # Whoever waits for an answer can tell that it is the one to this question.
        answer["number"] = message["number"]
        # Half a character, which a program's text may have, is none to whoever reads this.
        text = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        control.sendall(wire.framed(text))


if __name__ == "__main__":
    main()
