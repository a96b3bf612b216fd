from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.ranking_model import RankingModel
from hushrank.rankings.coding import inverse, lexicographic_index
from hushrank.rankings.marginals import first_order_marginals, majority, second_order_marginals
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_follows, draws_needed, random_seed

SIZES = range(1, 8)


def drawn_potentials(n_items: int, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_items)
    own = rng.normal(0, scale, size=(n_items, n_items))
    return own, rng.normal(0, scale, size=(n_items, n_items, n_items))


@cache
def all_ranks(n_items: int) -> np.ndarray:
    return np.array(list(permutations(range(n_items))), dtype=np.uint8)


@cache
def indicators(n_items: int) -> tuple[np.ndarray, np.ndarray]:
    """[rank of a = r] and [that, and b before a], for each of `all_ranks`."""
    ranks = all_ranks(n_items)
    at = ranks[:, :, None] == np.arange(n_items)
    is_before = ranks[:, None, :] < ranks[:, :, None]
    return at, is_before[:, :, :, None] & at[:, :, None, :]


def log_weights_by_definition(own: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Of the ranks of `all_ranks`, from nothing but the formula."""
    at, preceded = indicators(len(own))
    return np.tensordot(at, own, axes=2) + np.tensordot(preceded, before, axes=3)


def probabilities_by_definition(own: np.ndarray, before: np.ndarray) -> np.ndarray:
    logs = log_weights_by_definition(own, before)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


@pytest.mark.parametrize("n_items", SIZES)
def test_the_sum_over_all_orders_and_each_probability_equal_enumeration(n_items):
    own, before = drawn_potentials(n_items)
    model: RankingModel = RankPotentials(own, before)
    logs = log_weights_by_definition(own, before)
    assert model.log_partition == pytest.approx(np.logaddexp.reduce(logs), abs=1e-10)
    found = model.log_probability(inverse(all_ranks(n_items)))
    assert found == pytest.approx(logs - np.logaddexp.reduce(logs), abs=1e-10)


@pytest.mark.parametrize("n_items", SIZES)
def test_marginals_of_every_order_equal_enumeration(n_items):
    potentials = drawn_potentials(n_items)
    model, chances = RankPotentials(*potentials), probabilities_by_definition(*potentials)
    at, preceded = (np.tensordot(chances, each, axes=1) for each in indicators(n_items))
    assert model.marginals[0] == pytest.approx(at, abs=1e-12)
    assert model.marginals[1] == pytest.approx(preceded, abs=1e-12)
    assert model.first_order_marginals is model.marginals[0]
    is_before = all_ranks(n_items)[:, :, None] < all_ranks(n_items)[:, None, :]
    assert model.precedences == pytest.approx(np.tensordot(chances, is_before, axes=1), abs=1e-12)


@pytest.mark.parametrize("n_items", range(2, 8))
def test_joint_ranks_equal_enumeration(n_items):
    potentials = drawn_potentials(n_items)
    chances, ranks = probabilities_by_definition(*potentials), all_ranks(n_items)
    joint = np.zeros((n_items * (n_items - 1) // 2, n_items, n_items))
    for pair, (a, b) in enumerate(combinations(range(n_items), 2)):
        np.add.at(joint[pair], (ranks[:, a], ranks[:, b]), chances)
    found = RankPotentials(*potentials).second_order_marginals
    assert found == pytest.approx(joint, abs=1e-12)


@pytest.mark.parametrize("n_items", SIZES)
def test_covariance_products_equal_enumeration(n_items):
    potentials, moves = drawn_potentials(n_items), drawn_potentials(n_items, scale=0.7)
    chances = probabilities_by_definition(*potentials)
    moved = log_weights_by_definition(*moves)
    expected = [
        np.tensordot(chances * (moved - chances @ moved), each, axes=1)
        for each in indicators(n_items)
    ]
    found = RankPotentials(*potentials).covariance_product(*moves)
    assert found[0] == pytest.approx(expected[0], abs=1e-11)
    assert found[1] == pytest.approx(expected[1], abs=1e-11)


def test_covariance_products_are_the_slopes_of_the_marginals():
    own, before = drawn_potentials(6)
    moves, step = drawn_potentials(6, scale=0.7), 1e-5
    ahead = RankPotentials(own + step * moves[0], before + step * moves[1]).marginals
    back = RankPotentials(own - step * moves[0], before - step * moves[1]).marginals
    found = RankPotentials(own, before).covariance_product(*moves)
    for slope, high, low in zip(found, ahead, back, strict=True):
        assert slope == pytest.approx((high - low) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("n_directions", [1, 7, 8, 9, 20])
def test_many_directions_at_once_are_each_taken_alone(n_directions):
    rng = np.random.default_rng(3)
    model = RankPotentials(*drawn_potentials(5))
    own, before = rng.normal(size=(n_directions, 5, 5)), rng.normal(size=(n_directions, 5, 5, 5))
    at, preceded = model.covariance_product(own, before)
    assert at.shape == own.shape
    assert preceded.shape == before.shape
    for n in range(n_directions):
        alone = model.covariance_product(own[n], before[n])
        assert at[n] == pytest.approx(alone[0], abs=1e-13)
        assert preceded[n] == pytest.approx(alone[1], abs=1e-13)


def test_expectations_are_of_functions_of_the_set_before_and_the_next_item():
    """Here the product of the items before and the next one, where exactly two are before."""
    potentials = drawn_potentials(5)
    values = np.zeros((32, 5))
    for first, second in combinations(range(5), 2):
        values[1 << first | 1 << second] = (first + 1) * (second + 1) * np.arange(1, 6)
    orders = inverse(all_ranks(5)).astype(float)
    expected = probabilities_by_definition(*potentials) @ (orders[:, :3] + 1).prod(axis=1)
    assert RankPotentials(*potentials).expectation(values) == pytest.approx(expected, rel=1e-12)


def test_samples_follow_the_probabilities():
    """Potentials 5 % too small would fail, and so would ranks taken for orders."""
    own, before = drawn_potentials(4, scale=0.6)
    stated = probabilities_by_definition(own, before)
    n_people = draws_needed(stated, probabilities_by_definition(0.95 * own, 0.95 * before))
    ranks = RankPotentials(own, before).sample(n_people, rng=np.random.default_rng(random_seed()))
    assert_follows(lexicographic_index(ranks), stated)


def test_samples_in_many_blocks_agree_with_the_marginals():
    model = RankPotentials(*drawn_potentials(9, scale=0.3))
    ranks = model.sample(300_000, rng=np.random.default_rng(random_seed()))
    sample = Rankings(ranks, tuple("abcdefghi"))
    deviation = np.sqrt(0.25 / len(ranks))
    tolerance = 6.5 * deviation  # 3e-8 for each of some thousand shares, at most
    assert first_order_marginals(sample) == pytest.approx(model.marginals[0], abs=tolerance)
    assert second_order_marginals(sample) == pytest.approx(
        model.second_order_marginals, abs=tolerance
    )
    precedences = majority(sample) / len(ranks)
    assert precedences == pytest.approx(model.precedences, abs=tolerance)


def test_hopeless_orders_neither_overflow_nor_appear():
    """One order outweighs all others by e^2000, at every place."""
    own = 2000.0 * np.eye(5)[[2, 0, 3, 1, 4]]
    model = RankPotentials(own - 1e4, np.zeros((5, 5, 5)))
    assert model.log_partition == pytest.approx(5 * (2000 - 1e4))
    assert model.marginals[0].tolist() == np.eye(5)[[2, 0, 3, 1, 4]].tolist()
    ranks = model.sample(1000, rng=np.random.default_rng(1))
    assert (ranks == [2, 0, 3, 1, 4]).all()


def test_coefficients_are_those_of_the_features():
    features = rank_features(4)
    coefficients = np.random.default_rng(5).normal(size=len(features.spreads))
    model = RankPotentials.from_coefficients(features, coefficients)
    assert model.own == pytest.approx(np.tensordot(coefficients, features.own, axes=1))
    assert model.before == pytest.approx(np.tensordot(coefficients, features.before, axes=1))


def test_relabelled_items_relabel_the_model():
    own, before = drawn_potentials(6)
    new = np.array([3, 5, 0, 1, 4, 2])
    model = RankPotentials(own, before)
    relabelled = RankPotentials(own[new], before[np.ix_(new, new)])
    assert relabelled.log_partition == pytest.approx(model.log_partition, rel=1e-12)
    assert relabelled.precedences == pytest.approx(model.precedences[np.ix_(new, new)], abs=1e-12)


@pytest.mark.parametrize(
    ("own", "before"),
    [
        (np.zeros((3, 4)), np.zeros((3, 3, 3))),
        (np.zeros((3, 3)), np.zeros((3, 3))),
        (np.zeros((3, 3)), np.zeros((4, 4, 4))),
        (np.zeros(3), np.zeros((3, 3, 3))),
        (np.zeros((0, 0)), np.zeros((0, 0, 0))),
        (np.full((3, 3), np.nan), np.zeros((3, 3, 3))),
        (np.zeros((3, 3)), np.full((3, 3, 3), -np.inf)),
        (np.where(np.arange(36) < 35, 0, np.nan).reshape(6, 6), np.zeros((6, 6, 6))),
        (np.zeros((6, 6)), np.where(np.arange(216) < 215, 0, np.inf).reshape(6, 6, 6)),
        (np.zeros((21, 21)), np.zeros((21, 21, 21))),
    ],
)
def test_other_potentials_are_refused(own, before):
    with pytest.raises(HushrankError, match="expected"):
        RankPotentials(own, before)


def test_values_of_another_shape_have_no_expectation():
    with pytest.raises(HushrankError, match="values of shape"):
        RankPotentials(*drawn_potentials(3)).expectation(np.zeros((8, 4)))


def test_the_potentials_cannot_be_changed():
    model = RankPotentials(*drawn_potentials(3))
    assert repr(model) == "RankPotentials(3 items)"
    with pytest.raises(ValueError, match="read-only"):
        model.own[0, 0] = 1.0
