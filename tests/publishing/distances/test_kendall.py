"""Kendall's tau distance: against its definition, scipy, and the laws of a metric."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import kendalltau

from hushrank.errors import HushrankError
from hushrank.publishing.distances.kendall import (
    draw_item_pairs,
    kendall_distances,
    kendall_distances_from,
    kendall_distances_of_pairs,
    sampled_kendall_distances,
)
from hushrank.publishing.distances.ranked_rows import RankedRows
from tests.statistics import assert_counts_follow, assert_follows, draws_needed, random_seed

Table = NDArray[np.float64]


def by_definition(table: Table) -> tuple[Table, Table]:
    """The distances with ties ignored and with ties half, over all pairs of items."""
    one, other = np.triu_indices(table.shape[1], 1)
    signs = np.sign(table[:, one] - table[:, other]).astype(np.int8)
    ignored = np.array([(signs * row < 0).mean(axis=1) for row in signs])
    in_one = np.array([((signs == 0) != (row == 0)).mean(axis=1) for row in signs])
    return ignored, ignored + in_one / 2


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Rows of few or many levels, with many zeros or none."""
    n_rows, n_items = draw(st.integers(1, 5)), draw(st.integers(2, 40))
    n_levels, density = draw(st.integers(1, 60)), draw(st.sampled_from([0.1, 0.5, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    scores = rng.integers(0, n_levels + 1, (n_rows, n_items)) / 4
    return scores * (rng.random(scores.shape) < density)


@given(tables())
def test_distances_are_those_of_the_definition(table: Table) -> None:
    ignored, half = by_definition(table)
    for scores in (table, csr_array(table)):
        assert kendall_distances(scores, ties="ignored") == pytest.approx(ignored, abs=1e-15)
        assert kendall_distances(scores) == pytest.approx(half, abs=1e-15)


@pytest.mark.parametrize("density", [0.3, 1.0])
@pytest.mark.parametrize("n_levels", [1, 9, 300, 10**9])
def test_long_rows_are_those_of_the_definition(n_levels: int, density: float) -> None:
    """Many words of bits, many levels, and large groups between small ones."""
    rng = np.random.default_rng(random_seed())
    table = rng.integers(1, n_levels + 1, (3, 1200)) * (rng.random((3, 1200)) < density) * 1.0
    table[2, ::3] = 7.0
    ignored, half = by_definition(table)
    assert kendall_distances(csr_array(table), ties="ignored") == pytest.approx(ignored, abs=1e-14)
    assert kendall_distances(table) == pytest.approx(half, abs=1e-14)


@given(st.integers(0, 2**32), st.integers(2, 200), st.integers(1, 50))
def test_distances_agree_with_scipy(seed: int, n_items: int, n_levels: int) -> None:
    """tau_b^2 n (n - ties) = (concordant - discordant)^2, where the first row has no ties."""
    rng = np.random.default_rng(seed)
    strict, tied = rng.permutation(n_items), rng.integers(0, n_levels + 1, n_items)
    tied[0], tied[1] = 0, 1
    n_pairs = n_items * (n_items - 1) / 2
    n_ties = sum(size * (size - 1) / 2 for size in np.bincount(tied))
    excess = kendalltau(strict, tied).statistic * np.sqrt(n_pairs * (n_pairs - n_ties))
    found = kendall_distances(np.array([strict, tied]))[0, 1]
    assert found == pytest.approx((1 - excess / n_pairs) / 2, abs=1e-12)


@given(tables())
def test_half_ties_make_a_metric(table: Table) -> None:
    distances = kendall_distances(table)
    assert (distances == distances.T).all()
    assert (np.diagonal(distances) == 0).all()
    detours = (distances[:, :, None] + distances[None]).min(axis=1)
    assert (distances <= detours + 1e-12).all()


def test_only_ignored_ties_are_free() -> None:
    rows = np.array([[1.0, 2, 3], [5, 5, 5], [3, 2, 1]])
    assert kendall_distances(rows, ties="ignored").tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert kendall_distances(rows).tolist() == [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]


@given(tables())
def test_only_the_order_of_scores_counts(table: Table) -> None:
    expected = kendall_distances(table)
    assert (kendall_distances(table**3 - 5) == expected).all()
    assert (kendall_distances(table[:, ::-1]) == expected).all()


@pytest.mark.parametrize("ties", ["half", "ignored"])
@pytest.mark.parametrize("n_levels", [1, 5])
def test_pairs_and_blocks_are_cells_of_the_matrix(n_levels: int, ties: str) -> None:
    """Rows of 0/1 have a way of their own for blocks."""
    rng = np.random.default_rng(random_seed())
    table = rng.integers(0, n_levels + 1, (300, 12)) * 1.0
    table[4] = 0.0
    ranked = RankedRows.of(csr_array(table))
    assert ranked.is_binary == (n_levels == 1)
    matrix = kendall_distances(ranked, ties=ties)
    first, second = rng.integers(300, size=(2, 5000))
    of_pairs = kendall_distances_of_pairs(ranked, first, second, ties=ties)
    assert (of_pairs == matrix[first, second]).all()
    chosen = np.array([7, 4, 299])
    assert (kendall_distances_from(ranked, chosen, ties=ties) == matrix[chosen]).all()
    expected = by_definition(table[:20])[ties == "half"]
    assert matrix[:20, :20] == pytest.approx(expected, abs=1e-14)


def test_a_sample_of_all_pairs_is_exact() -> None:
    rng = np.random.default_rng(random_seed())
    table = rng.integers(0, 4, (5, 30)) * 1.0
    every = np.array(list(permutations(range(30), 2)))
    many = np.concatenate([every] * 20)  # more than one block
    for place, ties in enumerate(("ignored", "half")):
        found = sampled_kendall_distances(table, many, ties=ties)
        assert found == pytest.approx(by_definition(table)[place], abs=1e-12)


def test_sampled_distances_follow_the_exact_one() -> None:
    rng = np.random.default_rng(random_seed())
    table = rng.integers(0, 6, (2, 40)) * 1.0
    exact = kendall_distances(table, ties="ignored")[0, 1]
    law, wrong = [exact, 1 - exact], [exact / 2, 1 - exact / 2]  # what eq. 14 gives as printed
    n_pairs = draws_needed(law, wrong)
    found = sampled_kendall_distances(table, draw_item_pairs(40, n_pairs, rng=rng), ties="ignored")[
        0, 1
    ]
    n_opposite = round(found * n_pairs)
    assert_counts_follow(np.array([[n_opposite, n_pairs - n_opposite]]), np.array([law]))


def test_drawn_pairs_are_uniform() -> None:
    stated, wrong = np.full(6, 1 / 6), np.array([1.1, 0.9, 1.1, 0.9, 1.1, 0.9]) / 6
    pairs = draw_item_pairs(
        3, draws_needed(stated, wrong), rng=np.random.default_rng(random_seed())
    )
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert_follows(pairs[:, 0] * 2 + pairs[:, 1] - (pairs[:, 1] > pairs[:, 0]), stated)


@pytest.mark.parametrize(
    "scores",
    [
        np.ones((3, 1)),
        np.ones(3),
        np.array([[1.0, np.nan]]),
        np.array([[1.0, np.inf]]),
        csr_array(np.array([[-1.0, 2.0]])),
        csr_array(np.array([[np.nan, 2.0]])),
        np.array([["a", "b"]]),
        np.zeros((0, 4)),
    ],
)
def test_other_scores_are_refused(scores: Table) -> None:
    with pytest.raises(HushrankError):
        kendall_distances(scores)


def test_the_last_score_of_many_is_checked() -> None:
    scores = np.ones((20, 2))
    scores[-1, -1] = -1
    with pytest.raises(HushrankError, match="at least 0 in a sparse array"):
        kendall_distances(csr_array(scores))


def test_unknown_rows_items_and_ties_are_refused() -> None:
    table = np.eye(3)
    with pytest.raises(HushrankError, match=r"rows 0\.\.2"):
        kendall_distances_of_pairs(table, np.array([0]), np.array([3]))
    with pytest.raises(HushrankError, match="as many"):
        kendall_distances_of_pairs(table, np.array([0]), np.array([1, 2]))
    with pytest.raises(HushrankError, match="half or ignored"):
        kendall_distances(table, ties="both")  # type: ignore[arg-type]
    for pairs in ([[0, 3]], [[-1, 0]], [[0.0, 1.0]], [0, 1], np.zeros((0, 2), dtype=int)):
        with pytest.raises(HushrankError, match="items"):
            sampled_kendall_distances(table, np.array(pairs))
    with pytest.raises(HushrankError, match="2 or more items"):
        draw_item_pairs(1, 5, rng=np.random.default_rng(0))


def test_ranked_rows_show_nothing_of_the_scores() -> None:
    assert repr(RankedRows.of(np.array([[7.0, 8, 9]]))) == "RankedRows(1 rows, 3 items)"
