"""What was released about a person."""

from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Literal

from hushrank.accounting.rounding import at_most
from hushrank.errors import require

NEIGHBOURS = {
    "local": "replace one person's answers",
    "shuffled": "replace one person's answers",
    "central": "add or remove one ballot",
}
"""Which change of the data each model hides, unless a release says otherwise."""


@dataclass(frozen=True)
class Spend:
    """One release: who paid, and at most how much: epsilon in nats, and delta.

    `lots` = who was asked: the people whose lot, uniform in [0, 1), lies in this interval;
    two releases with disjoint lots cost nobody twice.
    `model` = whom people trust: nobody (local), a shuffler between them and whoever sees the
    reports (shuffled) or a curator (central). `neighbours` = the change of the data that the price
    hides; "" stands for the one of the model.
    """

    release: str
    epsilon: float
    mechanism: str
    lots: tuple[float, float] = (0.0, 1.0)
    model: Literal["local", "shuffled", "central"] = "local"
    delta: float = 0.0
    neighbours: str = ""

    def __post_init__(self) -> None:
        """Check the price, the interval and the model, and fill in the neighbours."""
        finite = 0 < self.epsilon < inf
        require(finite, f"expected a positive finite epsilon, got {self.epsilon}")
        require(0 <= self.delta < 1, f"expected a delta of 0 to below 1, got {self.delta}")
        require(0 <= self.lots[0] < self.lots[1] <= 1, f"expected lots in [0, 1], got {self.lots}")
        known = self.model in NEIGHBOURS
        require(known, f"expected the model local, shuffled or central, got {self.model}")
        if not self.neighbours:
            object.__setattr__(self, "neighbours", NEIGHBOURS[self.model])

    def to_dict(self) -> dict[str, Any]:
        """Return the release for JSON, whose numerals are not below the price."""
        return asdict(self) | {"epsilon": at_most(self.epsilon), "delta": at_most(self.delta)}
