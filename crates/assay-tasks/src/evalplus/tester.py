"""Compares what a function returns with what the reference returns, by EvalPlus's rules.

Assay runs this in the tester's process, where the program under test cannot reach it. A problem is
made once; expected values come from its reference solution.
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
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


class Problem:
    """A problem with what its function must return.

    `edition` says whose rules hold: 1 those of EvalPlus 0.2, which MBPP+ v0.1.0 was scored with; 2
    those since EvalPlus 0.3, where more answers count as right and types count too.
    """

    def __init__(self, family, edition, number, entry_point, reference, tolerance, inputs):
        self.family = family
        self.edition = edition
        self.entry_point = entry_point
        self.tolerance = tolerance
        known = {}
        exec(reference, known)
        self.inputs = {}
        self.expected = {}
        for part, text in inputs.items():
            given = json.loads(text)
            if family == "mbpp":
                given = [arguments(number, one) for one in given]
            results = [known[entry_point](*copy.deepcopy(one)) for one in given]
            if family == "mbpp" and entry_point in ANY_RESULT:
                results = [result is not None for result in results]
            self.inputs[part] = given
            self.expected[part] = results

    def check(self, function, part):
        """Fails with the first result that is not as expected."""
        tolerance = self.tolerance
        for given, expected in zip(self.inputs[part], self.expected[part]):
            result = function(*copy.deepcopy(given))
            # Once floats were expected, all that follow may be as inexact.
            if tolerance == 0 and all_floats(expected, self.edition):
                tolerance = ABSOLUTE_OF_FLOATS
            if not self.accepts(given, result, expected, tolerance):
                call = ", ".join(map(show, given))
                raise AssertionError(
                    f"{part}: {self.entry_point}({call}) is {show(result)}, not {show(expected)}"
                )

    def accepts(self, given, result, expected, tolerance):
        try:
            if self.family == "humaneval" and self.entry_point == "find_zero":
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
        if name == "are_equivalent":
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
