"""Compares what a function returns with what the reference returns, by EvalPlus's rules.

Assay runs this in the tester's process, where the program under test cannot reach it.
"""

import copy
import json
import math

RELATIVE = 1e-7
INFINITE = float("inf")
ABSOLUTE_OF_FLOATS = 1e-6
SHOWN = 200

# Arguments that JSON has as lists or texts, and the originals have otherwise, by MBPP's numbers.
ALL_TUPLES = {
    2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740,
    744, 809,
}
LISTS_OF_TUPLES = {63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780}
FIRST_A_LIST_OF_TUPLES = {75, 413, 444, 753}
FIRST_A_TUPLE = {250, 307, 405, 446, 617, 720, 763, 808}
SECOND_A_TUPLE = {106, 750}
TUPLES_OF_TUPLES = {259, 401, 445}
TUPLES_THROUGHOUT = {580, 615, 791}

# Functions of MBPP whose result is no plain value, of which only whether there is one counts.
ANY_RESULT = {"check_str", "text_match_three", "text_starta_endb"}
# Functions of MBPP whose result's order does not count.
ANY_ORDER = {
    "similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly", "larg_nnum",
    "intersection_array", "find_dissimilar", "Diff",
}


def deep_tuple(value):
    return tuple(map(deep_tuple, value)) if isinstance(value, list) else value


def arguments(number, given):
    """The arguments of an MBPP problem as its function wants them."""
    if number in ALL_TUPLES:
        return [tuple(one) for one in given]
    if number in LISTS_OF_TUPLES:
        return [[tuple(inner) for inner in one] for one in given]
    if number in TUPLES_OF_TUPLES:
        return [tuple(tuple(inner) for inner in one) for one in given]
    if number in TUPLES_THROUGHOUT:
        return list(deep_tuple(given))
    if number in FIRST_A_LIST_OF_TUPLES:
        return [[tuple(inner) for inner in given[0]], *given[1:]]
    if number in FIRST_A_TUPLE:
        return [tuple(given[0]), *given[1:]]
    if number in SECOND_A_TUPLE:
        return [given[0], tuple(given[1]), *given[2:]]
    if number == 115:
        return [[set(one) if isinstance(one, list) and one else {} for one in given[0]]]
    if number == 124:
        return [float(given[0]), complex(given[1])]
    if number == 252:
        return [complex(given[0])]
    if number == 278:
        return [tuple(tuple(one) if isinstance(one, list) else one for one in given[0])]
    if number == 722:
        return [{key: tuple(value) for key, value in given[0].items()}, *given[1:]]
    return given


def polynomial(coefficients, x):
    return sum(factor * math.pow(x, power) for power, factor in enumerate(coefficients))


def pyramid_surface(edge, height):
    """With the height being that of the apex over the base."""
    slant = math.sqrt((edge / 2) ** 2 + height**2)
    return round(edge**2 + 2 * edge * slant)


def digit_distance(one, other):
    """With the shorter number filled up with zeros."""
    one, other = str(one), str(other)
    width = max(len(one), len(other))
    pairs = zip(one.zfill(width), other.zfill(width))
    return sum(abs(int(left) - int(right)) for left, right in pairs)


def all_floats(value, edition):
    """EvalPlus 0.2 took an empty sequence for one of floats."""
    if isinstance(value, (list, tuple)) and (value or edition == 1):
        return all(isinstance(one, float) for one in value)
    return isinstance(value, float)


def near(result, expected, tolerance):
    """Whether numbers, or sequences of them, differ by no more than is allowed."""
    sequences = (list, tuple)
    if isinstance(result, sequences) and isinstance(expected, sequences):
        same_length = len(result) == len(expected)
        return same_length and all(near(*pair, tolerance) for pair in zip(result, expected))
    if result == expected:
        return True
    if abs(expected) == INFINITE or abs(result) == INFINITE:
        return False
    return abs(result - expected) <= tolerance + RELATIVE * abs(expected)


def show(value):
    try:
        text = repr(value)
    except ValueError:
        # Python writes no number of so many digits.
        text = "a number of very many digits"
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


class Comparison:
    """How the answers to one problem are compared.

    `edition` selects the rules: 1 for EvalPlus 0.2, which MBPP+ v0.1.0 was scored with; 2 for EvalPlus 0.3, which
    accepts more answers and also looks at types.
    """

    def __init__(self, family, edition, number, entry_point, tolerance):
        self.family, self.edition, self.number = family, edition, number
        self.entry_point, self.tolerance = entry_point, tolerance
        # Whether EvalPlus takes any answer for right.
        self.accepts_anything = family == "mbpp" and entry_point == "are_equivalent"
        # Whether an answer is judged by the inputs and not by what the reference returns.
        self.looks_at_inputs = family == "humaneval" and entry_point == "find_zero"

    def arguments(self, given):
        """The arguments that an input of the file stands for."""
        return arguments(self.number, given) if self.family == "mbpp" else given

    def expected(self, result):
        """What is kept of a result of the reference."""
        if self.family == "mbpp" and self.entry_point in ANY_RESULT:
            return result is not None
        return result

    def tolerance_for(self, expected, before):
        """How far from the expected result an answer may be: once floats were expected, all that follow may be as
        inexact."""
        if before == 0 and all_floats(expected, self.edition):
            return ABSOLUTE_OF_FLOATS
        return before

    def difference(self, suite, given, result, expected):
        """What is wrong, for a person."""
        call = ", ".join(map(show, given))
        part = ("base", "plus")[suite]
        return f"{part}: {self.entry_point}({call}) is {show(result)}, not {show(expected)}"

    def accepts(self, given, result, expected, tolerance):
        """Whether a result is right."""
        try:
            if self.looks_at_inputs:
                return abs(polynomial(given[0], result)) <= tolerance
            if self.equals(given, result, expected):
                return True
            return (
                tolerance != 0
                and (self.edition == 1 or type(result) == type(expected))
                and near(result, expected, tolerance)
            )
        except Exception:
            # What cannot be compared is not what was expected.
            return False

    def equals(self, given, result, expected):
        name = self.entry_point
        if self.family != "mbpp":
            return result == expected
        if name in ANY_RESULT:
            return expected == (result if isinstance(result, bool) else result is not None)
        if result == expected:
            return True
        if self.accepts_anything:
            return True
        if name == "sum_div":
            return result == 0
        return self.edition > 1 and self.equals_otherwise(given, result, expected)

    def equals_otherwise(self, given, result, expected):
        """Whether another reading of the question gives the result."""
        name = self.entry_point
        if name == "surface_Area":
            return abs(result - pyramid_surface(*given)) <= self.tolerance
        if name == "digit_distance_nums":
            return result == digit_distance(*given)
        return name in ANY_ORDER and set(result) == set(expected)

    def check(self, function, reference, suites):
        """Puts a function through all suites in this process, with what `reference` gives."""
        known = {}
        exec(reference, known)
        for suite, text in enumerate(suites):
            tolerance = self.tolerance
            for one in json.loads(text):
                given = self.arguments(one)
                expected = self.expected(known[self.entry_point](*copy.deepcopy(given)))
                result = function(*copy.deepcopy(given))
                tolerance = self.tolerance_for(expected, tolerance)
                if not self.accepts(given, result, expected, tolerance):
                    raise AssertionError(self.difference(suite, given, result, expected))
