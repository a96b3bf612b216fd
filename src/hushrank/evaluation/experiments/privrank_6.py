"""Figure 6 of Yang, Qu, Cudré-Mauroux: privacy against utility, on films instead of places."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hushrank.evaluation.experiments.experiment import Experiment, Group, Measurement
from hushrank.evaluation.experiments.platforms import MOVIELENS, Platform
from hushrank.evaluation.experiments.populations import Populations
from hushrank.evaluation.experiments.publishing_trials import Trials
from hushrank.evaluation.experiments.publishing_ways import (
    baseline_way,
    measurements,
    privrank_way,
    references,
    user_level_way,
)
from hushrank.evaluation.experiments.views import trade_off_views

FEW = 3
"""Repetitions of what is shown beside the methods that are compared."""
BUDGETS = (0.02, 0.06)
GROUPS: tuple[Group, ...] = ("reference", "proposed", "repair", "compared", "ours")
NAME = MOVIELENS[0].name


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return PrivRank, its repair, what it is compared with and our method, from equal splits."""
    del quick  # fewer users
    platform = Platform.of(people, NAME)
    trials = Trials(platform, ("gender",))
    printed = replace(trials, clustering="average", distance="kendall-printed", kept={})
    of = partial(measurements, population=NAME)
    return [
        *references(trials, population=NAME),
        *of(trials, "proposed", "PrivRank", {b: privrank_way(b) for b in BUDGETS}),
        *of(
            printed,
            "proposed",
            "PrivRank, average linkage, ties ignored",
            {b: privrank_way(b) for b in BUDGETS[:1]},
            most_repetitions=FEW,
        ),
        *of(
            trials,
            "repair",
            "PrivRank, own record kept",
            {b: privrank_way(b, keep_own=True) for b in BUDGETS},
            most_repetitions=FEW,
        ),
        *of(trials, "compared", "Rand", {p: baseline_way("rand", p) for p in (0.5, 0.8)}),
        *of(
            trials,
            "compared",
            "Frapp",
            {r: baseline_way("frapp", r) for r in (1000.0, 3000.0)},
            most_repetitions=FEW,
        ),
        *of(trials, "compared", "Diff", {s: baseline_way("diff", s) for s in (130.0, 100.0)}),
        *of(trials, "ours", "user-level", {b: user_level_way(b) for b in (0.15, 0.2, 0.25)}),
    ]


PRIVRANK_6 = Experiment(
    name="privrank-6",
    title="Yang, Qu, Cudré-Mauroux, figure 6: privacy and utility of published activity",
    shows="privacy against utility of published activity, gender protected, on MovieLens-1M",
    x_label="MAP of the protected users",
    views=(trade_off_views(GROUPS, NAME),),
    plan=plan,
    populations=MOVIELENS,
    repetitions=10,
)
