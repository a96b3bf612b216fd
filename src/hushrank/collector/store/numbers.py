"""Numbers of assignments: random, so that nothing tells in which order people joined.

Numbers that rise would say for ever, of the reports that bear them, which is whose of those who
were seen to join one after another.
"""

from secrets import randbits

from hushrank.collector.store.checks import LARGEST_NUMBER


def new_number() -> int:
    """Draw a number: among ten million people, two of one number are one in a hundred thousand."""
    return randbits(LARGEST_NUMBER.bit_length())
