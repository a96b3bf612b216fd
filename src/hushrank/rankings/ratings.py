"""Scores that people gave to items, turned into rankings: the highest score is best."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from hushrank.files.names import natural_order
from hushrank.files.table_files import Table
from hushrank.files.tables import column_named, identifiers
from hushrank.rankings.coding import rank_type
from hushrank.rankings.competition import unranked
from hushrank.rankings.profile import Rankings


def rankings_from_scores(scores: ArrayLike, names: Sequence[str]) -> Rankings:
    """Rank the items by descending score (people, items); nan = not rated, equal scores tie."""
    return Rankings.from_keys(-np.asarray(scores, dtype=np.float64), names)


def break_ties(rankings: Rankings, *, rng: Generator) -> Rankings:
    """Put tied items in a uniformly random order, independently for every person.

    Rows that stand for several people become one row each. Unranked items stay unranked.
    """
    people = rankings.expanded()
    ranks = people.ranks
    orders = np.lexsort((rng.random(ranks.shape), ranks), axis=1)
    strict = np.empty(ranks.shape, dtype=rank_type(people.n_items), order="F")
    places = np.arange(people.n_items, dtype=strict.dtype)
    np.put_along_axis(strict, orders, places[None, :], axis=1)
    strict[~people.is_ranked] = unranked(strict)
    return Rankings(strict, people.names)


def table_ratings(table: Table, person: str, item: str, score: str) -> Rankings:
    """Turn rows of one score each into rankings; the three names say the columns.

    People are in the order of their first row, items sorted (numbers by size). Ties are kept.
    Raises HushrankError, with the line, when a cell is empty, a score no finite number, or a
    person scores an item twice.
    """
    people, names = identifiers(table, person, tuple), identifiers(table, item, tuple)
    numbers = column_named(table, score).numbers()
    table.require_rows(np.isfinite(numbers), "a score that is a finite number")
    _, first_rows, rows = np.unique(people.codes, return_index=True, return_inverse=True)
    by_first_row = np.argsort(np.argsort(first_rows))
    in_order = natural_order(names.texts[code] for code in np.unique(names.codes))
    cells = by_first_row[rows] * len(in_order) + names.codes_in(in_order)
    is_first = np.zeros(len(cells), dtype=np.bool_)
    is_first[np.unique(cells, return_index=True)[1]] = True
    table.require_rows(is_first, "one score at most for each person and item")
    scores = np.full((len(first_rows), len(in_order)), np.nan)
    scores.flat[cells] = numbers
    return rankings_from_scores(scores, in_order)
