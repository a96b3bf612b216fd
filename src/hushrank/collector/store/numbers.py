"""Numbers of assignments, which hide in which order people joined.

Reports bear them for as long as they are kept: numbers that rise would say which report is whose of
people who were seen to join one after another. Wholly random ones would be stored in a third of the
speed, as every report would change another page.
"""

from secrets import randbits

NEARBY_BITS, RANDOM_BITS = 14, 36
_MOST = 1 << (63 - RANDOM_BITS)


def number_of(nth: int) -> int:
    """Draw the number of whoever joined as the n-th of all, among those of 16,384 places.

    Two of ten million people have the same once in five thousand times.
    """
    place = (nth + randbits(NEARBY_BITS)) % _MOST
    return place << RANDOM_BITS | randbits(RANDOM_BITS)
