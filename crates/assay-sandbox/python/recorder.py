"""Runs a reference solution on the inputs of a table of calls, and records its answers.

This is done once for each problem. The host keeps the recording and gives it to the tests, which compare the answers
of candidates with it.
"""

import json
import marshal
import os
import time

import packing

# The bytes of a float that is NaN, in the bytes of an answer: such an answer may differ from itself.
NOT_A_NUMBER = (b"\x00\x00\x00\xf8\x7f", b"\x00\x00\x00\xf8\xff")


class Unfit(Exception):
    """The reference solution gives no answer that can be compared."""


def record(rules, job, file):
    """Writes the table of `job`, whose inputs and answers are read and compared by `rules`."""
    names = {"__name__": "rules"}
    exec(compile(rules, "<rules>", "exec"), names)
    job = json.loads(job)
    suites = [_suite(names["COMPARISON"], job, inputs) for inputs in job["suites"]]
    if not any(suite["answers"] for suite in suites):
        raise Unfit("there are no inputs")
    # One suite may consist of such answers only, as long as another distinguishes programs.
    idle = [suite.pop("idle") for suite in suites]
    if all(idle):
        raise Unfit("a program that returns None passes")
    # Another process may have started to write it, and been interrupted.
    os.lseek(file, 0, os.SEEK_SET)
    os.ftruncate(file, 0)
    data = memoryview(marshal.dumps({"suites": suites}))
    while data:
        data = data[os.write(file, data) :]


def _suite(comparison, job, inputs):
    known = {"__name__": "reference"}
    exec(compile(job["reference"], "<program>", "exec"), known)
    function = known[job["entry_point"]]
    given = [comparison.arguments(one) for one in json.loads(inputs)]
    # Before the function can change them.
    packed = marshal.dumps(given, packing.VERSION)
    answers, times, tolerances, tolerance = [], [], [], comparison.tolerance
    # True if a program that returns None would pass; if the rules accept anything, all programs do.
    idle = not comparison.accepts_anything
    for at, arguments in enumerate(given):
        given[at] = None
        begun = time.process_time()
        answer = function(*arguments)
        times.append(time.process_time() - begun)
        answer = comparison.expected(answer)
        tolerance = comparison.tolerance_for(answer, tolerance)
        tolerances.append(tolerance)
        answers.append(_packed(answer))
        _look_at(comparison, packed, at, answer, answers[at], tolerance)
        idle = idle and comparison.accepts(arguments, None, answer, tolerance)
    return {"inputs": packed, "answers": answers, "times": times, "tolerances": tolerances, "idle": idle}


def _packed(answer):
    def refuse(value):
        raise Unfit("an answer holds a %s, which cannot be compared" % type(value).__name__)

    return packing.pack(answer, refuse)


def _look_at(comparison, inputs, at, answer, packed, tolerance):
    """Fails if the answer would not be accepted as its own."""
    doubtful = comparison.looks_at_inputs or any(mark in packed for mark in NOT_A_NUMBER)
    if not doubtful or packed[:1] == packing.HASHED:
        return
    arguments = marshal.loads(inputs)[at]
    if not comparison.accepts(arguments, packing.unpack(packed, None), answer, tolerance):
        raise Unfit("an answer differs from itself")
