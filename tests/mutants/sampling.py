"""Generic mutants, drawn from all that cosmic-ray can make of some rooms."""

import json
import subprocess
from collections import Counter

from benchmarks.environments import ROOT, Environment
from tests.mutants.mutant import Mutant, original
from tests.mutants.rooms import Room

COSMIC_RAY = Environment(".venv-mutants", "mutants.txt", holds_hushrank=False)


def sampled(
    rooms: list[Room], n_mutants: int, seed: int, *, kind: str, is_wide: bool
) -> tuple[list[Mutant], Counter[str]]:
    """Return mutants, each as likely as any other, and how many there may be in each room.

    kind: a part of the name of the operators that make them.
    """
    COSMIC_RAY.make()
    room_of = {path: room for room in rooms for path in room.paths}
    asked = (str(n_mutants), str(seed), kind)
    command = [COSMIC_RAY.python, "-m", "tests.mutants.generic", *asked, *room_of]
    told = json.loads(subprocess.run(command, cwd=ROOT, stdout=-1, check=True).stdout)
    n_places: Counter[str] = Counter()
    for path, number in told["places"].items():
        n_places[room_of[path].name] += number
    return [_mutant(room_of[each["file"]], each, is_wide) for each in told["sample"]], n_places


def _mutant(room: Room, drawn: dict[str, str], is_wide: bool) -> Mutant:
    file = drawn["file"]
    stages = room.stages(file, is_wide=is_wide)
    return Mutant(room.name, file, drawn["kind"], original(file), drawn["text"], stages)
