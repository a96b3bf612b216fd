import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.identifiers import numbered
from hushrank.activities.log import ActivityLog
from hushrank.activities.splits import (
    split_activity,
    split_latest,
    split_log,
    split_users,
)
from hushrank.errors import HushrankError
from tests.statistics import assert_counts_follow, draws_needed, random_seed

SIZES = (0, 1, 2, 3, 5, 7, 8, 40)
HELD_OUT = (0, 0, 0, 1, 1, 1, 2, 8)  # a fifth, rounded


def rows_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def activity_of(sizes):
    items = np.concatenate([np.arange(size) for size in sizes])
    shape = (len(sizes), max(sizes))
    scores = csr_array((items + 1.0, (rows_of(sizes), items)), shape=shape)
    return Activity(scores, numbered(shape[0]), numbered(shape[1]))


def log_of(sizes, times=None):
    rows = np.random.default_rng(1).permutation(rows_of(sizes)).astype(np.int32)
    scores = np.arange(len(rows), dtype=float)  # tell the records apart
    return ActivityLog(rows, np.zeros_like(rows), scores, numbered(len(sizes)), ("1",), times)


def test_each_user_s_share_is_held_out_and_nothing_lost():
    activity = activity_of(SIZES)
    learnt, held = split_activity(activity, rng=np.random.default_rng(2))
    assert held.records_of_users.tolist() == list(HELD_OUT)
    assert (
        (learnt.users, learnt.items) == (held.users, held.items) == (activity.users, activity.items)
    )
    assert activity.with_scores(learnt.scores + held.scores) == activity
    assert learnt.n_records + held.n_records == activity.n_records


def test_no_user_loses_everything():
    learnt, held = split_activity(activity_of(SIZES), held_out=0.99, rng=np.random.default_rng(2))
    assert (learnt.records_of_users[1:] == 1).all()
    assert held.n_records == sum(SIZES) - 7


def test_all_items_of_a_user_are_held_out_alike():
    """Catches one that is held out a tenth more often than it should be."""
    right, wrong = np.full(5, 0.2), np.array([0.22, 0.195, 0.195, 0.195, 0.195])
    n_users = draws_needed(right, wrong)
    rng = np.random.default_rng(random_seed())
    _, held = split_activity(activity_of((5,) * n_users), rng=rng)
    assert_counts_follow(held.records_of_items[None], right[None])


def test_records_of_a_log_are_split_by_user_too():
    log = log_of(SIZES)
    learnt, held = split_log(log, rng=np.random.default_rng(3))
    assert np.bincount(held.user_codes, minlength=len(SIZES)).tolist() == list(HELD_OUT)
    together = np.concatenate([learnt.scores, held.scores])
    assert sorted(together) == log.scores.tolist()
    other, _ = split_log(log, rng=np.random.default_rng(4))
    assert other != learnt


def test_the_latest_records_of_each_user_are_held_out():
    times = np.random.default_rng(5).permutation(sum(SIZES)) / 7
    log = log_of(SIZES, times)
    learnt, held = split_latest(log)
    assert np.bincount(held.user_codes, minlength=len(SIZES)).tolist() == list(HELD_OUT)
    for user in range(3, len(SIZES)):
        before, after = (part.times[part.user_codes == user] for part in (learnt, held))
        assert before.max() < after.min()


@pytest.mark.parametrize("times", [None, np.zeros(sum(SIZES))])
def test_without_times_the_last_records_of_the_file_are_the_latest(times):
    learnt, held = split_latest(log_of(SIZES, times))
    for user in range(3, len(SIZES)):
        before, after = (part.scores[part.user_codes == user] for part in (learnt, held))
        assert before.max() < after.min()


def test_users_are_split_in_two():
    first, second = split_users(9, share=1 / 3, rng=np.random.default_rng(6))
    assert (len(first), len(second)) == (3, 6)
    assert sorted([*first, *second]) == list(range(9))
    assert (np.diff(first) > 0).all()
    assert (np.diff(second) > 0).all()
    with pytest.raises(HushrankError, match="both parts, got 0 of 2"):
        split_users(2, share=0.1, rng=np.random.default_rng(6))


@pytest.mark.parametrize("share", [0, 1, -0.2, np.nan])
def test_a_share_lies_between_0_and_1(share):
    rng = np.random.default_rng(7)
    for split in (
        lambda: split_activity(activity_of(SIZES), held_out=share, rng=rng),
        lambda: split_log(log_of(SIZES), held_out=share, rng=rng),
        lambda: split_latest(log_of(SIZES), held_out=share),
        lambda: split_users(10, share=share, rng=rng),
    ):
        with pytest.raises(HushrankError, match="share between 0 and 1"):
            split()
