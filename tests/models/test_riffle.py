from itertools import permutations
from math import comb, factorial, lgamma

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.categories import sample_categories
from hushrank.models.hierarchy import ThinChain
from hushrank.models.riffle import RiffleModel
from hushrank.models.tabulated import TabulatedModel
from hushrank.rankings.coding import inverse, lexicographic_index
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_follows, draws_needed

CHAINS = [
    ThinChain(((2,), (0,), (3,), (1,))),
    ThinChain(((1, 3), (0, 2))),
    ThinChain(((3,), (0, 1, 2))),
    ThinChain(((2, 0, 1), (3,))),
    ThinChain(((3, 1, 0, 2),)),
]


def random_model(chain: ThinChain, seed: int, concentration: float = 5.0) -> RiffleModel:
    rng = np.random.default_rng(seed)
    sizes = [factorial(len(leaf)) for leaf in chain.ordered_leaves]
    sizes += [comb(len(leaf) + len(rest), len(leaf)) for leaf, rest in chain.splits]
    shares = [rng.dirichlet(np.full(size, concentration)) for size in sizes]
    return RiffleModel.from_shares(chain, shares)


def all_orders(n_items: int) -> np.ndarray:
    return np.array(list(permutations(range(n_items))))


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_probabilities_sum_to_1(chain):
    probabilities = np.exp(random_model(chain, seed=1).log_probability(all_orders(4)))
    assert probabilities.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_samples_follow_the_probabilities(chain):
    """A model whose leaf or interleaving shares are mixed with 5 % uniform would be caught."""
    model = random_model(chain, seed=2)
    stated = np.exp(model.log_probability(all_orders(4)))
    wrong = 0.95 * stated + 0.05 / 24
    n_people = draws_needed(stated, wrong)
    ranks = model.sample(n_people, rng=np.random.default_rng(2026))
    assert_follows(lexicographic_index(Rankings(ranks, tuple("abcd")).orders()), stated)


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_exact_marginals_equal_enumeration(chain):
    model = random_model(chain, seed=3)
    orders = all_orders(4)
    probabilities = np.exp(model.log_probability(orders))
    each = [second_order_marginals(Rankings.from_orders(order[None])) for order in orders]
    assert model.second_order_marginals() == pytest.approx(
        np.tensordot(probabilities, np.array(each), axes=1), abs=1e-12
    )


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_exact_first_order_marginals_are_sums_of_the_second_order_ones(chain):
    model = random_model(chain, seed=4)
    first, second = model.first_order_marginals(), model.second_order_marginals()
    assert first[0] == pytest.approx(second[0].sum(axis=1))
    assert first[3] == pytest.approx(second[-1].sum(axis=0))
    assert first.sum(axis=0) == pytest.approx(np.ones(4))


def test_an_impossible_order_has_no_probability():
    chain = ThinChain(((0,), (1,)))
    model = RiffleModel.from_shares(chain, [np.array([1.0, 0.0])])
    assert model.log_probability(np.array([[0, 1], [1, 0]])).tolist() == [0.0, -np.inf]


def test_a_model_with_missing_parts_is_refused():
    with pytest.raises(HushrankError):
        RiffleModel.from_shares(CHAINS[0], [np.ones(2) / 2])


@pytest.mark.parametrize("n_categories", [2, 64, 65, 300])
def test_categories_follow_their_shares_in_both_ways_of_drawing(n_categories):
    stated = np.random.default_rng(5).dirichlet(np.full(n_categories, 20.0))
    wrong = 0.9 * stated + 0.1 / n_categories
    n_people = draws_needed(stated, wrong)
    drawn = sample_categories(stated, n_people, rng=np.random.default_rng(7))
    assert_follows(drawn, stated)


def test_a_category_without_share_is_never_drawn():
    for shares in ([0.5, 0.0, 0.5, 0.0], [0.0, 1.0]):
        drawn = sample_categories(np.array(shares), 10_000, rng=np.random.default_rng(1))
        assert set(np.unique(drawn)) == set(np.flatnonzero(shares))


def test_tabulated_probabilities_are_the_shares_and_samples_follow():
    stated = np.random.default_rng(1).dirichlet(np.full(6, 5.0))
    model = TabulatedModel(3, stated)
    assert np.exp(model.log_probability(all_orders(3))) == pytest.approx(stated)
    n_people = draws_needed(stated, 0.95 * stated + 0.05 / 6)
    ranks = model.sample(n_people, rng=np.random.default_rng(3))
    assert_follows(lexicographic_index(Rankings(ranks, tuple("abc")).orders()), stated)


def test_a_table_of_the_wrong_size_is_refused():
    with pytest.raises(HushrankError, match="24"):
        TabulatedModel(4, np.ones(6) / 6)


LONG = ThinChain((*((item,) for item in range(20)), (21, 20), (22, 23)))
"""Two leaves with an order come below many without."""


def certain(n: int, of: int) -> np.ndarray:
    return np.eye(of)[n]


def test_every_part_of_a_long_chain_is_merged():
    """Each single item goes in at the end of the rest, the first pair is turned round."""
    merged = [certain(len(rest), len(rest) + 1) for _, rest in LONG.splits[:20]]
    model = RiffleModel.from_shares(
        LONG, [certain(1, 2), certain(0, 2), *merged, certain(0, comb(4, 2))]
    )
    order = np.array([20, 21, 22, 23, *range(20)[::-1]])
    assert model.log_probability(order[None]).tolist() == [0.0]
    assert inverse(model.sample(3, rng=np.random.default_rng(1))).tolist() == [order.tolist()] * 3
    assert np.array_equal(model.first_order_marginals(), np.eye(24)[np.argsort(order)])


def test_many_interleavings_and_orders_of_one_leaf_count():
    model = random_model(ThinChain(((0, 1, 2), (3, 4, 5, 6))), seed=5)
    orders = all_orders(7)
    ranks, expected = inverse(orders), np.zeros((7, 7))
    probabilities = np.exp(model.log_probability(orders))
    for item in range(7):
        np.add.at(expected[item], ranks[:, item], probabilities)
    assert model.first_order_marginals() == pytest.approx(expected)


@pytest.mark.parametrize("last", [0, 1])
def test_the_last_of_many_leaves_has_its_own_order(last):
    pairs = ThinChain(tuple((item, item + 1) for item in range(0, 44, 2)))
    orders = [certain(0, 2)] * 21 + [certain(last, 2)]
    merged = [certain(0, comb(2 + len(rest), 2)) for _, rest in pairs.splits]
    model = RiffleModel.from_shares(pairs, [*orders, *merged])
    order = [*range(42), 42 + last, 43 - last]
    assert model.log_probability(np.array([order])).tolist() == [0.0]
    assert inverse(model.sample(2, rng=np.random.default_rng(1))).tolist() == [order] * 2


@pytest.mark.parametrize(
    "chain", [LONG, ThinChain(tuple((item, item + 1) for item in range(0, 44, 2)))]
)
def test_all_parts_of_a_long_chain_are_factors(chain):
    """Where each is even, so is every order."""
    sizes = [factorial(len(leaf)) for leaf in chain.ordered_leaves]
    sizes += [comb(len(leaf) + len(rest), len(leaf)) for leaf, rest in chain.splits]
    model = RiffleModel.from_shares(chain, [np.full(size, 1 / size) for size in sizes])
    found = model.log_probability(np.arange(chain.n_items)[None])
    assert found == pytest.approx([-lgamma(chain.n_items + 1)])
