"""Samples are as large as promised misses need: no larger, and no smaller."""

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from hushrank.testing.statistics import FALSE_ALARM, MIN_EXPECTED, MISS, draws_needed


def missed(stated, wrong, n_draws, n_tests):
    """How often chi-square passes draws of the wrong law, in the limit of many draws."""
    distance = ((wrong - stated) ** 2 / stated).sum()
    critical = chi2.isf(FALSE_ALARM / n_tests, len(stated) - 1)
    return ncx2.cdf(critical, len(stated) - 1, n_draws * distance)


@pytest.mark.parametrize("n_tests", [1, 400])
@pytest.mark.parametrize("n_outcomes", [2, 20, 720])
def test_samples_tell_the_wrong_law_but_for_the_promised_misses(n_outcomes, n_tests):
    stated = np.full(n_outcomes, 1 / n_outcomes)
    wrong = stated * np.linspace(0.98, 1.02, n_outcomes)
    n_draws = draws_needed(stated, wrong, n_tests)
    assert missed(stated, wrong, n_draws, n_tests) <= MISS
    assert missed(stated, wrong, n_draws - 1, n_tests) > MISS


def test_every_outcome_is_expected_often_enough():
    assert draws_needed([0.001, 0.999], [0.9, 0.1]) == MIN_EXPECTED / 0.001
