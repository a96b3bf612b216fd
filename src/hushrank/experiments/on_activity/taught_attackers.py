"""The paper's two attackers alone: taught on records of users who protect nothing."""

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Indices
from hushrank.experiments.experiment import Quantity
from hushrank.experiments.on_activity.platforms import PlatformSplit
from hushrank.publishing.classifiers import (
    area_under_curve,
    classifiers,
    features,
    one_thread,
    value_scores,
)

ATTACKERS: tuple[tuple[Quantity, str], ...] = (
    ("SVM", "linear SVM"),
    ("naive Bayes", "naive Bayes"),
)


def guessed(
    split: PlatformSplit, rows: Indices, released: csr_array, *, rng: np.random.Generator
) -> dict[Quantity, float]:
    """Return 1 - AUC of both on what is released (users, items) of the protected users (rows).

    A small part of what `attack` costs, and not its worst case.
    """
    value = split.profiles.joint(split.names)
    is_open = value.told
    is_open[rows] = False
    told = rows[value.told[rows]]
    known, asked = features(split.shown.scores[is_open]), features(released[told])
    found: dict[Quantity, float] = {}
    with one_thread():
        for quantity, name in ATTACKERS:
            taught = classifiers()[name](int(rng.integers(2**31))).fit(known, value.codes[is_open])
            scores = value_scores(taught, asked, value.n_values)
            found[quantity] = 1 - area_under_curve(scores, value.codes[told])
    return found
