import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.cluster_channel import bounded_ratio, solve
from hushrank.publishing.cluster_channel.bounded_ratio import bounded_channel
from hushrank.publishing.cluster_channel.interior_point.columns import RatioResponder
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.solve import solve_channel
from tests.publishing.cluster_channel.problems import conic_leakage, random_problem
from tests.publishing.cluster_channel.test_candidates import cheapest_without_leakage


@pytest.mark.parametrize(
    ("n_groups", "n_values", "budget", "max_ratio"),
    [(5, 2, 0.3, 2.0), (12, 3, 0.4, 3.0), (20, 2, 0.3, 1.5), (15, 4, 0.5, 2.0), (20, 3, 0.6, 1.1)],
)
def test_the_least_leakage_within_the_ratio_is_that_of_a_conic_solver(
    n_groups, n_values, budget, max_ratio
):
    problem = random_problem(9, n_groups, n_values, budget)
    solution = solve_channel(problem, max_ratio=max_ratio)
    assert problem.worst_ratio(solution.channel.probabilities) <= max_ratio * (1 + 1e-9)
    assert solution.distortion <= problem.budget * (1 + 1e-9)
    assert solution.certified_gap <= 1e-4 * problem.identity_leakage
    least = conic_leakage(problem, max_ratio)
    assert solution.leakage == pytest.approx(least, abs=2e-4 * problem.identity_leakage)


def test_the_ratio_costs_leakage_that_the_bound_knows_of():
    """Without the ratio the bound would be lower: the certificate rests on max_ratio."""
    problem = random_problem(9, 20, 3, 0.4)
    free, bound = solve_channel(problem), solve_channel(problem, max_ratio=1.5)
    assert problem.worst_ratio(free.channel.probabilities) > 1.5
    assert bound.leakage - bound.certified_gap > free.leakage


def test_a_ratio_that_groups_break_by_a_little_is_bounded():
    """Also where the best channel would break it less than the groups themselves do."""
    told = random_problem(9, 20, 3, 0.05)
    joint = 0.1 * told.joint + 0.9 * np.outer(told.shares, told.prior)
    problem = ChannelProblem(joint, told.distances, told.budget)
    own, free = problem.worst_ratio(np.eye(20)), solve_channel(problem).channel.probabilities
    max_ratio = own**0.6
    assert problem.worst_ratio(free) > max_ratio
    bound = solve_channel(problem, max_ratio=max_ratio).channel.probabilities
    assert problem.worst_ratio(bound) <= max_ratio * (1 + 1e-9)


def test_a_ratio_that_groups_keep_themselves_changes_nothing():
    joint = np.array([[0.3, 0.2], [0.2, 0.3]])
    problem = ChannelProblem(joint, np.array([[0, 1], [1, 0.0]]), 0.1)
    wide, free = solve_channel(problem, max_ratio=1.6), solve_channel(problem)
    assert wide.leakage == free.leakage
    assert wide.max_ratio == 1.6


def test_a_ratio_of_1_leaks_nothing():
    problem = random_problem(5, 20, 3, 1.0)
    solution = solve_channel(problem, max_ratio=1.0)
    assert solution.leakage <= 1e-15
    assert problem.worst_ratio(solution.channel.probabilities) <= 1 + 1e-9


def test_what_is_enough_is_rounded_up(monkeypatch):
    """To the nearest of six digits it was said as less, which is not enough."""
    monkeypatch.setattr(solve, "sufficient_budget", lambda *problem: 0.1234561)
    problem = random_problem(5, 12, 3, 0.05)
    with pytest.raises(HushrankError, match=r"a budget of 0\.123457 is enough") as refused:
        solve_channel(problem, max_ratio=1.0)
    assert f"within a budget of {problem.budget!r} was" in str(refused.value)


@pytest.mark.parametrize("max_ratio", [1.0, 1.2])
def test_too_small_a_budget_says_what_is_enough(max_ratio):
    problem = random_problem(5, 12, 3, 0.05)
    with pytest.raises(HushrankError, match=r"a budget of [0-9.e-]+ is enough") as refused:
        solve_channel(problem, max_ratio=max_ratio)
    enough = float(str(refused.value).split("a budget of ")[-1].split(" ")[0])
    assert problem.budget < enough <= cheapest_without_leakage(problem) * 1.001
    mended = ChannelProblem(problem.joint, problem.distances, enough)
    assert solve_channel(mended, max_ratio=max_ratio).leakage <= problem.identity_leakage


def test_mirror_descent_does_not_bound_ratios():
    with pytest.raises(HushrankError, match="cannot bound"):
        solve_channel(random_problem(5, 9, 2, 0.3), max_ratio=1.2, method="mirror-descent")


@pytest.mark.parametrize("smoothing", [1e-1, 1e-4, 1e-7])
@pytest.mark.parametrize("max_ratio", [1.05, 4.0])
def test_the_response_is_the_gradient_of_its_scale_and_within_the_ratio(max_ratio, smoothing):
    rng = np.random.default_rng(1)
    responder = RatioResponder(rng.dirichlet(np.full(4, 3.0)), max_ratio)
    potentials, nudge = rng.normal(size=(30, 4)) * 2, rng.normal(size=(30, 4)) * 1e-5
    at, near, far = (
        responder.respond(potentials + step * nudge, np.full(30, smoothing)) for step in (0, 1, -1)
    )
    likelihoods = at.directions / responder.prior
    assert (likelihoods.max(axis=1) < max_ratio * likelihoods.min(axis=1)).all()
    assert at.directions.sum(axis=1) == pytest.approx(1)
    rise = (at.directions * nudge).sum(axis=1)
    assert (near.scales - far.scales) / 2 == pytest.approx(rise, abs=1e-11)
    turn = np.einsum("gyz,gz->gy", at.curvatures, nudge)
    assert (near.directions - far.directions) / 2 == pytest.approx(turn, abs=1e-10)


def test_the_smoothed_response_tends_to_the_exact_one():
    rng = np.random.default_rng(2)
    responder = RatioResponder(rng.dirichlet(np.full(3, 3.0)), 1.5)
    potentials = rng.normal(size=(30, 3)) * 2
    smooth = responder.respond(potentials, np.full(30, 1e-8)).scales
    assert smooth == pytest.approx(responder.bounds(potentials), abs=1e-6)


def test_a_channel_above_the_ratio_is_never_returned_however_it_was_found(monkeypatch):
    problem = random_problem(9, 20, 3, 0.4)
    free = solve_channel(problem)
    assert problem.worst_ratio(free.channel.probabilities) > 1.5
    monkeypatch.setattr(bounded_ratio, "_attempts", lambda *given: iter([free]))
    assert bounded_channel(problem, problem.identity_leakage, 1.5) is None
    assert bounded_channel(problem, problem.identity_leakage, 1e6) is free
