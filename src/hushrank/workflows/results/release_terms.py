"""What a release is asked to be, and what that promises."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from hushrank.accounting.words import as_given
from hushrank.errors import HushrankError, require
from hushrank.publishing.clusters.clustering import Clustering
from hushrank.publishing.distances.group_distances import DISTANCES
from hushrank.publishing.historical.baselines import BASELINES
from hushrank.workflows.arguments import (
    expect_attributes,
    expect_flag,
    expect_number,
    expect_seed,
    expect_whole,
)

ReleaseMethod: TypeAlias = Literal[
    "privrank", "user-level", "withhold", "microaggregate", "rand", "frapp", "diff"
]
Distance: TypeAlias = Literal[
    "kendall",
    "kendall-printed",
    "spearman",
    "euclidean",
    "squared-euclidean",
    "cosine",
    "jensen-shannon",
]

UNITS = {
    "privrank": "expected {distance} distance of clusters",
    "user-level": "expected cosine distance of records",
    "withhold": "expected share of protected users of whom nothing is released",
    "microaggregate": "users of a pool at least, who share its mean record",
    **BASELINES,
}
"""What the budget of each method counts."""
POOLED = ("microaggregate",)
"""Methods that release mean records of pools, and nobody's own."""
MAY_BE_NOTHING = ("withhold", *POOLED)
"""Methods that may release nothing of a user."""

STATEMENT = (
    "Private values are harder to infer from what is released; this is no differential privacy."
)
KEPT_OWN = "keep_own: a record may be its owner's, so no leakage here bounds what it tells."
BELIEVED = "What leaks rests on a classifier; what users could jointly be told was not bounded."
SEEDED = "seed: whoever knows the seed knows whose record each one is."


@dataclass(frozen=True)
class ReleaseTerms:
    """What `publish` is asked for, as its parameters say.

    Nothing here comes from data, but for a budget that was found, where `protect` is given: it
    comes from users who protect nothing, and is None until then.

    Raises HushrankError, and TypeError for what has another type, before anything is read or drawn.
    """

    method: str
    private: tuple[str, ...]
    budget: float | None
    clusters: int | None = None
    clustering: str = "auto"
    distance: str = "kendall"
    max_ratio: float | None = None
    keep_own: bool = False
    seed: int | None = None
    protect: float | None = None

    def __post_init__(self) -> None:
        """Check the types, the names, and that the options belong to the method."""
        object.__setattr__(self, "private", expect_attributes(self.private))
        for name, value in self._numbers().items():
            object.__setattr__(self, name, value)
        in_range = self.protect is None or 0 < self.protect < 0.5
        require(in_range, "protect: expected 1 - AUC above 0, below 0.5")
        _require_known("method", self.method, get_args(ReleaseMethod))
        _require_known("clustering", self.clustering, get_args(Clustering))
        _require_known("distance", self.distance, tuple(DISTANCES))
        alone = f"{self.method} takes no max_ratio and no keep_own: they are privrank's"
        plain = self.max_ratio is None and not self.keep_own
        require(self.method == "privrank" or plain, alone)

    def _numbers(self) -> dict[str, Any]:
        """Return what is no name, of the types that are meant."""
        given = {name: getattr(self, name) for name in ("budget", "max_ratio", "protect")}
        numbers = {name: expect_number(n, name) for name, n in given.items() if n is not None}
        keep_own, seed = expect_flag(self.keep_own, "keep_own"), expect_seed(self.seed)
        checked = {**numbers, "keep_own": keep_own, "seed": seed}
        if self.clusters is not None:
            checked["clusters"] = expect_whole(self.clusters, "clusters", at_least=2)
        return checked

    @property
    def settled_budget(self) -> float:
        """The budget; raises HushrankError while it is to be found."""
        if self.budget is None:
            raise HushrankError("expected a budget: none is found yet")
        return self.budget

    @property
    def budget_in_words(self) -> str:
        """The budget, as it was given."""
        return as_given(self.settled_budget)

    @property
    def unit(self) -> str:
        """What the budget counts."""
        return UNITS[self.method].format(distance=self.distance)

    @property
    def privacy(self) -> str:
        """What is protected, for whom, and at what cost, in one line."""
        if self.seed is not None:
            return f"Not private: {SEEDED.removeprefix('seed: ')}"
        return (
            f"What users protect ({', '.join(self.private)}) is harder to infer from what is"
            f" released ({self.method}, budget {self.budget_in_words}: {self.unit}); this is no"
            " differential privacy."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is promised, and what voids it; one that begins with an option's name is its."""
        voids = {
            KEPT_OWN: self.keep_own,
            BELIEVED: self.method in ("user-level", *MAY_BE_NOTHING),
            SEEDED: self.seed is not None,
        }
        return (STATEMENT, *(note for note, holds in voids.items() if holds))


def _require_known(named: str, given: str, known: Sequence[str]) -> None:
    require(given in known, f"{named}: expected one of {', '.join(known)}, got {given}")
