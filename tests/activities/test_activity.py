import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from hushrank.activities.activity import Activity, record_keys
from hushrank.activities.identifiers import numbered
from hushrank.errors import HushrankError

DENSE = np.array([[0, 2.5, 0], [1, 0, 3], [0, 0, 0], [0, 4, 0]])
USERS, ITEMS = ("ann", "bob", "cleo", "dan"), ("fig", "kiwi", "plum")


def activity_of(dense, users=USERS, items=ITEMS):
    return Activity(csr_array(np.asarray(dense, dtype=float)), tuple(users), tuple(items))


ACTIVITY = activity_of(DENSE)


def test_an_activity_says_its_size():
    assert (ACTIVITY.n_users, ACTIVITY.n_items, ACTIVITY.n_records) == (4, 3, 4)
    assert ACTIVITY.records_of_users.tolist() == [1, 2, 0, 1]
    assert ACTIVITY.records_of_items.tolist() == [1, 2, 1]
    assert repr(ACTIVITY) == "Activity(4 users, 3 items, 4 records)"


def test_binary_means_that_every_score_is_one():
    assert not ACTIVITY.binary
    assert activity_of(DENSE > 0).binary


def test_the_last_score_of_many_decides_whether_all_are_one():
    many = np.eye(40)
    many[-1, -1] = 2
    assert not activity_of(many, numbered(40), numbered(40)).binary


def test_any_form_of_a_matrix_becomes_the_one_form():
    """Unsorted, the pair (0, 1) in two parts, a zero stored at (2, 0), integers of 64 bits."""
    data, columns = np.array([2, 1, 3, 1, 0, 4]), np.array([1, 1, 2, 0, 0, 1])
    indptr = np.array([0, 2, 4, 5, 6])
    given = csr_array((data, columns.astype(np.int64), indptr), shape=(4, 3))
    dense = np.array([[0, 3, 0], [1, 0, 3], [0, 0, 0], [0, 4, 0]])
    activity = Activity(given, USERS, ITEMS)
    assert activity == activity_of(dense)
    assert activity.scores.data.tolist() == [3, 1, 3, 4]
    assert activity.scores.indices.tolist() == [1, 0, 2, 1]
    assert (activity.scores.dtype, activity.scores.indices.dtype) == (np.float64, np.int32)
    assert given.nnz == 6


def test_items_beyond_the_matrix_are_refused():
    given = csr_array(DENSE)
    given.indices[0] = 3
    with pytest.raises(HushrankError, match=r"items 0\.\.2 in the scores"):
        Activity(given, USERS, ITEMS)


def test_nothing_changes_an_activity():
    given = csr_array(DENSE)
    activity = Activity(given, USERS, ITEMS)
    given.data[:] = 7
    assert activity == ACTIVITY
    with pytest.raises(ValueError, match="read-only"):
        activity.scores.data[0] = 1


def test_activities_are_equal_by_content():
    assert activity_of(DENSE) == ACTIVITY
    others = [
        activity_of(2 * DENSE),
        activity_of(DENSE.T[:, :3], USERS[:3]),
        activity_of(DENSE, USERS[::-1]),
        activity_of(DENSE, USERS, ITEMS[::-1]),
        activity_of(np.roll(DENSE, 1, axis=0)),
        "activity",
    ]
    assert all(other != ACTIVITY for other in others)


@pytest.mark.parametrize(
    ("dense", "expected"),
    [
        (-DENSE, "at least 0"),
        (np.where(DENSE == 1, np.nan, DENSE), "at least 0"),
        (np.where(DENSE == 1, np.inf, DENSE), "finite"),
        (DENSE.T, r"\(4, 3\), got \(3, 4\)"),
    ],
)
def test_other_scores_are_refused_without_showing_them(dense, expected):
    with pytest.raises(HushrankError, match=expected) as refusal:
        activity_of(dense)
    assert "2.5" not in str(refusal.value)
    assert "ann" not in str(refusal.value)


def test_a_negative_part_is_refused_even_where_the_sum_is_not():
    given = csr_array((np.array([-1.0, 5]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    with pytest.raises(HushrankError, match="at least 0"):
        Activity(given, ("ann",), ("fig",))


@pytest.mark.parametrize("wrong", [-1, np.nan, np.inf])
def test_the_last_score_of_many_is_checked(wrong):
    many = np.eye(40)
    many[-1, -1] = wrong
    with pytest.raises(HushrankError, match=r"scores of at least 0|finite scores"):
        activity_of(many, numbered(40), numbered(40))


@pytest.mark.parametrize("scores", [DENSE, csr_matrix(DENSE), csr_array(DENSE * 1j)])
def test_only_real_sparse_arrays_are_taken(scores):
    with pytest.raises(HushrankError, match="expected scores"):
        Activity(scores, USERS, ITEMS)


@pytest.mark.parametrize(
    "users",
    [
        ("ann", "bob", "ann", "dan"),
        ("ann", "bob", "", "dan"),
        ("ann", "bob ", "cleo", "dan"),
        ("ann", "b\nob", "cleo", "dan"),
        ("ann", "b\rob", "cleo", "dan"),
        ("ann", "b\0ob", "cleo", "dan"),
        ("ann", "\ud800", "cleo", "dan"),
        (1, 2, 3, 4),
    ],
)
def test_identifiers_that_no_file_gives_back_are_refused(users):
    for arguments in ((DENSE, users), (DENSE.T, USERS[:3], users)):
        with pytest.raises(
            HushrankError, match=r"expected (distinct|texts|users|items)"
        ) as refusal:
            activity_of(*arguments)
        assert "bob" not in str(refusal.value)


def test_there_are_users_and_items():
    with pytest.raises(HushrankError, match="at least 1 user"):
        Activity(csr_array((0, 3)), (), ITEMS)
    with pytest.raises(HushrankError, match="at least 1 item"):
        Activity(csr_array((4, 0)), USERS, ())


def test_users_are_selected_by_number_or_mask():
    chosen = ACTIVITY.select(np.array([3, 0]))
    assert chosen == activity_of(DENSE[[3, 0]], ("dan", "ann"))
    assert ACTIVITY.select(np.array([True, False, False, True])).users == ("ann", "dan")


@pytest.mark.parametrize(
    "rows", [np.array([4]), np.array([-1]), np.array([1, 1]), np.array([True]), np.array([0.0])]
)
def test_other_users_cannot_be_selected(rows):
    with pytest.raises(HushrankError, match="expected"):
        ACTIVITY.select(rows)


def test_other_scores_keep_the_names():
    assert ACTIVITY.with_scores(csr_array(2 * DENSE)) == activity_of(2 * DENSE)


def test_aligned_scores_follow_the_names():
    aligned = ACTIVITY.aligned(("dan", "eve", "bob"), ("plum", "pear", "kiwi"))
    expected = activity_of([[0, 0, 4], [0, 0, 0], [3, 0, 0]], aligned.users, aligned.items)
    assert aligned == expected


@given(st.permutations(range(4)), st.permutations(range(3)))
def test_aligning_undoes_a_shuffle(users, items):
    shuffled = activity_of(
        DENSE[np.ix_(users, items)], [USERS[u] for u in users], [ITEMS[i] for i in items]
    )
    assert shuffled.aligned(USERS, ITEMS) == ACTIVITY


def test_users_and_items_without_activity_are_counted_not_named():
    activity_of(DENSE[[0, 1, 3]], ("ann", "bob", "dan")).require_active()
    with pytest.raises(HushrankError, match="every user, got none of 1 users"):
        ACTIVITY.require_active()
    with pytest.raises(HushrankError, match="every item, got none on 2 items"):
        activity_of(DENSE[[0]], ("ann",)).require_active()


def test_names_and_keys_go_with_all_of_many_rows():
    scores = np.tril(np.ones((40, 40)))
    many = activity_of(scores, numbered(40), numbered(40))
    turned = many.aligned(many.users[::-1], many.items[::-1])
    assert np.array_equal(turned.scores.toarray(), scores[::-1, ::-1])
    assert many.select(np.arange(40)[::-1]).users == many.users[::-1]
    assert len({*record_keys(many.scores)}) == 40
