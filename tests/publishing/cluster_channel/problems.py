"""Problems to solve channels for, and what an independent solver says of them."""

from typing import Any

import numpy as np

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.problem import ChannelProblem


def random_problem(
    seed: int,
    n_groups: int,
    n_values: int,
    budget: float,
    *,
    n_empty: int = 0,
    zeros: float = 0.0,
    symmetric: bool = True,
) -> ChannelProblem:
    """Draw groups in a plane; `budget` is in parts of what releasing one group always costs."""
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(n_groups))[:, None] * rng.dirichlet(np.ones(n_values), n_groups)
    joint[rng.random(joint.shape) < zeros] = 0
    joint[rng.choice(n_groups, n_empty, replace=False)] = 0
    joint /= joint.sum()
    places = rng.normal(size=(n_groups, 2))
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    distances *= 1 if symmetric else rng.uniform(0.5, 1.5, distances.shape)
    constant = float((joint.sum(axis=1) @ distances).min())
    return ChannelProblem(joint, distances, budget * constant)


def plain_bound(problem: ChannelProblem, potentials: Floats, price: float) -> float:
    """Compute the dual bound once more, with loops and from the formula alone."""
    joint, n_groups, n_values = problem.joint, problem.n_groups, problem.n_values
    prior = [sum(joint[g][y] for g in range(n_groups)) for y in range(n_values)]
    total = 0.0
    for g in range(n_groups):
        costs = []
        for released in range(n_groups):
            a = potentials[released]
            scale = np.log(sum(prior[y] * np.exp(a[y]) for y in range(n_values)))
            mean = sum(joint[g][y] * (a[y] - scale) for y in range(n_values))
            costs.append(mean + price * sum(joint[g]) * problem.distances[g][released])
        total += min(costs)
    return float(total - price * problem.budget)


def conic_leakage(problem: ChannelProblem, max_ratio: float | None = None) -> float:
    """Return the least leakage, in nats, that cvxpy finds with Clarabel."""
    import cvxpy

    channel = cvxpy.Variable((problem.n_groups, problem.n_groups), nonneg=True)
    joint = channel.T @ problem.joint
    independent = cvxpy.reshape(
        cvxpy.sum(joint, axis=1), (problem.n_groups, 1), order="F"
    ) @ problem.prior.reshape(1, -1)
    leakage = cvxpy.sum(cvxpy.rel_entr(joint, independent))
    distortion = cvxpy.sum(cvxpy.multiply(problem.shares[:, None] * problem.distances, channel))
    rules: list[Any] = [cvxpy.sum(channel, axis=1) == 1, distortion <= problem.budget]
    if max_ratio is not None:
        given = joint @ np.diag(1 / problem.prior)
        pairs = [(y, z) for y in range(problem.n_values) for z in range(problem.n_values) if y != z]
        rules += [given[:, y] <= max_ratio * given[:, z] for y, z in pairs]
    program = cvxpy.Problem(cvxpy.Minimize(leakage), rules)
    program.solve(solver=cvxpy.CLARABEL)
    return float(program.value)
