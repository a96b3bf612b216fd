from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import Parabola, fit_ranks
from hushrank.estimators.ranks.point import RankPoint, uniform_point
from hushrank.models.mallows import Mallows
from hushrank.protocols.distributions.question_kinds import QuestionKind
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.questions.question import Question
from tests.estimators.enumeration import (
    all_ranks,
    feature_table,
    probabilities,
    reported,
    some_questions,
    statistics,
)
from tests.statistics import critical_deviate

N_ITEMS = 4
QUESTIONS = some_questions(N_ITEMS)
TABLE = feature_table(N_ITEMS)
BY_ORDER = np.stack([statistics(one, N_ITEMS) for one in np.eye(24)])
SPREADS = uniform_point(N_ITEMS).features.spreads
PRECISION = uniform_point(N_ITEMS).features.prior_precision
LAP = Parabola._lap
TRUE = 0.5 * SPREADS * np.random.default_rng(1).normal(size=len(SPREADS))


def likelihood_of(
    epsilon: float, n_people: int, questions: Sequence[Question] = QUESTIONS
) -> ReportLikelihood:
    rng = np.random.default_rng(2)
    drawn = rng.choice(24, n_people, p=probabilities(TRUE, N_ITEMS))
    reports = reported(questions, all_ranks(N_ITEMS)[drawn], epsilon, 3)
    return ReportLikelihood.of(N_ITEMS, questions, *reports)


def brute_force(likelihood: ReportLikelihood, scale: float) -> tuple[np.ndarray, Callable]:
    """Find the most likely coefficients over the list of all orders, from several starts."""
    by_order = BY_ORDER @ likelihood.weights.toarray().T

    def loss(coefficients: np.ndarray) -> float:
        logs = coefficients @ TABLE
        shares = np.exp(logs - logs.max())
        foretold = likelihood.floors + likelihood.gaps * (shares / shares.sum() @ by_order)
        prior = coefficients @ PRECISION @ coefficients / scale**2 / 2
        return prior - likelihood.counts @ np.log(foretold)

    rng = np.random.default_rng(4)
    starts = [np.zeros(len(SPREADS)), *(SPREADS * rng.normal(size=(3, len(SPREADS))))]
    options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 10**6}
    found = [minimize(loss, start, method="L-BFGS-B", options=options) for start in starts]
    best = min(found, key=lambda each: each.fun)
    return best.x, loss


@pytest.mark.parametrize(("epsilon", "n_people"), [(0.3, 500), (1.0, 3000), (4.0, 20_000)])
def test_the_fit_is_the_most_likely_one(epsilon, n_people):
    likelihood = likelihood_of(epsilon, n_people)
    best, loss = brute_force(likelihood, 0.3)
    fitted = Parabola(likelihood, uniform_point(N_ITEMS)).at(0.3).point
    assert loss(fitted.coefficients) <= loss(best) + 1e-4
    shares = [probabilities(each, N_ITEMS) for each in (fitted.coefficients, best)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-3)


def test_a_search_of_many_laps_ends_where_one_does(monkeypatch):
    likelihood = likelihood_of(4.0, 20_000)
    uniform = Parabola(likelihood, uniform_point(N_ITEMS))
    in_one = uniform.at(0.3).point.coefficients
    laps = []
    monkeypatch.setattr("hushrank.estimators.ranks.fit.STEPS_OF_A_LAP", 3)
    monkeypatch.setattr(Parabola, "_lap", lambda *given: laps.append(given) or LAP(*given))
    assert uniform.at(0.3).point.coefficients == pytest.approx(in_one, abs=1e-3)
    assert len(laps) >= 4


def test_the_scale_is_judged_again_at_the_fit():
    likelihood = likelihood_of(1.0, 3000)
    fit = fit_ranks(likelihood, prior="safe")
    first, near = judged_twice(likelihood)
    assert fit.scale == pytest.approx(near.evidence.point_scale("safe"), rel=1e-6)
    assert fit.wide_scale == pytest.approx(near.evidence.interval_scale(), rel=1e-6)
    assert fit.scale != first.evidence.point_scale("safe")
    assert fit.scale < fit.wide_scale


def judged_twice(likelihood: ReportLikelihood) -> tuple[Parabola, Parabola]:
    uniform = Parabola(likelihood, uniform_point(likelihood.n_items))
    return uniform, uniform.at(uniform.evidence.point_scale("safe"))


def test_a_scale_that_falls_must_make_the_reports_likelier():
    """Of 400 people who agree, asked for pairs of 5 items at .5 nats, it mostly does not.

    At a fit far from uniform the parabola is too flat to say how unlikely uniform people are.
    """
    n_refused = 0
    for seed in range(20):
        likelihood = agreed(400, 0.5, "pairs", seed)
        uniform, near = judged_twice(likelihood)
        first, again = (each.evidence.point_scale("safe") for each in (uniform, near))
        fit = fit_ranks(likelihood, prior="safe")
        is_likelier = near.at(again).log_evidence(again) > near.log_evidence(first)
        assert fit.scale == pytest.approx(again if again > 0.9 * first or is_likelier else first)
        n_refused += fit.scale > 2 * again
        if fit.scale == first:
            assert fit.wide_scale == uniform.evidence.interval_scale()
    assert n_refused >= 3


def test_a_scale_falls_where_reports_are_clear():
    """The parabola at the uniform model does not know what clear reports of such people say."""
    likelihood = agreed(400, 4.0, "ranks-and-pairs", 1)
    uniform, near = judged_twice(likelihood)
    again = near.evidence.point_scale("safe")
    assert fit_ranks(likelihood, prior="safe").scale == pytest.approx(again)
    assert again < 0.9 * uniform.evidence.point_scale("safe")


def agreed(n_people: int, epsilon: float, kind: QuestionKind, seed: int) -> ReportLikelihood:
    """Draw reports of people around one order of 5 items, Mallows of dispersion .2."""
    questions = MixPart(kind).questions(5)
    rng = np.random.default_rng(seed)
    drawn = Mallows(tuple(range(5)), 0.2).sample(n_people, rng=rng)
    reports = reported(questions, drawn, epsilon, int(rng.integers(2**31)))
    return ReportLikelihood.of(5, questions, *reports)


def test_the_parabola_touches_the_log_likelihood():
    likelihood = likelihood_of(1.0, 3000)
    near = Parabola(likelihood, RankPoint(uniform_point(N_ITEMS).features, TRUE))
    slope = near.pull - near.information @ TRUE
    assert slope == pytest.approx(near.point.gradient(likelihood.slopes(near.point.statistics)))


@pytest.mark.linear_algebra
def test_the_covariance_is_that_of_the_wider_fit():
    fit = fit_ranks(likelihood_of(1.0, 3000), prior="typical")
    prior = PRECISION / fit.wide_scale**2
    assert fit.covariance @ (fit.wide.information + prior) == pytest.approx(
        np.eye(len(SPREADS)), abs=1e-9
    )


def test_standard_errors_are_those_of_drawn_coefficients():
    """From so many people, asked about everything, that shares are linear in the coefficients."""
    few = likelihood_of(4.0, 20_000, MixPart("ranks-and-pairs").questions(N_ITEMS))
    many = replace(few, counts=1e4 * few.counts, n_reports=1e4 * few.n_reports)
    fit = fit_ranks(many, prior="safe")
    known = RankEstimates.of(fit)
    centre, n_draws = fit.wide.point.coefficients, 4000
    rng = np.random.default_rng(5)
    drawn = rng.multivariate_normal(centre, fit.covariance, size=n_draws)
    weights = np.exp(drawn @ TABLE)
    rows = weights / weights.sum(axis=1, keepdims=True) @ BY_ORDER
    precedes = rows[:, 16:].reshape(-1, 4, 4, 4).sum(axis=3).transpose(0, 2, 1)
    off = ~np.eye(4, dtype=bool)
    assert_spread(rows[:, :16], known.at.ravel(), known.at_errors.ravel())
    assert_spread(precedes[:, off], known.precedences[off], known.precedence_errors[off])
    scores = (2 * precedes - 1).sum(axis=2) + 1  # an item does not precede itself
    assert_spread(scores, known.scores, np.sqrt(np.diag(known.score_covariance)))
    gaps = scores[:, :-1] - scores[:, 1:]
    contrasts = np.eye(4)[:-1] - np.eye(4)[1:]
    errors = np.sqrt(np.diag(contrasts @ known.score_covariance @ contrasts.T))
    assert_spread(gaps, contrasts @ known.scores, errors)


def assert_spread(draws: np.ndarray, means: np.ndarray, errors: np.ndarray) -> None:
    """Draws (draws, shares) have these means and standard deviations, but for Monte Carlo error."""
    deviate = critical_deviate(2 * 35)  # of all shares that the test asks about
    assert (np.abs(draws.mean(axis=0) - means) < (deviate + 1) * errors / len(draws) ** 0.5).all()
    assert draws.std(axis=0) == pytest.approx(errors, rel=deviate / (2 * len(draws)) ** 0.5 + 0.01)


def test_estimates_are_those_of_the_wider_fit():
    fit = fit_ranks(likelihood_of(1.0, 500), prior="safe")
    known = RankEstimates.of(fit)
    assert known.at == pytest.approx(fit.wide.point.model.first_order_marginals)
    assert known.at != pytest.approx(fit.point.model.first_order_marginals, abs=1e-3)
    assert known.precedences == pytest.approx(fit.wide.point.model.precedences + np.eye(4) / 2)


@pytest.mark.linear_algebra
def test_margins_are_antisymmetric():
    known = RankEstimates.of(fit_ranks(likelihood_of(1.0, 3000), prior="safe"))
    assert known.margins == pytest.approx(-known.margins.T, abs=1e-12)
    assert known.scores == pytest.approx(known.margins.sum(axis=1))
