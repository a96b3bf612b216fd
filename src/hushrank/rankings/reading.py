"""How ballots were read: said in one line before any result, and asked for from Python."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias

Unranked: TypeAlias = Literal["last", "unknown"]
"""Items that a person did not rank come after all others, in an unknown order, or anywhere."""

MOST_NAMES = 6
"""How many names of columns a line holds; the rest is counted."""

_LEFT_OUT = {"last": "what they leave out comes last", "unknown": "what they leave out is unknown"}


@dataclass(frozen=True)
class Irregular:
    """How many ballots, or people where a row stands for several, were not as one would wish."""

    empty: int = field(default=0, metadata={"words": "empty left out"})
    superseded: int = field(default=0, metadata={"words": "left out: their person has a later one"})
    nameless: int = field(default=0, metadata={"words": "with an empty id (each of another)"})
    repeated: int = field(default=0, metadata={"words": "with an item twice (its first place)"})
    skipped: int = field(default=0, metadata={"words": "with skipped places (closed up)"})
    uneven: int = field(default=0, metadata={"words": "with numbers that skip (by their order)"})
    overvoted: int = field(default=0, metadata={"words": "ended by two items in one place"})

    def words(self) -> list[str]:
        """Say what there is of each kind, nothing of what there is not."""
        counts = [(getattr(self, each.name), each.metadata["words"]) for each in fields(self)]
        return [f"{count:,} {words}" for count, words in counts if count]


@dataclass(frozen=True)
class Reading:
    """What was found in a file, table or list of ballots, and what was made of it.

    `source` names it; `form` says how it holds ballots; tied, incomplete: how many people tie or
    leave out items; `ignored`: columns by name; `remarks`: what else a reader should know;
    `by_share`: whether the ballots chose the items, by how many people rank them.
    Privacy: names of columns and counts, never what a person said. The counts are raw: they are
    for whoever holds the ballots, and no release has them.
    """

    source: str
    form: str
    people: int
    items: int
    unranked: Unranked
    tied: int = 0
    incomplete: int = 0
    irregular: Irregular = Irregular()
    ignored: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    by_share: bool = False

    def __str__(self) -> str:
        """Say it in one line."""
        size = f"{self.people:,} {_many('person', 'people', self.people)}, {self.items:,} "
        parts = [size + _many("item", "items", self.items), self.form, self._ballots()]
        return (
            f"{self.source}: {'; '.join([*filter(None, parts), *self._ignored(), *self.remarks])}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what a JSON document for the holder of the ballots says."""
        return {**asdict(self), "line": str(self)}

    def _ballots(self) -> str:
        """Say how many ballots tie items, leave items out, or are irregular."""
        found = [f"{self.tied:,} with ties"] if self.tied else []
        if self.incomplete:
            found.append(f"{self.incomplete:,} incomplete ({_LEFT_OUT[self.unranked]})")
        found += self.irregular.words()
        first, _, rest = ", ".join(found).partition(" ")
        return f"{first} {_many('ballot', 'ballots', first)} {rest}" if found else ""

    def _ignored(self) -> list[str]:
        """Name the columns that were ignored."""
        if not self.ignored:
            return []
        shown = list(self.ignored[:MOST_NAMES])
        more = len(self.ignored) - len(shown)
        listed = ", ".join(shown) + (f" and {more:,} more" if more else "")
        return [f"{_many('column', 'columns', len(self.ignored))} {listed} ignored"]


def _many(one: str, many: str, count: object) -> str:
    return one if str(count) == "1" else many
