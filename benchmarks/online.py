"""Online publishing: channels of single activities, and the stream, in memory and by lines."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from harness import Row, Series, check, main, milliseconds, rates, seconds
from numpy.typing import NDArray

from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.binary.warm_start import WarmStart
from hushrank.publishing.item_channel.problem import (
    ActivityPopulation,
    ItemChannelProblem,
    lower_bound,
)
from hushrank.publishing.item_channel.solution import ItemChannelSolution
from hushrank.publishing.item_channel.solve import COARSEST_GAP, solve_item_channel
from hushrank.publishing.online.publisher import OnlinePublisher
from hushrank.publishing.online.rules import StreamRules
from hushrank.randomness import Randomness

INTRODUCTION = """## Online publishing

Users and items are drawn from a power law, with private values planted. A row shows the median
channel, with the least and the most of all in brackets, and below it the slowest one alone.
The gap is what is certified, relative to the leakage of activities released unchanged. A warm
channel is made after 100 more activities. Users have 50, 200, 1,000 or 5,000 activities; which
items tell nearly the same is found once for all. Streams begin with channels that are made."""

N_ITEMS = 1_861
SHARES = (0.03, 0.1, 0.3, 0.7)
"""Budgets, relative to what it costs to send everything to one item."""


def channels(is_quick: bool) -> Sequence[Row]:
    """Measure channels of 2 private values, cold and warm, and at 10,000 items."""
    n_users = 2 if is_quick else 200
    cold, warm = _solved(N_ITEMS, 2, n_users), _solved(N_ITEMS, 2, n_users, is_warm=True)
    large = _solved(10_000, 2, 1 if is_quick else 20)
    return [
        *_rows("a channel, 2 values, 1,861 items", 100, *cold),
        *_rows("a warm channel, 2 values, 1,861 items", 50, *warm),
        *_rows("a channel, 2 values, 10,000 items", 200, *large),
    ]


def many_values(is_quick: bool) -> Sequence[Row]:
    """Measure channels of 3 to 5 private values."""
    n_users = 1 if is_quick else 8
    each = [(k, _solved(N_ITEMS, k, n_users)) for k in (3, 4, 5)]
    tables = [_rows(f"a channel, {k} values, 1,861 items", 1000, *found) for k, found in each]
    return [row for table in tables for row in table]


def stream(is_quick: bool) -> Sequence[Row]:
    """Measure activities of 200 users in memory."""
    n_activities, n_users = 100_000 if is_quick else 1_000_000, 200
    population, weights = _population(N_ITEMS, 2)
    rules = StreamRules(1e-4, resolve_every=10**9)
    publisher = OnlinePublisher({"gender": population}, ["gender"] * n_users, rules)
    rng = np.random.default_rng(1)
    users, items = (
        rng.integers(0, n_users, n_activities),
        rng.choice(N_ITEMS, n_activities, p=weights),
    )
    publisher.publish(np.arange(n_users), items[:n_users], rng=Randomness.secure())
    spent = seconds(lambda: publisher.publish(users, items, rng=Randomness.secure()), 7)
    moved = np.mean(publisher.publish(users, items, rng=Randomness.secure()) != items)
    check(0.01 < moved < 0.99, "stream: expected that some activities change")
    checked = f"{100 * moved:.0f} % of activities changed; the law is tested in tests/publishing"
    return [Row("a stream", "activities/s", 1e6, rates(n_activities, spent), checked=checked)]


def command(is_quick: bool) -> Sequence[Row]:
    """Measure the command, from lines in a file to lines in a file, start included."""
    n_lines = 50_000 if is_quick else 1_000_000
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, n_lines)
        learnt = [folder / "visits.csv", "--profiles", folder / "people.csv"]
        begin = [
            *learnt,
            "--private",
            "gender",
            "--budget",
            "0.0001",
            "--renew-every",
            "1000000000",
        ]
        _run(folder, "first", *begin)
        spent = seconds(lambda: _run(folder, "in"), 5)
        released = (folder / "out").read_bytes().count(b"\n")
    check(released == 6 * n_lines + 2_000, "command: expected one line for each")
    checked = "one line out for one in"
    return [Row("`publish online`", "activities/s", 1e5, rates(n_lines, spent), checked=checked)]


def _population(n_items: int, n_values: int) -> tuple[ActivityPopulation, NDArray[np.float64]]:
    rng = np.random.default_rng(n_values)
    weights = rng.permutation(1 / np.arange(1.0, n_items + 1))
    leaning = np.exp(0.8 * rng.normal(size=(n_items, n_values)))
    joint = weights[:, None] * leaning / leaning.sum(axis=1, keepdims=True)
    return ActivityPopulation(joint / joint.sum()), weights / weights.sum()


def _solved(
    n_items: int, n_values: int, n_users: int, *, is_warm: bool = False
) -> tuple[list[float], list[float]]:
    """Solve for each user and budget; return seconds and relative gaps."""
    population, weights = _population(n_items, n_values)
    _compile(population)
    rng, spent, gaps = np.random.default_rng(7), [], []
    for user in range(n_users):
        habits = rng.dirichlet(weights * 100 + 1e-9)
        counts = rng.multinomial((50, 200, 1_000, 5_000)[user % 4], habits)
        cost = activity_cost(counts)
        later = activity_cost(counts + rng.multinomial(100, habits))
        for share in SHARES:
            budget = share * ItemChannelProblem(population, cost, 0.0).constant_cost_bound
            first = ItemChannelProblem(population, cost, budget)
            warm = solve_item_channel(first).warm_start if is_warm else None
            posed = ItemChannelProblem(population, later, budget) if is_warm else first
            solution, took = _timed(posed, warm)
            spent.append(took)
            gaps.append(_certified(posed, solution))
    return spent, gaps


def _compile(population: ActivityPopulation) -> None:
    """Solve once, of what is not counted, so that no compilation is."""
    cost = activity_cost(np.arange(population.n_items) ** 2 % 7)
    budget = SHARES[0] * ItemChannelProblem(population, cost, 0.0).constant_cost_bound
    first = ItemChannelProblem(population, cost, budget)
    solve_item_channel(first, warm=solve_item_channel(first).warm_start)


def _timed(posed: ItemChannelProblem, warm: WarmStart | None) -> tuple[ItemChannelSolution, float]:
    start = process_time()
    solution = solve_item_channel(posed, warm=warm)
    return solution, process_time() - start


def _certified(posed: ItemChannelProblem, solution: ItemChannelSolution) -> float:
    """Compute the gap again, from the potentials alone, relative to no channel's leakage."""
    bound = max(0.0, lower_bound(posed, solution.potentials, solution.price))
    check(solution.distortion <= posed.budget * (1 + 1e-9), "a channel beyond its budget")
    return (solution.leakage - bound) / posed.population.leakage


def _rows(task: str, target: float, spent: Sequence[float], gaps: Sequence[float]) -> list[Row]:
    wanted = 1e-3 if "2 values" in task else COARSEST_GAP
    checked = f"gaps computed again, of {len(gaps)} problems, all within the budget"
    slowest = milliseconds([max(spent)])
    return [
        Row(task, "ms", None, milliseconds(spent), checked=checked),
        Row(f"{task}: the slowest", "ms", target, slowest, checked=checked),
        Row(f"{task}: the largest proven gap", "of the leakage", wanted, Series([max(gaps)])),
    ]


def _write(folder: Path, n_lines: int) -> None:
    rng, n_users = np.random.default_rng(5), 400
    _, weights = _population(N_ITEMS, 2)
    visits = [f"u{user},i{item}" for item, user in enumerate(rng.integers(0, n_users, N_ITEMS))]
    visits += [
        f"u{user},i{item}" for user in range(n_users) for item in rng.choice(N_ITEMS, 50, p=weights)
    ]
    people = [
        f"u{user},{'FM'[user % 2]},{'all' if user % 4 else 'none'}" for user in range(n_users)
    ]
    (folder / "visits.csv").write_text("\n".join(["user,item", *visits]))
    (folder / "people.csv").write_text("\n".join(["user,gender,protects", *people]))
    for name, size in (("first", 2_000), ("in", n_lines)):
        items, users = rng.choice(N_ITEMS, size, p=weights), rng.integers(0, n_users, size)
        pairs = zip(users.tolist(), items.tolist(), strict=True)
        lines = [json.dumps({"user": f"u{user}", "item": f"i{item}"}) for user, item in pairs]
        (folder / name).write_text("\n".join(lines) + "\n")


def _run(folder: Path, source: str, *more: object) -> None:
    code = "from hushrank.cli.main import main; main()"
    paths = ["--state", folder / "state", "--input", folder / source, "--output", folder / "out"]
    command = [sys.executable, "-c", code, "publish", "online", *paths, *more]
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(INTRODUCTION, (channels, many_values, stream, command))
