"""The generator follows the laws of its source, step by step."""

from itertools import permutations

import numpy as np
import pytest

from hushrank.activities import transactions
from hushrank.activities.transactions import Patterns, draw_transactions
from hushrank.errors import HushrankError
from tests.statistics import assert_follows, draws_needed, random_seed


def fill(sizes, patterns, weights, intact, rng, n_items=20):
    """Return the transactions as lists of items."""
    ends = np.cumsum([len(pattern) for pattern in patterns])
    members = np.concatenate(patterns).astype(np.int32)
    cumulated = np.cumsum(weights) / np.sum(weights)
    indptr, items = transactions._fill(
        np.asarray(sizes), n_items, ends, members, cumulated, np.asarray(intact), rng
    )
    return [row.tolist() for row in np.split(items, indptr[1:-1])]


def test_items_are_chosen_without_replacement_and_alike():
    """Catches a pair that is a fifth more likely."""
    pairs = list(permutations(range(4), 2))
    right = np.full(12, 1 / 12)
    wrong = np.where(np.arange(12) == 0, 1.2, 1 - 0.2 / 11) / 12
    rng = np.random.default_rng(random_seed())
    drawn = []
    for _ in range(draws_needed(right, wrong)):
        values = np.arange(4, dtype=np.int32)
        transactions._choose(values, 2, rng)
        drawn.append(pairs.index((values[0], values[1])))
    assert_follows(np.array(drawn), right)


def law_of_one_place(intact):
    """P(a transaction of one place keeps 1, 2, 3 items of a pattern of 3): half of what is too
    large is refused."""
    weights = np.array([(1 - intact) ** 2, (1 - intact) / 2, 1 / 2]) * intact
    return weights / weights.sum()


def test_patterns_lose_items_by_their_law():
    """Catches a corruption of .3 instead of .25."""
    right, wrong = law_of_one_place(0.75), law_of_one_place(0.7)
    n_users = draws_needed(right, wrong)
    rng = np.random.default_rng(random_seed())
    rows = fill(np.ones(n_users, dtype=int), [[3, 1, 2]], [1.0], [0.75], rng)
    assert_follows(np.array([len(row) - 1 for row in rows]), right)
    singles = np.array([row[0] - 1 for row in rows if len(row) == 1])
    more = fill(np.ones(200_000, dtype=int), [[3, 1, 2]], [1.0], [0.75], rng)
    singles = np.array([row[0] - 1 for row in rows + more if len(row) == 1])
    assert_follows(singles, np.full(3, 1 / 3))


def test_a_transaction_takes_all_items_of_a_long_pattern():
    patterns, rng = [range(30), range(30, 60)], np.random.default_rng(random_seed())
    rows = fill([30] * 20, patterns, [0.5, 0.5], [1.0, 1.0], rng, n_items=60)
    assert all(sorted(row) in map(list, patterns) for row in rows)


def test_patterns_are_used_by_their_weights():
    right, wrong = np.array([0.5, 0.3, 0.2]), np.array([0.5, 0.29, 0.21])
    n_users = draws_needed(right, wrong)
    rng = np.random.default_rng(random_seed())
    rows = fill(np.ones(n_users, dtype=int), [[4], [5], [6]], right, [1, 1, 1], rng)
    assert_follows(np.array(rows).ravel() - 4, right)


def test_a_pattern_that_is_left_over_opens_the_next_transaction():
    """Patterns A of 1 item and B of 3, equally likely, for 2 places.

    Afresh, B alone, A alone and both are equally likely. A alone leaves B over; then B is taken in
    half of the cases, and otherwise it is as afresh.
    """
    after_a, afresh = np.array([4, 1, 1]) / 6, np.full(3, 1 / 3)
    n_users = 4 * draws_needed(after_a, afresh)  # A is alone in 2 of 7 transactions
    rng = np.random.default_rng(random_seed())
    rows = fill(np.full(n_users, 2), [[1], [4, 5, 6]], [1.0, 1.0], [1, 1], rng)
    kinds = np.array([{3: 0, 1: 1, 4: 2}[len(row)] for row in rows])
    previous, following = kinds[:-1], kinds[1:]
    assert_follows(following[previous == 1], after_a)
    assert_follows(following[previous != 1], afresh)


def test_a_transaction_has_each_item_once_and_ends_when_items_run_out():
    rows = fill(np.full(50, 9), [[1, 2, 1], [2, 3]], [1.0, 1.0], [1, 1], np.random.default_rng(4))
    assert all(sorted(row) == [1, 2, 3] for row in rows)


def test_patterns_share_items_with_the_one_before():
    items = np.arange(1, 101) / 100
    lengths, overlaps = np.array([6, 4, 4]), np.array([1.0, 0.5, 0.0])
    rng = np.random.default_rng(5)
    shared = np.zeros(2)
    for _ in range(200):
        ends, members = transactions._draw_patterns(lengths, overlaps, items, rng)
        assert ends.tolist() == [6, 10, 14]
        first, second, third = np.split(members, ends[:-1])
        assert np.isin(second, first).sum() >= 2
        shared += [np.isin(second, first).mean(), np.isin(third, second).mean()]
    assert shared[0] / 200 == pytest.approx(0.53, abs=0.04)
    assert shared[1] / 200 == pytest.approx(0.04, abs=0.03)


def test_items_of_patterns_follow_their_weights():
    right, wrong = np.array([0.5, 0.3, 0.2]), np.array([0.5, 0.29, 0.21])
    n_draws = draws_needed(right, wrong)
    rng = np.random.default_rng(random_seed())
    lengths = np.ones(n_draws, dtype=np.int64)
    _, members = transactions._draw_patterns(lengths, np.zeros(n_draws), np.cumsum(right), rng)
    assert_follows(members, right)


def test_an_activity_is_as_large_as_asked_for():
    rng = np.random.default_rng(6)
    activity = draw_transactions(3000, 500, mean_items=40, rng=rng)
    assert (activity.n_users, activity.n_items, activity.binary) == (3000, 500, True)
    assert activity.records_of_users.mean() == pytest.approx(40, rel=0.02)
    assert activity.records_of_users.std() == pytest.approx(40**0.5, rel=0.1)
    assert activity.records_of_users.min() >= 1
    again = draw_transactions(3000, 500, mean_items=40, rng=np.random.default_rng(6))
    assert again == activity


def test_items_of_one_pattern_are_used_together():
    """Without patterns, items correlate only as shares of one basket do."""
    loose, tight = (
        draw_transactions(
            4000, 40, mean_items=4, patterns=Patterns(n, length, 0, 1, 0), rng=rng
        ).scores.toarray()
        for n, length, rng in (
            (1000, 1, np.random.default_rng(7)),
            (10, 4, np.random.default_rng(7)),
        )
    )

    def largest(dense):
        used = dense[:, dense.std(axis=0) > 0]
        return (np.corrcoef(used.T) - np.eye(used.shape[1])).max()

    assert largest(tight) > 0.5 > 0.1 > largest(loose)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"n_users": 0}, "1 or more users"),
        ({"n_items": 1}, "2 or more items"),
        ({"mean_items": 0.5}, r"mean of 1\.\.10 items"),
        ({"mean_items": 11}, r"mean of 1\.\.10 items"),
        ({"mean_items": np.nan}, "mean of"),
    ],
)
def test_sizes_are_checked(arguments, expected):
    sizes = {"n_users": 5, "n_items": 20, "mean_items": 3, **arguments}
    with pytest.raises(HushrankError, match=expected):
        draw_transactions(**sizes, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "field", [{"n_patterns": 0}, {"length": 0.5}, {"overlap": -1}, {"intact": 0}, {"spread": 2}]
)
def test_patterns_are_checked(field):
    with pytest.raises(HushrankError, match="expected"):
        Patterns(**field)
