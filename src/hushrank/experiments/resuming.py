"""What an interrupted experiment has measured so far, kept beside its files until it is done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from hushrank.experiments.experiment import Experiment, Point, Settings
from hushrank.files.disk import keep_to_owner

SOURCES = Path(__file__).parents[1]


class Unfinished:
    """The measurements of one experiment so far, a line each; of no use to any other one.

    The first line says of what: the same figure, settings, data and source code give the same
    numbers, and all others begin anew. Only its owner reads the file: it tells of the data.
    """

    def __init__(self, path: Path, of_what: Mapping[str, object]) -> None:
        """Read what there is."""
        self.path, self.of_what = path, dict(of_what)
        self.measured: tuple[tuple[Point, ...], ...] = tuple(self._read())

    def add(self, points: Sequence[Point]) -> None:
        """Keep one more measurement."""
        if not self.path.exists() or not self.measured:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.unlink(missing_ok=True)
            keep_to_owner(self.path)
            self.path.write_text(json.dumps(self.of_what) + "\n")
        with self.path.open("a") as file:
            file.write(json.dumps([asdict(point) for point in points]) + "\n")
        self.measured = (*self.measured, tuple(points))

    def finish(self) -> None:
        """Forget it all."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> list[tuple[Point, ...]]:
        lines = self.path.read_text().splitlines() if self.path.is_file() else []
        if not lines or lines[0] != json.dumps(self.of_what):
            return []
        found: list[tuple[Point, ...]] = []
        for line in lines[1:]:
            try:
                found.append(tuple(Point(**each) for each in json.loads(line)))
            except json.JSONDecodeError:  # the line at which it was interrupted
                break
        return found


def unfinished(
    experiment: Experiment,
    settings: Settings,
    *,
    files: Mapping[str, Path],
    protocols: Sequence[str],
    directory: Path,
) -> Unfinished:
    """Return what is left of an earlier run of this experiment in the directory."""
    of_what: dict[str, object] = {
        "experiment": experiment.name,
        **asdict(settings),
        "protocols": list(protocols),
        "data": {name: _digest([path]) for name, path in sorted(files.items())},
        "sources": _digest(sorted(SOURCES.rglob("*.py"))),
    }
    return Unfinished(directory / f"{experiment.name}.unfinished.jsonl", of_what)


def _digest(paths: Sequence[Path]) -> str:
    digest = sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
