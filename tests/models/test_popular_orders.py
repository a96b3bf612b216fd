from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.popular_orders import PopularOrders, PopularOrdersModel
from hushrank.rankings.coding import inverse, lexicographic_index, rank_type
from tests.statistics import assert_follows, draws_needed, random_seed

ORDERS = np.array(list(permutations(range(4))))
FEATURES = rank_features(4)
REST = RankPotentials.from_coefficients(
    FEATURES, 0.4 * np.random.default_rng(1).normal(size=len(FEATURES.spreads))
)
POPULAR = PopularOrders(ORDERS[[17, 4, 23]], np.array([0.3, 0.2, 0.1]))
MODEL = PopularOrdersModel(POPULAR, REST)


def listed(shares=(0.3, 0.2, 0.1)) -> np.ndarray:
    """P of every order, from the definition."""
    probabilities = (1 - sum(shares)) * np.exp(REST.log_probability(ORDERS))
    probabilities[[17, 4, 23]] += shares
    return probabilities


def test_probabilities_are_those_of_the_definition():
    assert np.exp(MODEL.log_probability(ORDERS)) == pytest.approx(listed(), rel=1e-12)


def test_the_marginals_are_those_of_all_orders():
    ranks = inverse(ORDERS)
    at, preceded = MODEL.marginals
    for a in range(4):
        for rank in range(4):
            has_rank = ranks[:, a] == rank
            assert at[a, rank] == pytest.approx(listed() @ has_rank)
            assert MODEL.first_order_marginals[a, rank] == at[a, rank]
            for b in range(4):
                is_before = ranks[:, b] < ranks[:, a]
                expected = listed() @ (has_rank & is_before)
                assert preceded[a, b, rank] == pytest.approx(expected, abs=1e-12)
                first = listed() @ (ranks[:, a] < ranks[:, b])
                assert MODEL.precedences[a, b] == pytest.approx(first, abs=1e-12)


def test_the_second_order_marginals_are_those_of_all_orders():
    ranks, expected = inverse(ORDERS), np.zeros((6, 4, 4))
    for pair, (a, b) in enumerate(combinations(range(4), 2)):
        np.add.at(expected[pair], (ranks[:, a], ranks[:, b]), listed())
    assert MODEL.second_order_marginals == pytest.approx(expected, abs=1e-12)


def test_samples_follow_the_probabilities():
    """A first share 5 % too large would fail."""
    n_people = draws_needed(listed(), listed((0.315, 0.2, 0.1)))
    ranks = MODEL.sample(n_people, rng=np.random.default_rng(random_seed()))
    assert ranks.dtype == rank_type(4)
    assert ranks.flags.f_contiguous
    assert_follows(lexicographic_index(inverse(ranks)), listed())


def test_without_popular_orders_it_is_the_rest():
    model = PopularOrdersModel(PopularOrders(np.zeros((0, 4), dtype=np.uint8), np.zeros(0)), REST)
    assert model.second_order_marginals == pytest.approx(REST.second_order_marginals)
    assert model.log_probability(ORDERS) == pytest.approx(REST.log_probability(ORDERS))
    assert model.sample(5, rng=np.random.default_rng(1)).shape == (5, 4)


@pytest.mark.parametrize(
    ("orders", "shares"),
    [
        (ORDERS[:2], [0.5]),
        (ORDERS[:2], [0.5, 0.5]),
        (ORDERS[:2], [-0.1, 0.5]),
        (ORDERS[:2], [np.nan, 0.5]),
        (np.repeat(ORDERS[:1], 24, axis=0), [0.02] * 23 + [-0.02]),
        (ORDERS[0], [0.5]),
        (ORDERS[:1] + 1, [0.5]),
    ],
)
def test_impossible_shares_and_orders_are_refused(orders, shares):
    with pytest.raises(HushrankError, match="expected"):
        PopularOrders(orders, np.array(shares))


def test_the_rest_must_be_about_the_same_items():
    with pytest.raises(HushrankError, match="orders of 4 items"):
        PopularOrdersModel(PopularOrders(np.array([[0, 1, 2]]), np.array([0.5])), REST)


def test_the_last_of_many_orders_of_many_items_counts():
    turns = np.array([np.roll(np.arange(30), -n) for n in range(30)])
    others = turns.copy()
    others[:, -2:] = others[:, :-3:-1]  # what turns round the last two alone is not popular
    shares = np.arange(1, 31) / 1000
    model = PopularOrdersModel(PopularOrders(turns, shares), Mallows(tuple(range(30)), 1.0))
    rest = (1 - shares.sum()) / factorial(30)
    assert np.exp(model.log_probability(turns)) == pytest.approx(shares + rest)
    assert np.exp(model.log_probability(others)) == pytest.approx(rest)
    joint = model.popular.second_order_marginals
    assert joint.sum(axis=(1, 2)) == pytest.approx(shares.sum())
    assert joint[-1, 28, 29] == pytest.approx(shares[0])
    assert joint[-1, 29, 0] == pytest.approx(shares[29])
