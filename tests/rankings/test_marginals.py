from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.rankings.marginals import (
    FEW_ROWS,
    first_order_marginals,
    majority,
    second_order_marginals,
)
from hushrank.rankings.profile import Rankings

NAN = float("nan")
FAST = settings(deadline=None, max_examples=60)


@st.composite
def with_people(draw, keys: st.SearchStrategy[list]) -> Rankings:
    rows = draw(st.lists(keys, min_size=1, max_size=6))
    n_items = min(map(len, rows))
    rows = [row[:n_items] for row in rows]
    people = st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows)).map(np.array)
    return Rankings.from_keys(rows, tuple(map(str, range(n_items))), draw(st.none() | people))


ANY = with_people(st.lists(st.sampled_from([NAN, 0.0, 1.0, 2.0]), min_size=1, max_size=5))
COMPLETE = st.integers(1, 5).flatmap(lambda n: with_people(st.permutations(range(n))))


def rows_of(rankings: Rankings) -> list[tuple[list[int | None], int]]:
    """Each row's ranks, None where unranked, and its people."""
    ranks = np.where(rankings.is_ranked, rankings.ranks.astype(object), None).tolist()
    return list(zip(ranks, rankings.people_of_rows.tolist(), strict=True))


@given(ANY)
@FAST
def test_majority_counts_pairs_in_which_both_items_are_ranked(rankings):
    counts = np.zeros((rankings.n_items,) * 2, dtype=int)
    for row, people in rows_of(rankings):
        for a, b in np.ndindex(counts.shape):
            if row[a] is not None and row[b] is not None and row[a] < row[b]:
                counts[a, b] += people
    assert np.array_equal(majority(rankings), counts)


@given(ANY)
@FAST
def test_majority_can_take_unranked_items_as_last(rankings):
    counts = np.zeros((rankings.n_items,) * 2, dtype=int)
    for row, people in rows_of(rankings):
        for a, b in np.ndindex(counts.shape):
            if row[a] is not None and (row[b] is None or row[a] < row[b]):
                counts[a, b] += people
    assert np.array_equal(majority(rankings, unranked="last"), counts)


@given(COMPLETE)
@FAST
def test_both_readings_agree_and_pairs_add_up_where_everything_is_ranked(rankings):
    counts = majority(rankings)
    assert np.array_equal(counts, majority(rankings, unranked="last"))
    off_diagonal = ~np.eye(rankings.n_items, dtype=bool)
    assert ((counts + counts.T)[off_diagonal] == rankings.n_people).all()
    assert (np.diag(counts) == 0).all()


@given(COMPLETE)
@FAST
def test_first_order_marginals_are_the_shares_of_ranks(rankings):
    shares = np.zeros((rankings.n_items,) * 2)
    for row, people in rows_of(rankings):
        for item, rank in enumerate(row):
            shares[item, rank] += people / rankings.n_people
    marginals = first_order_marginals(rankings)
    assert marginals == pytest.approx(shares, abs=1e-12)
    assert marginals.sum(axis=0) == pytest.approx(1)


@given(COMPLETE)
@FAST
def test_second_order_marginals_are_the_shares_of_pairs_of_ranks(rankings):
    pairs = list(combinations(range(rankings.n_items), 2))
    shares = np.zeros((len(pairs), rankings.n_items, rankings.n_items))
    for row, people in rows_of(rankings):
        for pair, (a, b) in enumerate(pairs):
            shares[pair, row[a], row[b]] += people / rankings.n_people
    marginals = second_order_marginals(rankings)
    assert marginals.shape == shares.shape
    assert marginals == pytest.approx(shares, abs=1e-12)


@given(COMPLETE)
@FAST
def test_marginals_agree_with_one_another(rankings):
    first, second = first_order_marginals(rankings), second_order_marginals(rankings)
    counts = majority(rankings)
    for pair, (a, b) in enumerate(combinations(range(rankings.n_items), 2)):
        assert second[pair].sum(axis=1) == pytest.approx(first[a])
        assert second[pair].sum(axis=0) == pytest.approx(first[b])
        a_first = np.triu(second[pair], k=1).sum() * rankings.n_people
        assert a_first == pytest.approx(counts[a, b])


@given(ANY)
@FAST
def test_a_row_counts_for_all_its_people(rankings):
    expanded = rankings.expanded()
    assert np.array_equal(majority(rankings), majority(expanded))
    assert np.array_equal(majority(rankings.counted()), majority(expanded))


def test_marginals_count_all_people_of_a_row():
    rankings = Rankings.from_orders(np.array([[0, 1], [1, 0]]), multiplicities=np.array([3, 1]))
    assert first_order_marginals(rankings).tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert second_order_marginals(rankings).tolist() == [[[0.0, 0.75], [0.25, 0.0]]]


def test_many_items_and_people_are_counted():
    """16-bit ranks, and more people in a row than 32 bits hold."""
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(260), (3, 1)), axis=1)
    people = np.array([10**11, 3, 2])
    rankings = Rankings.from_orders(orders, multiplicities=people)
    a_first = rankings.ranks[:, 7] < rankings.ranks[:, 259]
    assert majority(rankings)[7, 259] == people[a_first].sum()
    counts = first_order_marginals(rankings)[259] * people.sum()
    assert counts[rankings.ranks[0, 259]] == pytest.approx(10**11)


@pytest.mark.parametrize("marginals", [first_order_marginals, second_order_marginals])
@pytest.mark.parametrize("keys", [[[1, 1, 2]], [[1, 2, NAN]]])
def test_marginals_need_complete_strict_rows(marginals, keys):
    with pytest.raises(HushrankError, match="order marginals: expected"):
        marginals(Rankings.from_keys(keys, tuple("abc")))


@given(ANY, st.sampled_from(["last", "unknown"]))
@FAST
def test_few_and_many_rows_are_counted_alike(rankings, unranked):
    """The same rows so often that pairs of columns are compared, instead of all at a time."""
    often = FEW_ROWS // len(rankings.ranks) + 1
    people = None if rankings.multiplicities is None else np.tile(rankings.multiplicities, often)
    many = Rankings(np.tile(rankings.ranks, (often, 1)), rankings.names, people)
    assert np.array_equal(
        majority(many, unranked=unranked), often * majority(rankings, unranked=unranked)
    )
