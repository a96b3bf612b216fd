"""Which tiny questions to ask, of which share of the people: chosen before anybody is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf, sinh
from typing import NamedTuple, TypeAlias, cast, get_args

from hushrank.accounting.words import asked_in_words
from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters
from hushrank.protocols.distributions.mixes.table import ITEMS, tabulated_parts
from hushrank.protocols.distributions.question_kinds import (
    NAMED,
    Incomplete,
    QuestionKind,
    questions_of_kind,
)
from hushrank.questions.question import Question
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import EVERY_BUDGET, Survey

LEVELLED = ("levels", "levels-and-pairs", *NAMED)
MOST_USEFUL_EPSILON = 50.0


@dataclass(frozen=True)
class MixPart:
    """A kind of question, for which share of the people.

    `n_levels` = how many levels, where the kind has levels, or how many places it calls the first.
    """

    kind: QuestionKind
    share: float = 1.0
    n_levels: int | None = None

    def __post_init__(self) -> None:
        """Check the parts."""
        known = get_args(QuestionKind)
        require(self.kind in known, f"expected one of {', '.join(known)}, got {self.kind}")
        require(0 < self.share <= 1, f"expected a share above 0, at most 1, got {self.share}")
        fits = (self.n_levels is not None) == (self.kind in LEVELLED)
        require(fits, f"expected a number of levels for {' or '.join(LEVELLED)} alone")

    @property
    def name(self) -> str:
        """The kind, with its levels or places."""
        return self.kind if self.n_levels is None else f"{self.n_levels} {self.kind}"

    def questions(self, n_items: int, unranked: Incomplete = "refused") -> tuple[Question, ...]:
        """Return a question of the kind for each item, pair or ordered pair."""
        return questions_of_kind(self.kind, self.n_levels, n_items, unranked)


Mix: TypeAlias = tuple[MixPart, ...]
"""What everybody is asked: the shares sum to 1."""

MIXES: Mapping[str, Mix] = {
    "pairs": (MixPart("pairs"),),
    "bits": (MixPart("pairs", 0.6), MixPart("extremes", 0.4)),
    "levels": (MixPart("levels", n_levels=3),),
    "levels-and-pairs": (MixPart("levels-and-pairs", n_levels=3),),
    "ranks-and-pairs": (MixPart("ranks-and-pairs"),),
}
"""Mixes of questions that partial rankings can answer, too, in order of the detail they ask for."""


class Choice(NamedTuple):
    """A row of the decision table: a mix, and from which numbers on it is the one to ask."""

    mix: str
    fewest_items: int
    most_items: float
    least_epsilon: float
    least_strength: float


CHOICES = (
    Choice("ranks-and-pairs", 3, 6, 2.0, 200),
    Choice("ranks-and-pairs", 3, 6, 0.0, 15_000),
    Choice("bits", 3, 6, 0.0, 200),
    Choice("ranks-and-pairs", 7, 7, 1.5, 60_000),  # few enough ranks to ask for them sooner
    Choice("ranks-and-pairs", 7, inf, 3.0, 4_000),
    Choice("levels-and-pairs", 7, inf, 1.15, 4_000),  # a reply in 6 cells tells more than one in 3
    Choice("levels-and-pairs", 7, inf, 0.0, 15_000),
    Choice("levels", 7, inf, 0.0, 700),
    Choice("pairs", 2, inf, 0.0, 0.0),
)
"""Of rankings that may be partial the first row that fits is chosen, by simulated collections."""


def describe_mix(mix: Mix) -> str:
    """Say what is asked of how many in one line, each kind by its name."""
    return ", ".join(f"{100 * part.share:g} % {part.name}" for part in mix)


def mix_in_words(mix: Mix) -> str:
    """Say the same for whoever knows no kind of question."""
    if len(mix) == 1:
        return asked_in_words(mix[0].name)
    return "; ".join(f"{100 * part.share:g} % {asked_in_words(part.name)}" for part in mix)


def choose_mix(
    n_items: int, *, epsilon: float, n_people: int, unranked: Incomplete = "refused"
) -> Mix:
    """Return the mix that is expected to teach most, from public numbers alone.

    What is predicted to lose least, tabulated by the number of items, epsilon and strength =
    n_people sinh^2(epsilon / 2), which bounds what all reports can tell: weak reports ask for bits;
    stronger ones half of the people for levels or ranks, and half to name sets. Partial rankings
    cannot name sets: of `last` the table `CHOICES` decides; where ranks among all items are
    `unknown`, pairs are all that can be asked.
    Raises HushrankError for impossible numbers.
    """
    (mix,) = choose_mixes(n_items, epsilons=(epsilon,), n_people=(n_people,), unranked=unranked)
    return mix


def choose_mixes(
    n_items: int,
    *,
    epsilons: Sequence[float],
    n_people: Sequence[int],
    unranked: Incomplete = "refused",
) -> tuple[Mix, ...]:
    """Return the mix of each epsilon: by the strength of all people's reports together.

    What is already known decides how much detail is worth asking for, and one's own epsilon how
    much of it gets through.   Raises HushrankError as `choose_mix` does.
    """
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    possible = min(n_people) >= 0 and sum(n_people) >= 1
    require(possible, f"expected at least 1 person, got {sum(n_people)}")
    for epsilon in epsilons:
        require_parameters(2, epsilon)
    useful = [min(epsilon, MOST_USEFUL_EPSILON) for epsilon in epsilons]
    known = zip(n_people, useful, strict=True)
    strength = sum(n * sinh(epsilon / 2) ** 2 for n, epsilon in known)
    if unranked == "unknown":
        return (MIXES["pairs"],) * len(epsilons)
    chosen = _chosen if unranked == "last" or n_items not in ITEMS else _tabulated
    return tuple(chosen(n_items, epsilon, strength) for epsilon in epsilons)


def require_mix(mix: Mix) -> None:
    """Raise HushrankError unless the shares sum to 1."""
    total = sum(part.share for part in mix)
    require(abs(total - 1) < 1e-9, f"expected shares that sum to 1, got {total:g}")


def mix_surveys(
    mix: Mix,
    n_items: int,
    epsilon: float,
    *,
    lots: tuple[float, float] = (0.0, 1.0),
    budgets: tuple[float, float] = EVERY_BUDGET,
    unranked: Incomplete = "refused",
) -> tuple[Survey, ...]:
    """Return a survey for each part of the mix, of different people: one question at full epsilon.

    Together they ask the people whose lots are `lots` and whose budgets are `budgets`.
    Raises HushrankError for a kind that rankings of n_items items cannot answer.
    """
    require_mix(mix)
    ends = _ends([part.share for part in mix], lots)
    return tuple(
        sampled_survey(
            part.name, part.questions(n_items, unranked), epsilon, lots=own, budgets=budgets
        )
        for part, own in zip(mix, pairwise(ends), strict=True)
    )


def _ends(shares: Sequence[float], lots: tuple[float, float]) -> list[float]:
    """Return where each part's lots begin, and the last end: sums of floats may miss it."""
    low, high = lots
    inner = (low + (high - low) * end for end in list(accumulate(shares))[:-1])
    return [low, *inner, high]


def _tabulated(n_items: int, epsilon: float, strength: float) -> Mix:
    """Return the mix of the table of predicted losses."""
    parts = tabulated_parts(n_items, epsilon, strength)
    return tuple(MixPart(cast(QuestionKind, kind), share, n) for kind, share, n in parts)


def _chosen(n_items: int, epsilon: float, strength: float) -> Mix:
    """Return the mix of the first row of the table that fits."""
    fitting = (
        row
        for row in CHOICES
        if row.fewest_items <= n_items <= row.most_items
        and row.least_epsilon <= epsilon
        and row.least_strength <= strength
    )
    return MIXES[next(fitting).mix]
