"""Scores that people gave to items, turned into rankings: the highest score is best."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from hushrank.rankings.coding import rank_type
from hushrank.rankings.competition import unranked
from hushrank.rankings.profile import Rankings, numbers_of


def rankings_from_scores(scores: ArrayLike, names: Sequence[str]) -> Rankings:
    """Rank the items by descending score (people, items); equal scores tie.

    nan, and what a masked array hides, = not rated: that is `unknown`, as people rate what they
    happened to meet.
    """
    return Rankings.from_keys(-numbers_of(scores), names, unranked="unknown")


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
    return replace(people, ranks=strict, reading=None)
