"""One consensus order from local reports: `order` beside every single way, on the same people.

`HUSHRANK_DATA=folder python -m benchmarks.one_order` reads Sushi, Jester and elections below it and
prints Markdown; a quarter of an hour, and as long again with `--max-entropy`; `--ways maxent` asks
in that way alone. All people of a data set are asked, at most 5,000; in each repetition under other
numbers of the items, and with noise of its own. What is told is the excess: by how much the mean
normalised Kendall distance of the order to the people's is above that of their exact Kemeny order.
`--made-up` asks people of models in place of real ones, `--crowds` everybody of Sushi and of Meath
ten and a hundred times.
"""

import os
import zlib
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.arrays import Floats
from hushrank.engines.local import run
from hushrank.experiments.figures.frontier.elections import ELECTIONS
from hushrank.experiments.populations import read_jester
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import Mixture
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.models.ranking_model import RankingModel
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

EPSILONS = (0.5, 1.0, 2.0, 5.0)
WAYS = {"rr": "ldp-kwiksort-rr", "pairs": "pairs", "subset": "subset-order", "order": "order"}
SLOW_WAYS = {"maxent": "max-entropy"}
REPETITIONS, SLOW_REPETITIONS = 40, 6
LONG_ITEMS = 12
MOST_PEOPLE, FEWEST_PEOPLE = 5000, 500
UNEQUAL = ([4, 3.7, 1.2, 1, -1, -1.3, -4], [5, 2, 1.8, 0, -0.2, -2, -5])
"""Log-utilities of seven items of very unequal popularity, some of them nearly alike."""
MADE_UP_ITEMS, MADE_UP_PEOPLE, MADE_UP_EPSILONS = (4, 6, 9), (500, 4000), (1.0, 2.0, 5.0)
N_POPULATIONS = 100
CARDS = (0.6, 0.2, 0.12, 0.08)
"""Of a made-up population with camps: of no camp, and which parts hold one exact order each."""
CROWD_EPSILON, CROWDS, CROWD_REPETITIONS = 2.0, (10, 100), 10


def populations(data: Path) -> Iterator[tuple[str, Rankings]]:
    """Yield the real ones, then 18,000 made-up people of each of two Plackett-Luce models."""
    yield "sushi", some(read_rankings(next(data.rglob("sushi.soc"))))
    jokes = np.random.default_rng(7).choice(40, 10, replace=False)
    ratings = read_jester(data / "jester" / "jester-data-1.csv.gz").expanded()
    yield "jester10", ratings.restrict(sorted(jokes.tolist()))
    for each in ELECTIONS:
        file = next(data.rglob(each.holds.split()[1].rstrip(";") + "*"))
        people = each.read(file).expanded()
        if people.n_rows >= FEWEST_PEOPLE:
            yield each.name, some(people)
    rng = np.random.default_rng(5)
    for name, utilities in zip(("pl7-unequal", "pl7-unequal2"), UNEQUAL, strict=True):
        ranks = PlackettLuce(np.array(utilities, dtype=float)).sample(18_000, rng=rng)
        people = Rankings(ranks, tuple("abcdefg"))
        yield name, people.restrict(rng.permutation(7).tolist())


def some(people: Rankings) -> Rankings:
    """Return 5,000 of them, if there are more."""
    everybody = people.expanded()
    if everybody.n_rows <= MOST_PEOPLE:
        return everybody
    chosen = np.random.default_rng(0).choice(everybody.n_rows, MOST_PEOPLE, replace=False)
    return everybody.select(np.sort(chosen))


def excess(people: Rankings, way: str, epsilon: float, seed: int, label: str) -> float:
    """Return the excess of one collection; `label` names the population in the noise's seed."""
    n_items, n_people = people.n_items, people.n_rows
    numbers = np.random.default_rng([seed, n_items]).permutation(n_items)
    protocol = make_protocol((WAYS | SLOW_WAYS)[way])
    begun = protocol.begin(n_items, epsilon=epsilon, n_people=n_people, seed=seed)
    words = np.random.default_rng([zlib.crc32(f"{label} {epsilon} {way} {seed}".encode()), 1])
    noise = Randomness(words.bytes, is_private=False)
    learnt: Any = run(begun, people.restrict(numbers.tolist()), rng=noise).result
    order = tuple(int(numbers[item]) for item in learnt.order)
    counts = majority(people)
    above = kendall_cost(counts, order) - kemeny(counts).cost
    return float(above / n_people / (n_items * (n_items - 1) / 2))


def table(people: Mapping[str, Rankings], epsilon: float, ways: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the table of one epsilon, in thousandths; last the mean of elections."""
    yield f"| ε = {epsilon:g} | {' | '.join(ways)} |"
    yield "|---" * (len(ways) + 1) + "|"
    elections = []
    for name, each in people.items():
        found = [_repeated(each, way, epsilon, name) for way in ways]
        yield f"| {name} | {' | '.join(map(_mean, found))} |"
        if name in {election.name for election in ELECTIONS}:
            elections.append(found)
    if elections:
        means = (_mean_of_means(of_way) for of_way in zip(*elections, strict=True))
        yield f"| mean of {len(elections)} elections | {' | '.join(means)} |"


def _repeated(people: Rankings, way: str, epsilon: float, label: str) -> Floats:
    """Return the excess of each repetition, in thousandths."""
    is_slow = way in SLOW_WAYS and people.n_items >= LONG_ITEMS
    seeds = range(SLOW_REPETITIONS if is_slow else REPETITIONS)
    return 1000 * np.array([excess(people, way, epsilon, seed, label) for seed in seeds])


def made_up(n_items: int, n_people: int, number: int) -> Rankings:
    """Draw people of a model of their own: of five kinds in turn, each drawn anew."""
    rng = np.random.default_rng([11, n_items, n_people, number])
    spread = 2 ** rng.uniform(-2, 1)
    kinds = _one_voice, _three_voices, _one_order, _on_a_line, _with_cards
    ranks = kinds[number % len(kinds)](n_items, spread, rng).sample(n_people, rng=rng)
    return Rankings(ranks, tuple(map(str, range(n_items))))


def _one_voice(n_items: int, spread: float, rng: np.random.Generator) -> RankingModel:
    return PlackettLuce(spread * rng.normal(size=n_items))


def _three_voices(n_items: int, spread: float, rng: np.random.Generator) -> RankingModel:
    camps = tuple(_one_voice(n_items, spread, rng) for _ in range(3))
    return Mixture(camps, rng.dirichlet(np.ones(3)))


def _one_order(n_items: int, spread: float, rng: np.random.Generator) -> RankingModel:
    return Mallows(tuple(rng.permutation(n_items).tolist()), float(np.exp(-spread / 4)))


def _on_a_line(n_items: int, spread: float, rng: np.random.Generator) -> RankingModel:
    """Let twenty camps stand on a line, and like the items that stand near."""
    items, camps = rng.normal(size=n_items), rng.normal(size=20)
    away = np.abs(items - camps[:, None])
    likes = tuple(PlackettLuce(-2 * spread * each) for each in away)
    return Mixture(likes, np.full(len(camps), 1 / len(camps)))


def _with_cards(n_items: int, spread: float, rng: np.random.Generator) -> RankingModel:
    exact = [Mallows(tuple(rng.permutation(n_items).tolist()), 0.0) for _ in CARDS[1:]]
    return Mixture((_one_voice(n_items, spread, rng), *exact), np.array(CARDS))


def table_of_made_up(n_items: int, n_people: int) -> Iterator[str]:
    """Yield a line for each epsilon, in thousandths: means of populations, each asked once.

    Behind them by how much `order` is above the best of the others, and its standard error.
    """
    each = [made_up(n_items, n_people, number) for number in range(N_POPULATIONS)]
    for epsilon in MADE_UP_EPSILONS:
        label = f"made-up {n_items} {n_people}"
        found = 1000 * np.array(
            [
                [excess(people, way, epsilon, seed, label) for seed, people in enumerate(each)]
                for way in WAYS
            ]
        )
        best = int(found[:-1].mean(axis=1).argmin())
        cells = [_mean(way) for way in (*found, found[-1] - found[best])]
        yield f"| {n_items}, {n_people:,} | {epsilon:g} | {' | '.join(cells)} |"


def _mean(found: Floats) -> str:
    return f"{found.mean():.2f} ± {_error(found):.2f}"


def _mean_of_means(found: Sequence[Floats]) -> str:
    """Return the mean over populations, and the standard error that repetitions leave it."""
    mean = np.mean([each.mean() for each in found])
    error = np.sqrt(sum(_error(each) ** 2 for each in found)) / len(found)
    return f"{mean:.2f} ± {error:.2f}"


def _error(found: Floats) -> float:
    return float(found.std() / np.sqrt(len(found)))


def table_of_crowds(data: Path) -> Iterator[str]:
    """Yield a line for everybody of Sushi and of Meath, so many times, in thousandths."""
    meath = next(each for each in ELECTIONS if each.name == "meath")
    file = next(data.rglob(meath.holds.split()[1].rstrip(";") + "*"))
    sushi = read_rankings(next(data.rglob("sushi.soc")))
    for name, people in (("sushi", sushi.expanded()), ("meath", meath.read(file).expanded())):
        for times in CROWDS:
            crowd = people.select(np.tile(np.arange(people.n_rows), times))
            seeds = range(CROWD_REPETITIONS)
            found = (
                [1000 * excess(crowd, way, CROWD_EPSILON, seed, name) for seed in seeds]
                for way in WAYS
            )
            yield f"| {name} | {crowd.n_rows:,} | {' | '.join(_mean(np.array(e)) for e in found)} |"


def main() -> None:
    """Print a table for each epsilon; or of made-up people; or of more people."""
    parser = ArgumentParser(prog="python -m benchmarks.one_order")
    every = [*WAYS, *SLOW_WAYS]
    parser.add_argument("--ways", nargs="+", choices=every, default=list(WAYS))
    parser.add_argument("--max-entropy", action="store_const", dest="ways", const=every)
    parser.add_argument("--made-up", action="store_true")
    parser.add_argument("--crowds", action="store_true")
    asked = parser.parse_args()
    data = Path(os.environ["HUSHRANK_DATA"])
    if asked.made_up:
        for n_items in MADE_UP_ITEMS:
            for n_people in MADE_UP_PEOPLE:
                print("\n".join(table_of_made_up(n_items, n_people)), flush=True)
        return
    if asked.crowds:
        for line in table_of_crowds(data):
            print(line, flush=True)
        return
    people = dict(populations(data))
    for epsilon in EPSILONS:
        for line in table(people, epsilon, asked.ways):
            print(line, flush=True)


if __name__ == "__main__":
    main()
