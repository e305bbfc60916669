"""Answers as bytes that can be compared before they are read.

`marshal` writes the same bytes for the same plain value, so an answer with the expected bytes is right, and only
others need to be unpacked. A long answer is represented by its hash: it is sent only if the hash differs. Bytes from
a program are checked before they are unpacked, because `marshal` trusts its input.
"""

import marshal

import wire

# The first byte of a packed answer: plain data, data with tags, a hash, an exception.
PLAIN, TAGGED, HASHED, RAISED = b"M", b"J", b"H", b"R"
# The maximum length of an answer that is not represented by its hash.
LARGE = 1 << 16
# By the rules of version 2, equal values have equal bytes whether or not two parts are one object.
VERSION = 2

# The content after a type code of marshal: a fixed number of bytes, a length and that many bytes, that many values.
FIXED = {ord("N"): 0, ord("T"): 0, ord("F"): 0, ord("i"): 4, ord("g"): 8, ord("y"): 16}
SIZED = {ord("s"): 1, ord("u"): 1}
SEQUENCES = frozenset(b"([<>")
LONG, DICT, END = ord("l"), ord("{"), ord("0")
# The content that a level of nesting waits for, if it is not a number of values.
KEY, VALUE = -1, -2


def pack(value, keep):
    """The bytes of an answer; objects that are not plain data go through `keep`."""
    try:
        if type(value) is list and len(value) > wire.PART:
            return HASHED + _hash_of_parts(value)
        data = PLAIN + marshal.dumps(value, VERSION)
    except ValueError:
        data = TAGGED + wire.to_json(wire.encode(value, keep)).encode()
    return HASHED + _hash(data) if len(data) > LARGE else data


def unpack(data, handle):
    """The value behind bytes of a program; ValueError if there is none."""
    if data[:1] == PLAIN:
        check(data, 1)
        try:
            return marshal.loads(memoryview(data)[1:])
        except (EOFError, TypeError) as error:
            raise ValueError("no value") from error
    if data[:1] == TAGGED:
        return wire.decode(wire.parse(data[1:]), handle)
    raise ValueError("no value")


def check(data, at):
    """Fails with ValueError unless the bytes from `at` on are one plain value as `marshal` writes it."""
    waits, count, end = [1], 0, len(data)
    while waits:
        wait = waits[-1]
        if not wait:
            waits.pop()
            continue
        if at >= end:
            raise ValueError("no value")
        code = data[at]
        at += 1
        if code == END and wait == KEY:
            waits.pop()
            continue
        count += 1
        if count > wire.MOST_VALUES:
            raise wire.TooMuch("too many values")
        waits[-1] = wait - 1 if wait > 0 else KEY + VALUE - wait
        if code in FIXED:
            at += FIXED[code]
        elif code in SIZED:
            at += 4 + _size(data, at)
        elif code in SEQUENCES:
            waits.append(_size(data, at))
            at += 4
        elif code == DICT:
            waits.append(KEY)
        elif code == LONG:
            at += 4 + 2 * abs(int.from_bytes(data[at : at + 4], "little", signed=True))
        else:
            raise ValueError("no value")
    if at != end:
        raise ValueError("no value")


def _size(data, at):
    size = int.from_bytes(data[at : at + 4], "little")
    if size > len(data):
        raise ValueError("no value")
    return size


def _hash_of_parts(values):
    """The hash of a long list, whose bytes are not held at once."""
    hashed = _blake2b(len(values).to_bytes(8, "little"))
    for at in range(0, len(values), wire.PART):
        hashed.update(marshal.dumps(values[at : at + wire.PART], VERSION))
    return hashed.digest()


def _hash(data):
    return _blake2b(data).digest()


def _blake2b(data):
    # Loaded when it is needed, because every fork pays for a library.
    from _blake2 import blake2b

    return blake2b(data, digest_size=32)
