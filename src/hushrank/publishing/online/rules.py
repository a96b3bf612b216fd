"""By which public rules a stream of activities is hidden."""

from dataclasses import dataclass
from math import inf
from typing import Literal

from hushrank.errors import require
from hushrank.publishing.distances.activity_cost import Ties


@dataclass(frozen=True)
class StreamRules:
    """How a stream hides activities; all of it may be known to everybody.

    budget: expected normalised Kendall distance of one activity, as in `OnlineProblem`. A channel
    is made anew after `resolve_every` releases of the user. limit: nats that all releases of one
    user may tell, by `worst_leakage`; what would exceed it is withheld. counts_of: whether channels
    are made for what the recipient holds, or, as printed, for what the user did.
    """

    budget: float
    ties: Ties = "half"
    resolve_every: int = 100
    gap: float = 1e-3
    limit: float = inf
    counts_of: Literal["released", "true"] = "released"

    def __post_init__(self) -> None:
        """Check the rules."""
        require(0 <= self.budget <= 1, f"expected a budget in [0, 1], got {self.budget}")
        known = self.ties in ("half", "ignored") and self.counts_of in ("released", "true")
        require(known, "expected ties half or ignored, counts of released or true activities")
        require(self.resolve_every >= 1, f"expected 1+ activities, got {self.resolve_every}")
        require(0 < self.gap < 1, f"expected a gap in (0, 1), got {self.gap}")
        require(self.limit >= 0, f"expected a limit of at least 0 nats, got {self.limit}")
