"""Sets that are iterated in a given order.

A set is iterated in the order of the slots of its table. The slot of an element depends on its hash and on the slots
occupied when it was added: so every element can be led to a slot behind that of the element before it, by temporary
elements that occupy slots and are removed afterwards.
"""

# The number of slots tried one by one after the first, and the computation of the next slot to try: as in CPython.
LINEAR_PROBES = 9
PERTURB_SHIFT = 5
WORD = (1 << 64) - 1
# The maximum number of slots tried for an element.
MOST_PLACES = 30
# The maximum size; larger sets keep the order that they happen to have.
MOST_ELEMENTS = 200


class Obstacle:
    """Occupies the slot of this number."""

    def __init__(self, slot):
        self.slot = slot

    def __hash__(self):
        return self.slot


def set_in_order(items):
    """A set of `items`, which are distinct, that is iterated in their order; in another order if that is
    impossible."""
    made = set(items)
    if list(made) == items or len(items) > MOST_ELEMENTS:
        return made
    size = 16
    while size <= 64 or size <= 8 * len(items):
        led = _led(items, size)
        if led is not None and list(led) == items:
            return led
        size *= 2
    return made


def _led(items, size):
    """A set with a table of `size` slots in which each element was led to its slot; None if that is impossible."""
    ways = [_places(hash(item), size - 1) for item in items]
    slots = _slots(ways)
    sequence = slots and _sequence(items, ways, slots)
    if not sequence or 5 * len(sequence) >= 3 * (size - 1):
        return None
    # A set that is made of a dictionary has its whole table from the beginning: twice as many slots, rounded up.
    half = size // 2 - 1
    taken = {one.slot for one in sequence if type(one) is Obstacle}.union(slots)
    free = [slot for slot in range(size) if slot not in taken]
    sequence += map(Obstacle, free[: max(half - len(sequence), 0)])
    made = set(dict.fromkeys(sequence[:half]))
    for one in sequence[half:]:
        made.add(one)
    # Not all at once: that would make a new table.
    for one in sequence:
        if type(one) is Obstacle:
            made.discard(one)
    return made


def _slots(ways):
    """A slot for each element, each behind the one before it and with as little in the way as can be."""
    # For the elements so far, by the slot of the last: what is in the way of all, and how that came about.
    best = [(-1, 0, None)]
    for way in ways:
        places = sorted((place, cost) for cost, place in enumerate(way))
        now, at, least = [], 0, None
        for place, cost in places:
            while at < len(best) and best[at][0] < place:
                if least is None or best[at][1] < least[1]:
                    least = best[at]
                at += 1
            if least is not None:
                now.append((place, least[1] + cost, (place, least[2])))
        if not now:
            return None
        best = now
    chain, slots = min(best, key=lambda entry: entry[1])[2], []
    while chain is not None:
        slots.append(chain[0])
        chain = chain[1]
    return slots[::-1]


def _sequence(items, ways, slots):
    """The elements to add, in order, so that each gets its slot; None if there is no such order."""
    owner = {slot: number for number, slot in enumerate(slots)}
    sequence, taken, started = [], set(), set()

    def add(number):
        if number in started:
            return slots[number] in taken
        started.add(number)
        for place in ways[number]:
            if place == slots[number]:
                break
            if place in taken:
                continue
            if place in owner:
                if not add(owner[place]):
                    return False
            else:
                sequence.append(Obstacle(place))
                taken.add(place)
        sequence.append(items[number])
        taken.add(slots[number])
        return True

    return sequence if all(map(add, range(len(items)))) else None


def _places(hashed, mask):
    """The slots that are tried for an element, in order."""
    perturb, at, places = hashed & WORD, hashed & mask, {}
    while len(places) < min(MOST_PLACES, mask):
        linear = range(at, at + LINEAR_PROBES + 1) if at + LINEAR_PROBES <= mask else (at,)
        places.update(dict.fromkeys(linear))
        perturb >>= PERTURB_SHIFT
        at = (at * 5 + 1 + perturb) & mask
    return list(places)
