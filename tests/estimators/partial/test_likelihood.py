"""The likelihood of truncated rankings, against enumeration and numerical differentiation."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from hushrank.errors import HushrankError
from hushrank.estimators.partial.likelihood import PartialLikelihood, longer_than
from hushrank.estimators.ranks.point import RankPoint
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.questions.named_set import NamedSet
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from tests.estimators.enumeration import all_ranks, probabilities, reported, some_questions

N_ITEMS = 4
FEATURES = rank_features(N_ITEMS)
COEFFICIENTS = 0.4 * np.random.default_rng(1).normal(size=len(FEATURES.spreads))
POINT = RankPoint(FEATURES, COEFFICIENTS)
STATISTICS = POINT.statistics
LENGTHS = np.array([0.1, 0.3, 0.2, 0.4])  # of 0, 1, 2 and all items
SENSES = ["last", "unknown"]


def questions_of(unranked: str) -> list[Stated]:
    asked = [each for each in some_questions(N_ITEMS) if not isinstance(each, NamedSet)]
    if unranked == "unknown":
        asked = [RelativeOrder(pair) for pair in combinations(range(N_ITEMS), 2)]
    return [Stated(question, unranked) for question in asked]


def likelihood_of(unranked: str, epsilon: float = 1.0, n_people: int = 3000, seed: int = 2):
    """Collect from people who stop somewhere, whatever their order: both senses hold of them."""
    rng = np.random.default_rng(seed)
    full = all_ranks(N_ITEMS)[rng.choice(24, n_people, p=probabilities(COEFFICIENTS, N_ITEMS))]
    known = rng.choice([0, 1, 2, 4], n_people, p=LENGTHS)[:, None]
    order = (
        full if unranked == "last" else rng.permuted(np.tile(np.arange(4), (n_people, 1)), axis=1)
    )
    cut = np.where(order < known, full, 255).astype(np.uint8)
    reports = reported(questions_of(unranked), cut, epsilon, 3)
    return PartialLikelihood.of(N_ITEMS, questions_of(unranked), *reports, unranked=unranked)


@pytest.mark.parametrize("unranked", SENSES)
def test_its_slopes_are_those_of_the_profile(unranked):
    """The shares are judged anew at every step; at their best they add nothing to first order."""
    likelihood = likelihood_of(unranked)
    direction = np.random.default_rng(4).normal(size=len(COEFFICIENTS))

    def along(step: np.ndarray) -> float:
        moved = RankPoint(FEATURES, COEFFICIENTS + step[0] * direction).statistics
        return likelihood.given(moved).log_likelihood(moved)

    slope = POINT.gradient(likelihood.given(STATISTICS).slopes(STATISTICS)) @ direction
    assert approx_fprime(np.zeros(1), along, 1e-6)[0] == pytest.approx(slope, rel=1e-3, abs=1e-2)


def test_the_shares_are_the_most_likely_ones():
    likelihood = likelihood_of("last")
    best = likelihood.stated_shares(STATISTICS)
    at_best = likelihood.given(STATISTICS).log_likelihood(STATISTICS)
    lengths = -np.diff(best, prepend=1.0, append=0.0)
    assert longer_than(lengths) == pytest.approx(best)
    for other in np.random.default_rng(5).dirichlet(200 * lengths, size=50):
        weights = likelihood.terms.weights(longer_than(other))
        held = replace(likelihood.reports, weights=weights, log_prior=np.log(other).sum())
        assert held.log_likelihood(STATISTICS) <= at_best + 1e-6


def test_as_many_shares_are_judged_along_as_there_are_besides_the_model():
    """Goodness of fit counts them as fitted: of four items those of who ranks none, one, two."""
    likelihood = likelihood_of("last")
    assert likelihood.n_judged_along == len(likelihood.stated_shares(STATISTICS)) == 3
    assert likelihood_of("unknown").n_judged_along is None


def test_how_much_people_rank_is_told_by_their_noisy_reports():
    likelihood = likelihood_of("last", epsilon=4.0, n_people=100_000)
    assert likelihood.stated_shares(STATISTICS) == pytest.approx(longer_than(LENGTHS), abs=0.02)


def test_which_pairs_people_know_is_told_by_their_noisy_reports():
    likelihood = likelihood_of("unknown", epsilon=4.0, n_people=100_000)
    both = LENGTHS @ [0, 0, 1 / 6, 1]
    assert likelihood.stated_shares(STATISTICS) == pytest.approx(np.full(6, both), abs=0.02)


def test_the_information_is_the_curvature_of_the_profile():
    """At the expected tallies the curvature is its expectation."""
    likelihood = likelihood_of("last", n_people=10**5)
    for _ in range(2):  # the shares of expected tallies move a little, by their prior
        held = likelihood.given(STATISTICS)
        counts = held.n_reports * held.probabilities(STATISTICS)
        likelihood = replace(likelihood, reports=replace(likelihood.reports, counts=counts))

    def gradient(coefficients: np.ndarray) -> np.ndarray:
        point = RankPoint(FEATURES, coefficients)
        return point.gradient(likelihood.given(point.statistics).slopes(point.statistics))

    steps = 1e-4 * np.eye(len(COEFFICIENTS))
    moved = [gradient(COEFFICIENTS + step) - gradient(COEFFICIENTS - step) for step in steps]
    information = likelihood.information(STATISTICS, POINT.changes)
    assert information == pytest.approx(
        -np.array(moved) / 2e-4, rel=1e-3, abs=2e-3 * information.max()
    )


@pytest.mark.linear_algebra
@pytest.mark.parametrize("unranked", SENSES)
def test_what_is_not_known_of_the_shares_costs_information(unranked):
    likelihood = likelihood_of(unranked)
    held = likelihood.given(STATISTICS)
    lost = held.information(STATISTICS, POINT.changes) - likelihood.information(
        STATISTICS, POINT.changes
    )
    scale = np.abs(lost).max()
    assert scale > 0
    assert np.linalg.eigvalsh(lost).min() > -1e-9 * scale


@pytest.mark.parametrize("unranked", SENSES)
def test_likelihoods_of_different_people_share_their_shares(unranked):
    """Twice the same reports tell the same shares, a little surer; the log-likelihoods add up."""
    one = likelihood_of(unranked, n_people=30_000)
    other = likelihood_of(unranked, n_people=30_000, seed=7)
    both = one + other
    shares = [each.stated_shares(STATISTICS) for each in (one, both, other)]
    assert shares[1] == pytest.approx((shares[0] + shares[2]) / 2, abs=0.03)
    held = both.given(STATISTICS)
    parts = [replace(each.reports, weights=each.terms.weights(shares[1])) for each in (one, other)]
    sums = sum(part.log_likelihood(STATISTICS) for part in parts)
    assert held.log_likelihood(STATISTICS) - held.log_prior == pytest.approx(sum([sums]))
    assert both.n_items == N_ITEMS
    assert both.n_reports.tolist() == [*one.n_reports, *other.n_reports]


def test_two_meanings_do_not_add_up():
    with pytest.raises(HushrankError, match="one meaning"):
        likelihood_of("last") + likelihood_of("unknown")
