"""Groups of items that can be ordered apart from each other."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from hushrank.aggregators.pairwise import Margins


def condorcet_groups(margins: Margins) -> list[list[int]]:
    """Split the items into groups, best first, such that no item beats one of an earlier group.

    Some optimal Kemeny order then puts the groups in this order. The groups are the strongly
    connected components of the graph of won pairs; they are few and small where people agree.
    Source: Truchon (Université Laval 1998), extended Condorcet criterion.
    """
    wins = margins > 0
    n_groups, group_of = connected_components(wins, connection="strong")
    between = np.zeros((n_groups, n_groups), dtype=np.bool_)
    winners, losers = np.nonzero(wins)
    between[group_of[winners], group_of[losers]] = True
    np.fill_diagonal(between, False)
    return [np.flatnonzero(group_of == group).tolist() for group in _topological(between)]


def _topological(precedes: np.ndarray) -> list[int]:
    """Order the groups so that every arrow points forward; of several first ones, the lowest."""
    waiting_for = precedes.sum(axis=0)
    order: list[int] = []
    is_placed = np.zeros(len(precedes), dtype=np.bool_)
    while len(order) < len(precedes):
        free = int(np.flatnonzero((waiting_for == 0) & ~is_placed)[0])
        order.append(free)
        is_placed[free] = True
        waiting_for = waiting_for - precedes[free]
    return order
