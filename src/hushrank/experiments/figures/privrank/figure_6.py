"""Figure 6 of Yang, Qu, Cudré-Mauroux: privacy against utility, on films instead of places."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hushrank.experiments.experiment import Group, Measurement
from hushrank.experiments.figures.privrank.trade_off import trade_off
from hushrank.experiments.on_activity.platforms import MOVIELENS, Platform
from hushrank.experiments.on_activity.publishing_trials import Trials, Way
from hushrank.experiments.on_activity.publishing_ways import (
    baseline_way,
    measurements,
    privrank_way,
    references,
    user_level_way,
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
    trials = Trials(Platform.of(people, NAME), ("gender",))
    printed = replace(trials, clustering="average", distance="kendall-printed", kept={})
    of, few = (partial(measurements, population=NAME, most_repetitions=n) for n in (None, FEW))
    kept = {budget: privrank_way(budget, keep_own=True) for budget in BUDGETS}
    collapsed = "PrivRank, average linkage, ties ignored"
    return [
        *references(trials, population=NAME),
        *of(trials, "proposed", "PrivRank", {b: privrank_way(b) for b in BUDGETS}),
        *few(printed, "proposed", collapsed, {b: privrank_way(b) for b in BUDGETS[:1]}),
        *few(trials, "repair", "PrivRank, own record kept", kept),
        *of(trials, "compared", "Rand", _baseline("rand", 0.5, 0.8)),
        *few(trials, "compared", "Frapp", _baseline("frapp", 1000.0, 3000.0)),
        *of(trials, "compared", "Diff", _baseline("diff", 130.0, 100.0)),
        *of(trials, "ours", "user-level", {b: user_level_way(b) for b in (0.15, 0.2, 0.25)}),
    ]


def _baseline(method: str, *budgets: float) -> dict[float, Way]:
    return {budget: baseline_way(method, budget) for budget in budgets}


PRIVRANK_6 = trade_off(
    6,
    title="privacy and utility of published activity",
    shows="privacy against utility of published activity, gender protected, on MovieLens-1M",
    platform=MOVIELENS,
    groups=GROUPS,
    plan=plan,
    repetitions=10,
)
