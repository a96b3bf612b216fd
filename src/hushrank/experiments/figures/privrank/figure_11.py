"""Figure 11 of Yang, Qu, Cudré-Mauroux: more private attributes, and attributes of more values."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hushrank.experiments.experiment import Experiment, Group, Measurement, View
from hushrank.experiments.on_activity.hidden_attributes import TRANSACTIONS, HiddenTrials
from hushrank.experiments.on_activity.publishing_trials import Way
from hushrank.experiments.on_activity.publishing_ways import baseline_way, privrank_way
from hushrank.experiments.populations import Populations

NAME = TRANSACTIONS.name
GROUPS: tuple[Group, ...] = ("proposed", "compared")
NUMBERS = {1: (2,), 2: (2, 2), 3: (2, 2, 2)}
"""Domain sizes of the private attributes, by how many there are."""
SIZES = {2: (2,), 3: (3,), 4: (4,)}
"""Domain sizes of the one private attribute."""
WAYS: Mapping[str, tuple[Group, Way]] = {
    "PrivRank": ("proposed", privrank_way(0.02)),
    "Rand": ("compared", baseline_way("rand", 0.56)),
    "Diff": ("compared", baseline_way("diff", 38.0)),
}
"""Tuned on other draws so that MAP is about the same."""


def plan(
    domains: Mapping[int, Sequence[int]], people: Populations, quick: bool
) -> Sequence[Measurement]:
    """Return each way at each setting of what is private, from equal draws."""
    wanted = list(domains)[-1 if quick else 0 :]
    trials = {x: HiddenTrials(people[NAME], domains[x]) for x in wanted}
    return [
        Measurement(
            group,
            curve,
            float(x),
            partial(each.published, way),
            population=NAME,
            same_draws=(curve, x) != ("PrivRank", wanted[0]),
        )
        for curve, (group, way) in WAYS.items()
        for x, each in trials.items()
    ]


def _figure(part: str, what: str, domains: Mapping[int, Sequence[int]]) -> Experiment:
    shared: dict[str, Any] = {"scale": "linear", "population": NAME}
    return Experiment(
        name=f"privrank-11{part}",
        title=f"Yang, Qu, Cudré-Mauroux, figure 11({part}): {what}",
        shows=f"privacy against {what}, on synthetic transactions",
        x_label=what,
        views=(
            (
                View("the worst attacker", GROUPS, "worst", "1 - AUC", **shared),
                View("linear SVM, taught on originals", GROUPS, "SVM", "1 - AUC", **shared),
                View("utility: MAP", GROUPS, "MAP", "MAP", **shared),
            ),
        ),
        plan=partial(plan, domains),
        populations=(TRANSACTIONS,),
        repetitions=5,
    )


PRIVRANK_11A = _figure("a", "the number of private attributes", NUMBERS)
PRIVRANK_11B = _figure("b", "the number of values of one private attribute", SIZES)
