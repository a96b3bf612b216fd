import numpy as np
import pytest
from scipy.optimize import linprog

from hushrank.publishing.cluster_channel.candidates import constant_distortion, no_leakage_candidate
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.solve import solve_channel
from tests.publishing.cluster_channel.problems import random_problem


def cheapest_without_leakage(problem):
    """Return the least distortion that leaks nothing, by HiGHS: P(ĝ, y) = P(ĝ) P(y)."""
    n = problem.n_groups
    costs = (problem.shares[:, None] * problem.distances).ravel()
    rows = np.kron(np.eye(n), np.ones(n))
    leaning = problem.joint - problem.shares[:, None] * problem.prior
    balance = np.vstack([np.kron(leaning[:, y], np.eye(n)) for y in range(problem.n_values)])
    right = np.r_[np.ones(n), np.zeros(len(balance))]
    return linprog(costs, A_eq=np.vstack([rows, balance]), b_eq=right).fun


@pytest.mark.parametrize(("n_groups", "n_values"), [(2, 2), (10, 3), (25, 2), (40, 4)])
@pytest.mark.parametrize("symmetric", [True, False])
def test_the_cheapest_channel_without_leakage_solves_a_linear_program(
    n_groups, n_values, symmetric
):
    problem = random_problem(5, n_groups, n_values, 1.0, symmetric=symmetric)
    solution = no_leakage_candidate(problem)
    assert solution.leakage <= 1e-15
    assert np.abs(solution.channel.probabilities.sum(axis=1) - 1).max() <= 1e-12
    cheapest = cheapest_without_leakage(problem)
    assert solution.distortion == pytest.approx(cheapest, rel=1e-4)
    assert solution.distortion <= constant_distortion(problem)


def test_a_budget_for_no_leakage_buys_it_and_no_more_is_spent():
    problem = random_problem(5, 20, 3, 1.0)
    cheapest = cheapest_without_leakage(problem)
    assert cheapest < 0.95 * problem.budget
    solution = solve_channel(problem)
    assert solution.leakage <= 1e-15
    assert solution.distortion == pytest.approx(cheapest, rel=1e-4)


def test_a_hair_below_that_budget_something_leaks():
    problem = random_problem(5, 20, 3, 1.0)
    tight = cheapest_without_leakage(problem) * 0.98
    object.__setattr__(problem, "budget", tight)
    solution = solve_channel(problem, gap=1e-5)
    assert solution.distortion <= tight * (1 + 1e-9)
    assert solution.leakage - solution.certified_gap > 0


def test_a_value_that_next_to_nobody_has_is_hidden_by_a_constant_channel():
    common = random_problem(5, 10, 3, 1.5)
    joint = common.joint * [1e-12, 1, 1]
    problem = ChannelProblem(joint / joint.sum(), common.distances, common.budget)
    solution = solve_channel(problem)
    assert solution.leakage <= 1e-15
    assert solution.distortion == pytest.approx(constant_distortion(problem))
