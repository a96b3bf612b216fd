"""Which tiny questions to ask, of which share of the people: chosen before anybody is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, pairwise, permutations
from math import sinh
from typing import Literal, TypeAlias, get_args

from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.question import Question
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.survey import Survey, sampled_survey

QuestionKind: TypeAlias = Literal[
    "pairs", "extremes", "levels", "levels-and-pairs", "ranks-and-pairs"
]
"""Of two items which is first; is one near an end; its level; that and a precedence; its rank too.

A good question has about e^epsilon + 1 answers.
"""
LEVELLED = ("levels", "levels-and-pairs")
FEW_LEVELS = 3

FEW_ITEMS = 6
MOST_STRENGTH_OF_PAIRS_OF_FEW, MOST_STRENGTH_OF_PAIRS = 200, 700
MOST_STRENGTH_OF_BITS = 15_000
MOST_STRENGTH_OF_LEVELS = 4_000
LEAST_EPSILON_OF_RANKS_OF_FEW, LEAST_EPSILON_OF_RANKS = 2.0, 3.0
LEAST_EPSILON_OF_SIX_CELLS = 1.15
"""From here on a reply in 6 cells can tell more than one in 3."""
MOST_USEFUL_EPSILON = 50.0


@dataclass(frozen=True)
class MixPart:
    """A kind of question, for which share of the people; `n_levels` where the kind has levels."""

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
        """The kind, with its levels."""
        return self.kind if self.n_levels is None else f"{self.n_levels} {self.kind}"

    def questions(self, n_items: int) -> tuple[Question, ...]:
        """Return a question of the kind for each item, pair or ordered pair."""
        return _questions(self.kind, self.n_levels, n_items)


Mix: TypeAlias = tuple[MixPart, ...]
"""What everybody is asked: the shares sum to 1."""


def describe_mix(mix: Mix) -> str:
    """Say what is asked of how many, in one line."""
    return ", ".join(f"{100 * part.share:g} % {part.name}" for part in mix)


def choose_mix(n_items: int, *, epsilon: float, n_people: int) -> Mix:
    """Return the mix that is expected to teach most, from public numbers alone.

    By strength = n_people sinh^2(epsilon / 2), which bounds what all reports can tell, and by what
    did best in simulated collections: weak reports ask for bits, strong ones for ranks.
    Raises HushrankError for impossible numbers.
    """
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    require(n_people >= 1, f"expected at least 1 person, got {n_people}")
    require_parameters(2, epsilon)
    strength = n_people * sinh(min(epsilon, MOST_USEFUL_EPSILON) / 2) ** 2
    if n_items == 2:
        return (MixPart("pairs"),)
    return (_mix_of_few if n_items <= FEW_ITEMS else _mix_of_many)(epsilon, strength)


def require_mix(mix: Mix) -> None:
    """Raise HushrankError unless the shares sum to 1."""
    total = sum(part.share for part in mix)
    require(abs(total - 1) < 1e-9, f"expected shares that sum to 1, got {total:g}")


def mix_surveys(mix: Mix, n_items: int, epsilon: float) -> tuple[Survey, ...]:
    """Return a survey for each part of the mix, of different people: one question at full epsilon.

    Raises HushrankError for a kind that rankings of n_items items cannot answer.
    """
    require_mix(mix)
    ends = _ends([part.share for part in mix])
    return tuple(
        sampled_survey(part.name, part.questions(n_items), epsilon, lots=lots)
        for part, lots in zip(mix, pairwise(ends), strict=True)
    )


def _ends(shares: Sequence[float]) -> list[float]:
    """Return where each part's lots begin, and 1: sums of floats may miss it."""
    return [0.0, *list(accumulate(shares))[:-1], 1.0]


def _mix_of_few(epsilon: float, strength: float) -> Mix:
    if strength < MOST_STRENGTH_OF_PAIRS_OF_FEW:
        return (MixPart("pairs"),)
    if epsilon >= LEAST_EPSILON_OF_RANKS_OF_FEW or strength >= MOST_STRENGTH_OF_BITS:
        return (MixPart("ranks-and-pairs"),)
    return (MixPart("pairs", 0.6), MixPart("extremes", 0.4))


def _mix_of_many(epsilon: float, strength: float) -> Mix:
    if strength < MOST_STRENGTH_OF_PAIRS:
        return (MixPart("pairs"),)
    has_cells = epsilon >= LEAST_EPSILON_OF_SIX_CELLS
    if strength < (MOST_STRENGTH_OF_LEVELS if has_cells else MOST_STRENGTH_OF_BITS):
        return (MixPart("levels", n_levels=FEW_LEVELS),)
    if epsilon >= LEAST_EPSILON_OF_RANKS:
        return (MixPart("ranks-and-pairs"),)
    return (MixPart("levels-and-pairs", n_levels=FEW_LEVELS),)


@cache
def _questions(kind: QuestionKind, n_levels: int | None, n_items: int) -> tuple[Question, ...]:
    ordered = permutations(range(n_items), 2)
    match kind:
        case "pairs":
            return tuple(RelativeOrder(pair) for pair in combinations(range(n_items), 2))
        case "extremes":
            return tuple(RankLevel(item, extreme_levels(n_items)) for item in range(n_items))
        case "levels":
            levels = even_levels(n_items, n_levels or 0)
            return tuple(RankLevel(item, levels) for item in range(n_items))
        case "levels-and-pairs":
            levels = even_levels(n_items, n_levels or 0)
        case "ranks-and-pairs":
            levels = even_levels(n_items, n_items)
    return tuple(LevelAndPrecedence(*pair, levels) for pair in ordered)
