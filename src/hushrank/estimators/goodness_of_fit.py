"""Whether tallied reports are as likely as a fitted model says: Pearson's statistic.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

from hushrank.arrays import Floats
from hushrank.estimators.chains.fit import ChainFit
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.fit import RankFit

FALSE_ALARMS = 0.01
"""How often reports of people who follow the model are said not to fit it."""
LEAST_SAID = 0.0001
"""Smaller chances need no digits."""


@dataclass(frozen=True)
class GoodnessOfFit:
    """Pearson's statistic of the reports, beside what it is where the model is right.

    `statistic` = sum of squared deviations over expected counts; `expected` and `variance` are its
    moments, given the numbers of reports on each question, after as many parameters were fitted.
    """

    statistic: float
    expected: float
    variance: float

    @classmethod
    def of(
        cls, likelihood: ReportLikelihood, statistics: Floats, n_fitted: float
    ) -> "GoodnessOfFit":
        """Take reports, the model's statistics, and how many parameters were fitted to them.

        A parameter that the prior holds back in part counts as much as the reports decide it.
        """
        asked = likelihood.n_reports > 0
        chances = likelihood.probabilities(statistics)[asked]
        counts, n_reports = likelihood.counts[asked], likelihood.n_reports[asked]
        foreseen = n_reports * chances
        squares = (counts - foreseen) ** 2 / foreseen
        freedom = len(chances) - chances.sum()  # the cells of a question sum to 1
        variance = _variance(chances, n_reports)
        left = max(freedom - n_fitted, 1.0)
        return cls(float(squares.sum()), float(left), float(variance * left / max(freedom, 1.0)))

    @property
    def p_value(self) -> float:
        """The chance of such a statistic or a larger one where the model is right.

        By the gamma distribution of the same mean and variance; 1 where the few reports leave it no
        variance, as whatever they were it would be the same.
        """
        if self.variance <= 0:
            return 1.0
        scale = self.variance / self.expected
        return float(gammaincc(self.expected / scale, self.statistic / scale))

    @property
    def fits(self) -> bool:
        """Whether the reports are no less likely than 99 of 100 of people who follow the model."""
        return self.p_value >= FALSE_ALARMS

    @property
    def inflation(self) -> float:
        """By how much standard errors are to be multiplied: 1 where the reports fit."""
        return 1.0 if self.fits else float(np.sqrt(max(1.0, self.statistic / self.expected)))


def goodness_of(fit: RankFit | ChainFit) -> GoodnessOfFit | None:
    """Judge a fit by the wider of its two models, whose coefficients the prior hardly holds back.

    tr(C F) parameters count as fitted: F the information of the reports, C the covariance of the
    coefficients. None where it is not known how many more were judged along with the model.
    """
    wide, n_more = fit.wide, fit.wide.likelihood.n_judged_along
    if n_more is None:
        return None
    statistics = wide.point.statistics
    n_fitted = n_fitted_of(fit) + n_more
    return GoodnessOfFit.of(wide.likelihood.given(statistics), statistics, n_fitted)


def n_fitted_of(fit: RankFit | ChainFit) -> float:
    """Return how many coefficients the reports decide: one that the prior holds back, in part."""
    if isinstance(fit, ChainFit):
        return float((fit.wide.weights / (fit.wide.weights + fit.wide_scale**-2)).sum())
    return float((fit.covariance * fit.wide.information).sum())


def _variance(chances: Floats, n_reports: Floats) -> float:
    """Return the variance of Pearson's statistic of multinomial counts, exactly.

    Of each question with k cells and n reports 2 (k - 1) + (sum 1 / P - k^2 - 2 k + 2) / n.
    Source: Haldane (Biometrika 1937).
    """
    question = np.floor(chances.cumsum() - chances / 2).astype(np.intp)  # sums to 1 in each
    inverses = np.bincount(question, 1 / chances)
    sizes = np.bincount(question).astype(np.float64)
    reports = np.bincount(question, n_reports) / np.maximum(sizes, 1)
    beyond = (inverses - sizes**2 - 2 * sizes + 2) / np.maximum(reports, 1)
    return float((2 * (sizes - 1) + beyond)[sizes > 0].sum())


def chance_in_words(p_value: float) -> str:
    """Return a small probability for people: two digits, or that it is below the least of them."""
    return f"{p_value:.2g}" if p_value >= LEAST_SAID else f"below {LEAST_SAID:g}"
