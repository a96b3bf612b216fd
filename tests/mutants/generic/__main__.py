"""List generic mutants of Python files as JSON: run by the environment that has cosmic-ray.

python -m tests.mutants.generic NUMBER SEED KIND FILE ...

KIND: a part of the name of the operators that are wanted, all where it is empty.
"""

import json
import random
import sys
from collections import Counter
from pathlib import Path

from tests.mutants.generic.operators import mutated, places_in


def main() -> None:
    """Print how many places each file has, and a sample of the mutants, drawn by the seed."""
    n_wanted, seed, kind, *names = sys.argv[1:]
    places = [place for name in names for place in places_in(name) if kind in place[1]]
    random.Random(int(seed)).shuffle(places)
    sample: list[dict[str, str]] = []
    for name, operator, occurrence in places:
        if len(sample) < int(n_wanted):
            after = mutated(Path(name).read_text("utf-8"), operator, occurrence)
            sample += [] if after is None else [{"file": name, "kind": operator, "text": after}]
    json.dump({"places": Counter(name for name, _, _ in places), "sample": sample}, sys.stdout)


if __name__ == "__main__":
    main()
