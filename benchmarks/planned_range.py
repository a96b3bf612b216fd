"""How often what a collection reaches lies in the range that the planner foretold.

`HUSHRANK_DATA=folder python -m benchmarks.planned_range` reads the public rankings below it and
prints Markdown: people that the planner's reference populations were not made from. Elections with
how-to-vote cards are made up: voters and parties stand in a plane, a voter ranks parties by how far
away they are, with noise, or copies the order of the nearest party. Some ten minutes.
"""

import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hushrank.experiments.figures.frontier.elections import ELECTIONS
from hushrank.experiments.on_rankings.frontier import Asked
from hushrank.experiments.on_rankings.frontier_methods import SAFE, collect
from hushrank.experiments.populations import read_jester
from hushrank.planning.interpolation import PredictionTable
from hushrank.planning.populations import SMOOTH, TYPICAL
from hushrank.planning.predictions import Place
from hushrank.planning.recommendation import likely_range
from hushrank.rankings.files import read_rankings
from hushrank.rankings.profile import Rankings

EPSILONS = (0.4, 1.0, 2.0, 4.0)
MOST_PEOPLE, FEWEST_PEOPLE = 20_000, 200
SEEDS = 2
CARDS = (0.0, 0.25, 0.5)
"""Which part of the voters copies a how-to-vote card."""
SET_BY = ((5, 3000), (5, 15_000), (7, 4000), (7, 20_000), (10, 5000), (10, 20_000))
JUDGED_ON = ((4, 5000), (6, 3000), (6, 20_000), (8, 4000), (8, 20_000), (9, 10_000))
"""Of made-up elections: parties and voters. The upper end of the range was set by the first."""


@dataclass(frozen=True)
class Cell:
    """One collection: its distance as measured, and as foretold for each reference population."""

    group: str
    name: str
    n_items: int
    n_people: int
    epsilon: float
    measured: float
    foretold: tuple[float, ...]

    @property
    def excess(self) -> float:
        """How many times the largest that was foretold; at most 1 unless it lies above."""
        return self.measured / max(self.foretold)

    @property
    def shortfall(self) -> float:
        """How many times the least that was foretold."""
        return self.measured / min(self.foretold)

    @property
    def is_in_range(self) -> bool:
        """Whether it lies between the ends that are stated."""
        least, most = likely_range(self.foretold, self.n_items)
        return least <= self.measured <= most


def populations(data: Path) -> Iterator[tuple[str, str, Rankings]]:
    """Yield groups, names and people: real elections, other rankings, and made-up elections."""
    for each in ELECTIONS:
        file = next(data.rglob(each.holds.split()[1].rstrip(";") + "*"))
        yield "elections", each.name, each.read(file).expanded()
    yield "others", "sushi", read_rankings(next(data.rglob("sushi.soc"))).expanded()
    ratings = read_jester(data / "jester" / "jester-data-1.csv.gz").expanded()
    for seed in range(2):
        jokes = np.random.default_rng(seed).choice(40, 8, replace=False)
        yield "others", f"jester-{seed}", ratings.restrict(sorted(jokes.tolist()))
    for file in sorted([*data.rglob("00024-*.soc"), *data.rglob("00025-*.soc")]):
        yield "others", file.stem, read_rankings(file).expanded()
    for n_items, n_people in (*SET_BY, *JUDGED_ON):
        group = "set by" if (n_items, n_people) in SET_BY else "judged on"
        for share in CARDS:
            name = f"{n_items} parties, {n_people} voters, {100 * share:g} % cards"
            yield group, name, made_up_election(n_items, n_people, share)


def made_up_election(n_parties: int, n_voters: int, share: float) -> Rankings:
    """Return voters in a plane, a share of whom copies the order of the nearest party."""
    rng = np.random.default_rng([n_parties, n_voters, round(100 * share)])
    parties, voters = rng.normal(size=(n_parties, 2)), rng.normal(size=(n_voters, 2))
    away = ((voters[:, None] - parties) ** 2).sum(axis=2)
    felt = away + rng.gumbel(scale=0.5, size=away.shape)
    cards = ((parties[:, None] - parties) ** 2).sum(axis=2)
    follows = rng.random(n_voters) < share
    felt[follows] = cards[away[follows].argmin(axis=1)]
    ranks = np.argsort(np.argsort(felt, axis=1), axis=1).astype(np.uint8)
    return Rankings(np.asfortranarray(ranks), tuple(str(each) for each in range(n_parties)))


def some(people: Rankings) -> Rankings:
    """Return at most 20,000 of them."""
    if people.n_rows <= MOST_PEOPLE:
        return people
    chosen = np.random.default_rng(0).choice(people.n_rows, MOST_PEOPLE, replace=False)
    return people.select(np.sort(chosen))


def measured(people: Rankings, epsilon: float, label: str) -> float:
    """Return the mean Q2 distance of the rows of a few collections."""
    asked, found = Asked(people), []
    for seed in range(SEEDS):
        words = zlib.crc32(f"{label} {epsilon}".encode())
        noise, synthesis = (np.random.default_rng([words, seed, part]) for part in (0, 1))
        rows = collect(SAFE, people, epsilon, noise=noise, synthesis=synthesis).ranks
        found.append(asked.distance(rows))  # type: ignore[arg-type]
    return float(np.mean(found))


def cells(data: Path) -> Iterator[Cell]:
    """Yield every population at every epsilon."""
    table = PredictionTable()
    for group, name, everybody in populations(data):
        people = some(everybody)
        if people.n_rows < FEWEST_PEOPLE:
            continue
        size = people.n_items, people.n_rows
        for epsilon in EPSILONS:
            each = (
                Place(table, known.name, *size).expect("max-entropy", epsilon) for known in TYPICAL
            )
            foretold = tuple(float(errors.distance or 0.0) for errors in each)
            yield Cell(group, name, *size, epsilon, measured(people, epsilon, name), foretold)


def line(label: str, some: Sequence[Cell]) -> str:
    """Return how many cells lie where, as parts of what was foretold.

    Above the largest, a fifth above, below the least, above the largest of smooth populations, and
    in the range that is stated; then the ends of nine tenths: twentieths of parts of the least and
    of the largest.
    """
    above = np.array([each.excess for each in some])
    below = np.array([each.shortfall for each in some])
    smooth = np.array([each.measured / max(each.foretold[: len(SMOOTH)]) for each in some])
    shares = [(above > 1).mean(), (above > 1.2).mean(), (below < 1).mean(), (smooth > 1).mean()]
    ends = f"{np.quantile(below, 0.05):.2f} | {np.quantile(above, 0.95):.2f}"
    in_range = np.mean([each.is_in_range for each in some])
    numbers = " | ".join(f"{100 * share:.0f} %" for share in (*shares, in_range))
    return f"| {label} | {len(some)} | {numbers} | {ends} |"


def main() -> None:
    """Print a line for each group, and each epsilon."""
    found = list(cells(Path(os.environ["HUSHRANK_DATA"])))
    for group in dict.fromkeys(each.group for each in found):
        print(line(group, [each for each in found if each.group == group]), flush=True)
    for epsilon in EPSILONS:
        print(line(f"epsilon {epsilon:g}", [each for each in found if each.epsilon == epsilon]))
    for each in found:
        print(each)


if __name__ == "__main__":
    main()
