"""Of many items and people, too, ballots reach a result through noisy numbers alone.

Where these are the same, whatever the ballots are, so is all that is made of them.
"""

from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.aggregators.borda import borda
from hushrank.aggregators.pairwise import pair_margins
from hushrank.aggregators.private import kemeny as private_kemeny
from hushrank.aggregators.private.auto import auto
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
)
from hushrank.aggregators.private.kemeny import gaussian_kemeny
from hushrank.aggregators.private.quicksort import dp_kwiksort, p_sort
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.randomness import Randomness

DELTA = {"delta": 1e-6}
METHODS = {
    "p-borda": p_borda,
    "p-borda-centred": p_borda_centred,
    "p-borda-knorm": p_borda_knorm,
    "gaussian-borda": partial(gaussian_borda, **DELTA),
    "gaussian-kemeny": partial(gaussian_kemeny, time_limit=0.01, **DELTA),
    "auto": auto,
    "auto with delta": partial(auto, **DELTA),
}
MOST = (2, 3, 5, 9, 16, 23, 30, 41, 64, 101, 200, 400, 1000)
SIZES = {"gaussian-kemeny": MOST[:12], "auto with delta": (5, 23)}
N_PEOPLE = (1, 10**4, 10**9)


def counts_of(order, n_people):
    """Return the pairs of so many people who all hold one order."""
    ranks = np.argsort(order)
    return n_people * (ranks[:, None] < ranks).astype(np.int64)


def shown(found):
    """Return all that a release says."""
    evidence = vars(found.evidence) if found.evidence else {}
    parts = {name: np.asarray(part).tolist() for name, part in evidence.items()}
    return found.order, found.method, found.spend, parts


@pytest.fixture
def releases(monkeypatch):
    """Let all mechanisms release numbers so far apart, the same whatever they are given."""

    def begin(spread):
        numbers = np.random.default_rng(1)

        def release(mechanism, values, *, rng):
            return numbers.integers(-spread, spread + 1, values.shape)

        for mechanism in (DiscreteLaplace, DiscreteGaussian, PermutohedronMechanism):
            monkeypatch.setattr(mechanism, "release", release)

    def by_chance(counts, *, epsilon, rng):
        return tuple(range(len(counts)))

    def by_borda(wins, *, time_limit):
        return SimpleNamespace(order=borda(wins))

    monkeypatch.setattr(private_kemeny.private_sample, "p_sample", by_chance)
    monkeypatch.setattr(private_kemeny, "kemeny", by_borda)
    return begin


@pytest.mark.parametrize("name", METHODS)
def test_a_result_is_made_of_what_was_released(name, releases):
    for n_items, n_people, spread in product(SIZES.get(name, MOST), N_PEOPLE, (10, 10**11)):
        results = []
        ballots = (range(n_items), n_people), (range(n_items)[::-1], n_people // 100)
        for order, n_held in ballots:
            releases(spread)
            counts, rng = counts_of(order, n_held), Randomness.seeded(1)
            results.append(shown(METHODS[name](counts, epsilon=0.7, rng=rng)))
        assert results[0] == results[1]


@pytest.mark.parametrize("n_people", N_PEOPLE)
@pytest.mark.parametrize("method", [p_sort, dp_kwiksort])
def test_an_order_is_sorted_by_the_comparisons_that_were_paid_for(method, n_people, monkeypatch):
    """By them alone: of all other pairs the second time the opposite is preferred."""
    for n_items, seed in product(MOST, range(3)):
        exact = pair_margins(counts_of(range(n_items), n_people))
        wide = np.random.default_rng(seed).integers(-3 * n_people, 3 * n_people + 1, 10**5)
        told = []
        for noise, margins in ((wide, exact), (0 * wide, None)):
            seen = told[0][1] if told else margins
            margins = np.where(np.isnan(seen), -exact, seen).astype(np.int64)
            release = lambda _, values, *, rng, noise=noise: noise[: values.size]  # noqa: E731
            monkeypatch.setattr(DiscreteLaplace, "release", release)
            rng = Randomness.seeded(seed)
            found = method(np.maximum(margins, 0), epsilon=0.7, rng=rng)
            told.append((found.order, found.evidence.margins))
        assert told[0][0] == told[1][0]
        assert np.array_equal(told[0][1], told[1][1], equal_nan=True)
