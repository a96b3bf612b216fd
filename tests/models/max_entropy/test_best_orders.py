from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.max_entropy.best_orders import best_orders


def weight(order, own, before) -> float:
    """From nothing but the definition."""
    after = [(place, item) for place, item in enumerate(order)]
    alone = sum(own[item, place] for place, item in after)
    return alone + sum(
        before[item, other, place] for place, item in after for other in order[:place]
    )


@pytest.mark.parametrize("n_items", [1, 2, 5])
def test_the_heaviest_orders_come_first(n_items):
    rng = np.random.default_rng(n_items)
    own, before = rng.normal(size=(n_items,) * 2), rng.normal(size=(n_items,) * 3)
    every = sorted(permutations(range(n_items)), key=lambda order: -weight(order, own, before))
    for n_best in (1, 7, 500):
        found = best_orders(own, before, n_best)
        assert found.tolist() == [list(order) for order in every[:n_best]]


def test_orders_of_one_weight_are_all_found_once():
    found = best_orders(np.zeros((4, 4)), np.zeros((4, 4, 4)), 24)
    assert len(np.unique(found, axis=0)) == 24


def test_at_least_one_is_asked_for():
    with pytest.raises(HushrankError, match="at least 1 order, got 0"):
        best_orders(np.zeros((3, 3)), np.zeros((3, 3, 3)), 0)
