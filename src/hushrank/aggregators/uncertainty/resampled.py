"""What other people of the same population might have said: ballots drawn anew."""

from typing import Literal

import numpy as np

from hushrank.aggregators.uncertainty.drawn_ranks import (
    MOST_ITEMS_BY_PAIRS,
    DrawnRanks,
    Rule,
    ranks_by_pairs,
    ranks_by_scores,
)
from hushrank.arrays import Counts, Floats, Indices, Ranks
from hushrank.kernels import kernel
from hushrank.rankings.competition import unranked as mark_of_unranked
from hushrank.rankings.profile import Rankings

MOST_DRAWS, FEWEST_DRAWS = 1000, 100
MOST_GROUPS = 256
MOST_STEPS = 1_000_000_000
"""Of the multiplications that all draws take together."""
MOST_NUMBERS = 2**22
NO_MARK = -1
MOST_SINGLE_PEOPLE = 2_000_000
"""More people are thrown into groups instead of being dealt out evenly."""


def ranks_of_other_people(
    ballots: Rankings,
    *,
    rule: Rule,
    unranked: Literal["unknown", "last"] = "unknown",
    seed: int = 0,
) -> DrawnRanks:
    """Draw the ranks that a population may have from which the ballots are a random sample.

    Each ballot is given a weight of its own, exponentially distributed, and so are two made-up
    ones: a random order and its reverse. What is then known of a pair is exactly what a uniform
    prior of its share says. More than 256 people are weighed in random groups of equal size.
    Privacy: computed from raw ballots, and protected by nothing.
    Source: Rubin (Annals of Statistics 1981), the Bayesian bootstrap.
    """
    rng = np.random.default_rng(seed)
    n_items = ballots.n_items
    by_pairs = rule == "pairs" and n_items <= MOST_ITEMS_BY_PAIRS
    sums = _sums_of_groups(ballots, by_pairs, unranked, rng)
    n_draws = int(np.clip(MOST_STEPS // sums.size, FEWEST_DRAWS, MOST_DRAWS))
    at_once = max(1, MOST_NUMBERS // n_items**2)
    ranks = []
    for start in range(0, n_draws, at_once):
        n = min(at_once, n_draws - start)
        weights = rng.standard_exponential((n, len(sums)))
        drawn = np.tensordot(weights, sums, 1) + _opposite_orders(n, n_items, by_pairs, rng)
        ranks.append(ranks_by_pairs(drawn) if by_pairs else ranks_by_scores(drawn))
    return DrawnRanks(np.concatenate(ranks))


def _sums_of_groups(
    ballots: Rankings,
    by_pairs: bool,
    unranked: Literal["unknown", "last"],
    rng: np.random.Generator,
) -> Floats:
    """Return the margins (groups, items, items) of random groups of people, or their scores."""
    n_groups = min(ballots.n_people, MOST_GROUPS)
    people = ballots.people_of_rows
    if ballots.n_people <= MOST_SINGLE_PEOPLE:
        rows = rng.permutation(np.repeat(np.arange(ballots.n_rows), people))
        groups, weights = np.arange(len(rows)) % n_groups, np.ones(len(rows), dtype=np.int64)
    else:
        thrown = rng.multinomial(people, np.full(n_groups, 1 / n_groups))
        rows, groups = np.nonzero(thrown)
        weights = thrown[rows, groups]
    silent = mark_of_unranked(ballots.ranks) if unranked == "unknown" else NO_MARK
    shape = (n_groups, ballots.n_items) + (ballots.n_items,) * by_pairs
    sums = np.zeros(shape)
    add = _add_margins if by_pairs else _add_scores
    add(sums, np.ascontiguousarray(ballots.ranks), rows, groups, weights, silent)
    return sums


def _opposite_orders(
    n_draws: int, n_items: int, by_pairs: bool, rng: np.random.Generator
) -> Floats:
    """Return what a random order and its reverse, each of its own weight, add to each draw."""
    weights = rng.standard_exponential((2, n_draws))
    difference: Floats = weights[0] - weights[1]
    ranks = np.argsort(rng.random((n_draws, n_items)), axis=1).astype(np.float64)
    if not by_pairs:
        scores: Floats = difference[:, None] * (n_items - 1 - 2 * ranks)
        return scores
    signs: Floats = np.sign(ranks[:, None, :] - ranks[:, :, None])
    return difference[:, None, None] * signs


@kernel
def _add_margins(
    sums: Floats, ranks: Ranks, rows: Indices, groups: Indices, people: Counts, silent: int
) -> None:
    n_items = ranks.shape[1]
    for each in range(rows.size):
        row, margins = ranks[rows[each]], sums[groups[each]]
        for one in range(n_items):
            if row[one] == silent:
                continue
            for other in range(n_items):
                if row[one] < row[other] and row[other] != silent:
                    margins[one, other] += people[each]
                    margins[other, one] -= people[each]


@kernel
def _add_scores(
    sums: Floats, ranks: Ranks, rows: Indices, groups: Indices, people: Counts, silent: int
) -> None:
    """Add how many items each one is put before, less how many before it: along sorted ranks."""
    for each in range(rows.size):
        row, scores = ranks[rows[each]], sums[groups[each]]
        order = np.argsort(row)
        n_said = np.count_nonzero(row != silent)  # the mark of the others is the largest rank
        first = 0
        while first < n_said:
            after = first + 1
            while after < n_said and row[order[after]] == row[order[first]]:
                after += 1
            for place in range(first, after):
                scores[order[place]] += people[each] * (n_said - after - first)
            first = after
