"""What EvalPlus's tests with assertions use of numpy, for machines that do not have it."""

import sys
import types


def _stand_in_for_numpy():
    numpy = types.ModuleType("numpy")

    class ndarray:
        """Nothing is one: a program's results come without numpy."""

    def allclose(result, expected, rtol, atol):
        sequences = (list, tuple)
        if isinstance(result, sequences) and isinstance(expected, sequences):
            pairs = zip(result, expected, strict=True)
            return all(allclose(one, other, rtol, atol) for one, other in pairs)
        if result == expected:
            return True
        infinite = float("inf") in (abs(result), abs(expected))
        return not infinite and abs(result - expected) <= atol + rtol * abs(expected)

    numpy.ndarray = ndarray
    numpy.allclose = allclose
    numpy.float32 = numpy.float64 = float
    return numpy


try:
    import numpy
except ImportError:
    sys.modules["numpy"] = _stand_in_for_numpy()
