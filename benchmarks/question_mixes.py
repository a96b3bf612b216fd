"""The mix that is chosen beside the one of partial rankings, on the same people; models, no rows.

`HUSHRANK_DATA=folder python -m benchmarks.question_mixes` prints, for each population and epsilon,
the mean Q2 distance of both models from the people who were asked, and the mean difference with its
standard error over seeds. People, their draw and the noise have seeds of their own.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from hushrank.engines.local import simulate
from hushrank.evaluation.metrics import marginal_distance
from hushrank.experiments.populations import (
    mallows_population,
    mixture_population,
    read_complete_ballots,
)
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_mix import Mix, choose_mix, describe_mix
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings

EPSILONS = (0.5, 1.0, 2.0, 4.0)
N_SEEDS = 8
CARD_SHARES = (0.25, 0.12, 0.08, 0.06, 0.04)
"""Parts of the people who hand in exactly the order of a how-to-vote card."""

Draw = Callable[[int], Rankings]


def populations(folder: Path) -> Mapping[str, Draw]:
    """Return who is asked, by name: the people of a seed."""
    elections = folder / "elections"
    return {
        "sushi, 10 items": partial(_everybody, folder / "sushi" / "sushi.soc"),
        "sushi, 1,000 people": partial(_some, folder / "sushi" / "sushi.soc", 1000),
        "apa 2009, 5,000 people": partial(_some, elections / "apa" / "00028-00000001.soi", 5000),
        "burlington 2009": partial(_everybody, elections / "burlington" / "00005-00000002.toi"),
        "debian 2003": partial(_everybody, elections / "debian" / "00002-00000003.toc"),
        "puzzles, 4 items": partial(_everybody, folder / "turkpuzzle" / "00025-00000004.soc"),
        "3 Plackett-Luce, 10 items": partial(_drawn, mixture_population(5000, 10, 3).draw),
        "3 Plackett-Luce, 1,000 people, 7 items": partial(
            _drawn, mixture_population(1000, 7, 3).draw
        ),
        "Mallows .8, 10 items": partial(_drawn, mallows_population(5000, 10, 0.8).draw),
        "how-to-vote cards, 20,000 people, 8 items": partial(_drawn, _with_cards),
    }


def _everybody(path: Path, seed: int) -> Rankings:
    return read_complete_ballots(path).expanded()


def _some(path: Path, n_people: int, seed: int) -> Rankings:
    people = read_complete_ballots(path).expanded()
    rows = np.random.default_rng([seed, 5]).integers(people.n_people, size=n_people)
    return people.select(rows)


def _drawn(draw: Callable[[np.random.Generator], Rankings], seed: int) -> Rankings:
    return draw(np.random.default_rng([seed, 77]))


def _with_cards(rng: np.random.Generator) -> Rankings:
    """Return 9,000 people of three Plackett-Luce components and 11,000 with cards, of 8 items."""
    others = mixture_population(9000, 8, 3).draw(rng)
    cards = [np.argsort(rng.permutation(8)).astype(np.uint8) for _ in CARD_SHARES]
    held = np.repeat(cards, [round(20_000 * share) for share in CARD_SHARES], axis=0)
    return Rankings(np.asfortranarray(np.concatenate([others.ranks, held])), others.names)


def distance(people: Rankings, epsilon: float, mix: Mix, seed: int) -> float:
    """Return the Q2 distance of the model from the people."""
    protocol = max_entropy(people.n_items, epsilon=epsilon, n_people=people.n_people, mix=mix)
    rng = np.random.default_rng([seed, int(1000 * epsilon), 9])
    model = simulate(protocol, people, rng=rng).result.model
    return marginal_distance(model.second_order_marginals, second_order_marginals(people))


def compare(name: str, draw: Draw, epsilon: float) -> str:
    """Return a line of the table."""
    each = []
    for seed in range(N_SEEDS):
        people = draw(seed)
        numbers = {"epsilon": epsilon, "n_people": people.n_people}
        earlier = choose_mix(people.n_items, unranked="last", **numbers)  # type: ignore[arg-type]
        now = choose_mix(people.n_items, **numbers)  # type: ignore[arg-type]
        each.append([distance(people, epsilon, mix, seed) for mix in (earlier, now)])
    before, after = np.array(each).T
    mean, error = (after - before).mean(), (after - before).std(ddof=1) / np.sqrt(N_SEEDS)
    found = f"{before.mean():.4f} | {after.mean():.4f} | {mean:+.4f} ± {error:.4f}"
    return f"| {name} | {epsilon:g} | {describe_mix(earlier)} | {describe_mix(now)} | {found} |"


if __name__ == "__main__":
    for title, people_of in populations(Path(os.environ["HUSHRANK_DATA"])).items():
        for nats in EPSILONS:
            print(compare(title, people_of, nats), flush=True)
