"""No two of many released numbers have the same noise, as it is drawn: nothing is replaced here.

Of noise so wide that two draws agree in size less often than once in 10^5 releases.
"""

from functools import partial
from itertools import combinations
from math import comb

import numpy as np
import pytest

from hushrank.aggregators.pairwise import pair_margins
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
)
from hushrank.aggregators.private.kemeny import gaussian_kemeny
from hushrank.aggregators.private.quicksort import dp_kwiksort, noisy_comparisons, p_sort
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.randomness import Randomness
from tests.statistics import random_seed

EPSILON = 1e-9
DELTA = {"delta": 1e-12}
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
@pytest.mark.parametrize("method", [p_borda, p_borda_centred, partial(gaussian_borda, **DELTA)])
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
    method = partial(gaussian_kemeny, time_limit=0.01, **DELTA)
    added = released(method, n_items).margins - pair_margins(counts_of(n_items))
    pairs = np.triu_indices(n_items, k=1)
    assert len(pairs[0]) == comb(n_items, 2)
    assert_no_two_agree(added[pairs])


@pytest.mark.parametrize("n_items", MANY)
@pytest.mark.parametrize("method", [p_sort, dp_kwiksort])
def test_no_two_comparisons_have_one_noise(method, n_items):
    seen, exact = released(method, n_items).margins, pair_margins(counts_of(n_items))
    added = [seen[pair] - exact[pair] for pair in combinations(range(n_items), 2)]
    made = [noise for noise in added if not np.isnan(noise)]
    assert min(n_items - 1, noisy_comparisons(n_items, "natural")) <= len(made)
    assert_no_two_agree(made)
