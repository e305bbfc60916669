"""Objects that stay in the program's process, as its tests see them.

A handle supports the operations of the program's object, and no others: each kind of object has its own class here. A
value that tests compare with an object is never shown to the program, unless it is an object of the program too.
"""

CHUNK = 256


class Handle:
    """An object that stays in the program's process."""

    def __init__(self, program, number, kind):
        self.__dict__["_assay"] = (program, number, kind)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _ask(self, "attribute", (name,))

    def __setattr__(self, name, value):
        _ask(self, "set", (name, value))

    def __delattr__(self, name):
        _ask(self, "delete", (name,))

    def __eq__(self, other):
        # A program may decide whether two of its own objects are equal: it made both.
        if not _is_of_same(self, other):
            return False
        return other._assay[1] == self._assay[1] or _ask(self, "equal", (other,)) is True

    __hash__ = None

    def __bool__(self):
        return _ask(self, "bool", ()) is True

    def __str__(self):
        return self._text("text")

    def __repr__(self):
        return self._text("repr")

    def __format__(self, how):
        return self._text("format", how)

    def _text(self, do, *how):
        program, _, kind = self._assay
        if program.is_over:
            return "<%s>" % kind
        text = _ask(self, do, how)
        return text if type(text) is str else "?"


def _ask(handle, do, arguments):
    program, number, _ = handle._assay
    return program.ask(number, do, arguments)


def _is_of_same(handle, other):
    return isinstance(other, Handle) and other._assay[0] is handle._assay[0]


def _call(self, *arguments, **named):
    return _ask(self, "call", (arguments, named))


def _item(self, key):
    if type(key) is slice:
        return _ask(self, "slice", (key.start, key.stop, key.step))
    return _ask(self, "item", (key,))


def _iterate(self):
    iterator, more = _ask(self, "iterate", ()), True
    while more:
        taken = _ask(iterator, "take", (CHUNK,))
        if type(taken) is not tuple or len(taken) != 2 or type(taken[0]) is not list:
            self._assay[0].leave()
        yield from taken[0]
        more = taken[1] is True and len(taken[0]) == CHUNK


def _next(self):
    taken = _ask(self, "next", ())
    if type(taken) is not list or len(taken) > 1:
        self._assay[0].leave()
    if not taken:
        raise StopIteration
    return taken[0]


def _contains(self, value):
    # The tests find out themselves whether the program has it.
    if not hasattr(type(self), "__iter__"):
        self._assay[0].in_one_process("its tests ask an object that cannot be iterated whether it contains something")
    return any(value is one or value == one for one in self)


def _exit(self, kind, *_):
    # An assertion that fails within belongs to the tests; other exceptions would have to be sent to the program.
    if kind is not None and issubclass(kind, Exception) and not issubclass(kind, AssertionError):
        self._assay[0].in_one_process("an exception of its tests leaves a block that the program watches over")
    _ask(self, "exit", ())


def _number(do, kind):
    def number(self):
        value = _ask(self, do, ())
        if type(value) is not kind:
            raise TypeError("no number")
        return value

    return number


def _with_another(do):
    """An operation on two objects; the program sees only its own objects."""
    return lambda self, other: _ask(self, do, (other,)) if _is_of_same(self, other) else NotImplemented


# The operations that objects of a program may support.
ABLE = {
    "__call__": _call,
    "__len__": _number("length", int),
    "__iter__": _iterate,
    "__next__": _next,
    "__contains__": _contains,
    "__getitem__": _item,
    "__setitem__": lambda self, key, value: _ask(self, "set_item", (key, value)),
    "__delitem__": lambda self, key: _ask(self, "delete_item", (key,)),
    "__enter__": lambda self: _ask(self, "enter", ()),
    "__exit__": _exit,
    "__hash__": _number("hash", int),
    "__int__": _number("int", int),
    "__float__": _number("float", float),
    "__index__": _number("index", int),
    "__round__": lambda self, *digits: _ask(self, "round", digits),
    "__neg__": lambda self: _ask(self, "neg", ()),
    "__abs__": lambda self: _ask(self, "abs", ()),
    **{"__%s__" % do: _with_another(do) for do in "add sub mul lt le gt ge".split()},
}


def handle(program, content):
    """The handle in a message of a program; ValueError if the message is invalid."""
    number, kind, able = content
    if type(number) is not int or type(kind) is not str or type(able) is not list:
        raise ValueError("no handle")
    names = frozenset(name for name in able if type(name) is str)
    kind, classes = kind[:100], program.handle_classes
    if (kind, names) not in classes:
        methods = {name: method for name, method in ABLE.items() if name in names}
        if not names & {"__bool__", "__len__"}:
            methods["__bool__"] = lambda self: True
        classes[kind, names] = type(kind, (Handle,), methods)
    return classes[kind, names](program, number, kind)
