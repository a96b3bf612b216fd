"""Pair counts and marginals of rankings, as fast kernels."""

from typing import Literal

import numpy as np

from hushrank.arrays import Counts, Ranks, Shares
from hushrank.kernels import kernel
from hushrank.rankings.profile import Rankings

FEW_ROWS = 1000
"""Up to here all items are compared with one at a time; beyond it pairs of columns are sooner."""


def majority(rankings: Rankings, *, unranked: Literal["unknown", "last"] = "unknown") -> Counts:
    """Count how many people put item a strictly before item b: (items, items).

    A pair with an item that a person did not rank decides nothing (`unknown`), or counts for the
    ranked one (`last`). A tied pair counts for neither.
    """
    if len(rankings.ranks) <= FEW_ROWS:
        return _majority_by_columns(rankings, unranked == "last" or rankings.is_complete)
    ranks, people = rankings.ranks, rankings.multiplicities
    counts = np.zeros((rankings.n_items, rankings.n_items), dtype=np.int64)
    for b in range(rankings.n_items):
        decided = None if unranked == "last" or rankings.is_complete else rankings.is_ranked[:, b]
        for a in range(rankings.n_items):
            before = ranks[:, a] < ranks[:, b]
            if decided is not None:
                before &= decided
            counts[a, b] = np.count_nonzero(before) if people is None else people[before].sum()
    return counts


def _majority_by_columns(rankings: Rankings, is_decided: bool) -> Counts:
    """Count as `majority` does, all items against one at a time: few people, or many items."""
    people = rankings.people_of_rows
    counts = np.zeros((rankings.n_items, rankings.n_items), dtype=np.int64)
    for b in range(rankings.n_items):
        before = rankings.ranks < rankings.ranks[:, b : b + 1]
        if not is_decided:
            before &= rankings.is_ranked[:, b : b + 1]
        counts[:, b] = people @ before
    return counts


def first_order_marginals(rankings: Rankings) -> Shares:
    """Return the share of people who put item a at rank r: (items, ranks); complete rankings."""
    rankings.require_complete_strict("first-order marginals")
    counts = _count_ranks(rankings.ranks, rankings.people_of_rows)
    return counts / rankings.n_people


def second_order_marginals(rankings: Rankings) -> Shares:
    """Return P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks).

    Pairs in lexicographic order. Source: Huang, Guestrin (NIPS 2009), second-order marginals.
    """
    rankings.require_complete_strict("second-order marginals")
    counts = _count_rank_pairs(rankings.ranks, rankings.people_of_rows)
    return counts / rankings.n_people


@kernel
def _count_ranks(ranks: Ranks, people: Counts) -> Counts:
    n_rows, n_items = ranks.shape
    counts = np.zeros((n_items, n_items), dtype=np.int64)
    for item in range(n_items):
        for row in range(n_rows):
            counts[item, ranks[row, item]] += people[row]
    return counts


@kernel
def _count_rank_pairs(ranks: Ranks, people: Counts) -> Counts:
    n_rows, n_items = ranks.shape
    counts = np.zeros((n_items * (n_items - 1) // 2, n_items, n_items), dtype=np.int64)
    pair = 0
    for a in range(n_items):
        for b in range(a + 1, n_items):
            for row in range(n_rows):
                counts[pair, ranks[row, a], ranks[row, b]] += people[row]
            pair += 1
    return counts
