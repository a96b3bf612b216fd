from itertools import combinations, permutations
from math import exp, inf, log, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.rankings.coding import inverse, lexicographic_index
from hushrank.rankings.profile import Rankings
from tests.statistics import FALSE_ALARM, MISS, assert_follows, draws_needed, random_seed

CENTRE = (2, 0, 3, 1)
N_PEOPLE = 1200


def all_orders(n_items: int) -> np.ndarray:
    return np.array(list(permutations(range(n_items))))


def turned_pairs(order, centre) -> int:
    return sum(
        list(order).index(worse) < list(order).index(better)
        for better, worse in combinations(centre, 2)
    )


def enumerated(centre, dispersion: float) -> np.ndarray:
    """P of every order, from nothing but the definition."""
    distances = np.array([turned_pairs(order, centre) for order in all_orders(len(centre))])
    weights = dispersion**distances
    return weights / weights.sum()


def distance_moments(dispersion: float, n_items: int) -> tuple[float, float]:
    """Mean and variance of a sum of independent geometric variables, cut to 0..i-1."""
    mean = variance = 0.0
    for size in range(1, n_items + 1):
        passed = np.arange(size)
        shares = dispersion**passed / (dispersion**passed).sum()
        mean += shares @ passed
        variance += shares @ passed**2 - (shares @ passed) ** 2
    return mean, variance


def rankings_of(ranks: np.ndarray) -> Rankings:
    return Rankings(ranks, tuple(map(str, range(ranks.shape[1]))))


@pytest.mark.parametrize("dispersion", [0.0, 0.05, 0.8, 1.0])
def test_probabilities_equal_enumeration(dispersion):
    model = Mallows((4, 1, 5, 0, 3, 2), dispersion)
    probabilities = np.exp(model.log_probability(all_orders(6)))
    assert probabilities == pytest.approx(enumerated(model.centre, dispersion), rel=1e-12)


def test_only_the_centre_is_possible_without_dispersion():
    model = Mallows(CENTRE, 0.0)
    assert model.log_probability(np.array([CENTRE, CENTRE[::-1]])).tolist() == [0.0, -inf]
    ranks = model.sample(1000, rng=np.random.default_rng(random_seed()))
    assert (inverse(ranks) == CENTRE).all()


@pytest.mark.parametrize("dispersion", [0.3, 0.8, 1.0])
def test_samples_follow_the_probabilities(dispersion):
    """A dispersion 5 % too small would fail, with probability 0.999."""
    stated, wrong = enumerated(CENTRE, dispersion), enumerated(CENTRE, 0.95 * dispersion)
    n_people = draws_needed(stated, wrong)
    ranks = Mallows(CENTRE, dispersion).sample(n_people, rng=np.random.default_rng(random_seed()))
    assert_follows(lexicographic_index(rankings_of(ranks).orders()), stated)


@pytest.mark.parametrize("n_items", [70, 300])
def test_many_items_have_the_expected_distance(n_items):
    """Beyond 64 choices, and beyond 8-bit ranks; a theta 5 % too large would fail."""
    centre = tuple(np.random.default_rng(3).permutation(n_items).tolist())
    model = Mallows(centre, 0.9)
    mean, variance = distance_moments(0.9, n_items)
    deviation = sqrt(variance / N_PEOPLE)
    tolerance = norm.isf(FALSE_ALARM / 2) * deviation
    wrong = Mallows(centre, exp(-1.05 * model.theta)).expected_distance
    assert abs(wrong - mean) > tolerance + norm.isf(MISS) * deviation
    assert model.expected_distance == pytest.approx(mean, rel=1e-12)

    sample = rankings_of(model.sample(N_PEOPLE, rng=np.random.default_rng(random_seed())))
    in_order = sample.ranks[:, centre]
    pairs = combinations(range(n_items), 2)
    turned = sum(int((in_order[:, worse] < in_order[:, better]).sum()) for better, worse in pairs)
    assert turned / N_PEOPLE == pytest.approx(mean, abs=tolerance)


def test_theta_is_the_dispersion_as_an_exponent():
    assert Mallows(CENTRE, 0.25).theta == pytest.approx(log(4))
    assert (Mallows(CENTRE, 0.0).theta, Mallows(CENTRE, 1.0).theta) == (inf, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_centre_and_no_other_dispersion_is_likelier(seed):
    drawn = Mallows(CENTRE, 0.6).sample(40, rng=np.random.default_rng(seed))
    rankings = rankings_of(drawn)
    fitted = Mallows.fit(rankings)
    likelihood = fitted.log_probability(rankings.orders()).sum()
    for centre in permutations(range(4)):
        other = Mallows.fit(rankings, centre=centre)
        assert other.centre == centre
        assert other.log_probability(rankings.orders()).sum() <= likelihood + 1e-9
    for factor in (0.99, 1.01):
        other = Mallows(fitted.centre, factor * fitted.dispersion)
        assert other.log_probability(rankings.orders()).sum() < likelihood


def test_the_fit_finds_the_population():
    people = np.round(1e9 * enumerated((3, 1, 0, 2), 0.7)).astype(np.int64)
    fitted = Mallows.fit(Rankings.from_orders(all_orders(4), multiplicities=people))
    assert fitted.centre == (3, 1, 0, 2)
    assert fitted.dispersion == pytest.approx(0.7, abs=1e-7)


def test_a_row_counts_for_all_its_people():
    orders = all_orders(4)[[0, 1, 5, 9]]
    counted = Rankings.from_orders(orders, multiplicities=np.array([4, 3, 1, 2]))
    assert Mallows.fit(counted) == Mallows.fit(counted.expanded())


def test_the_centre_is_better_than_borda():
    """Three people say 0 1 2 and two say 1 2 0: Borda puts 1 first, the majorities 0."""
    orders = np.array([[0, 1, 2], [1, 2, 0]])
    rankings = Rankings.from_orders(orders, multiplicities=np.array([3, 2]))
    assert Mallows.fit(rankings).centre == (0, 1, 2)


def test_an_item_moves_over_several_places_at_once():
    """From Borda's 4 0 1 2 3, no exchange of neighbours turns fewer pairs, but moving 2 does."""
    rankings = Rankings.from_orders(np.array([[1, 2, 4, 0, 3], [4, 0, 1, 3, 2], [2, 0, 4, 1, 3]]))
    assert Mallows.fit(rankings).centre == (2, 4, 0, 1, 3)


def test_agreement_and_opposition_are_the_ends_of_the_scale():
    rankings = Rankings.from_orders(np.array([CENTRE] * 3))
    assert Mallows.fit(rankings) == Mallows(CENTRE, 0.0)
    assert Mallows.fit(rankings, centre=CENTRE[::-1]).dispersion == 1.0


@pytest.mark.parametrize("keys", [[[1.0, 1.0, 2.0]], [[1.0, 2.0, np.nan]]])
def test_ties_and_unranked_items_are_refused(keys):
    with pytest.raises(HushrankError, match="Mallows fit"):
        Mallows.fit(Rankings.from_keys(keys, tuple("abc")))


@pytest.mark.parametrize("centre", [(0, 1), (0, 1, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_a_centre_of_other_items_is_refused(centre):
    with pytest.raises(HushrankError, match="centre"):
        Mallows.fit(Rankings.from_orders(np.array([[0, 1, 2]])), centre=centre)


@pytest.mark.parametrize("dispersion", [-0.1, 1.1, np.nan])
def test_a_dispersion_outside_0_to_1_is_refused(dispersion):
    with pytest.raises(HushrankError, match="dispersion of 0 to 1"):
        Mallows(CENTRE, dispersion)


@pytest.mark.parametrize("centre", [(), (0, 0), (1, 2), (-1, 0)])
def test_a_centre_that_is_no_order_is_refused(centre):
    with pytest.raises(HushrankError, match="centre"):
        Mallows(centre, 0.5)


@pytest.mark.parametrize("orders", [[[0, 1, 2]], [0, 1, 2, 3], [[1, 2, 3, 4]], [[-1, 0, 1, 2]]])
def test_orders_of_other_items_are_refused(orders):
    with pytest.raises(HushrankError, match="orders"):
        Mallows(CENTRE, 0.5).log_probability(np.array(orders))


def test_the_fit_of_many_items_finds_the_centre():
    centre = tuple(np.random.default_rng(3).permutation(30).tolist())
    ranks = Mallows(centre, 0.4).sample(300, rng=np.random.default_rng(4))
    fitted = Mallows.fit(Rankings(ranks, tuple(map(str, range(30)))))
    assert fitted.centre == centre
    assert fitted.dispersion == pytest.approx(0.4, abs=0.05)


def test_the_last_two_of_many_items_are_turned_round():
    centre = (*range(28), 29, 28)
    order = np.arange(30)[None]
    certain, likely = Mallows(centre, 0.0), Mallows(centre, 0.5)
    assert certain.log_probability(order).tolist() == [-np.inf]
    best = likely.log_probability(np.array([centre]))
    assert likely.log_probability(order) == pytest.approx(best + np.log(0.5))
