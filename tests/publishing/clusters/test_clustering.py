"""Clusters of users: what every method promises, and what each does as its reference."""

import sys

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_array, vstack

from hushrank.errors import HushrankError
from hushrank.publishing.clusters import k_means
from hushrank.publishing.clusters.clustering import Clusters, cluster_users
from hushrank.publishing.clusters.k_means import bisected
from hushrank.publishing.clusters.record_space import component_space, distinct, nearest_centres
from tests.statistics import random_seed

METHODS = ("auto", "ward", "bisecting", "minibatch", "average")


def draw_scores(n_users: int = 300, n_items: int = 60, n_groups: int = 3) -> csr_array:
    """Users of groups that use different items, a fifth of them with the record of another."""
    rng = np.random.default_rng(random_seed())
    groups = np.arange(n_users) % n_groups
    rates = np.full((n_groups, n_items), 0.02)
    for group in range(n_groups):
        rates[group, group::n_groups] = 0.8
    scores = rng.poisson(rates[groups]).astype(float)
    scores[-n_users // 5 :] = scores[: n_users // 5]
    return csr_array(scores)


def cluster(scores: csr_array, n_clusters: int, method: str, seed: int = 3) -> Clusters:
    return cluster_users(
        scores,
        n_clusters,
        method=method,  # type: ignore[arg-type]
        rng=np.random.default_rng(seed),
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_clusters", [1, 7, 240])
def test_every_method_keeps_its_promises(method: str, n_clusters: int) -> None:
    scores = draw_scores()
    clusters = cluster(scores, n_clusters, method)
    labels = clusters.labels
    assert clusters.n_clusters == n_clusters == len(np.unique(labels))
    assert (np.diff(clusters.sizes) <= 0).all()
    assert (clusters.sizes == np.bincount(labels)).all()
    assert clusters.sizes.min() >= 1
    assert (labels[-60:] == labels[:60]).all()  # equal records
    dense = scores.toarray()
    means = [dense[labels == label].mean(axis=0) for label in range(n_clusters)]
    assert clusters.centroids == pytest.approx(np.array(means), abs=1e-12)
    assert (cluster(scores, n_clusters, method).labels == labels).all()


@pytest.mark.linear_algebra
@pytest.mark.parametrize("method", ["ward", "bisecting", "minibatch"])
def test_groups_apart_are_found_again(method: str) -> None:
    scores = draw_scores()
    clusters = cluster(scores, 3, method)
    groups = np.arange(240) % 3
    table = np.zeros((3, 3))
    np.add.at(table, (clusters.labels[:240], groups), 1)
    assert (table > 0).sum() == 3
    assert (clusters.assign(scores) == clusters.labels).all()


@pytest.mark.parametrize("kind", ["ward", "average"])
def test_linkages_are_those_of_scipy(kind: str) -> None:
    """Average linkage on the counts themselves, Ward's on points."""
    scores = draw_scores()[:120]
    points = scores.toarray()
    if kind == "ward":
        points = component_space(scores, 32, rng=np.random.default_rng(3)).points(scores)
    expected = fcluster(linkage(points, kind), 12, "maxclust")
    found = cluster(scores, 12, kind).labels
    assert len(np.unique(np.stack([found, expected]), axis=1).T) == 12


def test_average_linkage_of_counts_collapses() -> None:
    """What its docstring warns of: a few heavy users take all clusters but one."""
    rng = np.random.default_rng(random_seed())
    scores = rng.poisson(0.1, (200, 40)).astype(float)
    scores[:9] *= 100 * np.arange(1, 10)[:, None]
    scores[:9, 0] += 1000 * np.arange(1, 10)
    assert cluster(csr_array(scores), 10, "average").sizes[0] == 191
    assert cluster(csr_array(scores), 10, "bisecting").sizes[0] < 150


@pytest.mark.linear_algebra
def test_components_are_the_singular_vectors() -> None:
    scores = draw_scores(n_users=80, n_items=50)
    space = component_space(scores, 3, rng=np.random.default_rng(0))
    exact = np.linalg.svd(np.log1p(scores.toarray()))[2][:3]
    assert space.basis is not None
    assert space.basis.T @ space.basis == pytest.approx(np.eye(3), abs=1e-12)
    angles = np.linalg.svd(exact @ space.basis)[1]
    assert angles == pytest.approx(np.ones(3), abs=1e-3)


def test_new_users_go_to_the_nearest_centre() -> None:
    scores = draw_scores()
    clusters = cluster(scores, 5, "ward")
    points = clusters.space.points(scores)
    apart = ((points[:, None] - clusters.centres) ** 2).sum(axis=2)
    assert (clusters.assign(scores) == apart.argmin(axis=1)).all()
    with pytest.raises(HushrankError, match="60 items"):
        clusters.assign(scores[:, :59])


@pytest.mark.linear_algebra
def test_bisection_splits_all_that_differs() -> None:
    """Even by a rounding, and never what is equal."""
    points = np.array([[1.0, 1], [1, 1 + 1e-16], [1, np.nextafter(1, 2)], [5, 1], [5, 1]])
    labels = bisected(points, np.arange(5), np.ones(5), np.zeros(5, dtype=np.intp), 3)
    assert labels[0] == labels[1] != labels[2]
    assert labels[3] == labels[4]
    assert len(np.unique(labels)) == 3
    with pytest.raises(HushrankError, match="4 or more points that differ, got 3"):
        bisected(points, np.arange(5), np.ones(5), np.zeros(5, dtype=np.intp), 4)


@pytest.mark.linear_algebra
def test_bisection_does_not_hang_on_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor on the sign of an axis: points in the middle are on the first point's side."""
    rng, plain = np.random.default_rng(random_seed()), np.linalg.eigh
    for _ in range(40):
        points = np.arange(-4, 5)[:, None] / 3 * rng.standard_normal(5) + rng.standard_normal(5)
        labels = bisected(points, np.arange(9), np.ones(9), np.zeros(9, dtype=np.intp), 4)
        moved = points * (1 + 1e-14 * rng.standard_normal((9, 5)))
        with monkeypatch.context() as patched:
            patched.setattr(np.linalg, "eigh", lambda matrix: (None, -plain(matrix)[1]))
            again = bisected(moved, np.arange(9), np.ones(9), np.zeros(9, dtype=np.intp), 4)
        assert (again == labels).all()
        assert labels[0] == 0


@pytest.mark.linear_algebra
def test_clusters_do_not_depend_on_how_many_points_are_looked_at_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = np.random.default_rng(random_seed()).standard_normal((500, 4))
    given = np.arange(500), np.ones(500), np.zeros(500, dtype=np.intp), 20
    labels = bisected(points, *given)
    monkeypatch.setattr(k_means, "BLOCK", 7)
    assert (bisected(points, *given) == labels).all()


def test_equal_points_are_one_and_in_the_order_of_their_first_users() -> None:
    rng = np.random.default_rng(random_seed())
    points = rng.integers(-1, 2, size=(3000, 6)).astype(float) * rng.choice([-1.0, 1.0], (3000, 1))
    numbers: dict[bytes, int] = {}
    which = [numbers.setdefault((row + 0.0).tobytes(), len(numbers)) for row in points]
    assert np.signbit(points[points == 0]).any()
    for form in (points, csr_array(points), np.asfortranarray(points)):
        first, found = distinct(form)
        assert found.tolist() == which
        assert first.tolist() == [which.index(number) for number in range(len(numbers))]


def test_bisection_starts_from_clusters_and_minds_weights() -> None:
    points = np.array([[0.0], [1], [10], [11], [12]])
    start = np.array([1, 1, 0, 0, 0])
    labels = bisected(points, np.arange(5), np.ones(5), start, 3)
    assert labels[:2].tolist() == [1, 1]
    assert set(labels[2:]) == {0, 2}
    heavy = bisected(points, np.arange(2, 5), np.array([1.0, 1, 50]), np.zeros(3, dtype=np.intp), 2)
    assert heavy[0] == heavy[1] != heavy[2]
    light = bisected(points, np.arange(2, 5), np.array([50.0, 1, 1]), np.zeros(3, dtype=np.intp), 2)
    assert light[0] != light[1] == light[2]


def test_points_change_sides_until_each_is_in_the_nearer_cluster() -> None:
    """Whichever of them stands last."""
    drawn = np.random.default_rng(0).exponential(size=(30, 1)) ** 2
    everybody, alone = np.arange(30), np.zeros(30, dtype=np.intp)
    for turn in everybody:
        points = np.roll(drawn, turn, axis=0)
        labels = bisected(points, everybody, np.ones(30), alone, 2)
        centres = np.array([points[labels == name].mean(axis=0) for name in (0, 1)])
        assert (nearest_centres(points, centres) == labels).all()


def test_points_are_told_apart_by_content() -> None:
    dense = np.array([[1.0, 0], [0, 1], [1, -0.0], [0, 0]])
    for points in (dense, csr_array(dense)):
        first, which = distinct(points)
        assert first.tolist() == [0, 1, 3]
        assert which.tolist() == [0, 1, 0, 2]
    assert nearest_centres(csr_array(dense), dense[:2]).tolist()[:3] == [0, 1, 0]


@pytest.mark.parametrize("method", METHODS)
def test_more_clusters_than_records_are_refused(method: str) -> None:
    scores = draw_scores()
    with pytest.raises(HushrankError, match=r"1\.\.300 clusters of 300 users, got 301"):
        cluster(scores, 301, method)
    with pytest.raises(HushrankError, match="clusters of 300 users, got 0"):
        cluster(scores, 0, method)
    with pytest.raises(HushrankError, match="241 or more records that differ, got 240"):
        cluster(scores, 241, method)


@pytest.mark.parametrize("method", METHODS)
def test_users_without_activity_are_clustered(method: str) -> None:
    scores = csr_array(vstack([draw_scores(60), csr_array((5, 60))]))
    clusters = cluster(scores, 4, method)
    assert len(np.unique(clusters.labels[-5:])) == 1
    assert cluster(csr_array((1, 3)), 1, method).labels.tolist() == [0]


@pytest.mark.parametrize("kind", ["ward", "average"])
def test_a_linkage_refuses_more_memory_than_allowed(kind: str) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(HushrankError, match=r"of 60 users needs 2\.88e-05 GB, more than the 1e-05"):
        cluster_users(draw_scores(60), 2, method=kind, rng=rng, most_gigabytes=1e-5)  # type: ignore[arg-type]


def test_minibatch_says_what_it_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(HushrankError, match="extra `publish`"):
        cluster(draw_scores(), 3, "minibatch")
    assert cluster(draw_scores(), 3, "bisecting").n_clusters == 3


def test_other_scores_and_methods_are_refused() -> None:
    with pytest.raises(HushrankError, match="method"):
        cluster(draw_scores(), 3, "spectral")
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(HushrankError, match="finite scores of at least 0"):
            cluster(csr_array(np.array([[1.0, wrong], [1, 2]])), 1, "ward")


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_the_last_score_of_many_is_checked(wrong: float) -> None:
    with pytest.raises(HushrankError, match="finite scores of at least 0"):
        cluster(csr_array(np.array([*np.ones((20, 2)), [1, wrong]])), 1, "ward")


def test_clusters_show_nothing_of_users() -> None:
    clusters = cluster(draw_scores(), 3, "ward")
    assert repr(clusters) == "Clusters(300 users, 3 clusters)"
