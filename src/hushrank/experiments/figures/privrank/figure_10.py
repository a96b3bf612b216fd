"""Figure 10 of Yang, Qu, Cudré-Mauroux: how the distances of records are measured, on films."""

from collections.abc import Sequence
from dataclasses import replace

from hushrank.experiments.experiment import Group, Measurement
from hushrank.experiments.figures.privrank.trade_off import trade_off
from hushrank.experiments.on_activity.movielens_100k import MOVIELENS_100K, NAME, rated
from hushrank.experiments.on_activity.publishing_measurements import PublishingMeasurements
from hushrank.experiments.on_activity.publishing_methods import (
    at_budgets,
    privrank_method,
    references,
)
from hushrank.experiments.populations import Populations

BUDGETS = {
    "kendall": (0.0077, 0.0195),
    "kendall-printed": (0.0019, 0.0048),
    "spearman": (0.0098, 0.0242),
    "euclidean": (1.25, 2.4),
    "squared-euclidean": (37.5, 80.0),
    "cosine": (0.0159, 0.0372),
    "jensen-shannon": (0.0238, 0.0559),
}
"""Each in its own unit, tuned on other splits: the first leaves clusters .04 bits, as learnt, the
second .01."""
SMALL = 0.001
"""A budget in the range of every distance, whatever the data."""
GROUPS: tuple[Group, ...] = ("proposed", "compared")
RANKING = ("kendall", "kendall-printed", "spearman")


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return PrivRank under each distance at two budgets, from equal splits and clusters."""
    measure = PublishingMeasurements(rated(people), ("gender",))
    wanted = list(references(measure, population=NAME))
    for distance, budgets in BUDGETS.items():
        group: Group = "proposed" if distance in RANKING else "compared"
        of_distance = replace(measure, distance=distance, kept={})
        methods = {budget: privrank_method(budget) for budget in ((SMALL,) if quick else budgets)}
        wanted += at_budgets(of_distance, group, distance, methods, population=NAME)
    return wanted


PRIVRANK_10 = trade_off(
    10,
    title="privacy and utility under several distances",
    shows="privacy and utility where clusters are compared by other distances, on MovieLens-100K",
    platform=MOVIELENS_100K,
    groups=GROUPS,
    plan=plan,
    repetitions=5,
)
