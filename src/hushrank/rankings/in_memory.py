"""Rankings from plain lists of names, as Python programs have them."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.files.names import natural_order
from hushrank.rankings.profile import Rankings

Tied: TypeAlias = AbstractSet[str] | Sequence[str]
"""Names that share a place; a single name is a place of its own."""

Ballot: TypeAlias = Sequence[str | Tied | None]
"""Best first; None stands for an empty place, after which there is none that is filled."""


def rankings_of_ballots(ballots: Sequence[Ballot]) -> Rankings:
    """Turn ballots into rankings, one row each, items sorted (numbers by size).

    Items that a ballot leaves out are unranked. Names lose their outer blanks, as in files.
    Privacy: an error names a ballot by its number, never what it says.
    Raises HushrankError when there is no name, or a ballot has one twice, a blank one, or a filled
    place after an empty one; TypeError when a ballot is no list, or a name no text.
    """
    places = [_places(ballot, number) for number, ballot in enumerate(ballots, start=1)]
    names = natural_order(name for ballot in places for tied in ballot for name in tied)
    require(names, "expected at least 1 ranked item")
    index = {name: item for item, name in enumerate(names)}
    keys = np.full((len(places), len(names)), np.nan)
    for row, ballot in enumerate(places):
        for place, tied in enumerate(ballot):
            keys[row, [index[name] for name in tied]] = place
    return Rankings.from_keys(keys, names)


def _places(ballot: Any, number: int) -> list[list[str]]:
    """Return the names at each place of a ballot, checked."""
    if isinstance(ballot, str) or not isinstance(ballot, Sequence):
        got = type(ballot).__name__
        raise TypeError(f"source: expected ballot {number} as a list of names, got {got}")
    filled = [place for place in ballot if place is not None]
    is_gap = any(place is None for place in ballot[: len(filled)])
    require(not is_gap, f"ballot {number}: expected no filled place after an empty one")
    places = [_names(place, number) for place in filled]
    names = [name for tied in places for name in tied]
    require(len(set(names)) == len(names), f"ballot {number}: expected each item at most once")
    return places


def _names(place: Any, number: int) -> list[str]:
    """Return the names that share a place."""
    is_tie = isinstance(place, AbstractSet | Sequence) and not isinstance(place, str)
    names = list(place) if is_tie else [place]
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"source: expected the names of ballot {number} as text, got another type")
    stripped = [name.strip() for name in names]
    require(stripped and all(stripped), f"ballot {number}: expected names that are not blank")
    return stripped
