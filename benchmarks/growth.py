"""Growth: what SAFARI costs from ten thousand people to ten million."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, Series, is_quick, print_section, run_json
from matplotlib.figure import Figure
from numpy.typing import NDArray

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "growth.png"
PEOPLE = (10_000, 100_000, 1_000_000, 10_000_000)
FEW_PEOPLE = (1_000, 10_000, 100_000)
INTRODUCTION = """## Growth with the number of people

SAFARI end to end, as above, a process for each number of people. Q2 is the distance of the
synthetic rows from the people's: the error falls while the time grows."""


def measure(quick: bool) -> list[dict[str, Any]]:
    """Run SAFARI once for each number of people, in processes of their own."""
    return [
        {"people": n, **run_json(sys.executable, "one_collection.py", "safari", str(n), "5")}
        for n in (FEW_PEOPLE if quick else PEOPLE)
    ]


def fitted_slope(found: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Fit log10 seconds = intercept + slope log10 people by least squares; slope first."""
    slope, intercept = np.polyfit(np.log10(_people(found)), np.log10(_medians(found)), 1)
    return float(slope), float(intercept)


def fitted_line(found: Sequence[dict[str, Any]]) -> tuple[float, float, float]:
    """Fit seconds = fixed + each people, by relative errors; the largest of them last."""
    terms = np.column_stack([np.ones(len(found)), _people(found)]) / _medians(found)[:, None]
    (fixed, each), *_ = np.linalg.lstsq(terms, np.ones(len(found)), rcond=None)
    return float(fixed), float(each), float(np.abs(terms @ [fixed, each] - 1).max())


def large_slope(found: Sequence[dict[str, Any]]) -> float:
    """Return the exponent between the two largest collections, where fixed costs matter least."""
    return fitted_slope(found[-2:])[0]


def markdown(found: Sequence[dict[str, Any]]) -> str:
    """Write the table and what it shows."""
    head = ["| people | seconds | people/s | peak memory, MB | Q2 |", "|---|---|---|---|---|"]
    fixed, each, error = fitted_line(found)
    text = (
        f"A straight line, {fixed:.3f} s and {1e6 * each:.3f} µs a person, fits all medians within"
        f" {error:.0%}. The slope of the logarithms is {fitted_slope(found)[0]:.2f} over all"
        f" sizes, where the fixed cost shows, and {large_slope(found):.2f} from"
        f" {found[-2]['people']:,} to {found[-1]['people']:,} people (target: at most 1.1).\n\n"
        f"![Time against people, both axes logarithmic, with both fits]({PICTURE.name})"
    )
    return "\n".join([INTRODUCTION, "", *head, *map(_line, found), "", text])


def draw(found: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw time against people, both logarithmic, with the fitted slope and the fitted line."""
    people, medians = _people(found), _medians(found)
    lows = medians - [min(one["seconds"]) for one in found]
    highs = [max(one["seconds"]) for one in found] - medians
    slope, intercept = fitted_slope(found)
    fixed, each, _ = fitted_line(found)
    between = np.geomspace(people[0], people[-1], 100)
    axes = (figure := Figure(figsize=(6, 4), layout="constrained")).subplots()
    axes.errorbar(people, medians, [lows, highs], fmt="o", capsize=3, label="median, range")
    line = f"{fixed:.2g} s + {1e6 * each:.2g} µs a person"
    axes.plot(between, fixed + each * between, label=line)
    axes.plot(people, 10**intercept * people**slope, "--", label=f"fitted slope {slope:.2f}")
    axes.set(xscale="log", yscale="log", xlabel="people", ylabel="seconds, one core")
    axes.set_title("SAFARI end to end, d = 10")
    axes.legend()
    figure.savefig(path, dpi=120, metadata={"Software": None})


def _people(found: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    return np.array([one["people"] for one in found], dtype=np.float64)


def _medians(found: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    return np.array([Series(one["seconds"]).median for one in found])


def _line(one: dict[str, Any]) -> str:
    spent = Series(one["seconds"])
    speed, megabytes = Series([one["people"] / spent.median]), Series([one["megabytes"]])
    return f"| {one['people']:,} | {spent} | {speed} | {megabytes} | {one['distance']:.3f} |"


def _section(quick: bool) -> None:
    found = measure(quick)
    if not quick:
        draw(found, PICTURE)
    row = Row("linear growth", "exponent", 1.1, Series([large_slope(found)]))
    print_section(markdown(found), [row])


if __name__ == "__main__":
    _section(is_quick())
