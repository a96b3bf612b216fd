"""A mutant: one file of ours with another text, and the tests that should notice."""

import tomllib
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

Tests = tuple[str, ...]
"""What pytest is to run, or the tests of the client: files that end in `.test.js`."""


class Change(NamedTuple):
    """Which lines of which file a mutant has in place of which others."""

    file: str
    before: str
    after: str


@dataclass(frozen=True)
class Mutant:
    """A file with another text in place of its `original`.

    stages: tests to run one after the other until one fails.
    """

    room: str
    file: str
    kind: str
    original: str
    text: str
    stages: tuple[Tests, ...]

    @property
    def change(self) -> Change:
        """The lines that differ, without the spaces around them."""
        lines = [line for line in self._diff(context=0) if not line.startswith(("---", "+++"))]
        parts = ([line[1:].strip() for line in lines if line[0] == sign] for sign in "-+")
        return Change(self.file, *map("\n".join, parts))

    @property
    def line(self) -> int:
        """The first line that differs."""
        hunk = next(line for line in self._diff(context=0) if line.startswith("@@"))
        return int(hunk[4:].partition(" ")[0].partition(",")[0])

    def __str__(self) -> str:
        """Say where it is and what it changes."""
        changed = self._diff(context=0)[3:]
        return f"{self.file}:{self.line} {self.kind}\n{''.join(changed)}".rstrip()

    def _diff(self, context: int) -> list[str]:
        sides = (self.original, self.text)
        return list(unified_diff(*(side.splitlines(keepends=True) for side in sides), n=context))


def original(file: str) -> str:
    """Return the text as it is."""
    return (ROOT / file).read_text("utf-8")


@dataclass(frozen=True)
class Breach:
    """A mutant of our own list: `before` as it stands once in the file, `after` in its place.

    why: what it betrays, or whom it charges too little. tests: those that must notice.
    """

    file: str
    before: str
    after: str
    why: str
    tests: Tests

    @property
    def mutant(self) -> Mutant:
        """The whole mutant."""
        whole = original(self.file)
        text = whole.replace(self.before, self.after)
        return Mutant(room_of(self.file), self.file, self.why, whole, text, (self.tests,))


def breaches() -> list[Breach]:
    """Read our own list: privacy/*.toml."""
    files = [file for path in sorted(HERE.glob("privacy/*.toml")) for file in _read(path)["file"]]
    return [
        Breach(file["path"], each["before"], each["after"], each["why"], tuple(file["tests"]))
        for file in files
        for each in file["breach"]
    ]


def explained() -> dict[Change, str]:
    """Read why some mutants cannot be noticed: equivalent.toml."""
    return {
        Change(file["path"], each["before"], after): each["why"]
        for file in _read(HERE / "equivalent.toml")["file"]
        for each in file["mutant"]
        for after in each["after"]
    }


def _read(path: Path) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(path.read_text("utf-8"))


def room_of(file: str) -> str:
    """Return the room of a file, as tables name it."""
    parts = Path(file).parts
    inside = "/".join(parts[2:-1]) or Path(file).stem
    return "client" if parts[0] == "client" else inside
