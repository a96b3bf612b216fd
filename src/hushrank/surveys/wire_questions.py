"""The questions of a survey as JSON, version 2: their form and what it describes."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from hushrank.errors import HushrankError
from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet, Side
from hushrank.questions.question import Question
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated, StatedQuestion
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.rankings.reading import Unranked
from hushrank.surveys.wire_reports import Word

Item: TypeAlias = Annotated[int, Meta(ge=0, lt=65534)]


class OfKind(msgspec.Struct, tag_field="kind", forbid_unknown_fields=True, frozen=True):
    """A question says in `kind` which one it is."""


class WireRelativeOrder(OfKind, tag="relative-order", frozen=True):
    """`RelativeOrder`: category = lexicographic index of the order of `items`."""

    items: tuple[Item, ...]

    def question(self) -> RelativeOrder:
        """Return what it describes."""
        return RelativeOrder(self.items)


class WireInterleaving(OfKind, tag="interleaving", frozen=True):
    """`Interleaving`: category = colexicographic index of the places of `left`."""

    left: tuple[Item, ...]
    right: tuple[Item, ...]

    def question(self) -> Question:
        """Return what it describes."""
        return Interleaving(self.left, self.right)


class WireRankAndPrecedence(OfKind, tag="rank-and-precedence", frozen=True):
    """`RankAndPrecedence`: category = 2 rank(item) + [second before first]."""

    item: Item
    first: Item
    second: Item
    n_items: Item

    def question(self) -> Question:
        """Return what it describes."""
        return RankAndPrecedence(self.item, self.first, self.second, self.n_items)


class WireRankLevel(OfKind, tag="rank-level", frozen=True):
    """`RankLevel`: category = levels[rank(item)], a level for each rank from the best."""

    item: Item
    levels: tuple[Item, ...]

    def question(self) -> RankLevel:
        """Return what it describes."""
        return RankLevel(self.item, self.levels)


class WireLevelAndPrecedence(OfKind, tag="level-and-precedence", frozen=True):
    """`LevelAndPrecedence`: category = number, of those possible, of the level and who is first."""

    item: Item
    other: Item
    levels: tuple[Item, ...]

    def question(self) -> LevelAndPrecedence:
        """Return what it describes."""
        return LevelAndPrecedence(self.item, self.other, self.levels)


WireStatedQuestion: TypeAlias = WireRelativeOrder | WireRankLevel | WireLevelAndPrecedence


class WireStated(OfKind, tag="stated", frozen=True):
    """`Stated`: category = that of `question`, or one more where the ranking does not decide it."""

    if_stated: WireStatedQuestion = msgspec.field(name="question")
    unranked: Unranked

    def question(self) -> Question:
        """Return what it describes."""
        return Stated(self.if_stated.question(), self.unranked)


class WireTopOrder(OfKind, tag="top-order", frozen=True):
    """`TopOrder`: category = lexicographic index of the items on the first places, in order."""

    n_items: Item
    n_places: Item

    def question(self) -> TopOrder:
        """Return what it describes."""
        return TopOrder(self.n_items, self.n_places)


class WireHashed(OfKind, tag="hashed", frozen=True):
    """`Hashed`: category = the bucket into which a public function puts that of `question`."""

    hashed: WireTopOrder = msgspec.field(name="question")
    multiplier: Word
    offset: Word
    n_buckets: Annotated[int, Meta(ge=2)]

    def question(self) -> Question:
        """Return what it describes."""
        function = int(self.multiplier), int(self.offset)
        return Hashed(self.hashed.question(), *function, self.n_buckets)


class WireWholeOrder(OfKind, tag="whole-order", frozen=True):
    """`WholeOrder`: the answer is the row of the items' ranks among themselves."""

    items: tuple[Item, ...]

    def question(self) -> WholeOrder:
        """Return what it describes."""
        return WholeOrder(self.items)


class WireNamedSet(OfKind, tag="named-set", frozen=True):
    """`NamedSet`: the answer is the row of all items, or ordered pairs, that stand there."""

    places: tuple[Item, ...]
    n_items: Item
    side: Side | None

    def question(self) -> NamedSet:
        """Return what it describes."""
        return NamedSet(self.places, self.n_items, self.side)


WireQuestion: TypeAlias = (
    WireRelativeOrder
    | WireInterleaving
    | WireRankAndPrecedence
    | WireRankLevel
    | WireLevelAndPrecedence
    | WireStated
    | WireTopOrder
    | WireHashed
    | WireWholeOrder
    | WireNamedSet
)


def wire_question(question: Question) -> WireQuestion:
    """Describe a question."""
    match question:
        case Interleaving(left, right):
            return WireInterleaving(left, right)
        case RankAndPrecedence(item, first, second, n_items):
            return WireRankAndPrecedence(item, first, second, n_items)
        case Stated(inner, unranked):
            return WireStated(_wire_stated_question(inner), unranked)
        case RelativeOrder() | RankLevel() | LevelAndPrecedence():
            return _wire_stated_question(question)
        case TopOrder(n_items, n_places):
            return WireTopOrder(n_items, n_places)
        case Hashed(TopOrder(n_items, n_places), multiplier, offset, n_buckets):
            asked = WireTopOrder(n_items, n_places)
            return WireHashed(asked, str(multiplier), str(offset), n_buckets)
        case WholeOrder(items):
            return WireWholeOrder(items)
        case NamedSet(places, n_items, side):
            return WireNamedSet(places, n_items, side)
    raise HushrankError(f"{type(question).__name__} has no wire form")


def _wire_stated_question(question: StatedQuestion) -> WireStatedQuestion:
    match question:
        case RelativeOrder(items):
            return WireRelativeOrder(items)
        case RankLevel(item, levels):
            return WireRankLevel(item, levels)
        case LevelAndPrecedence(item, other, levels):
            return WireLevelAndPrecedence(item, other, levels)
