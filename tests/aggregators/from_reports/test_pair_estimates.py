from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.aggregators.from_reports.pair_estimates import (
    PairReports,
    PairVariances,
    estimate_pairs,
    pair_error_rate,
)
from hushrank.aggregators.from_reports.pair_scores import estimate_pairs_together
from hushrank.engines.local import run
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.protocols.orders.pairs import pairs
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_standard, deviates_needed, random_seed

RESPONSE = GeneralizedRandomizedResponse(2, 1.3)
LAPLACE = ThresholdedLaplace(0.7)


def layer_of(mechanism, n_first, n_reports, n_people):
    """Return the reports on one pair."""
    gap = mechanism.rates.reach
    wins = np.array([[[0.0, n_first], [n_reports - n_first, 0.0]]])
    return PairReports(wins, np.array([gap]), np.array([float(n_people)]))


def law_of_layer(mechanism, answers, n_reports):
    """Yield every outcome of asking n_reports of the people, drawn at random, and its chance."""
    groups = list(combinations(answers, n_reports))
    for group, told in product(groups, product([0, 1], repeat=n_reports)):
        true = sum(answer == report for answer, report in zip(group, told, strict=True))
        chance = mechanism.rates.hit_rate**true * mechanism.rates.false_hit_rate ** (
            n_reports - true
        )
        layer = layer_of(mechanism, n_reports - sum(told), n_reports, len(answers))
        yield chance / len(groups), layer


@pytest.mark.parametrize("mechanism", [RESPONSE, LAPLACE])
@pytest.mark.parametrize("n_reports", [1, 2, 3, 4, 5])
def test_the_margin_is_unbiased_and_has_the_stated_variance_exactly(mechanism, n_reports):
    """Over every draw of who answers and every report: 2 of 5 people put b first."""
    answers = [0, 0, 1, 0, 1]
    outcomes = list(law_of_layer(mechanism, answers, n_reports))
    chances = np.array([chance for chance, _ in outcomes])
    margins = np.array([estimate_pairs(layer).margins[0, 1] for _, layer in outcomes])
    assert chances.sum() == pytest.approx(1)
    assert chances @ margins == pytest.approx(0.2)
    stated = PairVariances.of(outcomes[0][1]).at(np.array([[0, 0.2], [-0.2, 0]]))
    assert chances @ (margins - 0.2) ** 2 == pytest.approx(stated[0, 1])


def test_layers_of_different_mechanisms_stay_unbiased_with_the_stated_variance():
    first = list(law_of_layer(RESPONSE, [0, 0, 1], 2))
    second = list(law_of_layer(LAPLACE, [0, 1, 0], 1))
    both = [(p * q, a + b) for (p, a), (q, b) in product(first, second)]
    chances = np.array([chance for chance, _ in both])
    margins = np.array([estimate_pairs(reports).margins[0, 1] for _, reports in both])
    assert chances @ margins == pytest.approx(1 / 3)
    stated = PairVariances.of(both[0][1]).at(np.full((2, 2), 1 / 3))
    assert chances @ (margins - 1 / 3) ** 2 == pytest.approx(stated[0, 1])


def test_a_report_weighs_by_its_gap_and_information_by_the_square():
    weak, strong = layer_of(LAPLACE, 70, 100, 10**9), layer_of(RESPONSE, 20, 30, 10**9)
    estimates = estimate_pairs(weak + strong)
    parts = [
        LAPLACE.rates.reach,
        RESPONSE.rates.reach,
    ]
    information = 100 * parts[0] ** 2 + 30 * parts[1] ** 2
    assert estimates.margins[0, 1] == pytest.approx((40 * parts[0] + 10 * parts[1]) / information)
    assert estimates.n_reports[0, 1] == 130
    assert estimates.n_people == 2 * 10**9
    alone = [estimate_pairs(layer).variances[0, 1] for layer in (weak, strong)]
    assert estimates.variances[0, 1] < min(alone)


def test_the_stated_variance_is_that_of_whole_collections():
    """A variance 35 % off would fail, as where answering were drawn with replacement."""
    ranks = np.tile(np.array([[0, 1, 2], [0, 2, 1], [2, 0, 1]]), (150, 1))
    people = Rankings(np.asfortranarray(ranks, dtype=np.uint8), tuple("abc"))
    rng = Randomness.seeded(random_seed())
    deviates = []
    for _ in range(deviates_needed(1.35)):
        protocol = pairs(3, epsilon=3.0, seed=1, n_queries=1, post_process="borda")
        reports = run(protocol, people, rng=rng).result.reports
        margin = estimate_pairs(reports).margins[0, 1]
        variance = PairVariances.of(reports).at(np.full((3, 3), 1 / 3))[0, 1]
        deviates.append((margin - 1 / 3) / np.sqrt(variance))
    assert_standard(np.array(deviates))


def test_the_estimated_variance_is_near_the_true_one():
    estimates = estimate_pairs(layer_of(RESPONSE, 700, 1000, 4000))
    gap = RESPONSE.rates.reach
    margin = 0.4 / gap
    true = (1 - gap**2) / (1000 * gap**2) + (1 - margin**2) / 1000 * 3000 / 3999
    assert estimates.variances[0, 1] == pytest.approx(true, rel=0.01)
    assert estimates.variances[0, 0] == 0


def test_the_estimated_variance_without_noise_is_that_of_a_sample():
    """Unbiased: (1 - mean^2) / (n - 1) of n answers of 1 or -1."""
    estimates = estimate_pairs(layer_of(GeneralizedRandomizedResponse(2, 16.0), 14, 20, 10**9))
    assert estimates.variances[0, 1] == pytest.approx((1 - 0.4**2) / 19, rel=1e-5)


def test_without_reports_nothing_is_known():
    estimates = estimate_pairs(layer_of(RESPONSE, 0, 0, 10))
    assert estimates.margins.tolist() == [[0, 0], [0, 0]]
    assert estimates.variances[0, 1] == np.inf
    assert np.isfinite(estimates.majority).all()


def test_one_report_says_little_and_nothing_impossible():
    estimates = estimate_pairs(layer_of(RESPONSE, 1, 1, 10))
    assert 1 < estimates.variances[0, 1] < np.inf


def test_the_majority_counts_people():
    estimates = estimate_pairs(layer_of(RESPONSE, 15, 20, 40))
    majority = estimates.majority
    assert majority[0, 1] + majority[1, 0] == pytest.approx(40)
    assert majority[0, 1] - majority[1, 0] == pytest.approx(40 * estimates.margins[0, 1])


def test_tallies_are_read_in_lexicographic_order():
    tallies = [Tally(np.array([n, 1]), n + 1) for n in (5, 6, 7)]
    reports = PairReports.from_tallies(3, RESPONSE, tallies, 1)
    assert reports.wins[0].tolist() == [[0, 5, 6], [1, 0, 7], [1, 1, 0]]
    assert reports.n_people.tolist() == [21]
    assert PairReports.from_tallies(3, RESPONSE, tallies, 2).n_people.tolist() == [10.5]
    with pytest.raises(HushrankError, match="expected 3 tallies"):
        PairReports.from_tallies(3, RESPONSE, tallies[:2], 1)


def test_reports_on_other_items_do_not_add_up():
    tallies = [Tally(np.array([5, 1]), 6)] * 3
    with pytest.raises(HushrankError, match="same items"):
        _ = PairReports.from_tallies(3, RESPONSE, tallies, 1) + layer_of(RESPONSE, 1, 1, 1)


def test_reprs_hold_no_counts():
    layer = layer_of(RESPONSE, 123, 456, 789)
    assert "123" not in repr(layer)
    assert repr(estimate_pairs(layer)) == "PairEstimates(789 people, 2 items)"


@given(st.integers(0, 2**32), st.integers(3, 8))
def test_relabelled_items_relabel_the_estimates(seed, n_items):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 9, (2, n_items, n_items)).astype(float)
    wins[:, range(n_items), range(n_items)] = 0
    reports = PairReports(wins, np.array([0.2, 0.7]), np.array([100.0, 200.0]))
    new = rng.permutation(n_items)
    moved = PairReports(wins[:, new][:, :, new], reports.gaps, reports.n_people)
    before, after = estimate_pairs(reports), estimate_pairs(moved)
    np.testing.assert_allclose(after.margins, before.margins[np.ix_(new, new)])
    np.testing.assert_allclose(after.variances, before.variances[np.ix_(new, new)])
    np.testing.assert_allclose(before.margins, -before.margins.T)


def test_the_error_rate_counts_turned_pairs_and_no_ties():
    true = np.array([[0, 9, 5], [1, 0, 8], [5, 2, 0]])
    turned = np.array([[0, 3, 9], [7, 0, 1], [1, 0, 0]])
    assert pair_error_rate(true, turned) == pytest.approx(1 / 3)
    assert pair_error_rate(true, true.T) == pytest.approx(2 / 3)
    assert pair_error_rate(true, np.zeros((3, 3))) == 0
    with pytest.raises(HushrankError):
        pair_error_rate(true, np.zeros((2, 2)))


def test_variances_hold_of_few_reports_too():
    """Five reports of a pair may all agree, with next to no noise: together they do not.

    Of 100 collections squared errors are 1 ± .02 variances; each pair for itself said 4.
    """
    rng, pairs_of_ten = np.random.default_rng(random_seed()), np.triu_indices(10, 1)
    squares = []
    for _ in range(100):
        wins = np.zeros((1, 10, 10))
        wins[0][pairs_of_ten] = rng.binomial(5, 0.5, 45)
        wins[0].T[pairs_of_ten] = 5 - wins[0][pairs_of_ten]
        found = estimate_pairs_together(PairReports(wins, np.array([0.95]), np.array([10_000.0])))
        squares += list(found.margins[pairs_of_ten] ** 2 / found.variances[pairs_of_ten])
    assert np.mean(squares) == pytest.approx(1, abs=0.15)
