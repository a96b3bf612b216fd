from itertools import combinations

import numpy as np
import pytest

from hushrank.estimators.partial.seen_pairs import SeenPairs, _posterior, _prior, _seen
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse

RNG = np.random.default_rng(1)
PAIRS = np.array(list(combinations(range(6), 2)))


def seen_of(shares: np.ndarray, n_each: int, epsilon: float, rng=RNG) -> SeenPairs:
    """Judge pairs that n_each people were asked about, by noisy reports."""
    mechanism = GeneralizedRandomizedResponse(3, epsilon)
    gap, floor = (
        mechanism.rates.reach,
        mechanism.rates.false_hit_rate,
    )
    counts = rng.binomial(n_each, floor + gap * (1 - shares)).astype(float)
    cells = (np.full(len(shares), each) for each in (n_each, gap, floor))
    return SeenPairs.of(6, np.arange(15), counts, *cells)


def shares_of(popularity: np.ndarray) -> np.ndarray:
    return popularity[PAIRS[:, 0]] * popularity[PAIRS[:, 1]]


def test_many_reports_tell_every_share():
    shares = RNG.random(15)
    assert seen_of(shares, 10**6, 2.0).shares == pytest.approx(shares, abs=0.01)


def test_items_lend_each_other_what_they_know():
    """40 reports a pair at epsilon 1 have an error of .2, as one share for all pairs would have."""
    shares = shares_of(np.linspace(0.2, 0.95, 6))
    rng = np.random.default_rng(2)
    errors = np.array([seen_of(shares, 40, 1.0, rng).shares - shares for _ in range(40)])
    alike = np.sqrt(((shares - shares.mean()) ** 2).mean())
    assert np.sqrt((errors**2).mean()) < 0.9 * alike
    mechanism = GeneralizedRandomizedResponse(3, 1.0)
    gap, floor = (
        mechanism.rates.reach,
        mechanism.rates.false_hit_rate,
    )
    chances = floor + gap * (1 - shares)
    noise = np.sqrt((chances * (1 - chances)).mean() / 40) / gap
    assert np.sqrt((errors**2).mean()) < 0.9 * noise


@pytest.mark.linear_algebra
def test_the_mean_is_that_of_normal_shares_seen_through_normal_noise():
    estimates, precisions = RNG.random(15), RNG.uniform(1, 100, 15)
    _, mean, prior = _posterior(6, estimates, precisions, 0.2, 0.1)
    inverse = np.linalg.inv(prior) + np.diag(precisions)
    pull = np.linalg.inv(prior) @ np.full(15, 0.5) + precisions * estimates
    assert mean == pytest.approx(np.linalg.solve(inverse, pull))


def test_estimates_are_unbiased_and_their_variances_binomial():
    """At the expected reports; the variance is that of pairs that 3 of 10 people know."""
    n_reports, gap, floor = np.array([100.0, 400.0, 0.0]), np.full(3, 0.4), np.full(3, 0.2)
    silent = 0.2 + 0.4 * 0.7
    seen, precisions = _seen(n_reports * silent, n_reports, gap, floor)
    assert seen[:2] == pytest.approx(0.3)
    assert precisions == pytest.approx(n_reports * 0.4**2 / (silent * (1 - silent)))


def test_the_prior_has_effects_of_items_and_of_pairs():
    prior = _prior(4, 0.3, 0.2)
    assert np.diag(prior) == pytest.approx(1 + 2 * 0.09 + 0.04)
    assert prior[0, 1] == pytest.approx(1 + 0.09)  # pairs 0,1 and 0,2 share an item
    assert prior[0, 5] == pytest.approx(1)  # 0,1 and 2,3 do not


def test_a_pair_that_nobody_was_asked_about_is_told_by_its_items():
    shares = shares_of(np.array([0.2, 0.2, 0.9, 0.9, 0.9, 0.9]))
    asked = np.arange(15) != 0
    mechanism = GeneralizedRandomizedResponse(3, 4.0)
    gap, floor = (
        mechanism.rates.reach,
        mechanism.rates.false_hit_rate,
    )
    n_reports = np.where(asked, 5000.0, 0.0)
    counts = n_reports * (floor + gap * (1 - shares))
    cells = (np.full(15, each) for each in (gap, floor))
    found = SeenPairs.of(6, np.arange(15), counts, n_reports, *cells)
    assert found.shares[asked] == pytest.approx(shares[asked], abs=0.02)
    assert found.shares[0] < 0.3


def test_shares_are_shares():
    few = seen_of(np.ones(15), 3, 0.2)
    assert few.shares.min() >= 0
    assert few.shares.max() <= 1
    assert np.linalg.eigvalsh(few.prior_precision).min() > 0


def test_the_prior_has_effects_of_the_last_of_many_pairs():
    prior = _prior(8, 0.3, 0.2)
    assert np.diag(prior) == pytest.approx(1 + 2 * 0.09 + 0.04)
    assert prior[-1, -2] == pytest.approx(1 + 0.09)  # pairs 6,7 and 5,7 share an item
