"""How activity is published in the experiments: methods at their budgets, with their labels."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from hushrank.experiments.experiment import Group, Measurement
from hushrank.experiments.on_activity.publishing_measurements import (
    PublishingMeasurements,
    PublishingMethod,
)
from hushrank.publishing.historical.baselines import publish_baseline
from hushrank.publishing.historical.privrank import HELD_OUT, privrank
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import HistoricalRelease
from hushrank.publishing.historical.user_level import publish_user_level
from hushrank.randomness import Randomness


def privrank_method(budget: float, *, keep_own: bool = False) -> PublishingMethod:
    """Return PrivRank at a budget, an expected distance of clusters."""
    return partial(privrank, budget=budget, keep_own=keep_own)


def user_level_method(budget: float) -> PublishingMethod:
    """Return our own method at a budget, an expected cosine distance of records."""
    return partial(publish_user_level, budget=budget)


def baseline_method(method: str, budget: float) -> PublishingMethod:
    """Return Rand, Frapp or Diff at a budget of its own unit."""

    def publish(
        users: ProtectedUsers, *, rng: Randomness, choices: np.random.Generator
    ) -> HistoricalRelease:
        return publish_baseline(
            users, method, budget=budget, held_out=HELD_OUT, rng=rng, choices=choices
        )

    return publish


def at_budgets(
    measure: PublishingMeasurements,
    group: Group,
    curve: str,
    methods: dict[float, PublishingMethod],
    *,
    population: str = "",
    most_repetitions: int | None = None,
) -> Sequence[Measurement]:
    """Return one measurement for each budget, from the splits of the measurement before it."""
    return [
        Measurement(
            group,
            curve,
            budget,
            partial(measure.published, method),
            most_repetitions,
            population,
            same_draws=True,
        )
        for budget, method in methods.items()
    ]


def references(measure: PublishingMeasurements, *, population: str = "") -> Sequence[Measurement]:
    """Return what untouched activity betrays and how well it recommends, and popularity alone."""
    of = partial(Measurement, "reference", x=0.0, population=population)
    popular = of(curve="popularity", measure=measure.by_popularity, same_draws=True)
    return [of(curve="untouched", measure=measure.untouched), popular]
