"""What a stream keeps of one protected user: counts, channel, and what was leaked so far."""

from dataclasses import dataclass, replace

from hushrank.arrays import Counts
from hushrank.publishing.item_channel.binary.warm_start import WarmStart
from hushrank.publishing.item_channel.channel import CompactChannel
from hushrank.publishing.item_channel.learning_error import LearningError
from hushrank.publishing.item_channel.solution import ItemChannelSolution


@dataclass(frozen=True, eq=False, repr=False)
class CurrentChannel:
    """The channel in use, and what is stated of one activity that passes through it.

    All is as in `ItemChannelSolution`, but leakage and worst_leakage include the `learning_error`
    of the population.
    """

    channel: CompactChannel
    leakage: float
    worst_leakage: float
    distortion: float
    certified_gap: float
    warm_start: WarmStart | None

    def __repr__(self) -> str:
        """Say what it leaks."""
        return f"CurrentChannel(leakage {self.leakage:.3g} nats)"

    @classmethod
    def of(
        cls, solution: ItemChannelSolution[WarmStart | None], error: LearningError
    ) -> "CurrentChannel":
        """Keep what a stream needs of a solution."""
        leakages = solution.leakage + error.mean, solution.worst_leakage + error.worst
        stated = *leakages, solution.distortion, solution.certified_gap
        return cls(solution.channel, *stated, solution.warm_start)


@dataclass(eq=False, repr=False)
class StreamUser:
    """The state of one protected user.

    counts (items,): the vector that channels are made for; n_since: how many activities were
    released through the current one, and is_renewed: whether that one is not in a file yet; leaked,
    worst_leaked: sums over all released before, in nats.
    Privacy: counts and channel are about the user: neither `repr` nor an error shows them.
    """

    counts: Counts
    n_released: int = 0
    n_withheld: int = 0
    n_since: int = 0
    leaked: float = 0.0
    worst_leaked: float = 0.0
    current: CurrentChannel | None = None
    is_renewed: bool = False

    def __repr__(self) -> str:
        """Say how much was released, not what."""
        return f"StreamUser({self.n_released} released, {self.leakage:.3g} nats)"

    @property
    def leakage(self) -> float:
        """The sum of `leakage` over all released activities, in nats."""
        now = 0.0 if self.current is None else self.n_since * self.current.leakage
        return self.leaked + now

    @property
    def worst_leakage(self) -> float:
        """The sum of `worst_leakage` over all released activities, in nats."""
        now = 0.0 if self.current is None else self.n_since * self.current.worst_leakage
        return self.worst_leaked + now

    def copy(self) -> "StreamUser":
        """Return the same state, which stays as it is when this one goes on."""
        return replace(self, counts=self.counts.copy())

    def renew(self, current: CurrentChannel) -> None:
        """Go on with another channel."""
        self.leaked, self.worst_leaked = self.leakage, self.worst_leakage
        self.current, self.n_since, self.is_renewed = current, 0, True

    def book(self, n_activities: int) -> None:
        """Count activities that are released through the current channel."""
        self.n_released += n_activities
        self.n_since += n_activities
