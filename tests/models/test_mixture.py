from itertools import permutations
from math import log

import numpy as np
import pytest
from scipy.stats import chi2

from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import Mixture, plackett_luce_mixture
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.models.ranking_model import RankingModel
from hushrank.rankings.coding import inverse, lexicographic_index, rank_type
from hushrank.rankings.profile import Rankings
from tests.statistics import FALSE_ALARM, assert_follows, draws_needed, random_seed

ORDERS = np.array(list(permutations(range(4))))
MODELS = (Mallows((3, 0, 2, 1), 0.5), PlackettLuce(np.array([0.5, 1.0, 0.0, -0.5])))


def mixed(share: float) -> np.ndarray:
    first, second = (np.exp(model.log_probability(ORDERS)) for model in MODELS)
    return share * first + (1 - share) * second


def test_probabilities_are_the_weighted_sum():
    mixture = Mixture(MODELS, np.array([0.3, 0.7]))
    probabilities = np.exp(mixture.log_probability(ORDERS))
    assert probabilities == pytest.approx(mixed(0.3), rel=1e-12)
    assert probabilities.sum() == pytest.approx(1, rel=1e-12)


def test_probabilities_too_small_for_a_float_still_add_up():
    rare = PlackettLuce(np.array([-3000.0, 0.0]))
    mixture = Mixture((rare, rare), np.array([0.5, 0.5]))
    assert mixture.log_probability(np.array([[0, 1]])) == pytest.approx([-3000.0])


def test_impossible_orders_stay_impossible():
    centres = (Mallows((0, 1), 0.0), Mallows((0, 1), 0.0), Mallows((1, 0), 0.5))
    mixture = Mixture(centres, np.array([0.25, 0.75, 0.0]))
    log_probability = mixture.log_probability(np.array([[0, 1], [1, 0]]))
    assert log_probability == pytest.approx([0.0, -np.inf], abs=1e-15)


def test_samples_follow_the_probabilities_in_every_part_of_the_rows():
    """A first share 5 % too large would fail, and so would rows sorted by model."""
    n_people = draws_needed(mixed(0.6), mixed(0.63))
    mixture = Mixture(MODELS, np.array([0.6, 0.4]))
    ranks = mixture.sample(2 * n_people, rng=np.random.default_rng(random_seed()))
    index = lexicographic_index(Rankings(ranks, tuple("abcd")).orders())
    assert_follows(index[:n_people], mixed(0.6))
    assert_follows(index[n_people:], mixed(0.6))


def test_the_preferences_of_one_person_come_from_one_model():
    centres = (Mallows((0, 1, 2, 3), 0.0), Mallows((3, 2, 1, 0), 0.0), Mallows((1, 0, 2, 3), 0.0))
    mixture = Mixture(centres, np.array([0.5, 0.5, 0.0]))
    ranks = mixture.sample(1000, rng=np.random.default_rng(random_seed()))
    assert set(map(tuple, ranks.tolist())) == {(0, 1, 2, 3), (3, 2, 1, 0)}


@pytest.mark.parametrize("n_items", [1, 2, 254, 255])
@pytest.mark.parametrize("n_people", [0, 1, 50])
def test_every_model_draws_ranks_of_the_stated_form(n_items, n_people):
    uniform = Mallows(tuple(range(n_items)), 1.0), PlackettLuce(np.zeros(n_items))
    models: tuple[RankingModel, ...] = (*uniform, Mixture(uniform, np.array([0.5, 0.5])))
    for model in models:
        ranks = model.sample(n_people, rng=np.random.default_rng(5))
        assert model.n_items == n_items
        assert ranks.shape == (n_people, n_items)
        assert ranks.dtype == rank_type(n_items)
        assert ranks.flags.f_contiguous
        assert (np.sort(ranks, axis=1) == np.arange(n_items)).all()
        assert model.log_probability(np.arange(n_items)[None]).shape == (1,)


@pytest.mark.parametrize("number", range(3))
def test_the_generator_alone_decides_the_sample(number):
    model = (*MODELS, Mixture(MODELS, np.array([0.5, 0.5])))[number]
    first, again, other = (model.sample(100, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_drawn_population_has_equal_shares_and_the_stated_spread():
    """A spread 5 % off would fail."""
    n_components, n_items = 400, 100
    rng = np.random.default_rng(random_seed())
    mixture = plackett_luce_mixture(n_items, n_components, spread=0.7, rng=rng)
    assert mixture.shares == pytest.approx(1 / n_components)
    utilities = np.array([model.utilities for model in mixture.models])
    freedom = n_components * n_items
    low, high = chi2.isf([1 - FALSE_ALARM / 2, FALSE_ALARM / 2], freedom)
    assert low < (utilities**2).sum() / 0.7**2 < high
    assert high / low < 1.05**2


def test_a_population_without_spread_is_uniform():
    mixture = plackett_luce_mixture(4, 3, spread=0.0, rng=np.random.default_rng(1))
    assert mixture.log_probability(ORDERS) == pytest.approx(-log(24))


@pytest.mark.parametrize(
    ("models", "shares"),
    [
        ((), []),
        (MODELS, [1.0]),
        (MODELS, [0.5, 0.6]),
        (MODELS, [-0.5, 1.5]),
        (MODELS, [np.nan, 1.0]),
        (MODELS[:1] * 24, [1 / 22] * 22 + [1 / 22, -1 / 22]),
        ((*MODELS, Mallows((0, 1), 0.5)), [0.5, 0.25, 0.25]),
    ],
)
def test_parts_that_make_no_mixture_are_refused(models, shares):
    with pytest.raises(HushrankError, match="expected"):
        Mixture(models, np.array(shares))


@pytest.mark.parametrize(
    ("n_items", "n_components", "spread"), [(0, 1, 1.0), (1, 0, 1.0), (1, 1, -1.0), (1, 1, np.nan)]
)
def test_populations_of_nothing_are_refused(n_items, n_components, spread):
    with pytest.raises(HushrankError, match="got"):
        plackett_luce_mixture(n_items, n_components, spread=spread, rng=np.random.default_rng(1))


TURNS = np.array([np.roll(np.arange(30), -n) for n in range(30)])
"""Thirty orders of thirty items."""


def test_the_last_of_many_models_counts_and_is_drawn_from():
    shares = np.arange(1, 31) / np.arange(1, 31).sum()
    mixture = Mixture(tuple(Mallows(tuple(turn), 0.0) for turn in TURNS.tolist()), shares)
    assert np.exp(mixture.log_probability(TURNS)) == pytest.approx(shares)
    ranks = mixture.sample(2000, rng=np.random.default_rng(1))
    drawn = set(map(tuple, inverse(ranks).tolist()))
    assert drawn <= set(map(tuple, TURNS.tolist()))
    assert tuple(TURNS[-1]) in drawn


def test_one_model_of_many_must_not_have_more_items():
    models = (*MODELS[:1] * 24, Mallows((0, 1), 0.5))
    with pytest.raises(HushrankError, match="equally many items, got 2 sizes"):
        Mixture(models, np.full(25, 1 / 25))
