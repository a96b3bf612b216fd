"""Reports that the model foretells fit it; reports that nobody's ranking gives do not."""

from dataclasses import replace
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import chi2

from hushrank.estimators.goodness_of_fit import GoodnessOfFit, _variance, goodness_of
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import fit_ranks
from hushrank.estimators.ranks.point import RankPoint
from hushrank.mechanisms.local import Tally
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.surveys.sampled_survey import sampled_survey
from tests.statistics import random_seed

N_ITEMS, N_EACH = 4, 200
FEATURES = rank_features(N_ITEMS)
QUESTIONS = MixPart("ranks-and-pairs").questions(N_ITEMS)
MECHANISMS = sampled_survey("ranks", QUESTIONS, 2.0).local_mechanisms


def reported(statistics: np.ndarray, rng: np.random.Generator, lies: float = 0.0):
    """Reports of people with these statistics; the first category is named by lies."""
    sizes = [question.n_categories for question in QUESTIONS]
    empty = [Tally(np.zeros(size), 0) for size in sizes]
    nobody = ReportLikelihood.of(N_ITEMS, QUESTIONS, MECHANISMS, empty)
    each = np.split(nobody.probabilities(statistics), np.cumsum(sizes)[:-1])
    true = [rng.multinomial(N_EACH, (1 - lies) * row + lies * np.eye(len(row))[0]) for row in each]
    counts = np.concatenate(true).astype(float)
    return replace(nobody, counts=counts, n_reports=np.full(len(counts), float(N_EACH)))


def test_the_moments_of_the_statistic_are_exact():
    """Over all ways in which 4 people may answer a question of 3 categories."""
    chances, n = np.array([0.2, 0.3, 0.5]), 4
    mean = square = 0.0
    for counts in product(range(n + 1), repeat=3):
        if sum(counts) == n:
            ways = factorial(n) / prod(map(factorial, counts))
            likely = ways * float(np.prod(chances**counts))
            statistic = (((counts - n * chances) ** 2) / (n * chances)).sum()
            mean, square = mean + likely * statistic, square + likely * statistic**2
    assert mean == pytest.approx(2)
    asked_twice = np.tile(chances, 2), np.full(6, float(n))
    assert _variance(*asked_twice) == pytest.approx(2 * (square - mean**2))


@pytest.mark.parametrize("n_fitted", [0.0, 7.5])
def test_what_is_fitted_leaves_less_to_be_expected_and_varies_with_less(n_fitted):
    rng = np.random.default_rng(random_seed())
    statistics = RankPoint(FEATURES, np.zeros(len(FEATURES.spreads))).statistics
    likelihood = reported(statistics, rng)
    free = sum(question.n_categories - 1 for question in QUESTIONS)
    whole = GoodnessOfFit.of(likelihood, statistics, 0.0)
    found = GoodnessOfFit.of(likelihood, statistics, n_fitted)
    assert found.statistic == whole.statistic
    assert found.expected == pytest.approx(free - n_fitted)
    assert found.variance / found.expected == pytest.approx(whole.variance / whole.expected)
    assert (found.p_value < whole.p_value) == (n_fitted > 0)


def test_of_many_reports_and_nothing_fitted_the_chance_is_that_of_chi_square():
    goodness = GoodnessOfFit(25.0, 12.0, 24.0)
    assert goodness.p_value == pytest.approx(chi2.sf(25, 12))
    assert goodness.fits
    assert goodness.inflation == 1.0
    bad = GoodnessOfFit(48.0, 12.0, 24.0)
    assert not bad.fits
    assert bad.inflation == pytest.approx(2.0)


@pytest.mark.statistical
def test_reports_of_the_family_fit_as_often_as_stated():
    """Of 25 collections the mean deviate is within 1, five of its standard errors."""
    rng, deviates = np.random.default_rng(random_seed()), []
    for _ in range(25):
        drawn = 0.3 * FEATURES.prior_root @ rng.normal(size=len(FEATURES.spreads))
        likelihood = reported(RankPoint(FEATURES, drawn).statistics, rng)
        goodness = goodness_of(fit_ranks(likelihood, prior="safe"))
        deviates.append((goodness.statistic - goodness.expected) / np.sqrt(goodness.variance))
    assert abs(np.mean(deviates)) < 1
    assert 0.5 < np.std(deviates) < 1.8


def test_reports_that_no_ranking_gives_do_not_fit():
    rng = np.random.default_rng(5)
    uniform = RankPoint(FEATURES, np.zeros(len(FEATURES.spreads))).statistics
    fit = fit_ranks(reported(uniform, rng, lies=0.2), prior="safe")
    assert not goodness_of(fit).fits


def test_errors_are_widened_all_alike():
    rng = np.random.default_rng(6)
    fit = fit_ranks(
        reported(RankPoint(FEATURES, np.zeros(len(FEATURES.spreads))).statistics, rng), prior="safe"
    )
    estimates = RankEstimates.of(fit)
    widened = estimates.widened(1.5)
    assert widened.at_errors == pytest.approx(1.5 * estimates.at_errors)
    assert widened.precedence_errors == pytest.approx(1.5 * estimates.precedence_errors)
    assert widened.score_covariance == pytest.approx(2.25 * estimates.score_covariance)
    assert widened.at is estimates.at
