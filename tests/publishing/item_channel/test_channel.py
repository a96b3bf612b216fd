import numpy as np
import pytest

from hushrank.publishing.item_channel.binary.solve import solve_binary
from hushrank.publishing.item_channel.channel import compact_channel
from hushrank.randomness import Randomness
from tests.publishing.item_channel.problems import problem
from tests.statistics import assert_follows, draws_needed, random_seed

WORDS = 2**64


def small_channel():
    """Item 0 stays or moves to both columns, item 1 always moves, item 2 always stays."""
    spreads = [(np.array([1, 2]), np.array([0.25, 0.75])), (np.array([0, 1, 2]), np.ones(3) / 3)]
    starts, columns = np.array([0, 2, 3, 3]), np.array([0, 1, 1])
    return compact_channel(starts, columns, np.array([0.2, 0.3, 1.0]), spreads)


def exact_law(channel, item):
    """Count the pairs of words that release each item, in whole numbers: (items,), of 2^128."""
    law, below = [0] * channel.n_items, 0
    for entry in range(channel.starts[item], channel.starts[item + 1]):
        chosen = int(channel.bounds[entry]) - below
        below += chosen
        first, last = channel.good_starts[channel.columns[entry] + np.arange(2)]
        goods_below = 0
        for good in range(first, last):
            bound = WORDS if good == last - 1 else int(channel.good_bounds[good])
            law[channel.goods[good]] += chosen * (bound - goods_below)
            goods_below = bound
    law[item] += (WORDS - below) * WORDS
    return law


def test_the_matrix_is_the_law_of_the_words():
    for channel in (small_channel(), solve_binary(problem(40)).channel):
        for item in range(channel.n_items):
            law = exact_law(channel, item)
            assert sum(law) == WORDS**2
            stated = [count / WORDS**2 for count in law]
            assert channel.matrix()[item] == pytest.approx(stated, rel=1e-12, abs=1e-16)


def test_words_beside_each_bound_decide_as_stated():
    channel = small_channel()
    (bound, next_bound), spread = channel.bounds[:2], channel.good_bounds
    words = [
        (bound - 1, spread[0] - 1, 1),  # the first column, its first item
        (bound - 1, spread[0], 2),
        (bound - 1, 2**64 - 1, 2),  # the last item takes the rest
        (bound, 0, 0),  # the second column
        (bound, spread[2], 1),
        (next_bound - 1, spread[3], 2),
        (next_bound, 0, 0),  # stays
        (2**64 - 1, 2**64 - 1, 0),
    ]
    drawn = np.array([pair for *pair, _ in words], dtype=np.uint64)
    released = channel.release(np.zeros(len(words), dtype=np.intp), drawn)
    assert released.tolist() == [item for *_, item in words]


def followed(channel, item, stated, wrong):
    """Assert that enough releases of `item` follow `stated` to tell them from `wrong`."""
    n_draws = draws_needed(stated, wrong)
    words = Randomness.seeded(random_seed() + item).words(2 * n_draws).reshape(-1, 2)
    assert_follows(channel.release(np.full(n_draws, item), words), stated)


def test_releases_follow_the_channel():
    """A channel whose every move is 5 % likelier would fail."""
    stated = small_channel().matrix()[0]
    followed(small_channel(), 0, stated, 1.05 * stated - np.array([0.05, 0, 0]))


def test_columns_release_evenly_what_they_state():
    """A column that releases its last item 1 % too often would fail."""
    followed(small_channel(), 1, np.ones(3) / 3, np.array([0.33, 0.33, 0.34]))


def test_a_solved_channel_is_followed():
    """A channel whose every move is 5 % likelier would fail."""
    channel = solve_binary(problem(5, seed=4, share=0.05)).channel
    matrix = channel.matrix()
    item = int(np.argmax(matrix.min(axis=1)))
    assert matrix[item].min() > 1e-4
    own = np.arange(5) == item
    followed(channel, item, matrix[item], 1.05 * matrix[item] - 0.05 * own)


def test_a_channel_is_compact():
    posed = problem(1000)
    assert solve_binary(posed).channel.n_bytes < 64 * 1000


def test_representations_show_sizes_only():
    channel = small_channel()
    assert repr(channel) == "CompactChannel(3 items, 2 columns)"
