import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.activities.attribute import Attribute
from hushrank.activities.log import ActivityLog
from hushrank.errors import HushrankError

USERS, ITEMS = ("ann", "bob"), ("fig", "kiwi", "plum")


def log_of(records, times=None):
    users, items, scores = zip(*records, strict=True) if records else ((), (), ())
    codes = np.array(users, dtype=np.int32), np.array(items, dtype=np.int32)
    when = None if times is None else np.array(times, dtype=float)
    return ActivityLog(*codes, np.array(scores, dtype=float), USERS, ITEMS, when)


RECORDS = [(0, 1, 2.0), (1, 0, 1.0), (0, 1, 5.0), (0, 2, 1.5), (0, 1, 3.0)]
LOG = log_of(RECORDS, [50, 10, 20, 20, 30])


def test_a_log_says_its_size():
    assert repr(LOG) == "ActivityLog(2 users, 3 items, 5 records, with times)"
    assert repr(log_of(RECORDS)) == "ActivityLog(2 users, 3 items, 5 records, without times)"


@pytest.mark.parametrize(("duplicates", "merged"), [("sum", 10.0), ("max", 5.0), ("last", 2.0)])
def test_records_of_a_pair_are_merged_by_the_rule(duplicates, merged):
    expected = [[0, merged, 1.5], [1, 0, 0]]
    assert LOG.activity(duplicates).scores.toarray().tolist() == expected


def test_without_times_the_last_record_of_the_file_counts():
    assert log_of(RECORDS).activity("last").scores[0, 1] == 3
    equal_times = log_of(RECORDS, [1, 1, 1, 1, 1])
    assert equal_times.activity("last").scores[0, 1] == 3


def test_a_last_score_of_0_takes_the_activity_back():
    log = log_of([(0, 0, 4), (0, 1, 1), (0, 0, 0)])
    assert log.activity("last").scores.toarray().tolist() == [[0, 1, 0], [0, 0, 0]]


def test_repetition_can_be_refused():
    with pytest.raises(HushrankError, match="one record at most"):
        LOG.activity("refused")
    assert log_of(RECORDS[:2]).activity("refused").n_records == 2
    with pytest.raises(HushrankError, match="one of sum, last, max, refused"):
        LOG.activity("first")


def test_repeats_are_the_later_records_of_a_pair():
    assert LOG.repeats().tolist() == [False, False, True, False, True]


RECORD = st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 9))


@given(st.lists(st.tuples(RECORD, st.integers(0, 3)), max_size=30))
def test_merging_agrees_with_one_record_at_a_time(timed):
    merged = {"sum": np.zeros((2, 3)), "max": np.zeros((2, 3)), "last": np.zeros((2, 3))}
    for (user, item, score), _ in timed:
        merged["sum"][user, item] += score
        merged["max"][user, item] = max(merged["max"][user, item], score)
    for (user, item, score), _ in sorted(timed, key=lambda pair: pair[1]):
        merged["last"][user, item] = score
    log = log_of([record for record, _ in timed], [time for _, time in timed])
    for duplicates, expected in merged.items():
        assert np.array_equal(log.activity(duplicates).scores.toarray(), expected)


def test_time_order_keeps_the_order_of_equal_times():
    ordered = LOG.in_time_order()
    assert ordered.scores.tolist() == [1, 5, 1.5, 3, 2]
    assert ordered.times.tolist() == [10, 20, 20, 30, 50]
    assert log_of(RECORDS).in_time_order() == log_of(RECORDS)


def test_records_are_selected_with_all_that_belongs_to_them():
    assert LOG.select(np.array([4, 0])) == log_of([RECORDS[4], RECORDS[0]], [30, 50])
    assert log_of(RECORDS).select(LOG.scores > 2.5) == log_of([RECORDS[2], RECORDS[4]])
    with pytest.raises(HushrankError, match=r"rows 0\.\.4"):
        LOG.select(np.array([5]))


def test_logs_are_equal_by_content():
    times = [50, 10, 20, 20, 30]
    assert log_of(RECORDS, times) == LOG
    assert log_of(RECORDS) != LOG
    assert log_of(RECORDS, [50, 10, 20, 20, 31]) != LOG
    assert log_of(RECORDS[::-1], times) != LOG


def test_a_log_is_frozen():
    scores = np.ones(1)
    log = ActivityLog(np.zeros(1, np.int32), np.zeros(1, np.int32), scores, USERS, ITEMS)
    scores[0] = 9
    assert log.scores.tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        log.scores[0] = 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"user_codes": np.array([0, 2])}, r"users 0\.\.1"),
        ({"user_codes": np.array([0, -1])}, r"users 0\.\.1"),
        ({"item_codes": np.array([3, 0])}, r"items 0\.\.2"),
        ({"item_codes": np.array([2**32, 0])}, "below"),
        ({"user_codes": np.array([-(2**63), 0])}, "below"),
        ({"item_codes": np.array([0.0, 1.0])}, "numbers"),
        ({"item_codes": np.array([0])}, "one entry of item_codes"),
        ({"scores": np.array([1.0, -1.0])}, "at least 0"),
        ({"scores": np.array([1.0, np.nan])}, "at least 0"),
        ({"scores": np.array([1.0, np.inf])}, "finite"),
        ({"scores": np.array([1.0])}, "one entry of scores"),
        ({"times": np.array([1.0, np.nan])}, "finite times"),
        ({"times": np.array([1.0])}, "one entry of times"),
        ({"users": ("ann", "ann")}, "distinct users"),
        ({"items": ()}, "at least 1 user and 1 item"),
    ],
)
def test_other_records_are_refused(change, expected):
    fields = {
        "user_codes": np.array([0, 1]),
        "item_codes": np.array([2, 0]),
        "scores": np.array([1.0, 2.0]),
        "users": USERS,
        "items": ITEMS,
    }
    ActivityLog(**fields)
    with pytest.raises(HushrankError, match=expected):
        ActivityLog(**{**fields, **change})


@pytest.mark.parametrize("wrong", [-1, np.nan, np.inf])
def test_the_last_score_of_many_is_checked(wrong):
    with pytest.raises(HushrankError, match=r"scores of at least 0|finite scores"):
        log_of([*(RECORDS * 10), (0, 1, wrong)])


def test_a_sum_beyond_all_numbers_is_refused():
    with pytest.raises(HushrankError, match="finite"):
        log_of([(0, 0, 1e308), (0, 0, 1e308)]).activity()


@pytest.mark.parametrize("hidden", ["user_codes", "item_codes", "scores", "times"])
def test_what_a_mask_hides_is_no_record(hidden):
    columns = {name: np.array([0, 1]) for name in ("user_codes", "item_codes", "scores", "times")}
    names = {"users": ("a", "b"), "items": ("x", "y")}
    assert ActivityLog(**columns, **names).n_records == 2
    columns[hidden] = np.ma.array(columns[hidden], mask=[False, True])
    with pytest.raises(HushrankError, match=f"expected {hidden} without a mask"):
        ActivityLog(**columns, **names)


def test_who_is_hidden_by_a_mask_tells_no_value():
    codes = np.ma.array([0, 1], mask=[False, True])
    with pytest.raises(HushrankError, match="expected whole codes"):
        Attribute("gender", ("f", "m"), codes)


@pytest.mark.parametrize("at", [0, 49])
def test_the_last_time_of_many_is_checked(at):
    times = np.where(np.arange(50) == at, np.inf, 0.0)
    with pytest.raises(HushrankError, match="expected finite times"):
        log_of(RECORDS * 10, times)
