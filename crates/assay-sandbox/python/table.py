"""Tests that are a table of calls: each input has its expected answer, recorded beforehand."""

import marshal
import os

import packing
import wire
from program import beginning

# How many times as long as the task's own program a call may take.
PATIENCE = 4


class Table:
    """The calls of one problem, in suites that have a verdict each."""

    def __init__(self, message, file):
        self.entry_point, self.reference = message["entry_point"], message["reference"]
        self.timeout = message["timeout"]
        names = {"__name__": "rules"}
        exec(compile(message["rules"], "<rules>", "exec"), names)
        self.comparison = names["COMPARISON"]
        # The host has kept it, and nobody else: it may be trusted.
        self.suites = marshal.loads(os.pread(file, os.fstat(file).st_size, 0))["suites"]
        self.questions, self.given = {}, {}

    def question(self, number):
        """What a program is told of a suite."""
        if number not in self.questions:
            suite = self.suites[number]
            limits = [max(self.timeout, PATIENCE * time) for time in suite["times"]]
            table = {"name": self.entry_point, "inputs": suite["inputs"], "limits": limits}
            self.questions[number] = wire.framed(marshal.dumps(table))
        return self.questions[number]

    def run(self, number, program):
        """Puts a program through a suite; AssertionError with the first answer that is not accepted."""
        program.begin_table(self.question(number))
        at, count = 0, len(self.suites[number]["answers"])
        while at < count:
            answers, gone = program.answers_from(at)
            for packed in answers[: count - at]:
                self.look_at(number, at, packed, program)
                at += 1
            if gone is not None:
                raise gone
            if not answers:
                program.leave()

    def look_at(self, number, at, packed, program):
        """Fails unless the answer to a call is right."""
        expected = self.suites[number]["answers"][at]
        if packed == expected and not self.comparison.looks_at_inputs:
            return
        if packed[:1] == packing.RAISED:
            program.raise_from(packed[1:])
        result = program.last_answer() if packed[:1] == packing.HASHED else program.unpacked(packed)
        self.compare(number, at, result)

    def compare(self, number, at, result):
        suite = self.suites[number]
        expected, given = self.expected(number, at), self.arguments(number, at)
        if not self.comparison.accepts(given, result, expected, suite["tolerances"][at]):
            shown = beginning(result)
            raise AssertionError(self.comparison.difference(number, given, shown, expected))

    def expected(self, number, at):
        """What the task's own program answers; it is asked once more for an answer that was too long to keep."""
        packed = self.suites[number]["answers"][at]
        if packed[:1] == packing.PLAIN:
            return marshal.loads(memoryview(packed)[1:])
        if packed[:1] == packing.TAGGED:
            return packing.unpack(packed, None)
        known = {"__name__": "reference"}
        exec(compile(self.reference, "<reference>", "exec"), known)
        return self.comparison.expected(known[self.entry_point](*self.arguments(number, at)))

    def arguments(self, number, at):
        """The arguments of a call, made anew."""
        return marshal.loads(self.suites[number]["inputs"])[at]
