"""Figure 6 of Yang, Qu, Cudré-Mauroux: privacy against utility, on films instead of places."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hushrank.experiments.experiment import Group, Measurement
from hushrank.experiments.figures.privrank.trade_off import trade_off
from hushrank.experiments.on_activity.platforms import MOVIELENS, Platform
from hushrank.experiments.on_activity.publishing_measurements import (
    PublishingMeasurements,
    PublishingMethod,
)
from hushrank.experiments.on_activity.publishing_methods import (
    at_budgets,
    baseline_method,
    privrank_method,
    references,
    user_level_method,
)
from hushrank.experiments.populations import Populations

FEW = 3
"""Repetitions of what is shown beside the methods that are compared."""
BUDGETS = (0.02, 0.06)
GROUPS: tuple[Group, ...] = ("reference", "proposed", "repair", "compared", "ours")
NAME = MOVIELENS[0].name


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return PrivRank, its repair, what it is compared with and our method, from equal splits."""
    del quick  # fewer users
    measure = PublishingMeasurements(Platform.of(people, NAME), ("gender",))
    printed = replace(measure, clustering="average", distance="kendall-printed", kept={})
    of, few = (partial(at_budgets, population=NAME, most_repetitions=n) for n in (None, FEW))
    kept = {budget: privrank_method(budget, keep_own=True) for budget in BUDGETS}
    collapsed = "PrivRank, average linkage, ties ignored"
    return [
        *references(measure, population=NAME),
        *of(measure, "proposed", "PrivRank", {b: privrank_method(b) for b in BUDGETS}),
        *few(printed, "proposed", collapsed, {b: privrank_method(b) for b in BUDGETS[:1]}),
        *few(measure, "repair", "PrivRank, own record kept", kept),
        *of(measure, "compared", "Rand", _baseline("rand", 0.5, 0.8)),
        *few(measure, "compared", "Frapp", _baseline("frapp", 1000.0, 3000.0)),
        *of(measure, "compared", "Diff", _baseline("diff", 130.0, 100.0)),
        *of(measure, "ours", "user-level", {b: user_level_method(b) for b in (0.15, 0.2, 0.25)}),
    ]


def _baseline(method: str, *budgets: float) -> dict[float, PublishingMethod]:
    return {budget: baseline_method(method, budget) for budget in budgets}


PRIVRANK_6 = trade_off(
    6,
    title="privacy and utility of published activity",
    shows="privacy against utility of published activity, gender protected, on MovieLens-1M",
    platform=MOVIELENS,
    groups=GROUPS,
    plan=plan,
    repetitions=10,
)
