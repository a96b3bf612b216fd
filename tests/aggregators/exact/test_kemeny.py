from itertools import count, permutations
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact import kemeny as kemeny_module
from hushrank.aggregators.exact import linear_ordering
from hushrank.aggregators.exact.kemeny import all_kemeny_orders, condorcet_groups, kemeny
from hushrank.aggregators.exact.linear_ordering import LinearOrdering, best_by_integer_program
from hushrank.aggregators.exact.subset_program import best_by_sets
from hushrank.aggregators.pairwise import pair_margins
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.rankings import distances
from hushrank.rankings.distances import improved_order, kendall_cost, kendall_distances
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings


def cheapest(counts) -> float:
    return min(kendall_cost(counts, order) for order in permutations(range(len(counts))))


@st.composite
def pair_counts(draw, most_items=6):
    """Counts of up to 9 people, who may leave pairs undecided or, when estimated, be negative."""
    n_items = draw(st.integers(2, most_items))
    numbers = draw(st.sampled_from([st.integers(0, 9), st.integers(-4, 4)]))
    cells = draw(st.lists(numbers, min_size=n_items**2, max_size=n_items**2))
    return np.array(cells).reshape(n_items, n_items)


def circular(n_items: int, seed: int) -> np.ndarray:
    """Pair counts of 101 people without any agreement: one large group of circles."""
    ranks = Mallows(tuple(range(n_items)), 1.0).sample(101, rng=np.random.default_rng(seed))
    return majority(Rankings(ranks, tuple(map(str, range(n_items)))))


@given(pair_counts())
def test_the_order_is_the_cheapest_of_all(counts):
    found = kemeny(counts)
    assert found.cost == kendall_cost(counts, found.order) == cheapest(counts)
    assert found.is_optimal
    assert sorted(found.order) == list(range(len(counts)))


@pytest.mark.parametrize("seed", range(3))
def test_seven_and_eight_items_agree_with_enumeration(seed):
    for n_items in (7, 8):
        counts = circular(n_items, seed)
        orders = np.array(list(permutations(range(n_items))))
        before = np.zeros(len(orders))
        for early in range(n_items):
            for late in range(early + 1, n_items):
                before += counts[orders[:, late], orders[:, early]]
        assert kemeny(counts).cost == before.min()


@given(pair_counts(most_items=5))
def test_all_optimal_orders_are_found_in_lexicographic_order(counts):
    least = cheapest(counts)
    expected = [
        order for order in permutations(range(len(counts))) if kendall_cost(counts, order) == least
    ]
    assert list(all_kemeny_orders(counts)) == expected


@given(pair_counts())
def test_the_set_program_returns_the_first_of_the_cheapest(counts):
    best = min(
        permutations(range(len(counts))), key=lambda order: (kendall_cost(counts, order), order)
    )
    assert best_by_sets(counts.astype(float)) == best


@pytest.mark.parametrize("seed", range(4))
def test_the_integer_program_and_the_set_program_agree(seed):
    counts = circular(12, seed).astype(float)
    least = kendall_cost(counts, best_by_sets(counts))
    order, bound = best_by_integer_program(counts, borda(counts), end=None)
    assert kendall_cost(counts, order) == bound == least


@pytest.mark.parametrize("n_items", [19, 20, 21])
def test_large_sets_agree_with_the_integer_program(n_items):
    counts = circular(n_items, 3).astype(float)
    _, bound = best_by_integer_program(counts, borda(counts), end=None)
    assert kendall_cost(counts, best_by_sets(counts)) == bound


def test_an_even_contest_of_22_items_is_proven():
    """Items beat those a square ahead modulo 23: integer programs hardly ever finish on these."""
    squares = sorted({number**2 % 23 for number in range(1, 23)})
    apart = (np.arange(22) - np.arange(22)[:, None]) % 23
    found = kemeny(np.isin(apart, squares).astype(int), time_limit=5)
    assert found.is_optimal
    assert found.cost == 81


def test_estimated_counts_are_ordered_by_the_integer_program_too(monkeypatch):
    monkeypatch.setattr(kemeny_module, "MOST_ITEMS_OF_SETS", 3)
    counts = circular(11, 5) + np.random.default_rng(1).normal(0, 3, (11, 11))
    least = kendall_cost(counts, best_by_sets(counts))
    found = kemeny(counts)
    assert found.is_optimal
    assert found.cost == pytest.approx(least, rel=1e-9)


def test_half_a_vote_for_the_last_pair_rounds_no_bound_up():
    """Drawn so that an order which costs half a vote more would be proven."""
    counts = np.random.default_rng(2419).integers(0, 3, (8, 8)).astype(float)
    np.fill_diagonal(counts, 0)
    counts[7, 6] += 0.5
    order, bound = best_by_integer_program(counts, borda(counts), end=None)
    assert bound == kendall_cost(counts, order) == kendall_cost(counts, best_by_sets(counts))


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1.0, 1e6])
def test_the_scale_of_estimated_counts_does_not_matter(scale, monkeypatch):
    """Drawn so that the solver's tolerances are too large for the small ones."""
    monkeypatch.setattr(kemeny_module, "MOST_ITEMS_OF_SETS", 3)
    counts = np.random.default_rng(48).random((12, 12))
    np.fill_diagonal(counts, 0)
    found = kemeny(counts * scale)
    assert found.is_optimal
    least = kendall_cost(counts, best_by_sets(counts))
    assert kendall_cost(counts, found.order) == pytest.approx(least, abs=1e-5)


def test_when_time_runs_out_the_gap_is_proven():
    counts = circular(40, 1)
    found = kemeny(counts, time_limit=1e-6)
    assert sorted(found.order) == list(range(40))
    assert found.cost == kendall_cost(counts, found.order)
    assert found.gap > 0
    assert not found.is_optimal
    assert found.lower_bound <= found.cost
    assert found.cost <= kendall_cost(counts, borda(counts))


def test_groups_follow_each_other_and_no_later_item_beats_an_earlier_one():
    rng = np.random.default_rng(4)
    for _ in range(50):
        counts = rng.integers(0, 4, (7, 7))
        margins = pair_margins(counts)
        groups = condorcet_groups(margins)
        assert sorted(item for group in groups for item in group) == list(range(7))
        for place, group in enumerate(groups):
            for later in groups[place + 1 :]:
                assert (margins[np.ix_(later, group)] <= 0).all()


def test_people_who_agree_are_ordered_as_they_agree():
    ranks = Mallows((3, 1, 4, 0, 2), 0.3).sample(2001, rng=np.random.default_rng(1))
    found = kemeny(majority(Rankings(ranks, tuple("abcde"))))
    assert found.order == (3, 1, 4, 0, 2)


@pytest.mark.parametrize("looks", [*range(12), 20, 30, 50, 80])
def test_whenever_time_runs_out_the_bound_is_one(looks, monkeypatch):
    """A clock that is over after so many looks at it: also amid a search for broken triangles."""
    counts = circular(14, 2).astype(float)
    least = kendall_cost(counts, best_by_sets(counts))
    clock = count()
    for module in (distances, linear_ordering):
        monkeypatch.setattr(module, "monotonic", lambda: float(next(clock)))
    order, bound = best_by_integer_program(counts, tuple(range(14)), end=looks)
    assert sorted(order) == list(range(14))
    assert bound <= least <= kendall_cost(counts, order)


def test_nothing_is_moved_once_time_is_over():
    counts = circular(30, 1)
    start = tuple(range(30))
    assert (
        improved_order(counts, start, end=monotonic() - 1) == start != improved_order(counts, start)
    )


def test_only_the_worst_triangles_are_kept_and_they_are_the_same(monkeypatch):
    program = LinearOrdering(circular(40, 3).astype(float))
    values = np.random.default_rng(4).random(len(program.costs))
    monkeypatch.setattr(linear_ordering, "MOST_CUTS_AT_ONCE", 50)
    at_once = program.broken_triangles(values)
    monkeypatch.setattr(linear_ordering, "MOST_CUTS_KEPT", 60)
    assert (at_once != program.broken_triangles(values)).nnz == 0
    assert at_once.shape[0] == 50


def test_a_thousand_items_on_which_people_agree():
    ranks = Mallows(tuple(range(300)), 0.5).sample(501, rng=np.random.default_rng(1))
    found = kemeny(majority(Rankings(ranks, tuple(map(str, range(300))))))
    assert found.is_optimal
    assert found.order == tuple(range(300))


@given(pair_counts(), st.randoms())
def test_relabelled_items_relabel_the_cost_only(counts, random):
    labels = random.sample(range(len(counts)), len(counts))
    assert kemeny(counts[np.ix_(labels, labels)]).cost == kemeny(counts).cost


@given(pair_counts())
def test_moves_of_single_items_never_make_an_order_dearer(counts):
    start = tuple(range(len(counts)))
    improved = improved_order(counts, start)
    assert kendall_cost(counts, improved) <= kendall_cost(counts, start)
    assert improved_order(counts, improved) == improved


def test_the_cost_is_the_sum_of_the_distances():
    ranks = Mallows(tuple(range(6)), 0.8).sample(200, rng=np.random.default_rng(2))
    people = Rankings(ranks, tuple("abcdef"))
    for order in [(0, 1, 2, 3, 4, 5), (5, 2, 0, 1, 4, 3)]:
        assert kendall_cost(majority(people), order) == kendall_distances(ranks, order).sum()


@pytest.mark.parametrize(
    "counts",
    [np.zeros((1, 1)), np.zeros((2, 3)), np.zeros(4), np.array([[0, np.nan], [1, 0]])],
    ids=["one item", "not square", "a vector", "nan"],
)
def test_what_is_no_pair_counts_is_refused(counts):
    with pytest.raises(HushrankError):
        kemeny(counts)


@pytest.mark.parametrize("limit", [0, -1.0, float("nan")])
def test_a_time_limit_is_positive(limit):
    with pytest.raises(HushrankError, match="positive"):
        kemeny(np.eye(3), time_limit=limit)


def test_too_many_items_for_all_orders_are_refused():
    with pytest.raises(HushrankError, match="at most 16"):
        all_kemeny_orders(np.zeros((17, 17)))


def test_sushi_has_the_reference_optimum(data_folder):
    sushi = majority(read_rankings(data_folder / "sushi" / "sushi.soc"))
    found = kemeny(sushi)
    assert found.is_optimal
    assert found.cost == 76948
    assert found.cost / (5000 * 45) == pytest.approx(0.34199, abs=1e-5)


def test_the_last_of_many_items_are_moved_and_their_distance_counts():
    order = (*range(28), 29, 28)
    ranks = np.argsort(order).astype(np.uint8)[None]
    counts = majority(Rankings(ranks, tuple(map(str, range(30)))))
    assert improved_order(counts, tuple(range(30))) == order
    assert kendall_distances(ranks, tuple(range(30))).tolist() == [1]
    assert kendall_distances(ranks, tuple(range(30))[::-1]).tolist() == [30 * 29 // 2 - 1]


def circles(n_items):
    """Counts in which each three items in turn beat one another in a circle, and all after it."""
    group, within = np.divmod(np.arange(n_items), 3)
    is_next = (within - within[:, None]) % 3 == 1
    counts = np.where(group[:, None] == group, is_next, group[:, None] < group)
    return 2 * counts.astype(int) + (counts == counts.T) - np.eye(n_items, dtype=int)


def test_many_circles_follow_one_another():
    found = kemeny(circles(75))
    assert found.is_optimal
    assert found.cost == 2 * 25
    assert [item // 3 for item in found.order] == sorted([*range(25)] * 3)


def test_the_best_order_of_the_last_of_many_items_is_proven():
    """A group of more than sets allow: all items of the circle are placed."""
    counts = np.triu(np.full((30, 30), 3), k=1)
    counts[0, 29], counts[29, 0] = 0, 1
    found = kemeny(counts)
    assert found.is_optimal
    assert (found.order, found.cost) == (tuple(range(30)), 1)


@pytest.mark.parametrize("cell", [(0, 1), (5, 4)])
def test_one_of_many_counts_must_not_be_infinite(cell):
    counts = np.ones((6, 6))
    counts[cell] = np.inf
    with pytest.raises(HushrankError, match="finite pair counts"):
        pair_margins(counts)


def test_the_last_of_as_many_items_as_sets_allow_may_be_the_first():
    assert best_by_sets(np.tril(np.ones((21, 21)), k=-1)) == tuple(range(21))[::-1]
    assert best_by_sets(np.zeros((21, 21))) == tuple(range(21))


@pytest.mark.parametrize("scale", [1e-9, 1.0])
def test_counts_that_are_whole_in_the_first_rows_alone_are_estimated_ones(scale, monkeypatch):
    """Margins below the diagonal, 0 in two rows: drawn so that the solver must be given larger."""
    monkeypatch.setattr(kemeny_module, "MOST_ITEMS_OF_SETS", 3)
    drawn = np.random.default_rng(17).random((12, 12))
    counts = np.tril(drawn - drawn.T)
    counts[1, 0] = 0
    assert len(condorcet_groups(pair_margins(counts))) == 1
    least = kendall_cost(counts, best_by_sets(counts))
    found = kemeny(counts * scale)
    assert kendall_cost(counts, found.order) == pytest.approx(least, abs=1e-5)
