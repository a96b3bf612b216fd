from itertools import combinations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.hierarchy import (
    ThinChain,
    crossing_information,
    information_tensor,
    learn_thin_chain,
    tripletwise_information,
)
from hushrank.rankings.coding import triplets


def random_tensor(n_items: int, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).random(len(triplets(n_items)))
    return information_tensor(n_items, values)


def test_information_is_0_for_independent_cells_and_ln_2_for_a_copied_bit():
    ranks, first = np.array([0.5, 0.2, 0.3]), np.array([0.4, 0.6])
    independent = np.outer(ranks, first).reshape(1, -1)
    copied = np.array([[0.5, 0.0, 0.0, 0.5]])
    assert tripletwise_information(independent) == pytest.approx([0.0], abs=1e-15)
    assert tripletwise_information(copied) == pytest.approx([np.log(2)])


def test_the_tensor_holds_each_triplet_twice():
    tensor = information_tensor(4, np.arange(1.0, 13.0))
    for value, (item, first, second) in enumerate(triplets(4), start=1):
        assert tensor[item, first, second] == tensor[item, second, first] == value
    assert tensor.sum() == 2 * sum(range(1, 13))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_crossing_information_sums_the_triplets_that_cross(size):
    tensor = random_tensor(6, seed=size)
    for leaf in combinations(range(6), size):
        is_leaf = np.isin(np.arange(6), leaf)
        crossing = sum(
            tensor[triplet]
            for triplet in triplets(6)
            if is_leaf[triplet[0]] != is_leaf[triplet[1]]
            and is_leaf[triplet[1]] == is_leaf[triplet[2]]
        )
        assert crossing_information(tensor, is_leaf[None]) == pytest.approx([crossing])


@pytest.mark.parametrize("max_leaf", [1, 2, 3, 6, 9])
def test_a_chain_partitions_the_items_into_small_leaves(max_leaf):
    chain = learn_thin_chain(random_tensor(6, seed=3), max_leaf)
    assert sorted(item for leaf in chain.leaves for item in leaf) == list(range(6))
    assert max(map(len, chain.leaves)) <= max_leaf
    assert [leaf for leaf, _ in chain.splits] == list(chain.leaves[:-1])
    for (leaf, rest), next_leaf in zip(chain.splits, chain.leaves[1:], strict=True):
        assert set(next_leaf) <= set(rest)
        assert not set(leaf) & set(rest)


def test_groups_that_share_no_information_are_split_apart():
    """Triplets inside {0, 3, 4} and inside {1, 2, 5} inform, those across do not."""
    values = [float(len({item in (0, 3, 4) for item in triplet}) == 1) for triplet in triplets(6)]
    chain = learn_thin_chain(information_tensor(6, np.array(values)), max_leaf=3)
    assert set(chain.leaves) == {(0, 3, 4), (1, 2, 5)}


def test_singletons_are_chosen_by_exhaustion():
    tensor = random_tensor(7, seed=11)
    sums = [
        sum(tensor[item, b, c] for b, c in combinations(range(7), 2) if item not in (b, c))
        for item in range(7)
    ]
    assert learn_thin_chain(tensor, 1).leaves[0] == (int(np.argmin(sums)),)


def test_leaves_of_different_sizes_compare_by_mean_information():
    """{0, 1} is crossed by 9 triplets of .1 nats, {0} by 6 of .12 on average: less in all."""
    is_leaf = np.arange(5) < 2
    values = [
        0.1 if is_leaf[item] != is_leaf[b] and is_leaf[b] == is_leaf[c] else 0.14
        for item, b, c in triplets(5)
    ]
    tensor = information_tensor(5, np.array(values))
    sums = crossing_information(tensor, np.array([is_leaf, np.arange(5) < 1]))
    assert sums == pytest.approx([0.9, 0.72])
    assert learn_thin_chain(tensor, 2).leaves[0] == (0, 1)


@pytest.mark.parametrize(
    "leaves",
    [((0, 1), (1, 2)), ((0,), (2,)), ((0, 1), ()), (*((item,) for item in range(30)), (), (30,))],
)
def test_leaves_that_do_not_partition_are_refused(leaves):
    with pytest.raises(HushrankError):
        ThinChain(leaves)


def test_empty_leaves_are_refused():
    with pytest.raises(HushrankError):
        learn_thin_chain(random_tensor(4, seed=1), 0)


def test_a_chain_of_many_leaves_and_of_large_ones_is_whole():
    singles = ThinChain(tuple((item,) for item in range(30)))
    assert singles.splits[0] == ((0,), tuple(range(1, 30)))
    assert singles.splits[-1] == ((28,), (29,))
    large = ThinChain((tuple(range(30)), tuple(range(30, 60))))
    assert large.splits == (large.leaves,)
    pairs = ThinChain(tuple((item, item + 1) for item in range(0, 60, 2)))
    assert pairs.ordered_leaves == pairs.leaves


def test_a_chain_of_many_items_has_them_all():
    """The last two share no information with any others."""
    values = [float(len({item >= 22 for item in triplet}) == 1) for triplet in triplets(24)]
    chain = learn_thin_chain(information_tensor(24, np.array(values)), max_leaf=2)
    assert sorted(item for leaf in chain.leaves for item in leaf) == list(range(24))
    assert chain.leaves[0] in ((22,), (22, 23))


def test_a_group_of_the_last_of_many_items_is_split_off():
    """Triplets inside {6, 7, 8} and inside the others inform, those across do not."""
    values = [float(len({item >= 6 for item in triplet}) == 1) for triplet in triplets(9)]
    chain = learn_thin_chain(information_tensor(9, np.array(values)), max_leaf=3)
    assert chain.leaves[0] == (6, 7, 8)
