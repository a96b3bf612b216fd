"""What a collection learnt, and what it cost whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

from hushrank.accounting.composition import total_delta, total_epsilon
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words, price_in_words

T = TypeVar("T")

Interval: TypeAlias = tuple[float, float]
"""Which budgets a round asked: low <= budget < high, in nats."""


class CentralLoss(NamedTuple):
    """The largest loss of any person to whoever sees shuffled reports alone; epsilon in nats."""

    epsilon: float
    delta: float


@dataclass(frozen=True, repr=False)
class Outcome(Generic[T]):
    """What a protocol returned, what each round cost, and whether the noise was secret.

    budgets[i] = whose budgets the round of spends[i] asked; empty where nobody had their own.
    `spends` is what holds against everybody. `shuffled`: what each round costs against whoever sees
    only what a shuffler forwards; empty where there is none, and nothing but `spends` holds.
    """

    result: T
    spends: tuple[Spend, ...]
    n_people: int
    is_private: bool
    budgets: tuple[Interval, ...] = ()
    shuffled: tuple[Spend, ...] = ()

    @property
    def private_model(self) -> Literal["local", "shuffled"]:
        """Whom the stated guarantee trusts: nobody, or a shuffler, too."""
        return "shuffled" if self.shuffled else "local"

    @property
    def central_loss(self) -> CentralLoss | None:
        """What holds by trust in a shuffler; None where there is none."""
        if not self.shuffled:
            return None
        return CentralLoss(total_epsilon(self.shuffled), total_delta(self.shuffled))

    @property
    def epsilon(self) -> float:
        """The largest privacy loss of any person, in nats."""
        return max(self.epsilons, default=0.0)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The distinct privacy losses of people, in nats, ascending."""
        return epsilons_of(self.spends, self.budgets)

    @property
    def privacy_statement(self) -> str:
        """What was protected, for whom, and at what cost, in one line."""
        if not self.is_private:
            loss = loss_in_words(self.epsilon)
            return f"Not private: simulated {loss}-LDP reports whose noise is not secret."
        if self.central_loss is None:
            return f"The {self._of_everybody}"
        shuffled = self._of_shuffler(self.central_loss)
        return f"{shuffled} Whatever the shuffler does, the {self._of_everybody}"

    @property
    def _of_everybody(self) -> str:
        people = "1 person" if self.n_people == 1 else f"each of {self.n_people:,} people"
        return (
            f"reports protect {people} by {self._guarantee}"
            f" (in nats: {self._rounds}) against everybody, the collector included."
        )

    def _of_shuffler(self, loss: CentralLoss) -> str:
        reports = "the 1 report" if self.n_people == 1 else f"all {self.n_people:,} reports"
        return (
            f"Shuffled: ({loss_in_words(loss.epsilon)}, {loss_in_words(loss.delta)})-DP for"
            " each person, another ranking of theirs being the neighbour, against whoever sees only"
            f" {reports} in random order: if the shuffler forwards nothing"
            " else, keeps nothing and sides with nobody, nobody sends twice, and all the others"
            " report as they should."
        )

    @property
    def _guarantee(self) -> str:
        if not self.budgets:
            return f"{loss_in_words(self.epsilon)}-LDP"
        least, most = loss_in_words(self.epsilons[0]), loss_in_words(self.epsilons[-1])
        return f"{most}-LDP, within their own budgets from {least} to {most}"

    @property
    def _rounds(self) -> str:
        everybody = all(spend.lots == (0.0, 1.0) for spend in self.spends)
        everybody &= len(set(self.budgets)) <= 1
        rounds = "; ".join(price_in_words(each.release, each.epsilon) for each in self.spends)
        return rounds if everybody else f"{rounds}; of different people"


def epsilons_of(spends: Sequence[Spend], budgets: Sequence[Interval]) -> tuple[float, ...]:
    """Return the distinct privacy losses of people who were asked, in nats, ascending.

    Rounds of disjoint budgets ask different people: parallel composition, as for lots.
    """
    if not budgets:
        return (total_epsilon(spends),) if spends else ()
    asked = list(zip(spends, budgets, strict=True))
    ends = {end for interval in budgets for end in interval if end < inf}
    groups = ([spend for spend, (low, high) in asked if low <= own < high] for own in ends)
    return tuple(sorted({total_epsilon(group) for group in groups if group}))
