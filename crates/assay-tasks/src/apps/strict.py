import json
import math

TOLERANCE = 1e-6


def assay_check(answer, at):
    """Fails unless the program's function gives what the test expects."""
    inputs, wanted = (json.loads(text) for text in ASSAY_CASES[at])
    given = answer(*with_whole_keys(inputs))
    # The data gives what is expected as it is, or as the only element of a list.
    wrapped = isinstance(wanted, list) and len(wanted) == 1
    if not (same(given, wanted) or wrapped and same(given, wanted[0])):
        error = AssertionError()
        error.compared, error.function = (given, wanted), ASSAY_FUNCTION
        raise error


def with_whole_keys(inputs):
    """JSON has no keys that are numbers: a dictionary that comes first has them, if all look so."""
    if inputs and isinstance(inputs, list) and isinstance(inputs[0], dict):
        try:
            return [{int(key): value for key, value in inputs[0].items()}, *inputs[1:]]
        except ValueError:
            pass
    return inputs


def same(given, wanted):
    """Whether two values are the same; tuples are lists, and where a float is wanted, close is enough."""
    if isinstance(given, (list, tuple)) and isinstance(wanted, list):
        return len(given) == len(wanted) and all(map(same, given, wanted))
    if isinstance(given, dict) and isinstance(wanted, dict):
        given = {str(key): value for key, value in given.items()}
        return given.keys() == wanted.keys() and all(same(given[key], wanted[key]) for key in wanted)
    if isinstance(wanted, float) and is_number(given):
        return close(given, wanted)
    # Python compares an int with a float exactly: only a float of the very same value equals an int.
    return given == wanted


def close(given, wanted):
    """Whether a number is within the tolerance of a float; one that is no finite number is a text."""
    if not math.isfinite(wanted):
        return repr(given) == repr(wanted)
    try:
        return given == wanted or abs(given - wanted) <= TOLERANCE * max(1.0, abs(wanted))
    except OverflowError:
        # An int beyond all floats is close to none.
        return False


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
