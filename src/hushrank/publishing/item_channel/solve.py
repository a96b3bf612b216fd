"""The best channel between items, whatever the number of private values.

Theory: docs/theory/item-channel.md
"""

from hushrank.publishing.item_channel.binary.solve import solve_binary
from hushrank.publishing.item_channel.binary.warm_start import WarmStart
from hushrank.publishing.item_channel.general.solve import solve_general
from hushrank.publishing.item_channel.problem import ItemChannelProblem
from hushrank.publishing.item_channel.solution import ItemChannelSolution

COARSEST_GAP = 1e-2
"""What is aimed at for three and more private values, when less is asked for."""


def solve_item_channel(
    problem: ItemChannelProblem, *, gap: float = 1e-3, warm: WarmStart | None = None
) -> ItemChannelSolution[WarmStart | None]:
    """Return the best channel within the budget, and what certifies it.

    gap: relative to the leakage of activities released unchanged; for three and more private values
    at least 0.01 is aimed at. warm: the `warm_start` of an earlier solution for 2 private values,
    for the same population and mostly for other counts.
    Raises HushrankError for a gap outside (0, 1).   Source: as `solve_binary`, `solve_general`.
    """
    if problem.population.n_values == 2:
        return solve_binary(problem, gap=gap, warm=warm)
    return solve_general(problem, gap=max(gap, COARSEST_GAP))
