"""Tests that are a table of calls: each input has its expected answer, recorded in advance."""

import marshal
import os

import failing
import packing
import wire
from program import Gone, Raised, beginning

# The time limit of a call, as a multiple of the reference solution's time.
PATIENCE = 4


class Table:
    """The calls of one problem, in suites that have a verdict each."""

    def __init__(self, message, file):
        self.entry_point, self.reference = message["entry_point"], message["reference"]
        self.timeout = message["timeout"]
        names = {"__name__": "rules"}
        exec(compile(message["rules"], "<rules>", "exec"), names)
        self.comparison = names["COMPARISON"]
        # It was kept by the host alone, so it can be trusted.
        self.suites = marshal.loads(os.pread(file, os.fstat(file).st_size, 0))["suites"]
        self.questions = {}

    def question(self, number):
        """The part of a suite that is sent to a program."""
        if number not in self.questions:
            suite = self.suites[number]
            limits = [max(self.timeout, PATIENCE * time) for time in suite["times"]]
            table = {"name": self.entry_point, "inputs": suite["inputs"], "limits": limits}
            self.questions[number] = wire.framed(marshal.dumps(table))
        return self.questions[number]

    def compare(self, number, at, result):
        suite = self.suites[number]
        expected, given = self.expected(number, at), self.arguments(number, at)
        if not self.comparison.accepts(given, result, expected, suite["tolerances"][at]):
            error = AssertionError(self.comparison.difference(number, given, beginning(result), expected))
            got, expected = failing.pair(result, expected)
            call = failing.call_text(self.entry_point, given, {})
            error.told = {"call": call, "got": got, "expected": expected}
            raise error

    def expected(self, number, at):
        """The answer of the reference solution; it is called again for an answer that was too long to keep."""
        packed = self.suites[number]["answers"][at]
        if packed[:1] == packing.PLAIN:
            return marshal.loads(memoryview(packed)[1:])
        if packed[:1] == packing.TAGGED:
            return packing.unpack(packed, None)
        known = {"__name__": "reference"}
        exec(compile(self.reference, "<reference>", "exec"), known)
        return self.comparison.expected(known[self.entry_point](*self.arguments(number, at)))

    def arguments(self, number, at):
        """A new copy of the arguments of a call."""
        return marshal.loads(self.suites[number]["inputs"])[at]


class Suite:
    """A run of a program against the calls of one suite."""

    def __init__(self, table, number, program, details):
        self.table, self.number, self.program = table, number, program
        # True if calls are made after a wrong one.
        self.details = details
        self.count = len(table.suites[number]["answers"])
        # One character per call, as in the verdicts of tests with input and output.
        self.marks = []
        self.first = None

    def all_marks(self):
        """One character per call, also for those that were not made."""
        return "".join(self.marks).ljust(self.count, ".")

    def run(self):
        """Fails with the reason why the first wrong answer is not accepted."""
        self.program.begin_table(self.table.question(self.number))
        while len(self.marks) < self.count:
            answers, gone = self.program.answers_from(len(self.marks))
            for packed in answers[: self.count - len(self.marks)]:
                self.mark(packed)
            if gone is not None:
                if isinstance(gone, Gone):
                    self.note_call(len(self.marks))
                self.marks.append("-")
                raise self.first or gone
            if not answers:
                self.program.leave()
        if self.first:
            raise self.first

    def mark(self, packed):
        """Marks the answer to the next call."""
        try:
            self.look_at(len(self.marks), packed)
            self.marks.append("T")
        except (AssertionError, Raised) as error:
            self.note_call(len(self.marks))
            self.marks.append("F" if isinstance(error, AssertionError) else "-")
            if not self.details:
                raise
            self.first = self.first or error

    def note_call(self, at):
        """Notes the first call that failed, to be shown."""
        if self.program.asking is None and at < self.count:
            self.program.asking = (self.table.entry_point, (self.table.arguments(self.number, at), {}))

    def look_at(self, at, packed):
        """Fails unless the answer to a call is right."""
        table, program = self.table, self.program
        if packed == table.suites[self.number]["answers"][at] and not table.comparison.looks_at_inputs:
            return
        if packed[:1] == packing.RAISED:
            program.raise_from(packed[1:])
        result = program.last_answer() if packed[:1] == packing.HASHED else program.unpacked(packed)
        table.compare(self.number, at, result)
