"""What a release leaves open is told by the release alone, in its own units."""

from dataclasses import replace

import numpy as np
import pytest

from hushrank.accounting.spend import Spend
from hushrank.aggregators.private.order import (
    ComparedMargins,
    DrawnByCost,
    NoisyMargins,
    NoisyScores,
    PrivateOrder,
)
from hushrank.aggregators.private.posterior import (
    confidence_of_release,
    posterior_of_release,
    ranks_of_release,
)
from hushrank.aggregators.uncertainty.shrinkage import (
    chances_of_comparisons,
    posterior_of_margins,
    posterior_of_scores,
)

ORDER = (2, 0, 1)
SCORES = np.array([10.0, -40.0, 30.0])
MARGINS = np.array([[0.0, 20, -8], [-20, 0, -50], [8, 50, 0]])
SPEND = Spend("a release", 0.5, "noise", model="central")


def released(evidence):
    return PrivateOrder(ORDER, "a method", SPEND, True, evidence)


def test_scores_are_believed_with_their_own_noise():
    evidence = NoisyScores(SCORES, 12.0, (0.9, 0.9))
    expected = posterior_of_scores(SCORES, 144 * np.eye(3)).pair_probabilities(ORDER)
    assert confidence_of_release(released(evidence)) == pytest.approx(expected, abs=1e-12)


def test_margins_are_shares_of_the_largest_as_the_number_of_people_is_not_known():
    found = posterior_of_release(released(NoisyMargins(MARGINS, 5.0, (0.9, 0.9))))
    expected = posterior_of_margins(MARGINS / 50, np.full((3, 3), 0.01))
    assert found.margins == pytest.approx(expected.margins, abs=1e-12)
    assert found.variances == pytest.approx(expected.variances, abs=1e-12)


def test_margins_below_one_person_are_shares_of_one():
    found = posterior_of_release(released(NoisyMargins(MARGINS / 1000, 0.2, (0.9, 0.9))))
    expected = posterior_of_margins(MARGINS / 1000, np.full((3, 3), 0.04))
    assert found.margins == pytest.approx(expected.margins, abs=1e-12)


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_without_noise_what_is_seen_is_believed(unit):
    for evidence in (NoisyScores(unit * SCORES, 0.0, ()), NoisyMargins(unit * MARGINS, 0.0, ())):
        assert min(confidence_of_release(released(evidence))) > 0.999


@pytest.mark.parametrize(
    ("values", "posterior"),
    [
        (np.zeros(3), posterior_of_scores(np.zeros(3), 1e-12 * np.eye(3))),
        (np.zeros((3, 3)), posterior_of_margins(np.zeros((3, 3)), np.full((3, 3), 1e-12))),
    ],
    ids=["scores", "margins"],
)
def test_nothing_seen_without_noise_tells_nothing(values, posterior):
    kind = NoisyScores if values.ndim == 1 else NoisyMargins
    found = posterior_of_release(released(kind(values, 0.0, ())))
    assert found.pair_probabilities(ORDER) == pytest.approx((0.5, 0.5))
    assert found.variances == pytest.approx(posterior.variances, rel=1e-9)


def test_ranks_are_drawn_by_the_rule_of_the_order():
    """Item 0 wins each duel by a little, item 1 wins most in sum: rules differ on who is first."""
    margins = np.array([[0.0, 5, 5, 5], [-5, 0, 90, 90], [-5, -90, 0, 0], [-5, -90, 0, 0]])
    by_pairs = ranks_of_release(released(NoisyMargins(margins, 0.01, ())))
    by_scores = ranks_of_release(released(NoisyScores(margins.sum(axis=1), 0.01, ())))
    assert by_pairs.ahead((0, 1))[0] > 0.99
    assert by_scores.ahead((1, 0))[0] > 0.99


def test_confidence_in_an_order_of_margins_is_that_of_the_ranks_that_are_drawn():
    release = released(NoisyMargins(MARGINS, 30.0, (0.9, 0.9)))
    assert confidence_of_release(release) == ranks_of_release(release).ahead(ORDER)


def test_releases_that_do_not_tell_are_left_as_they_are():
    compared = released(ComparedMargins(MARGINS, 1.0, (0.7, 0.6)))
    drawn, alone = released(DrawnByCost(0.1)), released(None)
    for release in (compared, drawn, alone):
        assert posterior_of_release(release) is None
        assert ranks_of_release(release) is None
    assert confidence_of_release(drawn) is None
    assert confidence_of_release(alone) is None


def test_confidence_in_comparisons_is_of_all_that_were_made():
    """Neighbours that were not compared are right or wrong; those that tie, too."""
    margins = np.full((4, 4), np.nan)
    for (a, b), margin in {(2, 0): 9.0, (0, 1): 0.0, (2, 1): 4.0}.items():
        margins[a, b], margins[b, a] = margin, -margin
    release = replace(released(ComparedMargins(margins, 2.0, ())), order=(2, 0, 1, 3))
    alike = chances_of_comparisons(np.array([9.0, 0.0, 4.0]), 2.0)
    assert confidence_of_release(release) == (pytest.approx(alike[0]), 0.5, 0.5)
