"""The channel that leaks least within a budget, certified, or an error that says why not.

Theory: docs/theory/cluster-channel.md
"""

from collections.abc import Iterator
from dataclasses import replace

from hushrank.accounting.words import as_given, loss_in_words
from hushrank.errors import HushrankError, require
from hushrank.publishing.cluster_channel.bounded_ratio import (
    binds,
    bounded_channel,
    sufficient_budget,
)
from hushrank.publishing.cluster_channel.candidates import (
    constant_distortion,
    identity_candidate,
    is_proven,
    no_leakage_candidate,
    solved_candidate,
)
from hushrank.publishing.cluster_channel.certificate import ChannelSolution
from hushrank.publishing.cluster_channel.problem import ChannelProblem

METHODS = ("auto", "interior-point", "column-generation", "mirror-descent")
FEW_GROUPS = 64
"""So many groups are solved with all arcs at once."""
MANY_GROUPS = 600
"""Above, slower solvers take too long to fall back on, and a channel without leakage to try."""


def solve_channel(
    problem: ChannelProblem,
    *,
    gap: float = 1e-4,
    max_ratio: float | None = None,
    method: str = "auto",
) -> ChannelSolution:
    """Return the channel that leaks least within the budget, to `gap` times I(G; Y), proven.

    max_ratio bounds P(ĝ | y) / P(ĝ | y') for all y, y' and ĝ: e^epsilon of local differential
    privacy of the private value alone; 1 forbids leakage. Where nothing need leak, the result is
    the cheapest channel without leakage, or above 600 groups maybe one that leaks `gap` of I(G; Y).
    Budget and ratio are kept to 1e-9, relatively. Cost: 0.1 to 0.5 s at 200 groups, seconds at
    1,000; max_ratio: O(groups^3 values) a step.
    Raises HushrankError rather than return a channel without its proof.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), Algorithm 1. Differs from the source: certified.
    """
    require(method in METHODS, f"expected a method of {', '.join(METHODS)}, got {method!r}")
    require(0 < gap < 1, f"expected a gap between 0 and 1, got {gap}")
    fits = max_ratio is None or max_ratio >= 1
    require(fits, f"max_ratio: expected a ratio of at least 1, got {max_ratio}")
    tolerance = gap * problem.identity_leakage
    if max_ratio is not None and binds(problem, max_ratio):
        require(method != "mirror-descent", "mirror-descent cannot bound the ratio")
        return _solve_bounded(problem, tolerance, max_ratio)
    for solution in _attempts(problem, tolerance, method):
        if is_proven(problem, solution, tolerance):
            return replace(solution, max_ratio=max_ratio)
    raise HushrankError(f"no channel was proven to leak within {tolerance:.2g} nats of the least")


def _solve_bounded(problem: ChannelProblem, tolerance: float, max_ratio: float) -> ChannelSolution:
    """Return a proven channel within the ratio; say what budget would do where there is none."""
    found = bounded_channel(problem, tolerance, max_ratio)
    if found:
        return found
    enough = sufficient_budget(problem, tolerance, max_ratio)
    raise HushrankError(
        f"no channel within a budget of {as_given(problem.budget)} was proven the best whose"
        f" ratios stay within {as_given(max_ratio)}: a budget of {loss_in_words(enough)} is enough"
        " for such a channel"
    )


def _attempts(problem: ChannelProblem, tolerance: float, method: str) -> Iterator[ChannelSolution]:
    """Yield solutions, the cheap ones first; the caller takes the first that is proven."""
    yield identity_candidate(problem)
    if constant_distortion(problem) <= problem.budget:
        yield no_leakage_candidate(problem)
    for attempt in _methods(problem.n_groups, method):
        solution = solved_candidate(problem, tolerance, attempt)
        if solution.leakage <= tolerance and problem.n_groups <= MANY_GROUPS:
            yield no_leakage_candidate(problem)
        yield solution


def _methods(n_groups: int, method: str) -> tuple[str, ...]:
    if method != "auto":
        return (method,)
    if n_groups <= FEW_GROUPS:
        return ("interior-point", "mirror-descent")
    rescues = ("interior-point", "mirror-descent") if n_groups <= MANY_GROUPS else ()
    return ("column-generation", *rescues)
