"""Does the time that something takes depend on what it must hide? A t-test on measured times."""

import gc
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.randomness import Randomness

SUSPICIOUS = 5.0
"""A t that large: once in a million tests of what takes the same time, if times are normal."""
WARM_UP = 200
RUNS = 20_000
LEAST_RUNS = 100
CROPS = 1 - 0.5 ** (np.arange(1, 21) / 2)
"""Quantiles of all times beyond which nothing counts: interrupts would drown what is small."""
LEAST_OF_A_REPORT = 200


@dataclass(frozen=True, eq=False)
class Path:
    """Something that runs on one of two inputs, and what of its output an observer has besides.

    run: of an input; what it returns is compared, so that times are also told apart of those runs
    alone that returned the same: time must not say how likely a report is to be true.
    """

    name: str
    inputs: tuple[Any, Any]
    run: Callable[[Any], Any]


@dataclass(frozen=True)
class Timing:
    """The largest t of all crops, of two inputs: any output, and the same output.

    t: of the mean times, in standard errors; later_ns: by how much the second input takes longer,
    in the crop that shows it most. same_t, same_ns: of runs that returned what the first input's
    runs return most often; 0 where those are too few.
    """

    name: str
    runs: int
    median_ns: float
    t: float
    later_ns: float
    same_runs: int
    same_t: float
    same_ns: float

    @property
    def is_suspicious(self) -> bool:
        """Whether times differ by more than chance."""
        return max(abs(self.t), abs(self.same_t)) > SUSPICIOUS


def measure(path: Path, runs: int, *, rng: Randomness) -> Timing:
    """Run a path so often in all, its inputs in random order, and compare the times.

    Source: Reparaz, Balasch, Verbauwhede (DATE 2017), dudect: Welch's t-test, with crops.
    Raises HushrankError for fewer than 100 runs.
    """
    require(runs >= LEAST_RUNS, f"expected at least {LEAST_RUNS} runs, got {runs}")
    chosen = rng.below(2, runs + WARM_UP).astype(int)
    times, outputs = np.empty(runs + WARM_UP), []
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for number, which in enumerate(chosen.tolist()):
            given = deepcopy(path.inputs[which])  # one place in memory may be faster than another
            start = perf_counter_ns()
            output = path.run(given)
            times[number] = perf_counter_ns() - start
            outputs.append(output)
    finally:
        if was_enabled:
            gc.enable()
    return _compared(path.name, times[WARM_UP:], chosen[WARM_UP:], outputs[WARM_UP:])


def _compared(name: str, times: Floats, chosen: Any, outputs: list[Any]) -> Timing:
    second = chosen == 1
    t, later = largest_t(times[~second], times[second])
    usual = Counter(out for out, which in zip(outputs, chosen, strict=True) if which == 0)
    (most, _), *_ = usual.most_common(1)
    same = np.array([output == most for output in outputs])
    of_both = times[same & ~second], times[same & second]
    few = min(map(len, of_both)) < LEAST_OF_A_REPORT
    same_t, same_later = (0.0, 0.0) if few else largest_t(*of_both)
    n_same = 0 if few else int(same.sum())
    return Timing(name, len(times), float(np.median(times)), t, later, n_same, same_t, same_later)


def largest_t(first: Floats, second: Floats) -> tuple[float, float]:
    """Return Welch's t and the difference of means of the crop, or none, whose |t| is largest."""
    limits = [*np.quantile(np.concatenate([first, second]), CROPS), np.inf]
    found = [welch(first[first <= limit], second[second <= limit]) for limit in limits]
    return max(found, key=lambda each: abs(each[0]))


def welch(first: Floats, second: Floats) -> tuple[float, float]:
    """Return the t of two samples whose variances differ, and the second mean less the first.

    0 where a sample is too small.   Source: Welch (Biometrika 1947).
    """
    if min(len(first), len(second)) < 2:
        return 0.0, 0.0
    later = float(second.mean() - first.mean())
    error = float(np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)))
    return (later / error if error > 0 else 0.0), later
