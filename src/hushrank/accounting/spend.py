"""What was released about a person."""

from dataclasses import dataclass
from math import inf
from typing import Literal

from hushrank.errors import require


@dataclass(frozen=True)
class Spend:
    """One release: who paid, and at most how much, in nats.

    `lots` = who was asked: the people whose lot, uniform in [0, 1), lies in this interval;
    two releases with disjoint lots cost nobody twice.
    """

    release: str
    epsilon: float
    mechanism: str
    lots: tuple[float, float] = (0.0, 1.0)
    model: Literal["local"] = "local"

    def __post_init__(self) -> None:
        """Check the price and the interval."""
        finite = 0 < self.epsilon < inf
        require(finite, f"expected a positive finite epsilon, got {self.epsilon}")
        require(0 <= self.lots[0] < self.lots[1] <= 1, f"expected lots in [0, 1], got {self.lots}")
