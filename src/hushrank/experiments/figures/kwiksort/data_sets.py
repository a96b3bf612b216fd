"""The people of Yan et al.: three real data sets, and Mallows populations of their dispersions."""

from collections.abc import Sequence

from hushrank.experiments.populations import (
    SUSHI,
    TURK_DOTS,
    TURK_PUZZLE,
    Population,
    mallows_population,
)

THETAS = (0.25, 0.5, 0.75)
"""The paper's dispersions: theta = 1 - φ."""
MALLOWS_PEOPLE, MALLOWS_ITEMS = 5000, 15

REAL: tuple[Population, ...] = (TURK_DOTS, TURK_PUZZLE, SUSHI)
MALLOWS: tuple[Population, ...] = tuple(
    mallows_population(MALLOWS_PEOPLE, MALLOWS_ITEMS, 1 - theta) for theta in THETAS
)
ROWS = (REAL, MALLOWS)
"""The rows of panels of figures 3 to 5."""


def in_one_row(rows: Sequence[Sequence[Population]]) -> tuple[Population, ...]:
    """Return the populations of all rows of panels, in order."""
    return tuple(population for row in rows for population in row)
