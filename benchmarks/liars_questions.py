"""What it costs honest people, and takes from liars, to ask for bits in place of the chosen mix.

`python -m benchmarks.liars_questions [seeds]` prints, for each population, the Q2 distance of rows
of honest people alone, the mean difference with its standard error, and which share of rows has the
item first that nobody, and that 5 % of liars promote by reports without noise. Both mixes see the
same people; people and noise have seeds of their own. A collection of 5 items takes .15 s.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from hushrank.experiments.experiment import Draws
from hushrank.experiments.on_rankings.liars import Electors, LiarsSpot
from hushrank.experiments.populations import mallows_population
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_kinds import Incomplete
from hushrank.protocols.distributions.question_mix import MIXES, Mix, choose_mix, describe_mix
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.learnt.models import LearntFit
from hushrank.protocols.registry import NamedProtocol, Rounds
from hushrank.rankings.profile import Rankings

EPSILON = 1.0
SIZES: Mapping[str, tuple[int, int]] = {
    "mallows .7, 5 items": (3000, 5),
    "mallows .9, 5 items": (3000, 5),
    "plackett-luce, 5 items": (3000, 5),
    "mallows .7, 7 items": (3000, 7),
    "plackett-luce, 7 items": (3000, 7),
    "mallows .7, 10 items": (5000, 10),
}


@dataclass(frozen=True)
class Asked:
    """The one-round protocol with a mix of its own."""

    mix: Mix
    name: ClassVar[str] = "max-entropy"
    has_model: ClassVar[bool] = True
    unranked: ClassVar[Incomplete] = "refused"

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round of the mix."""
        asked = {"epsilon": epsilon, "n_people": n_people}
        fitted = yield from max_entropy(n_items, mix=self.mix, **asked)  # type: ignore[arg-type]
        return LearntFit(fitted)

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return None: nobody asks."""
        return None


def people_of(name: str, seed: int) -> Rankings:
    """Return the honest people of a seed."""
    n_people, n_items = SIZES[name]
    rng = np.random.default_rng([seed, 5])
    if name.startswith("mallows"):
        of_mallows = mallows_population(n_people, n_items, 0.7 if ".7" in name else 0.9)
        return cast(Rankings, of_mallows.draw(rng))
    ranks = PlackettLuce(rng.normal(size=n_items)).sample(n_people, rng=rng)
    return Rankings(ranks, tuple(str(item + 1) for item in range(n_items)))


def measured(electors: Electors, mix: Mix, share: float, seed: int) -> Mapping[str, float]:
    """Return what one collection with this share of liars came to."""
    draws = Draws(np.random.default_rng([seed, 1, 7]), np.random.default_rng([seed, 2, 7]))
    return LiarsSpot(electors, Asked(mix), EPSILON, "no noise", share).measured(draws)  # type: ignore[return-value]


def main(n_seeds: int) -> None:
    """Print a row for each population and mix."""
    for name, (n_people, n_items) in SIZES.items():
        chosen = choose_mix(n_items, epsilon=EPSILON, n_people=n_people)
        found: dict[Mix, list[tuple[float, float, float]]] = {chosen: [], MIXES["bits"]: []}
        for seed in range(n_seeds):
            electors = Electors(people_of(name, seed))
            for mix, rows in found.items():
                honest, bent = (measured(electors, mix, share, seed) for share in (0.0, 0.05))
                rows.append((honest["q2"], honest["firsts"], bent["firsts"]))
        own = np.array(found[chosen])[:, 0]
        for mix, rows in found.items():
            q2, honest_firsts, bent_firsts = np.array(rows).T
            error = (q2 - own).std(ddof=1) / np.sqrt(n_seeds)
            print(
                f"| {name} | {describe_mix(mix)} | {q2.mean():.4f} |"
                f" {q2.mean() - own.mean():+.4f} ± {error:.4f} |"
                f" {honest_firsts.mean():.3f} | {bent_firsts.mean():.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
