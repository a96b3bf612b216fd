"""Publishing activity data: channels between groups, their distances, and the groups."""

import sys
from collections.abc import Sequence
from time import process_time

import numpy as np
from harness import Row, Series, check, main, rates, run_json, seconds
from scipy.sparse import csr_array
from scipy.stats import kendalltau

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.certificate import ChannelSolution, certified_gap
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.solve import solve_channel
from hushrank.publishing.clusters.clustering import cluster_users
from hushrank.publishing.distances.kendall import kendall_distances

INTRODUCTION = """## Channels between groups of users

Groups are points in a plane, their private values are drawn uniformly from the simplex, and the
budget is a twentieth of what it costs to release one group always. A channel is solved to a proven
gap of 1e-4 of what the groups themselves tell. The peer is Clarabel through cvxpy, at its own
tolerance, measured once; its gap is what it leaks, once its rows and its budget are mended, above
our proven bound. Kendall distances are of all pairs of centroids; scipy takes 300 of the pairs, one
by one. Clusters begin with scores in memory and end with centroids. A release begins with activity
and profiles in memory and ends with the activity to hand over; its process is its own, and its
memory includes Python and the libraries."""

GAP = 1e-4
BUDGET = 0.05
N_PAIRS_OF_PEER = 300


def solve(is_quick: bool) -> Sequence[Row]:
    """Measure channels of 50, 200 and 1,000 groups."""
    sizes = [(50, 2, None), (50, 8, None), *((200, n_values, 0.5) for n_values in (2, 4, 8))]
    if not is_quick:
        sizes += [(1000, 2, 10.0), (1000, 8, 10.0)]
    return [_solved(*size, is_quick) for size in sizes]


def compare(is_quick: bool) -> Sequence[Row]:
    """Measure Kendall distances between centroids, as many as there are films rated often."""
    n_groups, n_items = (40, 500) if is_quick else (200, 1861)
    rng = np.random.default_rng(1)
    centroids = rng.random((n_groups, n_items))
    n_pairs = n_groups * (n_groups - 1) // 2
    ours = seconds(lambda: kendall_distances(centroids), 5)
    pairs = [rng.choice(n_groups, 2, replace=False) for _ in range(N_PAIRS_OF_PEER)]
    theirs = seconds(lambda: [_tau(centroids, *pair) for pair in pairs], 5)
    distances = kendall_distances(centroids)
    expected = [(1 - _tau(centroids, *pair)) / 2 for pair in pairs]
    check(np.allclose([distances[a, b] for a, b in pairs], expected), "Kendall: a distance is off")
    peers: dict[str, Series | str] = {"scipy": rates(N_PAIRS_OF_PEER, theirs)}
    checked = "distances are those of scipy"
    tasks = f"Kendall distances, {n_groups} groups, {n_items:,} items"
    return [
        Row(f"{tasks}: pairs", "pairs/s", None, rates(n_pairs, ours), peers, checked),
        Row(f"{tasks}: all of them", "s", None if is_quick else 1.5, Series(ours)),
    ]


def cluster(is_quick: bool) -> Sequence[Row]:
    """Measure 200 clusters of users with about 40 of 1,000 items each."""
    n_users = 5_000 if is_quick else 100_000
    scores = visits(n_users, 1_000)

    def act() -> None:
        found = cluster_users(scores, 200, rng=np.random.default_rng(2), method="bisecting")
        check(found.sizes.min() >= 1, "clusters: one is empty")

    task = f"200 clusters of {n_users:,} users, 1,000 items"
    return [Row(task, "s", 2.0, Series(seconds(act, 5)), checked="no cluster is empty")]


def release(is_quick: bool) -> Sequence[Row]:
    """Measure a whole release: clusters, distances, channel, exchange, what it tells."""
    n_users, n_items = 5_000 if is_quick else 100_000, 1_000
    found = run_json(sys.executable, "one_release.py", str(n_users), str(n_items), "5")
    task = f"historical release, {n_users:,} users x {n_items:,} items, memory to memory"
    told = f"within its budget, tells {found['told']:.3f} of what untouched clusters tell"
    spent, megabytes = Series(found["seconds"]), Series([found["megabytes"]])
    return [
        Row(task, "s", 10.0, spent, checked=told),
        Row(f"{task}: peak memory", "MB", 4_000, megabytes),
    ]


def _solved(n_groups: int, n_values: int, target: float | None, is_quick: bool) -> Row:
    problem = _problem(n_groups, n_values)
    found: list[ChannelSolution] = []

    def act() -> None:
        found[:] = [solve_channel(problem, gap=GAP)]

    ours = Series(seconds(act, 5))
    gap = certified_gap(problem, found[0]) / problem.identity_leakage
    check(gap <= GAP, f"channel: expected a gap of {GAP:g}, got {gap:.2g}")
    peers: dict[str, Series | str] = {}
    if n_groups <= (50 if is_quick else 200):
        peers["cvxpy, Clarabel"] = _peer(problem, found[0].leakage - found[0].certified_gap)
    told = found[0].leakage / problem.identity_leakage
    checked = f"proven gap {gap:.1e}, leaks {told:.3f} of what the groups tell"
    task = f"channel of {n_groups:,} groups, {n_values} private values"
    return Row(task, "s", target, ours, peers, checked)


def _peer(problem: ChannelProblem, bound: float) -> str:
    """Say how long Clarabel took, and how far its channel is from our bound."""
    import cvxpy

    channel = cvxpy.Variable((problem.n_groups, problem.n_groups), nonneg=True)
    joint = channel.T @ problem.joint
    alone = cvxpy.reshape(cvxpy.sum(joint, axis=1), (problem.n_groups, 1), order="F")
    leakage = cvxpy.sum(cvxpy.rel_entr(joint, alone @ problem.prior[None]))
    costs = problem.shares[:, None] * problem.distances
    rules = [
        cvxpy.sum(channel, axis=1) == 1,
        cvxpy.sum(cvxpy.multiply(costs, channel)) <= problem.budget,
    ]
    start = process_time()
    try:
        program = cvxpy.Problem(cvxpy.Minimize(leakage), rules)
        program.solve(solver=cvxpy.CLARABEL)
    except cvxpy.error.SolverError:
        return f"failed after {process_time() - start:.3g} s"
    spent = f"{process_time() - start:.3g} s"
    gap = (problem.leakage(_mended(problem, channel.value)) - bound) / problem.identity_leakage
    return f"{spent}, gap {gap:.1e}, {program.status}"


def _mended(problem: ChannelProblem, channel: Floats) -> Floats:
    rows = np.maximum(channel, 0)
    rows /= rows.sum(axis=1, keepdims=True)
    kept = min(1.0, problem.budget / problem.distortion(rows))
    return np.asarray(kept * rows + (1 - kept) * np.eye(len(rows)))


def _problem(n_groups: int, n_values: int) -> ChannelProblem:
    rng = np.random.default_rng(n_groups + n_values)
    posteriors = rng.dirichlet(np.ones(n_values), n_groups)
    joint = rng.dirichlet(np.ones(n_groups))[:, None] * posteriors
    places = rng.normal(size=(n_groups, 2))
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    constant = float((joint.sum(axis=1) @ distances).min())
    return ChannelProblem(joint / joint.sum(), distances, BUDGET * constant)


def _tau(centroids: Floats, one: int, other: int) -> float:
    return float(kendalltau(centroids[one], centroids[other]).statistic)


def visits(n_users: int, n_items: int) -> csr_array:
    """Return visits (users, items) of users with one of 50 tastes."""
    rng = np.random.default_rng(3)
    tastes = rng.dirichlet(np.full(n_items, 0.05), 50)
    own = rng.integers(50, size=n_users)
    rows = [rng.choice(n_items, 40, p=tastes[taste]) for taste in own[: min(n_users, 5_000)]]
    items = np.concatenate(rows)[np.arange(40 * n_users) % (40 * len(rows))]
    items = np.where(rng.random(items.size) < 0.2, rng.integers(n_items, size=items.size), items)
    users = np.repeat(np.arange(n_users), 40)
    scores = csr_array((np.ones(items.size), (users, items)), shape=(n_users, n_items))
    scores.sum_duplicates()
    return scores


if __name__ == "__main__":
    main(INTRODUCTION, (solve, compare, cluster, release))
