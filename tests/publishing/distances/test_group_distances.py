"""Distances between centroids: against scipy, at the edges, and within what they state."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon, pdist, squareform
from scipy.stats import spearmanr

from hushrank.errors import HushrankError
from hushrank.publishing.distances.group_distances import DISTANCES, UNBOUNDED, group_distances
from hushrank.publishing.distances.kendall import kendall_distances
from tests.statistics import random_seed


def draw_centroids() -> NDArray[np.float64]:
    rng = np.random.default_rng(random_seed())
    return rng.integers(0, 5, (7, 30)) * rng.random((7, 30))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("euclidean", "euclidean"),
        ("squared-euclidean", "sqeuclidean"),
        ("cosine", "cosine"),
        ("jensen-shannon", partial(jensenshannon, base=2)),
    ],
)
def test_distances_agree_with_scipy(name: str, metric: Any) -> None:
    centroids = draw_centroids()
    expected = squareform(pdist(centroids, metric))
    assert group_distances(centroids, name).matrix == pytest.approx(expected, abs=1e-12)


def test_spearman_agrees_with_scipy() -> None:
    centroids = draw_centroids()
    correlations = spearmanr(centroids, axis=1).statistic
    found = group_distances(centroids, "spearman").matrix
    assert found == pytest.approx((1 - correlations) / 2, abs=1e-12)


def test_kendall_counts_ties_half_and_as_printed_ignores_them() -> None:
    centroids = draw_centroids()
    half, ignored = (group_distances(centroids, name).matrix for name in list(DISTANCES)[:2])
    assert (half == kendall_distances(centroids, ties="half")).all()
    assert (ignored == kendall_distances(centroids, ties="ignored")).all()


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_keep_what_they_state(name: str) -> None:
    rows = [[0, 0, 0], [2, 2, 2], [0, 0, 3], [3, 0, 0], [0, 0, 3], [1, 2, 3], [3, 2, 1]]
    distances = group_distances(np.array(rows, dtype=float), name)
    matrix = distances.matrix
    assert (matrix == matrix.T).all()
    assert (np.diagonal(matrix) == 0).all()
    assert matrix.min() == 0
    assert matrix.max() <= distances.largest
    assert matrix[2, 4] == 0
    assert (distances.largest == 1) == (name not in UNBOUNDED)


@pytest.mark.parametrize(
    ("name", "empty", "reversed_order"),
    [("kendall", 0.5, 1), ("spearman", 0.5, 1), ("cosine", 1, 4 / 14), ("jensen-shannon", 1, None)],
)
def test_rows_without_order_or_scores_have_a_distance(
    name: str, empty: float, reversed_order: float | None
) -> None:
    matrix = group_distances(np.array([[0.0, 0, 0], [1, 2, 3], [3, 2, 1]]), name).matrix
    assert matrix[0, 1] == matrix[0, 2] == empty
    if reversed_order is not None:
        assert matrix[1, 2] == pytest.approx(reversed_order, abs=1e-12)


def test_a_budget_is_within_the_largest_distance() -> None:
    centroids = np.array([[0.0, 0], [3, 4]])
    distances = group_distances(centroids, "euclidean")
    assert distances.largest == 5
    for fine in (0, 5):
        distances.require_budget(fine)
    for budget in (-0.1, 5.1, np.nan):
        with pytest.raises(HushrankError, match="budget: expected 0 to 5, a distance by euclidean"):
            distances.require_budget(budget)
    with pytest.raises(
        HushrankError, match="budget: expected 0 to 1, a distance by kendall, got 2"
    ):
        group_distances(centroids).require_budget(2)


@pytest.mark.parametrize(
    ("centroids", "name", "message"),
    [
        ([[1.0, 2]], "hamming", "expected a distance of kendall, "),
        ([[1.0], [2]], "kendall", "2 or more items"),
        ([1.0, 2], "cosine", "centroids"),
        ([[1.0, -2]], "cosine", "at least 0"),
        ([[1.0, np.nan]], "spearman", "finite"),
        ([[1.0] * 30, [1.0] * 29 + [-2]], "cosine", "at least 0"),
    ],
)
def test_other_centroids_and_names_are_refused(
    centroids: list[list[float]], name: str, message: str
) -> None:
    with pytest.raises(HushrankError, match=message):
        group_distances(np.array(centroids), name)
