"""Figure 9 of Yang, Qu, Cudré-Mauroux: who protects what, on films instead of places."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from hushrank.experiments.experiment import (
    Draws,
    Experiment,
    Group,
    Measurement,
    Quantity,
    View,
)
from hushrank.experiments.on_activity.attribute_attacks import attacks_on_each
from hushrank.experiments.on_activity.movielens_100k import MOVIELENS_100K, NAME, rated
from hushrank.experiments.on_activity.publishing_measurements import (
    PublishingMeasurements,
    PublishingMethod,
)
from hushrank.experiments.on_activity.publishing_methods import baseline_method, privrank_method
from hushrank.experiments.populations import Populations

BUDGET, PROBABILITY, STEEPNESS = 0.015, 0.43, 110.0
"""Tuned on other splits so that MAP is about the same."""
GROUPS: tuple[Group, ...] = ("reference", "proposed", "compared")
ATTRIBUTES = ("gender", "age")


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return releases that hide gender, age or both, and what is compared, from equal splits."""
    del quick  # fewer users
    gender = PublishingMeasurements(rated(people), ("gender",))
    age, both = (replace(gender, names=names, kept={}) for names in (("age",), ATTRIBUTES))
    methods: Sequence[tuple[Group, str, PublishingMeasurements, PublishingMethod | None]] = (
        ("reference", "untouched", gender, None),
        ("proposed", "PrivRank, gender", gender, privrank_method(BUDGET)),
        ("proposed", "PrivRank, age", age, privrank_method(BUDGET)),
        ("proposed", "PrivRank, both", both, privrank_method(BUDGET)),
        ("compared", "Rand", gender, baseline_method("rand", PROBABILITY)),
        ("compared", "Diff", gender, baseline_method("diff", STEEPNESS)),
    )
    return [
        Measurement(
            group,
            curve,
            0.0,
            partial(_on_each, measure, method),
            population=NAME,
            same_draws=number > 0,
        )
        for number, (group, curve, measure, method) in enumerate(methods)
    ]


def _on_each(
    measure: PublishingMeasurements, method: PublishingMethod | None, draws: Draws
) -> Mapping[Quantity, float]:
    found, precision = attacks_on_each(measure, ATTRIBUTES, method, draws)
    gender, age = found["gender"], found["age"]
    return {
        "worst on gender": gender["worst"],
        "worst on age": age["worst"],
        "SVM on gender": gender["SVM"],
        "SVM on age": age["SVM"],
        "MAP": precision,
    }


def _view(quantity: Quantity, title: str) -> View:
    return View(title, GROUPS, quantity, "MAP" if quantity == "MAP" else "1 - AUC", "linear", NAME)


PRIVRANK_9 = Experiment(
    name="privrank-9",
    title="Yang, Qu, Cudré-Mauroux, figure 9: gender, age or both protected",
    shows="what is protected when gender, age or both are chosen, on MovieLens-100K",
    x_label="",
    views=(
        (
            _view("worst on gender", "gender, the worst attacker"),
            _view("worst on age", "age, the worst attacker"),
            _view("MAP", "utility"),
        ),
    ),
    plan=plan,
    populations=MOVIELENS_100K,
    repetitions=5,
    picture="dots",
)
