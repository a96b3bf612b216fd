"""What is audited: something that draws, and the inputs it must not tell apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from hushrank.errors import require
from hushrank.randomness import Randomness

Observations: TypeAlias = NDArray[Any]
"""(draws,) or (draws, columns): the numbers that an outsider sees of each release; nan = none."""
Draw: TypeAlias = Callable[[Any, int, Randomness], Observations]
"""Draws a number of releases of an input, independently."""


@dataclass(frozen=True)
class Subject:
    """A release as a sampler: its claim, neighbouring inputs by name, and how it is drawn.

    inputs: made up, by the names that findings call them. pairs: the names of neighbours; both
    directions are tried. epsilon, delta: what is claimed of all pairs. exact: the loss in nats that
    was computed from whole numbers, for tables; None where it was not.
    draws: how many releases, in all, an audit of it takes unless told.
    """

    name: str
    epsilon: float
    inputs: dict[str, Any]
    pairs: Sequence[tuple[str, str]]
    draw: Draw
    delta: float = 0.0
    exact: float | None = None
    draws: int = 400_000

    def __post_init__(self) -> None:
        """Check the claim and the pairs."""
        require(self.epsilon >= 0, f"expected an epsilon of 0 or more, got {self.epsilon}")
        require(0 <= self.delta < 1, f"expected a delta of 0 to 1, got {self.delta}")
        known = all(name in self.inputs for pair in self.pairs for name in pair)
        require(known and len(self.pairs) > 0, "expected pairs of names of the inputs")
