"""What a stream keeps of one protected user: counts, channel, and what was leaked so far."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, inf, isfinite, isinf

from hushrank.accounting.rounding import float_above
from hushrank.accounting.words import nats_in_words
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
        return f"CurrentChannel(leakage {nats_in_words(self.leakage, 3)})"

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
        return f"StreamUser({self.n_released} released, {nats_in_words(self.leakage, 3)})"

    @property
    def leakage(self) -> float:
        """The sum of `leakage` over all released activities, in nats, rounded up."""
        if self.current is None:
            return self.leaked
        return self._with(self.leaked, self.current.leakage)

    @property
    def worst_leakage(self) -> float:
        """The sum of `worst_leakage` over all released activities, in nats, rounded up."""
        if self.current is None:
            return self.worst_leaked
        return self._with(self.worst_leaked, self.current.worst_leakage)

    def _with(self, before: float, each: float) -> float:
        """Return what was leaked before, and through the current channel by each activity."""
        if self.n_since == 0:
            return before
        if not isfinite(before + each):
            return inf
        return float_above(Fraction(before) + self.n_since * Fraction(each))

    def n_within(self, limit: float) -> int | None:
        """Return how many more activities the current channel may release; None: any number.

        limit: of `worst_leakage`, in nats, compared exactly.
        """
        if isinf(limit) or self.current is None or self.current.worst_leakage == 0:
            return None
        if not isfinite(self.worst_leakage + self.current.worst_leakage):
            return 0
        left = Fraction(limit) - Fraction(self.worst_leakage)
        return max(0, floor(left / Fraction(self.current.worst_leakage)))

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
