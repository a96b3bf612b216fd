"""Releases of a platform with a hidden item, by channels that were learnt in different ways."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Indices
from hushrank.experiments.experiment import Draws, Group, Measurement, Quantity, View
from hushrank.experiments.on_activity.learning import Learning, learn, warm_up
from hushrank.experiments.on_activity.platforms import Platform, PlatformSplit
from hushrank.experiments.on_activity.publishing_measurements import ranked_precision, stated
from hushrank.experiments.on_activity.taught_attackers import guessed
from hushrank.experiments.populations import Populations
from hushrank.publishing.historical.release import exchange_records
from hushrank.randomness import Randomness

CLUSTERS, QUICK_CLUSTERS = (10, 30, 100, 200), (5, 10)
PAIRS = (100, 1_000, 10_000)


class Precision(Protocol):
    """Recommends from released records, and judges it by what was held out."""

    def __call__(
        self, split: PlatformSplit, rows: Indices, released: csr_array, *, rng: np.random.Generator
    ) -> float:
        """Return the MAP of the protected users (rows)."""


@dataclass(frozen=True, eq=False, repr=False)
class LearningMeasurements:
    """One release a repetition; `draw` hides an item, anew for each, which half of users protect.

    Measurements from the same draws share the item, the split and what untouched activity betrays.
    """

    draw: Callable[[np.random.Generator], Platform]
    budget: float
    precision: Precision = ranked_precision
    splits: dict[bytes, PlatformSplit] = field(default_factory=dict)
    known: dict[bytes, Mapping[Quantity, float]] = field(default_factory=dict)

    def split(self, draws: Draws) -> PlatformSplit:
        """Return the split of these draws."""
        if (key := _key(draws)) not in self.splits:
            (rng,) = draws.synthesis.spawn(1)
            platform = self.draw(rng)
            self.splits[key] = PlatformSplit.draw(platform, platform.profiles.names, rng=rng)
        return self.splits[key]

    def published(self, learning: Learning, draws: Draws) -> Mapping[Quantity, float]:
        """Learn, release, attack, recommend."""
        split = self.split(draws)
        learnt = learn(split, learning, self.budget, rng=draws.noise)
        users, secret = learnt.users, Randomness.seeded(int(draws.noise.integers(2**62)))
        release = exchange_records(users, learnt.plans, "privrank", self.budget, rng=secret)
        found = self._judged(split, users.rows, release.activity.scores, draws)
        return stated(release) | found | {"seconds": sum(learnt.seconds.values())}

    def untouched(self, draws: Draws) -> Mapping[Quantity, float]:
        """Release everything as it is."""
        split = self.split(draws)
        if (key := _key(draws)) not in self.known:
            (name,) = split.names
            rows = np.flatnonzero(split.profiles.protected[name])
            self.known[key] = self._judged(split, rows, split.shown.scores, draws)
        return self.known[key]

    def _judged(
        self, split: PlatformSplit, rows: Indices, released: csr_array, draws: Draws
    ) -> dict[Quantity, float]:
        attacks = guessed(split, rows, released, rng=draws.noise)
        return attacks | {"MAP": self.precision(split, rows, released, rng=draws.noise)}


def learning_plan(
    measure: LearningMeasurements, population: str, quick: bool
) -> Sequence[Measurement]:
    """Return all numbers of clusters by all numbers of pairs, and untouched activity, as lines."""
    warm_up()
    clusters = QUICK_CLUSTERS if quick else CLUSTERS
    of = partial(Measurement, population=population)
    untouched = [of("reference", "untouched", x, measure.untouched) for x in clusters]
    learnt = [
        of(*_curve(n), x, partial(measure.published, Learning(x, n)))
        for n in ((PAIRS[0], None) if quick else (*PAIRS, None))
        for x in clusters
    ]
    first, *others = [*untouched, *learnt]
    return [first, *(_from_same_draws(each) for each in others)]


def hidden_item_plan(
    name: str, budget: float, people: Populations, quick: bool
) -> Sequence[Measurement]:
    """Return the plan for a population of activity, of which an item is hidden anew each time."""
    activity = people[name]

    def draw(rng: np.random.Generator) -> Platform:
        return Platform.hiding(activity, rng=rng)

    return learning_plan(LearningMeasurements(draw, budget), name, quick)


def learning_views(population: str) -> tuple[tuple[View, ...], ...]:
    """Return panels of privacy, utility and learning time against the number of clusters."""
    everything: tuple[Group, ...] = ("reference", "proposed", "repair")
    shown: tuple[tuple[Quantity, str], ...] = (
        ("SVM", "1 - AUC of a linear SVM, taught on originals"),
        ("naive Bayes", "1 - AUC of naive Bayes, taught on originals"),
        ("MAP", "MAP of the protected users"),
        ("seconds", "seconds of learning"),
    )
    first, second, third, fourth = (
        View(title, everything, quantity, "", "linear", population) for quantity, title in shown
    )
    return (first, second), (third, fourth)


def _from_same_draws(each: Measurement) -> Measurement:
    parts = each.group, each.curve, each.x, each.measure, each.most_repetitions, each.population
    return Measurement(*parts, same_draws=True)


def _curve(n_pairs: int | None) -> tuple[Group, str]:
    """Return the group and the name of the curve of a number of pairs; None = all."""
    return ("repair", "exact distances") if n_pairs is None else ("proposed", f"|S| = {n_pairs:,}")


def _key(draws: Draws) -> bytes:
    return draws.synthesis.bit_generator.seed_seq.generate_state(4).tobytes()
