"""Values as plain data, between a candidate and its tests.

`decode` only returns Python's own types and handles: an object that lies about equality does not get
through. Both sides use this file; only the tester's copy is trusted.
"""

import json
import marshal
from _socket import CMSG_LEN
from collections import Counter, OrderedDict, defaultdict, deque

from ordering import set_in_order

# Nothing else is imported here, nor from larger modules: every program pays for the loading.

# The maximum size of a message from a program, in bytes and in values: more would take its tests too long.
LARGEST_FRAME = 64 << 20
MOST_VALUES = 4_000_000
# The maximum number of digits of a number that is slow to parse: a fraction's parts, a decimal.
MOST_DIGITS = 10_000
PLAIN = frozenset({type(None), bool, str, float})
STR = frozenset({str})
# The characters that encode words: those that JSON does not escape.
LETTERS = [chr(number) for number in range(93, 127)]
# In JSON, whole numbers are themselves too.
FLAT = PLAIN | {int}
SMALL = 1 << 63
IMMUTABLE = frozenset({type(None), bool, int, float, complex, str, bytes})
DICTIONARIES = frozenset({dict, OrderedDict, Counter, defaultdict})
MUTABLE = DICTIONARIES | {list, set, bytearray, deque}
# A longer list is sent in parts of so many elements.
PART = 50000
MOST_FILES = 8
# The properties of values that were lost between the processes, in words: senders and receivers read and clear it.
LOST = set()
SIMPLER, ORDER = "a class of the program's own arrives as its base", "a set arrives in another order"
# The maximum number of bytes of answers on the sheet of a program.
SHEET = 8 << 20



class TooMuch(Exception):
    """A program sends more than its tests can take."""


to_json = json.JSONEncoder(separators=(",", ":")).encode
from_json = json.JSONDecoder().decode


def pack(message):
    """One message, as JSON after its length."""
    return framed(to_json(message).encode())


def framed(data):
    """Bytes after their length."""
    return len(data).to_bytes(4, "little") + data


def send(connection, message):
    """Sends one message."""
    connection.sendall(pack(message))


def receive_bytes(connection):
    """The bytes of the next message; EOFError if there is none, TooMuch if it is too long."""
    length = int.from_bytes(read_exactly(connection, 4), "little")
    if length > LARGEST_FRAME:
        raise TooMuch("a message of %d bytes is too long" % length)
    return read_exactly(connection, length)


def parse(data):
    """The JSON in bytes of a program; ValueError if it is invalid."""
    # Every value but the first follows one of these.
    if len(data) > MOST_VALUES and sum(map(data.count, (b",", b"[", b"{", b":"))) > MOST_VALUES:
        raise TooMuch("too many values")
    return from_json(str(data, "utf-8"))


def freeze(value, version=2):
    """`value` for `thaw`; ValueError if it is not plain. Only for whoever believes the other side: a program its
    tests, but not the other way round. By the rules of version 2, the same value has the same bytes; by those of
    version 4, parts that are one object stay one."""
    return marshal.dumps(value, version)


thaw = marshal.loads


def receive_with_files(connection):
    """The bytes of the next message, and the files that came with it; EOFError if there is none."""
    head, along, _, _ = connection.recvmsg(4, CMSG_LEN(4 * MOST_FILES))
    if not head:
        raise EOFError
    numbers = b"".join(data for _, _, data in along)
    files = [int.from_bytes(numbers[at : at + 4], "little") for at in range(0, len(numbers), 4)]
    while len(head) < 4:
        head += read_exactly(connection, 4 - len(head))
    return read_exactly(connection, int.from_bytes(head, "little")), files


def is_plain(value):
    """Returns whether `freeze` and `thaw` give the same value. Sets lose their order."""
    kind = type(value)
    if kind in IMMUTABLE:
        return True
    if kind is dict:
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return (kind is list or kind is tuple) and (
        IMMUTABLE.issuperset(map(type, value)) or all(map(is_plain, value))
    )


def has_twins(value, seen):
    """Returns whether a mutable container occurs twice; `seen` has the ids of those so far."""
    kind = type(value)
    if kind in MUTABLE:
        if id(value) in seen:
            return True
        seen.add(id(value))
    if kind is list or kind is tuple:
        return any(has_twins(part, seen) for part in value)
    return kind is dict and any(has_twins(part, seen) for part in value.values())


def containers(values, found):
    """Appends to `found` all mutable containers within plain values, as often as they occur. Both sides find them in
    the same order."""
    for value in values:
        kind = type(value)
        if kind in IMMUTABLE:
            continue
        if kind in MUTABLE:
            found.append(value)
        if kind is list or kind is tuple or kind is deque:
            if not IMMUTABLE.issuperset(map(type, value)):
                containers(value, found)
        elif kind in DICTIONARIES:
            containers(value.values(), found)
    return found


class Mark:
    """The placeholder in a value for a container that the other side has passed."""

    def __init__(self, number):
        self.number = number


def marked(value, numbers):
    """`value` with marks for the containers whose numbers are given by their identity."""
    kind = type(value)
    if kind in MUTABLE and id(value) in numbers:
        return Mark(numbers[id(value)])
    if kind is list or kind is tuple:
        return value if IMMUTABLE.issuperset(map(type, value)) else kind([marked(one, numbers) for one in value])
    if kind is deque:
        return deque([marked(one, numbers) for one in value], value.maxlen)
    if kind in DICTIONARIES:
        copied = value.copy()
        copied.update({key: marked(one, numbers) for key, one in value.items()})
        return copied
    return value


def read_exactly(connection, length):
    """Reads this many bytes."""
    if not length:
        return b""
    data = connection.recv(min(length, 1 << 16))
    if len(data) == length:
        return data
    parts, missing = [data], length - len(data)
    while missing:
        data = connection.recv(min(missing, 1 << 20))
        if not data:
            raise EOFError
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


def encode(value, handle):
    """`value` as JSON; objects that are not plain data go through `handle`."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is int:
        return value if -SMALL <= value < SMALL else {"i": hex(value)}
    if kind is list:
        return _items(value, handle)
    encoder = EXACT.get(kind) or RARE.get((kind.__module__, kind.__name__))
    if encoder:
        return encoder(value, handle)
    if isinstance(value, tuple) and type(getattr(kind, "_fields", None)) is tuple:
        return {"N": [str(kind.__name__), *kind._fields, _items(list(tuple.__iter__(value)), handle)]}
    for base, plain in BASES:
        if isinstance(value, base):
            LOST.add(SIMPLER)
            return encode(plain(value), handle)
    if kind.__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return encode(value.item(), handle)
    return handle(value)


def _items(values, handle):
    if set(map(type, values)) <= PLAIN:
        return list(values)
    return [encode(value, handle) for value in values]


def encode_part(values, handle):
    """A part of a long list. Sequences of a few words over and over, such as combinations, are
    written with one letter a word: as objects of their own they would not fit."""
    kinds = set(map(type, values))
    if kinds != {tuple} and kinds != {list}:
        return encode(values, handle)
    words = set()
    for value in values:
        words.update(value if STR.issuperset(map(type, value)) else LETTERS)
        if len(words) >= len(LETTERS):
            return encode(values, handle)
    letters = dict(zip(words, LETTERS))
    text = "".join(["".join(map(letters.__getitem__, value)) for value in values])
    make = "t" if kinds == {tuple} else "l"
    return {"w": [make, list(letters), [len(value) for value in values], text]}


def _decoded_words(content, _):
    make, words, lengths, text = _listed(content)
    if not STR.issuperset(map(type, words)) or not {int}.issuperset(map(type, lengths)):
        raise ValueError("no words")
    # Each character is read once: going back and forth could take for ever.
    if type(text) is not str or min(lengths, default=0) < 0 or sum(lengths) != len(text):
        raise ValueError("no words")
    make = {"t": tuple, "l": list}[make]
    word, values, at = dict(zip(LETTERS, words)).__getitem__, [], 0
    for length in lengths:
        values.append(make(map(word, text[at : at + length])))
        at += length
    return values


def _tagged(tag):
    return lambda value, handle: {tag: _items(list(value), handle)}


def _named_tuple(content, handle):
    """A tuple whose elements have names; of its class, only those are known here."""
    name, *fields, items = _listed(content)
    key = (name, *fields)
    if key not in NAMED_TUPLES:
        if len(NAMED_TUPLES) >= MOST_CLASSES:
            NAMED_TUPLES.clear()
        NAMED_TUPLES[key] = _from("collections").namedtuple(name, fields)
    return NAMED_TUPLES[key](*_decoded_items(items, handle))


# The classes that were made so far, by their names; no more than so many.
NAMED_TUPLES, MOST_CLASSES = {}, 1000


def _defaults(value, handle):
    """A dictionary with defaults; those that only the program can make are lost."""
    flat = _items([part for pair in dict.items(value) for part in pair], handle)
    factory = value.default_factory
    if factory in FACTORIES:
        return {"M": [factory.__name__, *flat]}
    if factory is not None:
        LOST.add(SIMPLER)
    return {"D": flat}


def _decoded_defaults(content, handle):
    name, *flat = _decoded_items(content, handle)
    factory = next(one for one in FACTORIES if one.__name__ == name)
    return defaultdict(factory, zip(flat[::2], flat[1::2]))


FACTORIES = (int, list, set, dict, str, float, bool, tuple)


def _pairs(tag):
    def encoder(value, handle):
        flat = [part for pair in dict.items(value) for part in pair]
        return {tag: _items(flat, handle)}

    return encoder


EXACT = {
    tuple: _tagged("t"),
    set: _tagged("s"),
    frozenset: _tagged("f"),
    deque: _tagged("q"),
    dict: _pairs("d"),
    OrderedDict: _pairs("O"),
    Counter: _pairs("C"),
    defaultdict: _defaults,
    bytes: lambda value, _: {"b": value.hex()},
    bytearray: lambda value, _: {"B": value.hex()},
    complex: lambda value, _: {"c": [value.real, value.imag]},
    Mark: lambda value, _: {"o": value.number},
    range: lambda value, _: {"r": [hex(value.start), hex(value.stop), hex(value.step)]},
}

# By module and name, because few programs have them. A class that only calls itself so does no harm:
# what it says is a text or numbers like any other.
RARE = {
    ("decimal", "Decimal"): lambda value, _: {"n": str(value)},
    ("fractions", "Fraction"): lambda value, _: {
        "F": [hex(value.numerator), hex(value.denominator)]
    },
    ("datetime", "datetime"): lambda value, _: {"X": value.isoformat()},
    ("datetime", "date"): lambda value, _: {"x": value.isoformat()},
    ("datetime", "time"): lambda value, _: {"T": value.isoformat()},
    ("datetime", "timedelta"): lambda value, _: {
        "l": [value.days, value.seconds, value.microseconds]
    },
}

# A subclass is treated as its base, whatever its own methods do.
BASES = (
    (int, lambda value: int.__add__(value, 0)),
    (str, str.__str__),
    (float, float.__float__),
    (list, lambda value: list(list.__iter__(value))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
)


def decode(data, handle):
    """The value encoded in `data`; ValueError if it is invalid."""
    kind = type(data)
    if kind in FLAT:
        return data
    if kind is list:
        return _decoded_items(data, handle)
    if kind is dict and len(data) == 1:
        ((tag, content),) = data.items()
        if tag == "h" or tag == "o":
            return handle(content)
        decoder = DECODERS.get(tag)
        if decoder:
            return decoder(content, handle)
    raise ValueError("no value")


def _decoded_items(content, handle):
    if FLAT.issuperset(map(type, _listed(content))):
        return content
    return [decode(item, handle) for item in content]


def _decoded(make):
    return lambda content, handle: make(_decoded_items(content, handle))


def _decoded_pairs(make):
    def decoder(content, handle):
        items = _decoded_items(content, handle)
        return make(zip(items[::2], items[1::2]))

    return decoder


def _set_in_order(items):
    """A set that is iterated in the order of `items`, as it was on the other side."""
    made = set_in_order(items) if len(set(items)) == len(items) else set(items)
    return _look_at_order(made, items)


def _frozen_in_order(items):
    """The same, frozen: one that is made of another may be iterated in another order than that."""
    made = frozenset(items)
    return made if list(made) == items else _look_at_order(frozenset(_set_in_order(items)), items)


def _look_at_order(made, items):
    if list(made) != items:
        LOST.add(ORDER)
    return made


_from = __import__


def _number(content):
    """The whole number behind hexadecimal digits, which are few."""
    if len(content) > MOST_DIGITS:
        raise TooMuch("too many digits")
    return int(content, 16)


def _decimal(content):
    if len(content) > MOST_DIGITS:
        raise TooMuch("too many digits")
    return _from("decimal").Decimal(content)


def _listed(content):
    if type(content) is not list:
        raise ValueError("no list")
    return content


DECODERS = {
    "i": lambda content, _: int(content, 16),
    "w": _decoded_words,
    "t": _decoded(tuple),
    "s": _decoded(_set_in_order),
    "f": _decoded(_frozen_in_order),
    "N": _named_tuple,
    "M": _decoded_defaults,
    "q": _decoded(deque),
    "d": _decoded_pairs(dict),
    "O": _decoded_pairs(OrderedDict),
    "C": _decoded_pairs(lambda pairs: Counter(dict(pairs))),
    "D": _decoded_pairs(lambda pairs: defaultdict(None, pairs)),
    "b": lambda content, _: bytes.fromhex(content),
    "B": lambda content, _: bytearray.fromhex(content),
    "c": lambda content, _: complex(*_listed(content)),
    "r": lambda content, _: range(*(int(part, 16) for part in _listed(content))),
    "n": lambda content, _: _decimal(content),
    "F": lambda content, _: _from("fractions").Fraction(*map(_number, _listed(content))),
    "X": lambda content, _: _from("datetime").datetime.fromisoformat(content),
    "x": lambda content, _: _from("datetime").date.fromisoformat(content),
    "T": lambda content, _: _from("datetime").time.fromisoformat(content),
    "l": lambda content, _: _from("datetime").timedelta(*_listed(content)),
}
