from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models import plackett_luce
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.rankings.coding import inverse, lexicographic_index
from hushrank.rankings.formats.preflib import parse_preflib
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_follows, draws_needed, random_seed

UTILITIES = np.array([0.3, -0.5, 0.9, 0.0])
NAN = np.nan
TOP_LISTS = np.array(
    [
        [0, 1, NAN, 2],
        [1, 0, NAN, NAN],
        [NAN, 2, 0, 1],
        [0, NAN, NAN, NAN],
        [NAN, NAN, 1, 0],
        [2, NAN, 1, 0],
        [3, 1, 2, 0],
    ]
)


def all_orders(n_items: int) -> np.ndarray:
    return np.array(list(permutations(range(n_items))))


def enumerated(weights: np.ndarray) -> np.ndarray:
    """P of every order, from nothing but the definition."""
    in_order = weights[all_orders(len(weights))]
    offered = [in_order[:, at:].sum(axis=1) for at in range(len(weights))]
    return np.prod(in_order / np.transpose(offered), axis=1)


def score(rankings: Rankings, weights: np.ndarray) -> np.ndarray:
    """The gradient (items,) of the log-likelihood in the utilities, choice by choice."""
    gradient = np.zeros(len(weights))
    for ranks, is_ranked, people in zip(
        rankings.ranks, rankings.is_ranked, rankings.people_of_rows, strict=True
    ):
        order = [item for item in np.argsort(ranks, kind="stable") if is_ranked[item]]
        for at, item in enumerate(order[:-1]):
            offered = order[at:]
            gradient[item] += people
            gradient[offered] -= people * weights[offered] / weights[offered].sum()
    return gradient


def test_probabilities_equal_enumeration():
    utilities = np.random.default_rng(1).normal(size=6)
    probabilities = np.exp(PlackettLuce(utilities).log_probability(all_orders(6)))
    assert probabilities == pytest.approx(enumerated(np.exp(utilities)), rel=1e-12)


def test_a_shift_of_the_utilities_changes_nothing():
    orders = all_orders(4)
    shifted = PlackettLuce(UTILITIES + 900).log_probability(orders)
    assert shifted == pytest.approx(PlackettLuce(UTILITIES).log_probability(orders), rel=1e-11)


def test_utilities_too_far_apart_for_weights_still_count():
    model = PlackettLuce(np.array([0.0, -2000.0, -5000.0]))
    log_probability = model.log_probability(np.array([[0, 1, 2], [0, 2, 1], [2, 1, 0]]))
    assert log_probability.tolist() == [0.0, -3000.0, -7000.0]
    ranks = model.sample(100, rng=np.random.default_rng(random_seed()))
    assert (ranks == [0, 1, 2]).all()


def test_weights_are_the_probabilities_of_the_first_place():
    model = PlackettLuce(np.log([2.0, 6.0, 12.0]))
    assert model.weights == pytest.approx([0.1, 0.3, 0.6], rel=1e-12)
    assert PlackettLuce(UTILITIES - 5000).weights == pytest.approx(PlackettLuce(UTILITIES).weights)


@pytest.mark.parametrize("utilities", [UTILITIES, 2 * UTILITIES])
def test_samples_follow_the_probabilities(utilities):
    """Utilities 5 % too large would fail, with probability 0.999."""
    stated, wrong = enumerated(np.exp(utilities)), enumerated(np.exp(1.05 * utilities))
    n_people = draws_needed(stated, wrong)
    ranks = PlackettLuce(utilities).sample(n_people, rng=np.random.default_rng(random_seed()))
    orders = Rankings(ranks, tuple("abcd")).orders()
    assert_follows(lexicographic_index(orders), stated)


def test_many_items_are_first_as_often_as_they_weigh():
    """Beyond 64 items rows are sorted; utilities 20 % too large would fail."""
    utilities = np.random.default_rng(4).normal(0, 0.4, size=70)
    stated = PlackettLuce(utilities).weights
    n_people = draws_needed(stated, PlackettLuce(1.2 * utilities).weights)
    rng = np.random.default_rng(random_seed())
    ranks = PlackettLuce(utilities).sample(n_people, rng=rng)
    assert (np.sort(ranks[:1000], axis=1) == np.arange(70)).all()
    assert_follows(inverse(ranks)[:, 0], stated)


def test_the_fit_finds_the_population():
    utilities = UTILITIES - UTILITIES.mean()
    people = np.round(1e12 * enumerated(np.exp(utilities))).astype(np.int64)
    fitted = PlackettLuce.fit(Rankings.from_orders(all_orders(4), multiplicities=people))
    assert fitted.utilities - fitted.utilities.mean() == pytest.approx(utilities, abs=1e-8)
    assert np.exp(fitted.utilities).mean() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("prior", [0.0, 0.7])
def test_the_slope_is_0_at_the_fit_of_top_lists(prior):
    rankings = Rankings.from_keys(TOP_LISTS, tuple("abcd"), np.array([5, 7, 3, 9, 2, 4, 1]))
    weights = np.exp(PlackettLuce.fit(rankings, prior=prior, tolerance=1e-13).utilities)
    slope = score(rankings, weights) + prior * (1 - weights)
    assert slope == pytest.approx(np.zeros(4), abs=1e-9)


def test_a_row_counts_for_all_its_people():
    people = np.array([5, 7, 3, 9, 2, 4, 1])
    counted = Rankings.from_keys(TOP_LISTS, tuple("abcd"), people)
    of_counted, of_each = PlackettLuce.fit(counted), PlackettLuce.fit(counted.expanded())
    assert of_counted.utilities == pytest.approx(of_each.utilities, rel=1e-9)


def test_relabelled_items_relabel_the_fit():
    rankings = Rankings.from_keys(TOP_LISTS, tuple("abcd"))
    relabelled = PlackettLuce.fit(rankings.restrict([2, 0, 3, 1])).utilities
    assert relabelled == pytest.approx(PlackettLuce.fit(rankings).utilities[[2, 0, 3, 1]])


WITHOUT_MAXIMUM = {
    "one item always last": [[0, 1, 2], [1, 0, 2]],
    "one item always first": [[0, 1, 2], [0, 2, 1]],
    "two groups that nobody compares": [[0, 1, NAN, NAN], [NAN, NAN, 0, 1], [1, 0, NAN, NAN]],
    "an item that nobody ranks": [[0, 1, NAN], [1, 0, NAN]],
    "a chain of groups": [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2]],
}


@pytest.mark.parametrize("keys", WITHOUT_MAXIMUM.values(), ids=WITHOUT_MAXIMUM.keys())
def test_data_without_a_maximum_are_refused_unless_there_is_a_prior(keys):
    rankings = Rankings.from_keys(keys, tuple("abcd")[: len(keys[0])])
    with pytest.raises(HushrankError, match="no maximum"):
        PlackettLuce.fit(rankings)
    weights = np.exp(PlackettLuce.fit(rankings, prior=0.5, tolerance=1e-12).utilities)
    slope = score(rankings, weights) + 0.5 * (1 - weights)
    assert slope == pytest.approx(np.zeros(len(weights)), abs=1e-9)


def test_a_long_cycle_connects_the_items():
    """Each item beats only the next: the paths have to be followed all the way round."""
    keys = np.full((9, 9), NAN)
    keys[np.arange(9), np.arange(9)] = 0
    keys[np.arange(9), (np.arange(9) + 1) % 9] = 1
    rankings = Rankings.from_keys(keys, tuple("abcdefghi"))
    assert PlackettLuce.fit(rankings).utilities == pytest.approx(np.zeros(9), abs=1e-9)
    with pytest.raises(HushrankError, match="got 9 groups"):
        PlackettLuce.fit(rankings.select(np.arange(8)))


def test_ties_are_refused():
    with pytest.raises(HushrankError, match="strict"):
        PlackettLuce.fit(Rankings.from_keys([[0, 0, 1], [1, 0, 0]], tuple("abc")))


def test_a_fit_that_does_not_converge_is_refused(monkeypatch):
    monkeypatch.setattr(plackett_luce, "MOST_ITERATIONS", 2)
    with pytest.raises(HushrankError, match="no convergence in 2 iterations"):
        PlackettLuce.fit(Rankings.from_keys(TOP_LISTS, tuple("abcd")))


@pytest.mark.parametrize("wrong", [{"prior": -1.0}, {"prior": NAN}, {"tolerance": 0.0}])
def test_wrong_parameters_of_the_fit_are_refused(wrong):
    with pytest.raises(HushrankError, match=f"{next(iter(wrong))}.*got"):
        PlackettLuce.fit(Rankings.from_keys(TOP_LISTS, tuple("abcd")), **wrong)


def test_a_single_item_is_refused():
    with pytest.raises(HushrankError, match="2 items"):
        PlackettLuce.fit(Rankings.from_orders(np.array([[0]])))


@pytest.mark.parametrize("utilities", [[], [[0.0, 1.0]], [0.0, np.inf], [0.0, NAN]])
def test_wrong_utilities_are_refused(utilities):
    with pytest.raises(HushrankError, match="utilities"):
        PlackettLuce(np.array(utilities))


@pytest.mark.parametrize("orders", [[[0, 1, 2]], [0, 1, 2, 3], [[1, 2, 3, 4]], [[-1, 0, 1, 2]]])
def test_orders_of_other_items_are_refused(orders):
    with pytest.raises(HushrankError, match="orders"):
        PlackettLuce(UTILITIES).log_probability(np.array(orders))


def test_utilities_are_copied_and_frozen():
    given = UTILITIES.copy()
    model = PlackettLuce(given)
    given[0] = 7
    assert model.utilities.tolist() == UTILITIES.tolist()
    with pytest.raises(ValueError, match="read-only"):
        model.utilities[0] = 7


def test_sushi_has_its_known_likelihood(data_folder):
    rankings = parse_preflib((data_folder / "sushi" / "sushi.soc").read_bytes())
    fitted = PlackettLuce.fit(rankings)
    likelihood = fitted.log_probability(rankings.orders()) @ rankings.people_of_rows
    assert likelihood == pytest.approx(-71211.6, abs=0.05)


def test_every_one_of_many_places_is_a_choice():
    utilities = np.random.default_rng(1).normal(size=30)
    order = np.random.default_rng(2).permutation(30)
    weights = np.exp(utilities[order])
    expected = np.log(weights / weights[::-1].cumsum()[::-1]).sum()
    assert PlackettLuce(utilities).log_probability(order[None]) == pytest.approx([expected])


@pytest.mark.parametrize("item", [0, 29])
def test_one_of_many_utilities_must_not_be_infinite(item):
    utilities = np.zeros(30)
    utilities[item] = np.inf
    with pytest.raises(HushrankError, match="expected finite utilities"):
        PlackettLuce(utilities)
