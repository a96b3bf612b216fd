from itertools import permutations

import numpy as np
import pytest

from hushrank.mechanisms.spearman_law import (
    accepted_share,
    best_ball,
    centred,
    counted_law,
    largest_distance,
    pearson_law,
    relative_pulls,
)


@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 6, 7])
def test_counted_shares_and_pulls_are_those_of_all_orders(n_items):
    shuffles = centred(n_items)[np.array(list(permutations(range(n_items))))]
    distances = ((shuffles - centred(n_items)) ** 2).sum(axis=1) // 2
    shares, pulls = counted_law(n_items)
    half = n_items // 2
    for radius, (share, pull) in enumerate(zip(shares, pulls, strict=True)):
        is_near = distances <= radius
        assert share == pytest.approx(is_near.mean(), rel=1e-12)
        scores = (shuffles * is_near[:, None]).mean(axis=0)[:half]
        np.testing.assert_allclose(pull, scores / centred(n_items)[:half], rtol=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "mean_error", "place_error"), [(1, 0.001, 0.01), (5, 0.003, 0.02), (8, 0.01, 0.1)]
)
def test_the_curve_is_near_the_counts_at_12_items(epsilon, mean_error, place_error):
    """Twelve items, the most that are counted, are the worst case of more: the curve improves."""
    rate, weights = np.exp(-epsilon), centred(12)[:6] ** 2
    shares, pulls = counted_law(12)
    curve_shares, curve_pulls = pearson_law(12)
    radius = int((curve_pulls[:, 0] / accepted_share(curve_shares, rate)).argmax())
    exact = pulls[radius] / accepted_share(shares[radius], rate)
    mean = exact @ weights / weights.sum()
    curve = curve_pulls[radius, 0] / accepted_share(curve_shares[radius], rate)
    assert curve == pytest.approx(mean, rel=mean_error)
    np.testing.assert_allclose(relative_pulls(12, radius), exact / mean, rtol=place_error)


@pytest.mark.parametrize("n_items", [13, 40, 254])
def test_many_items_have_balls_of_directions(n_items):
    """At the best radius the correlation at the rim is the mean slope, as on a sphere."""
    ball = best_ball(n_items, np.exp(-3.0))
    slopes, weights = ball.slopes(np.exp(-3.0)), centred(n_items)[: n_items // 2] ** 2
    rim = 1 - ball.radius / ((n_items**3 - n_items) / 12)
    assert slopes @ weights / weights.sum() == pytest.approx(rim, abs=0.01 / n_items**0.5)
    assert 0 < slopes.min() <= slopes.max() < 1


def test_twelve_items_are_counted():
    ball = best_ball(12, np.exp(-3.0))
    assert ball.pulls.tolist() == counted_law(12)[1][ball.radius].tolist()


@pytest.mark.parametrize("n_items", [2, 3, 4, 7])
def test_radii_are_counted_until_the_rim_is_uncorrelated(n_items):
    assert len(counted_law.__wrapped__(n_items)[0]) == largest_distance(n_items) // 2 + 1


def test_rims_of_the_curve_lie_halfway_to_the_next_distance():
    """So half of all orders lie within the middle one, and two about the middle are mirrored."""
    shares, _ = pearson_law.__wrapped__(14)
    assert shares[-1] == pytest.approx(0.5, rel=1e-12)
    shares, pulls = pearson_law.__wrapped__(13)
    assert shares[-1] + shares[-2] == pytest.approx(1, rel=1e-12)
    assert pulls[-1] == pytest.approx(pulls[-2], rel=1e-12)


def test_balls_are_compared_as_things():
    assert best_ball(5, 0.1) != best_ball(5, 0.1)
