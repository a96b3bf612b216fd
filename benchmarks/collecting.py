"""Whole collections, each in a process of its own: time and peak of memory."""

import sys
from collections.abc import Sequence

from harness import Row, Series, check, main, run_json

INTRODUCTION = """## Whole collections

d = 10, epsilon 1, each in a process of its own, whose peak of resident memory includes Python and
the libraries. SAFARI: from ranks in memory to as many synthetic rows; the noise is secure. The
baselines collect one of 3,628,800 orders from each of 5,000 people: person by person, or by the
tally short cut, which is exact in distribution. No peer does any of this. MB = 10^6 bytes."""

MOST_DISTANCE = 0.1
BASELINES = {
    "grr": "GRR, person by person",
    "olh": "OLH, person by person",
    "sh": "SH, person by person",
    "grr-simulated": "GRR, tally short cut",
    "rappor-simulated": "RAPPOR, tally short cut",
}


def whole_safari(is_quick: bool) -> Sequence[Row]:
    """Measure SAFARI on a million people."""
    n_people = 100_000 if is_quick else 1_000_000
    found = run_json(sys.executable, "one_collection.py", "safari", str(n_people), "5")
    distance = found["distance"]
    near = distance <= MOST_DISTANCE or is_quick
    check(near, f"SAFARI: expected a distance of at most {MOST_DISTANCE}, got {distance:.3f}")
    task = f"SAFARI, n = {n_people:,}"
    checked = f"synthetic rows are rankings, at a distance Q2 of {distance:.3f} from the people's"
    return [
        Row(f"{task}: time", "s", 5.0, Series(found["seconds"]), checked=checked),
        Row(f"{task}: peak memory", "MB", 600.0, Series([found["megabytes"]])),
    ]


def baselines(is_quick: bool) -> Sequence[Row]:
    """Measure the baselines over whole rankings."""
    rows = []
    for method, name in BASELINES.items():
        repetitions = "1" if is_quick else "5"
        found = run_json(sys.executable, "one_collection.py", method, "5000", repetitions)
        shown = "16, since at 1 nothing can" if method.startswith("grr") else "1"
        checked = f"the order that half of the people hold leads, at epsilon {shown}"
        rows += [
            Row(f"{name}: time", "s", 60.0, Series(found["seconds"]), checked=checked),
            Row(f"{name}: peak memory", "MB", 2000.0, Series([found["megabytes"]])),
        ]
    return rows


if __name__ == "__main__":
    main(INTRODUCTION, (whole_safari, baselines))
