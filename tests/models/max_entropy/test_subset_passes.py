from itertools import permutations

import numpy as np
import pytest

from hushrank.models.max_entropy.subset_passes import collect, log_weights, run_passes
from hushrank.models.max_entropy.subset_tangents import covariances
from tests.models.max_entropy.test_rank_potentials import drawn_potentials

SIZES = range(1, 8)


def sets_and_nexts(order: tuple[int, ...]) -> list[tuple[int, int]]:
    """Which set is placed before each item of an order, as a number, and the item."""
    return [(sum(1 << b for b in order[:rank]), a) for rank, a in enumerate(order)]


@pytest.mark.parametrize("n_items", SIZES)
def test_log_weights_add_what_every_member_says(n_items):
    own, before = drawn_potentials(n_items)
    logs = log_weights(own, before)
    assert logs.shape == (2**n_items, n_items)
    assert (logs[-1] == 0).all()
    for placed in range(2**n_items - 1):
        members = [b for b in range(n_items) if placed >> b & 1]
        totals = own[:, len(members)] + before[:, members, len(members)].sum(axis=1)
        totals[members] = 0
        assert logs[placed] == pytest.approx(totals, abs=1e-12)


@pytest.mark.parametrize("n_items", SIZES)
def test_collect_is_the_transpose_of_log_weights(n_items):
    own, before = drawn_potentials(n_items)
    chances = run_passes(log_weights(*drawn_potentials(n_items, scale=0.3))).chances
    at, preceded = collect(chances)
    product = np.vdot(own, at) + np.vdot(before, preceded)
    assert product == pytest.approx(np.vdot(log_weights(own, before), chances), abs=1e-11)


@pytest.mark.parametrize("n_items", SIZES)
def test_passes_sum_over_all_orders_for_any_weights_of_sets(n_items):
    """Log-weights need not come from potentials."""
    logs = np.random.default_rng(n_items).normal(0, 3, size=(2**n_items, n_items))
    orders = list(permutations(range(n_items)))
    totals = np.array([sum(logs[step] for step in sets_and_nexts(order)) for order in orders])
    log_total = np.logaddexp.reduce(totals)
    chances, reached = np.zeros(logs.shape), np.zeros(2**n_items)
    for order, chance in zip(orders, np.exp(totals - log_total), strict=True):
        reached[-1] += chance
        for placed, item in sets_and_nexts(order):
            chances[placed, item] += chance
            reached[placed] += chance
    passes = run_passes(logs)
    assert passes.log_total == pytest.approx(log_total, abs=1e-10)
    assert passes.chances == pytest.approx(chances, abs=1e-12)
    assert passes.reached == pytest.approx(reached, abs=1e-12)
    assert passes.nexts[:-1].sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_extreme_weights_neither_overflow_nor_vanish():
    """Two orders share everything, e^1000 and more above and below what a float can hold."""
    logs = np.full((8, 3), -1e5)
    for order in ((0, 1, 2), (2, 0, 1)):
        for step in sets_and_nexts(order):
            logs[step] = 1e4
    passes = run_passes(logs)
    assert passes.log_total == pytest.approx(3e4 + np.log(2), rel=1e-12)
    assert passes.reached == pytest.approx([1, 0.5, 0, 0.5, 0.5, 0.5, 0, 1])


def test_sixteen_items_obey_the_laws_of_orders():
    """Each rank is taken once, of each pair one is first, and indicators have binomial variance."""
    passes = run_passes(log_weights(*drawn_potentials(16, scale=0.1)))
    assert passes.chances.sum() == pytest.approx(16, rel=1e-12)
    at, preceded = collect(passes.chances)
    assert at.sum(axis=0) == pytest.approx(1, rel=1e-12)
    assert at.sum(axis=1) == pytest.approx(1, rel=1e-12)
    together = preceded.sum(axis=2)
    assert (together + together.T)[~np.eye(16, dtype=bool)] == pytest.approx(1, rel=1e-12)
    moves = np.zeros((2, 16, 16)), np.zeros((2, 16, 16, 16))
    moves[0][1, 3, 5] = 1.0
    moved, _ = covariances(passes, *moves)
    assert (moved[0] == 0).all()
    assert moved[1, 3] == pytest.approx(at[3] * (np.eye(16)[5] - at[3, 5]), abs=1e-12)
