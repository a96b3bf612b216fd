"""Read the ballots or activity of a command, and say in one line how, before any result."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushrank.cli.input.options import End, FileForm
from hushrank.errors import require

if TYPE_CHECKING:  # numpy would double the time of --help
    from rich.console import Console

    from hushrank.activities.activity import Activity
    from hushrank.activities.reading import ActivityReading
    from hushrank.rankings.forms.asked import Asked
    from hushrank.rankings.profile import Rankings
    from hushrank.rankings.reading import Reading, Unranked


@dataclass(frozen=True)
class ReadingOptions:
    """What the options of a command say about FILE."""

    form: FileForm | None = None
    columns: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    id: str | None = None
    weight: str | None = None
    best: End | None = None
    drop: Sequence[str] | None = None
    sheet: str | None = None
    items: Sequence[str] | None = None
    header: int | None = None

    def read(self, path: Path, *, unranked: "Unranked | None" = None) -> "Rankings":
        """Read the ballots of a file; unranked: what leaving an item out means, if told."""
        from hushrank.rankings.files import read_rankings

        ballots = read_rankings(path, **vars(self.asked()))
        if unranked is None or ballots.reading is None:
            return ballots
        return ballots.read_as(replace(ballots.reading, unranked=unranked))

    def asked(self) -> "Asked":
        """Return what the options say, as the library takes it."""
        from hushrank.rankings.forms.asked import Asked

        return Asked(
            None if self.form is None else self.form.value,
            tuple(self.columns or ()),
            tuple(self.ignore or ()),
            self.id,
            self.weight,
            None if self.best is None else self.best.value,
            tuple(self.drop or ()),
            self.sheet,
            tuple(name for each in self.items or () for name in _names(each)),
            self.header,
        )

    def words(self) -> list[str]:
        """Return the options as the words of a command."""
        words = []
        for name, value in vars(self).items():
            for each in value if isinstance(value, list | tuple) else [value]:
                words += [f"--{name}", str(each)] if each is not None else []
        return words


@dataclass(frozen=True)
class ActivityOptions:
    """What the options of a command say about the columns of ACTIVITY."""

    user: str | None = None
    item: str | None = None
    score: str | None = None
    time: str | None = None
    delimiter: str | None = None

    def read(self, path: Path) -> "Activity":
        """Read activity with these columns."""
        from hushrank.activities.activity_files import read_activity

        return read_activity(path, **{**vars(self), "delimiter": _sign(self.delimiter)})


def _names(text: str) -> list[str]:
    """Return names with commas between, in quotation marks where one has a comma."""
    names = next(csv.reader([text], skipinitialspace=True), [])
    names = [name.strip() for name in names if name.strip()]
    require(names, "items: expected names with commas between, such as tea,milk")
    return names


def _sign(delimiter: str | None) -> str | None:
    """Return a tab where a shell cannot say one."""
    return "\t" if delimiter in ("tab", "\\t") else delimiter


def reading_of(ballots: "Rankings") -> dict[str, Any]:
    """Return what a JSON document for the holder of the ballots says of how they were read."""
    return {} if ballots.reading is None else {"reading": ballots.reading.to_dict()}


def say_reading(console: "Console", reading: "Reading | ActivityReading | None") -> None:
    """Print how ballots were read; the star says that the counts are raw."""
    from hushrank.cli.output.console import plain

    if reading is not None:
        console.print(plain(f"{reading} *"))
