"""No two of many released numbers have the same noise, as it is drawn: nothing is replaced here.

Of noise so wide that two draws agree in size less often than once in 10^5 releases.
"""

from functools import partial
from itertools import combinations
from math import comb

import numpy as np
import pytest

from hushrank.accounting.composition import share_of
from hushrank.aggregators.pairwise import pair_margins
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
)
from hushrank.aggregators.private.kemeny import gaussian_kemeny
from hushrank.aggregators.private.quicksort import dp_kwiksort, noisy_comparisons, p_sort
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.randomness import Randomness
from tests.statistics import random_seed

EPSILON = 1e-9
DELTA = {"delta": 1e-12}
GAUSSIAN_BORDA = partial(gaussian_borda, **DELTA)
GAUSSIAN_KEMENY = partial(gaussian_kemeny, time_limit=0.01, **DELTA)
NOISY = (p_borda, p_borda_centred, p_borda_knorm, GAUSSIAN_BORDA, GAUSSIAN_KEMENY)
MANY = (2, 3, 6, 8, 13, 22, 40)
"""Items: up to 780 pairs."""


def counts_of(n_items):
    """Return the pairs of one ballot, whose exact numbers are nothing beside the noise."""
    return np.triu(np.ones((n_items, n_items), dtype=np.int64), k=1)


def released(method, n_items):
    rng = Randomness.seeded(random_seed())
    return method(counts_of(n_items), epsilon=EPSILON, rng=rng).evidence


def assert_no_two_agree(noise):
    sizes = np.abs(np.asarray(noise, dtype=np.float64))
    assert sizes.min() > 0
    assert np.unique(sizes).size == sizes.size


@pytest.mark.parametrize("n_items", MANY)
@pytest.mark.parametrize("method", [p_borda, p_borda_centred, GAUSSIAN_BORDA])
def test_no_two_scores_have_one_noise(method, n_items):
    losses = -counts_of(n_items).sum(axis=0)
    exact = losses if method is p_borda else pair_margins(counts_of(n_items)).sum(axis=1)
    assert_no_two_agree(released(method, n_items).scores - exact)


@pytest.mark.parametrize("n_items", MANY[1:])
def test_no_two_scores_have_one_part_of_the_noise_of_all(n_items):
    unit = PermutohedronMechanism(n_items, EPSILON).resolution
    exact = pair_margins(counts_of(n_items)).sum(axis=1)
    noise = unit * (released(p_borda_knorm, n_items).scores - exact)
    assert np.unique(noise).size == n_items


@pytest.mark.parametrize("n_items", MANY)
def test_no_two_margins_have_one_noise(n_items):
    added = released(GAUSSIAN_KEMENY, n_items).margins - pair_margins(counts_of(n_items))
    pairs = np.triu_indices(n_items, k=1)
    assert len(pairs[0]) == comb(n_items, 2)
    assert_no_two_agree(added[pairs])


@pytest.mark.parametrize("n_items", [*MANY, 400])
@pytest.mark.parametrize("method", [p_sort, dp_kwiksort])
def test_no_two_comparisons_have_one_noise(method, n_items):
    seen, exact = released(method, n_items).margins, pair_margins(counts_of(n_items))
    added = [seen[pair] - exact[pair] for pair in combinations(range(n_items), 2)]
    made = [noise for noise in added if not np.isnan(noise)]
    assert min(n_items - 1, noisy_comparisons(n_items, "natural")) <= len(made)
    assert_no_two_agree(made)


@pytest.mark.parametrize("n_items", [2, 3, 30, 101, 1000])
@pytest.mark.parametrize("method", [*NOISY, p_sort, dp_kwiksort])
def test_the_noise_is_that_of_so_many_items(method, n_items, monkeypatch):
    made = []
    for mechanism in (DiscreteLaplace, DiscreteGaussian, PermutohedronMechanism):

        def release(mechanism, values, *, rng):
            made.append(mechanism)
            raise InterruptedError

        monkeypatch.setattr(mechanism, "release", release)
    with pytest.raises(InterruptedError):
        method(counts_of(n_items), epsilon=0.7, rng=Randomness.seeded(1))
    assert made == [noise_of(method, n_items)]


def noise_of(method, n_items):
    """Return what hides one ballot more or less of so many items: see curators-noise.md."""
    if method in (p_sort, dp_kwiksort):
        n_noisy = noisy_comparisons(n_items, "binary" if method is p_sort else "natural")
        return DiscreteLaplace(1, share_of(0.7, n_noisy))
    n_pairs = comb(n_items, 2)
    return {
        p_borda: DiscreteLaplace(n_pairs, 0.7),
        p_borda_centred: DiscreteLaplace(2 * (n_items**2 // 4), 0.7),
        p_borda_knorm: PermutohedronMechanism(n_items, 0.7),
        GAUSSIAN_BORDA: DiscreteGaussian(2 * n_pairs * (n_items + 1) // 3, 0.7, 1e-12),
        GAUSSIAN_KEMENY: DiscreteGaussian(n_pairs, 0.7, 1e-12),
    }[method]
