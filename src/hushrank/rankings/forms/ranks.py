"""Ballots with one column an item: a place in each cell, or a score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require
from hushrank.files.columns import Column, Table
from hushrank.files.tables import decimal_numbers
from hushrank.rankings.competition import competition_ranks
from hushrank.rankings.forms.ordinals import is_in_words, ordinal
from hushrank.rankings.forms.places import is_no_vote
from hushrank.rankings.forms.stars import are_stars, as_numbers, largest_of

MOSTLY = 0.8
LARGEST_RANK = 2**53 - 1  # up to here no two whole numbers read as one in floating point
WHOLE = "a rank that is a whole number from 1 on, or nothing"


@dataclass(frozen=True, repr=False)
class Kind:
    """What the filled cells of a column are, as shares of them; largest: the largest number.

    `places` are all whole numbers from 1 on, and places in words, which `in_words` says there are.
    `numbers` are all that one cell with another sign, or another best, would make no numbers: it is
    refused, and takes no item from all ballots.
    `of_stars`: all of them are stars, which are scores.
    """

    filled: int
    places: float
    numbers: float
    largest: float
    in_words: bool
    of_places: tuple[tuple[float, int], ...] = ()
    of_stars: bool = False

    def within(self, most: int) -> float:
        """Return the share of the filled cells that are places of 1 to `most`."""
        return sum(n for place, n in self.of_places if place <= most) / max(self.filled, 1)

    @property
    def is_of_numbers(self) -> bool:
        """Whether most cells are places or other numbers."""
        return self.filled > 0 and max(self.places, self.numbers) >= 0.5


def kind_of(column: Column) -> Kind:
    """Look at each distinct cell once, and count how often it stands there."""
    if not column.is_read:
        return Kind(0, 0, 0, 0, False)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts))
    values = _distinct_numbers(column)
    places = _distinct_places(column, values)[:-1]
    is_filled = ~np.isnan(places)
    is_place, is_number = np.isfinite(places) & is_filled, np.isfinite(values) & is_filled
    like_numbers, others = is_number.copy(), np.flatnonzero(is_filled & ~is_number)
    like_numbers[others] = _are_like_numbers([column.texts[n] for n in others])
    filled = int(counts[is_filled].sum())
    largest = max(places[is_place].max(initial=0), values[is_number].max(initial=0))
    in_words = any(is_in_words(column.texts[n]) for n in np.flatnonzero(is_place))
    share = 1 / max(filled, 1)
    shares = float(counts[is_place].sum()) * share, float(counts[like_numbers].sum()) * share
    counted = tuple(zip(places[is_place].tolist(), counts[is_place].tolist(), strict=True))
    return Kind(filled, *shares, float(largest), in_words, counted, are_stars(column))


def are_no_names(columns: Iterable[Column]) -> bool:
    """Tell columns one of which holds places, scores or stars: names of items stand above it.

    A row of names among them is no reason to turn them round: it is refused, where it stands.
    """
    kinds = map(kind_of, columns)
    return any(kind.places or kind.numbers or kind.of_stars for kind in kinds)


def place_keys(
    table: Table, columns: Sequence[int], most: int | None = None
) -> NDArray[np.float64]:
    """Return places (rows, columns) of 1 to `most`, or of any size; nan where empty.

    Raises HushrankError, with line and column, for a cell that is neither.
    """
    each = [place_of_rows(table.columns[n]) for n in columns]
    keys = np.stack(each).T  # column-major, as ranks are
    fits = ~(keys > (LARGEST_RANK if most is None else most))
    table.require_cells(
        fits, columns, WHOLE if most is None else f"a place of 1 to {most}, or nothing"
    )
    return keys


def place_of_rows(column: Column) -> NDArray[np.float64]:
    """Return the place of each row (rows,): nan where empty, inf where it is no place."""
    places: NDArray[np.float64] = _distinct_places(column)[column.codes]
    return places


def score_keys(table: Table, columns: Sequence[int]) -> NDArray[np.float64]:
    """Return numbers (rows, columns), nan where empty; a decimal comma is understood.

    Raises HushrankError, with the line, for a cell that is neither, and for scores of 5 beside such
    of 10, which cannot be compared.
    """
    keys = np.stack([_scores(table.columns[n]) for n in columns]).T
    table.require_cells(~np.isinf(keys), columns, "a score that is a number, or nothing")
    several = "expected scores of one largest number, as 4/5 is of 5, got several"
    require(len(largest_of(table.columns[n] for n in columns)) <= 1, several)
    return keys


def even_rows(keys: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows are places as ranking gives them: 1, 2, 3, .. or, with ties, 1, 1, 3, .."""
    is_ranked = ~np.isnan(keys)
    ranks = competition_ranks(keys, is_ranked)
    even: NDArray[np.bool_] = ((ranks + 1.0 == keys) | ~is_ranked).all(axis=1)
    return even


def look_like_places(keys: NDArray[np.float64]) -> bool:
    """Tell places from stars: nearly all rows are as rankings give them, 1, 2, 3, ..

    Rows that skip places, but repeat none, are no evidence: both kinds of people leave items out.
    """
    even = even_rows(keys)
    if even.all():
        return True
    in_order = np.sort(keys, axis=1)  # nan last
    repeats = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    skips = ~even & ~repeats
    return bool(even.sum() >= MOSTLY * (~skips).sum() and even.mean() >= 0.5)


def _distinct_numbers(column: Column) -> NDArray[np.float64]:
    """Return the number of each distinct text: nan = empty, inf = no number."""
    return decimal_numbers(as_numbers(Column(np.arange(len(column.texts)), column.texts)))


def _are_like_numbers(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Tell texts that are numbers but for what others in their column are: 1,5 and 1.5."""
    as_points = tuple(text.replace(",", ".") for text in texts)
    alone = (as_numbers(Column(np.zeros(1, np.int32), (text,))) for text in as_points)
    of_one = tuple(each.texts[0] for each in alone)
    return np.isfinite(Column(np.arange(len(of_one)), of_one).numbers())


def _distinct_places(
    column: Column, values: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the place of each distinct text and of none: nan = empty, inf = no place.

    values: its numbers, where known: what is not whole is no place, and not looked at further.
    """
    numbers = _distinct_numbers(column) if values is None else values
    places = np.full(len(numbers) + 1, np.inf)
    places[-1] = np.nan
    for n in np.flatnonzero(~np.isfinite(numbers) | (numbers == np.floor(numbers))).tolist():
        places[n] = _place(column.texts[n])
    return places


def _place(text: str) -> float:
    if not text or is_no_vote(text):
        return np.nan
    place = ordinal(text) or 0
    return float(place) if 1 <= place <= LARGEST_RANK else np.inf


def _scores(column: Column) -> NDArray[np.float64]:
    texts = tuple("" if is_no_vote(text) else text for text in column.texts)
    return decimal_numbers(as_numbers(Column(column.codes, texts)))
