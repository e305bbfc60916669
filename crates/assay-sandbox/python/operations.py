"""The operations that tests may apply to objects of a program, besides calls."""

from _operator import index


def _take(iterator, count):
    """The next few values, and whether there are more."""
    taken = []
    for value in iterator:
        taken.append(value)
        if len(taken) == count:
            return (taken, True)
    return (taken, False)


class _Iterator:
    """Keeps an iterator from being taken for plain data."""

    def __init__(self, values):
        self.values = iter(values)


def _set_item(value, key, item):
    value[key] = item


def _delete_item(value, key):
    del value[key]


# The operations that objects of a program may support and that tests can use.
ABILITIES = (
    "__call__ __len__ __iter__ __next__ __contains__ __getitem__ __setitem__ __delitem__ __enter__ __exit__ __hash__ "
    "__bool__ __int__ __float__ __index__ __round__ __neg__ __abs__ __add__ __sub__ __mul__ __lt__ __le__ __gt__ __ge__"
).split()


def abilities(kind):
    """The operations that objects of this class support. Not those of the class itself: every class can be called."""
    found = {}
    for base in reversed(kind.__mro__):
        found.update({name: vars(base)[name] for name in ABILITIES if name in vars(base)})
    # Every object has comparisons, which matter only if the class defines them; its hash always matters.
    plain = {**vars(object), "__hash__": None}
    return [name for name, method in found.items() if method is not None and method is not plain.get(name)]


OPERATIONS = {
    "attribute": getattr,
    "set": setattr,
    "item": lambda value, key: value[key],
    "set_item": _set_item,
    "next": lambda value: _take(value, 1)[0],
    "enter": lambda value: value.__enter__(),
    "exit": lambda value: value.__exit__(None, None, None),
    "equal": lambda value, other: bool(value == other),
    "add": lambda value, other: value + other,
    "sub": lambda value, other: value - other,
    "mul": lambda value, other: value * other,
    "lt": lambda value, other: bool(value < other),
    "le": lambda value, other: bool(value <= other),
    "gt": lambda value, other: bool(value > other),
    "ge": lambda value, other: bool(value >= other),
    "bool": bool,
    "hash": hash,
    "int": int,
    "float": float,
    "index": index,
    "round": round,
    "neg": lambda value: -value,
    "abs": abs,
    "format": lambda value, how: str.__str__(format(value, how)),
    "repr": lambda value: str.__str__(repr(value)),
    "slice": lambda value, *ends: value[slice(*ends)],
    "delete": delattr,
    "delete_item": _delete_item,
    "length": len,
    "text": lambda value: str.__str__(str(value)),
    "iterate": _Iterator,
    "take": lambda value, count: _take(value.values, count),
}
