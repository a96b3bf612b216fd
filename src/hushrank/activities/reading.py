"""How activity was read: said in one line before any result, and asked for from Python."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ActivityReading:
    """What was found in a table of activity, and what was made of it.

    repeated: records of a user and an item that have an earlier one, merged as `duplicates` says.
    Privacy: names of columns and counts, never a record. The counts are raw: for the holder alone.
    """

    source: str
    users: int
    items: int
    records: int
    repeated: int
    duplicates: str
    has_scores: bool
    has_times: bool
    ignored: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say it in one line."""
        scores = "with scores" if self.has_scores else "each counts 1"
        times = ", with times" if self.has_times else ""
        users = f"{self.users:,} user{'' if self.users == 1 else 's'}"
        items = f"{self.items:,} item{'' if self.items == 1 else 's'}"
        said = [f"{self.source}: {users}, {items}"]
        records = f"{self.records:,} record{'' if self.records == 1 else 's'}"
        said.append(f"{records}, {scores}{times}")
        if self.repeated:
            rule = {"sum": "added up", "last": "the last one counts", "max": "the largest counts"}
            same = "of a user and an item that have an earlier one"
            said.append(f"{self.repeated:,} {same} ({rule.get(self.duplicates, '')})")
        if self.ignored:
            said.append(f"columns {', '.join(self.ignored)} ignored")
        return "; ".join([*said, *self.remarks])

    def to_dict(self) -> dict[str, Any]:
        """Return what a JSON document for the holder of the activity says."""
        return {**asdict(self), "line": str(self)}
