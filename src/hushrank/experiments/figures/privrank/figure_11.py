"""Figure 11 of Yang, Qu, Cudré-Mauroux: more private attributes, and attributes of more values."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hushrank.experiments.experiment import Experiment, Group, Measurement, View
from hushrank.experiments.on_activity.hidden_attributes import (
    TRANSACTIONS,
    HiddenAttributeMeasurements,
)
from hushrank.experiments.on_activity.publishing_measurements import PublishingMethod
from hushrank.experiments.on_activity.publishing_methods import baseline_method, privrank_method
from hushrank.experiments.populations import Populations

NAME = TRANSACTIONS.name
GROUPS: tuple[Group, ...] = ("proposed", "compared")
NUMBERS = {1: (2,), 2: (2, 2), 3: (2, 2, 2)}
"""Domain sizes of the private attributes, by how many there are."""
SIZES = {2: (2,), 3: (3,), 4: (4,)}
"""Domain sizes of the one private attribute."""
METHODS: Mapping[str, tuple[Group, PublishingMethod]] = {
    "PrivRank": ("proposed", privrank_method(0.02)),
    "Rand": ("compared", baseline_method("rand", 0.56)),
    "Diff": ("compared", baseline_method("diff", 38.0)),
}
"""Tuned on other draws so that MAP is about the same."""


def plan(
    domains: Mapping[int, Sequence[int]], people: Populations, quick: bool
) -> Sequence[Measurement]:
    """Return each method at each setting of what is private, from equal draws."""
    wanted = list(domains)[-1 if quick else 0 :]
    measure = {x: HiddenAttributeMeasurements(people[NAME], domains[x]) for x in wanted}
    return [
        Measurement(
            group,
            curve,
            float(x),
            partial(each.published, method),
            population=NAME,
            same_draws=(curve, x) != ("PrivRank", wanted[0]),
        )
        for curve, (group, method) in METHODS.items()
        for x, each in measure.items()
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
