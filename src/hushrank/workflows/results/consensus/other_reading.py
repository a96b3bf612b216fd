"""Who leads if what ballots leave out is read the other way: a warning for their holder."""

from dataclasses import dataclass
from typing import Any

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked

SECONDS = 2.0
"""For the order of the other reading, whose optimum may be hard to prove; its leader seldom is."""


@dataclass(frozen=True, repr=False)
class OtherFirst:
    """The first of both readings, where they differ. Privacy: raw, for the holder alone."""

    unranked: Unranked
    first: str
    usual_first: str

    @property
    def summary(self) -> dict[str, str]:
        """Say it as a row of a table, with the star of raw data."""
        return {f"first with unranked {self.unranked} *": f"{self.first}, not {self.usual_first}"}

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON says of it."""
        return {"unranked": self.unranked, "first": self.first}


def other_first(ballots: Rankings, unranked: Unranked, first: int) -> OtherFirst | None:
    """Return who leads in the reading other than `unranked`, None where it is `first` as well."""
    if ballots.is_complete:
        return None
    other: Unranked = "unknown" if unranked == "last" else "last"
    leader = int(kemeny(majority(ballots, unranked=other), time_limit=SECONDS).order[0])
    if leader == first:
        return None
    return OtherFirst(other, ballots.names[leader], ballots.names[first])
