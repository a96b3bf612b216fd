from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.rankings import competition
from hushrank.rankings.competition import competition_ranks, unranked
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import rankings_from_scores

NAN = float("nan")
NAMES = tuple("abc")
FAST = settings(deadline=None, max_examples=60)


@st.composite
def keyed(draw: Any, max_items: int = 7) -> np.ndarray:
    """Keys (people, items) with many ties and unranked items."""
    n_items, n_people = draw(st.integers(1, max_items)), draw(st.integers(1, 5))
    key = st.sampled_from([NAN, 0.0, 1.0, 2.5, -3.0, float("inf"), -float("inf")])
    row = st.lists(key, min_size=n_items, max_size=n_items)
    return np.array(draw(st.lists(row, min_size=n_people, max_size=n_people)))


@st.composite
def profiles(draw: Any) -> Rankings:
    keys = draw(keyed())
    people = st.lists(st.integers(1, 9), min_size=len(keys), max_size=len(keys))
    multiplicities = draw(st.none() | people.map(np.array))
    return Rankings.from_keys(keys, tuple(map(str, range(keys.shape[1]))), multiplicities)


def orders_of(n_items: int = 5) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.permutations(range(n_items)), min_size=1, max_size=5).map(np.array)


def people_of(rankings: Rankings) -> dict[tuple[int, ...], int]:
    """How many people hold each ranking, row by row."""
    people: dict[tuple[int, ...], int] = {}
    for row, number in zip(rankings.ranks.tolist(), rankings.people_of_rows, strict=True):
        people[tuple(row)] = people.get(tuple(row), 0) + int(number)
    return people


@given(orders_of())
@FAST
def test_orders_come_back(orders):
    rankings = Rankings.from_orders(orders)
    assert np.array_equal(rankings.orders(), orders)
    assert rankings.names == ("1", "2", "3", "4", "5")
    assert (rankings.is_strict, rankings.is_complete) == (True, True)


@given(keyed())
@FAST
def test_a_rank_is_the_number_of_items_ranked_strictly_better(keys):
    rankings = Rankings.from_keys(keys, tuple(map(str, range(keys.shape[1]))))
    for row, ranks in zip(keys, rankings.ranks, strict=True):
        for key, rank in zip(row, ranks, strict=True):
            assert rank == (unranked(rankings.ranks) if np.isnan(key) else (row < key).sum())


@given(keyed())
@FAST
def test_columns_are_compared_as_rows_are_sorted(keys):
    by_sorting = competition_ranks(keys, ~np.isnan(keys))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(competition, "MANY_ROWS", 0)
        by_comparing = competition_ranks(keys, ~np.isnan(keys))
    assert np.array_equal(by_sorting, by_comparing)
    assert by_sorting.flags.f_contiguous
    assert by_comparing.flags.f_contiguous


@pytest.mark.parametrize("n_people", [1, 2_000])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_an_item_that_is_not_ranked_counts_for_nobody_whatever_its_key(n_people, dtype):
    keys = np.tile(np.array([2, 1, 255, 9], dtype=dtype), (n_people, 1))
    is_ranked = np.tile([True, False, True, False], (n_people, 1))
    ranks = competition_ranks(keys, is_ranked)
    assert np.array_equal(ranks, np.tile([0, 255, 1, 255], (n_people, 1)))
    ranks = competition_ranks(keys[:, ::-1], is_ranked[:, ::-1])
    assert np.array_equal(ranks, np.tile([255, 1, 255, 0], (n_people, 1)))


@pytest.mark.parametrize("n_items", [64, 65, 254, 255, 300])
def test_many_items_are_ranked(n_items):
    keys = np.random.default_rng(1).integers(0, 40, size=(4, n_items)).astype(float)
    keys[:, ::7] = NAN
    rankings = Rankings.from_keys(keys, tuple(map(str, range(n_items))))
    expected = (keys[:, :, None] > keys[:, None, :]).sum(axis=2)
    assert np.array_equal(rankings.ranks[rankings.is_ranked], expected[~np.isnan(keys)])
    assert np.array_equal(rankings.is_ranked, ~np.isnan(keys))


@given(profiles())
@FAST
def test_strict_means_that_no_row_ties_two_items(rankings):
    last = unranked(rankings.ranks)
    ties = [a == b != last for row in rankings.ranks.tolist() for a, b in combinations(row, 2)]
    assert rankings.is_strict == (not any(ties))
    assert rankings.is_complete == (not (rankings.ranks == last).any())


@pytest.mark.parametrize(
    "ranks",
    [
        [[0, 1, 1], [0, 2, 1], [1, 2, 3]],  # no best item
        [[0, 1, 2], [0, 0, 1]],  # after two tied items comes rank 2
        [[0, 2, 255]],  # a gap
        [[0, 1, 254]],  # neither a rank nor the sentinel
        [[1, 255, 255]],
    ],
)
def test_ranks_that_skip_or_crowd_are_refused(ranks):
    with pytest.raises(HushrankError, match="expected each rank"):
        Rankings(np.array(ranks, dtype=np.uint8), NAMES)


RANKS = np.array([[0, 1, 2]], dtype=np.uint8)


@pytest.mark.parametrize(
    ("ranks", "names", "multiplicities", "message"),
    [
        (RANKS[0], NAMES, None, "shape"),
        (RANKS[:0], NAMES, None, "at least 1 person"),
        (RANKS[:, :0], (), None, "at least 1 item"),
        (RANKS, ("a", "b"), None, "expected 3 names, got 2"),
        (RANKS, ("a", "b", "a"), None, "distinct"),
        (RANKS.astype(np.uint16), NAMES, None, "type uint8"),
        (RANKS.astype(np.int64), NAMES, None, "type uint8"),
        (RANKS, NAMES, np.array([1, 1]), "one multiplicity for each row"),
        (RANKS, NAMES, np.array([0]), "at least 1"),
        (RANKS, NAMES, np.array([-2]), "at least 1"),
        (np.repeat(RANKS[:1], 24, axis=0), NAMES, np.array([1] * 23 + [0]), "at least 1"),
    ],
)
def test_wrong_parts_are_refused(ranks, names, multiplicities, message):
    with pytest.raises(HushrankError, match=message):
        Rankings(ranks, names, multiplicities)


@pytest.mark.parametrize(
    "orders", [[[0, 0, 1]], [[1, 2, 3]], [[-1, 0, 1]], [0, 1, 2], [[0, 1, 2], [0, 2, 2]]]
)
def test_orders_that_are_none_are_refused(orders):
    with pytest.raises(HushrankError, match="expected"):
        Rankings.from_orders(np.array(orders))


def test_the_last_order_of_many_has_each_item_once():
    with pytest.raises(HushrankError, match="each item exactly once in every order"):
        Rankings.from_orders(np.array([[2, 0, 1]] * 24 + [[1, 0, 1]]))


def test_keys_of_one_person_need_two_axes():
    with pytest.raises(HushrankError, match="shape"):
        Rankings.from_keys([1.0, 2.0, 3.0], NAMES)


@pytest.mark.parametrize("ranked", [Rankings.from_keys, rankings_from_scores])
@pytest.mark.parametrize(
    "told",
    ["plum", "7731 stars", [3, 7731], {"plum": 7731}, pytest.param(7731 * 10**400, id="huge")],
)
def test_a_key_that_is_no_number_is_refused_and_not_shown(ranked, told):
    with pytest.raises(HushrankError, match="expected numbers of shape") as caught:
        ranked([[1, 2, 3], [1, told, 3]], NAMES)
    error = caught.value
    assert "plum" not in str(error)
    assert "7731" not in str(error)
    assert error.__context__ is None  # numpy's, which shows it


@pytest.mark.parametrize("ranked", [Rankings.from_keys, rankings_from_scores])
@pytest.mark.parametrize(
    "keys",
    [
        np.array([["NaT", "2026-03-01", "2026-03-02"]], dtype="datetime64[D]"),
        np.array([[1, 2, 3]], dtype="timedelta64[s]"),
        np.array([[1 + 2j, 1 + 1j, 1]]),
    ],
)
def test_days_and_complex_numbers_are_no_keys(ranked, keys):
    """The first day that is missing would be the least number of all, and not unranked."""
    with pytest.raises(HushrankError, match="expected numbers of shape"):
        ranked(keys, NAMES)


@pytest.mark.parametrize("ranked", [Rankings.from_keys, rankings_from_scores])
@pytest.mark.parametrize("large", [2**53, 2**63, 2**70, -(2**53)])
def test_whole_keys_that_a_float_would_round_are_refused(ranked, large):
    with pytest.raises(HushrankError, match=r"whole numbers below 2\^53"):
        ranked([[large, large + 1, 0]], NAMES)


@pytest.mark.parametrize("mask", [[0, 0, 1], [0, 0, 0]])
def test_only_keys_may_have_a_mask(mask):
    """Of ranks and orders it would be lost, and what it hides would count."""
    ranks = np.ma.array([[0, 1, 2]], mask=[mask], dtype=np.uint8)
    with pytest.raises(HushrankError, match="without a mask"):
        Rankings(ranks, NAMES)
    with pytest.raises(HushrankError, match="without a mask"):
        Rankings.from_orders(ranks)
    people = np.ma.array([7], mask=[mask[2]])
    with pytest.raises(HushrankError, match="without a mask"):
        Rankings.from_orders(ranks.data, NAMES, people)


@pytest.mark.parametrize("kind", [int, float])
def test_what_a_masked_array_hides_is_not_ranked(kind):
    masked = np.ma.masked_array(np.array([[9, 1, 2], [3, 1, 2]], kind), [[1, 0, 0], [0, 0, 0]])
    stated = Rankings.from_keys([[NAN, 1, 2], [3, 1, 2]], NAMES)
    assert Rankings.from_keys(masked, NAMES) == stated
    assert rankings_from_scores(-masked, NAMES) == stated


def test_nothing_given_is_shared_and_nothing_held_can_change():
    ranks, people = RANKS.copy(), np.array([5])
    rankings = Rankings(ranks, NAMES, people)
    ranks[0], people[0] = [2, 1, 0], 7
    assert rankings.ranks.tolist() == [[0, 1, 2]]
    assert rankings.n_people == 5
    for held in (rankings.ranks, rankings.multiplicities):
        with pytest.raises(ValueError, match="read-only"):
            held[0] = 1


@given(profiles())
@FAST
def test_ranks_are_column_major(rankings):
    assert rankings.ranks.flags.f_contiguous
    assert rankings.expanded().ranks.flags.f_contiguous
    assert rankings.counted().ranks.flags.f_contiguous


def test_neither_repr_nor_errors_show_a_row():
    rankings = Rankings.from_keys([[3, 1, NAN], [2, 2, 1]], ("pear", "fig", "kiwi"), [7, 11])
    assert repr(rankings) == "Rankings(18 people, 3 items, with ties, incomplete)"
    assert repr(rankings.expanded()) == repr(rankings)
    with pytest.raises(HushrankError) as refused:
        Rankings(np.array([[0, 9, 77]], dtype=np.uint8), ("pear", "fig", "kiwi"))
    assert not any(shown in str(refused.value) for shown in ("9", "77", "fig"))


@pytest.mark.parametrize(
    ("keys", "missing"), [([[1, 2, NAN]], "complete"), ([[1, 1, 2]], "strict")]
)
def test_orders_need_complete_strict_rows(keys, missing):
    rankings = Rankings.from_keys(keys, NAMES)
    with pytest.raises(HushrankError, match=f"orders: expected {missing}"):
        rankings.orders()


def test_items_that_are_listed_are_all_there_are():
    rankings = Rankings.from_keys(
        [[1, 2, 3], [2, 1, np.nan], [1, 1, 2]], ("a", "b", "c"), [4, 1, 2]
    )
    listed = rankings.of_items(("c", "new", "a"))
    assert listed.names == ("c", "new", "a")
    assert listed.ranks[:, [0, 2]].tolist() == [[1, 0], [255, 0], [1, 0]]
    assert not listed.is_ranked[:, 1].any()
    assert listed.people_of_rows.tolist() == [4, 1, 2]
    assert listed.of_items(("c", "a")).ranks.tolist() == rankings.restrict([2, 0]).ranks.tolist()


@given(profiles(), st.data())
@FAST
def test_kept_items_keep_their_order_and_ties(rankings, data):
    items = data.draw(st.permutations(range(rankings.n_items)))
    items = items[: data.draw(st.integers(1, len(items)))]
    kept = rankings.restrict(items)
    assert kept.names == tuple(rankings.names[item] for item in items)
    assert np.array_equal(kept.is_ranked, rankings.is_ranked[:, items])
    assert np.array_equal(kept.people_of_rows, rankings.people_of_rows)
    for a, b in combinations(range(len(items)), 2):
        both = kept.is_ranked[:, a] & kept.is_ranked[:, b]
        now = np.sign(kept.ranks[:, a].astype(int) - kept.ranks[:, b])
        was = np.sign(rankings.ranks[:, items[a]].astype(int) - rankings.ranks[:, items[b]])
        assert np.array_equal(now[both], was[both])


@pytest.mark.parametrize("items", [[0, 3], [-1, 0], [0, 0], []])
def test_items_that_cannot_be_kept_are_refused(items):
    with pytest.raises(HushrankError, match="expected"):
        Rankings(RANKS, NAMES).restrict(items)


def test_rows_are_selected_with_their_people_by_number_and_by_mask():
    keys = [[1, 2, 3], [3, 2, 1], [2, 1, 3]]
    rankings = Rankings.from_keys(keys, NAMES, np.array([4, 5, 6]))
    expected = Rankings.from_keys([keys[0], keys[2]], NAMES, np.array([4, 6]))
    assert rankings.select(np.array([0, 2])) == expected
    assert rankings.select(np.array([True, False, True])) == expected
    with pytest.raises(HushrankError, match="at least 1 person"):
        rankings.select(np.array([False] * 3))


@given(profiles())
@FAST
def test_expanding_and_counting_lose_nobody(rankings):
    expanded, counted = rankings.expanded(), rankings.counted()
    assert people_of(expanded) == people_of(counted) == people_of(rankings)
    assert expanded.n_rows == expanded.n_people == counted.n_people == rankings.n_people
    assert counted.n_rows == len(people_of(rankings))
    assert counted.ranks.tolist() == sorted(counted.ranks.tolist())
    assert counted.counted() == counted


@pytest.mark.parametrize("n_items", [8, 9, 17, 600])
def test_long_rows_are_counted_in_sorted_order(n_items):
    """Rows that differ in their first, a middle or their last items only, or everywhere."""
    rng = np.random.default_rng(1)
    orders = np.tile(rng.permutation(n_items), (8, 1))
    for row, place in enumerate([0, n_items // 2, n_items - 2]):
        orders[row, [place, place + 1]] = orders[row, [place + 1, place]]
    orders = np.vstack([orders, orders[:3], [rng.permutation(n_items) for _ in range(4)]])
    rankings = Rankings.from_orders(orders, multiplicities=rng.integers(1, 9, size=len(orders)))
    counted = rankings.counted()
    assert people_of(counted) == people_of(rankings)
    assert counted.n_rows == 8
    assert counted.ranks.tolist() == sorted(counted.ranks.tolist())


@given(profiles(), profiles())
@FAST
def test_equal_means_equal_names_rows_and_people(first, second):
    def content(rankings: Rankings) -> Any:
        return rankings.names, rankings.ranks.tolist(), rankings.people_of_rows.tolist()

    assert (first == second) == (content(first) == content(second))
    assert first == Rankings(first.ranks, first.names, first.people_of_rows)
    assert first != first.ranks.tolist()


def test_other_names_or_people_make_other_rankings():
    rankings = Rankings(RANKS, NAMES)
    assert rankings != Rankings(RANKS, ("a", "b", "x"))
    assert rankings != Rankings(RANKS, NAMES, np.array([2]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(rankings)


MANY = tuple(f"item {n}" for n in range(40))
UP = np.arange(40.0)


def changed(place, key):
    return np.where(np.arange(40) == place, key, UP)[None]


@pytest.mark.parametrize("place", [0, 30])
def test_one_item_of_many_tells_what_rankings_are(place):
    assert not Rankings.from_keys(changed(place, NAN), MANY).is_complete
    assert not Rankings.from_keys(changed(place, 39.0), MANY).is_strict
    whole = changed(place, 2**53).astype(int)
    with pytest.raises(HushrankError, match="would be rounded"):
        Rankings.from_keys(whole, MANY)


def test_one_row_of_many_tells_what_rankings_are():
    rows = np.tile(UP, (30, 1))
    tied = np.vstack([rows, changed(30, 39.0)])
    assert not Rankings.from_keys(tied, MANY).is_strict


def test_all_of_many_items_that_are_kept_are_looked_at():
    rankings = Rankings.from_keys(UP[None], MANY)
    assert rankings.of_items(MANY[::-1]).ranks.tolist() == [list(range(40))[::-1]]
    assert rankings.restrict(range(40)[::-1]).names == MANY[::-1]
    with pytest.raises(HushrankError, match=r"expected items 0\.\.39 to keep"):
        rankings.restrict([*range(30), 40])
