import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.point import RankPoint, uniform_point
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.questions.relative_order import RelativeOrder
from tests.estimators.enumeration import (
    all_ranks,
    feature_table,
    probabilities,
    reported,
    some_questions,
)

N_ITEMS = 4
QUESTIONS = some_questions(N_ITEMS)
FEATURES = rank_features(N_ITEMS)
COEFFICIENTS = np.random.default_rng(1).normal(size=len(FEATURES.spreads)) * 0.4
POINT = RankPoint(FEATURES, COEFFICIENTS)


def likelihood_of(epsilon: float, n_people: int = 3000) -> tuple[ReportLikelihood, tuple]:
    rng = np.random.default_rng(2)
    drawn = rng.choice(24, n_people, p=probabilities(COEFFICIENTS, N_ITEMS))
    reports = reported(QUESTIONS, all_ranks(N_ITEMS)[drawn], epsilon, 3)
    return ReportLikelihood.of(N_ITEMS, QUESTIONS, *reports), reports


def enumerated(reports, shares: np.ndarray) -> float:
    """Multiply each report's probability, by the channel and the list of all orders."""
    total = 0.0
    for question, mechanism, tally in zip(QUESTIONS, *reports, strict=True):
        answers = question.answer(all_ranks(N_ITEMS))
        if isinstance(mechanism, NamedMember):
            reported_shares = shares @ (mechanism.channel_words(answers) / 2**64).astype(float)
        else:
            hidden = np.bincount(answers, shares, minlength=question.n_categories)
            reported_shares = hidden @ (mechanism.channel_words() / 2**64).astype(float)
        total += tally.support @ np.log(reported_shares)
    return total


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_likelihood_is_that_of_the_noisy_reports(epsilon):
    likelihood, reports = likelihood_of(epsilon)
    expected = enumerated(reports, probabilities(COEFFICIENTS, N_ITEMS))
    assert likelihood.log_likelihood(POINT.statistics) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_gradient_is_that_of_finite_differences(epsilon):
    likelihood, reports = likelihood_of(epsilon)
    gradient = POINT.gradient(likelihood.slopes(POINT.statistics))
    step = 1e-5
    for feature in range(len(COEFFICIENTS)):
        moved = step * np.eye(len(COEFFICIENTS))[feature]
        up, down = (
            enumerated(reports, probabilities(COEFFICIENTS + sign * moved, N_ITEMS))
            for sign in (1, -1)
        )
        assert gradient[feature] == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-3)


def test_the_information_is_the_expected_curvature():
    """At the expected tallies the curvature is its expectation."""
    stated, _ = likelihood_of(1.0)
    expected = stated.n_reports * stated.probabilities(POINT.statistics)
    likelihood = ReportLikelihood(
        N_ITEMS, stated.weights, expected, stated.n_reports, stated.gaps, stated.floors
    )

    def gradient(coefficients: np.ndarray) -> np.ndarray:
        point = RankPoint(FEATURES, coefficients)
        return point.gradient(likelihood.slopes(point.statistics))

    steps = 1e-5 * np.eye(len(COEFFICIENTS))
    moved = [gradient(COEFFICIENTS + step) - gradient(COEFFICIENTS - step) for step in steps]
    information = likelihood.information(POINT.statistics, POINT.changes)
    assert information == pytest.approx(-np.array(moved) / 2e-5, rel=1e-5, abs=1e-4)


def test_the_changes_are_covariances():
    table, shares = feature_table(N_ITEMS), probabilities(COEFFICIENTS, N_ITEMS)
    first = (all_ranks(N_ITEMS)[:, 0] == 2).astype(float)  # item 0 has rank 2: statistic 2
    covariances = (table * shares) @ first - (table @ shares) * (shares @ first)
    assert POINT.changes[:, 2] == pytest.approx(covariances, abs=1e-12)


def test_features_are_standard_where_orders_are_equally_likely():
    point = uniform_point(N_ITEMS)
    table = feature_table(N_ITEMS)
    assert table.mean(axis=1) == pytest.approx(0, abs=1e-12)
    assert (table**2).mean(axis=1) == pytest.approx(1)
    assert point.statistics[: N_ITEMS**2] == pytest.approx(1 / N_ITEMS)


def test_likelihoods_of_different_people_add_up():
    one, _ = likelihood_of(1.0)
    other, _ = likelihood_of(2.0)
    both = one + other
    parts = [each.log_likelihood(POINT.statistics) for each in (one, other)]
    assert both.log_likelihood(POINT.statistics) == pytest.approx(sum(parts))
    slopes = [each.slopes(POINT.statistics) for each in (one, other)]
    assert both.slopes(POINT.statistics) == pytest.approx(sum(slopes))


def test_impossible_answers_have_a_finite_likelihood():
    """Differences of sums may be a rounding error below 0: more than the least P(report)."""
    likelihood, _ = likelihood_of(40.0)
    rounded = np.full(len(POINT.statistics), -1e-16)
    assert np.isfinite(likelihood.log_likelihood(rounded))
    assert np.isfinite(likelihood.slopes(rounded)).all()
    assert np.isfinite(likelihood.information(rounded, POINT.changes)).all()


def test_only_reports_that_name_one_category_are_taken():
    question = RelativeOrder((0, 1))
    with pytest.raises(HushrankError, match="name one category"):
        ReportLikelihood.of(N_ITEMS, [question], [OptimisedUnaryEncoding(2, 1.0)], [Tally.empty(2)])


def test_each_question_needs_its_tally():
    mechanisms, tallies = likelihood_of(1.0)[1]
    with pytest.raises(HushrankError, match="tallies"):
        ReportLikelihood.of(N_ITEMS, QUESTIONS, mechanisms, tallies[:-1])
    with pytest.raises(HushrankError, match="categories"):
        ReportLikelihood.of(N_ITEMS, QUESTIONS, mechanisms, (*tallies[:-1], Tally.empty(9)))
    with pytest.raises(HushrankError, match="same items"):
        likelihood_of(1.0)[0] + ReportLikelihood.of(
            5, [RelativeOrder((0, 1))], mechanisms[-1:], tallies[-1:]
        )


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_mechanisms_that_names_no_category_is_refused(at):
    mechanisms = [GeneralizedRandomizedResponse(2, 1.0)] * 30
    mechanisms[at] = OptimisedUnaryEncoding(2, 1.0)
    questions, tallies = [RelativeOrder((0, 1))] * 30, [Tally.empty(2)] * 30
    with pytest.raises(HushrankError, match="name one category"):
        ReportLikelihood.of(N_ITEMS, questions, mechanisms, tallies)
