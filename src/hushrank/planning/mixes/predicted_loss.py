"""How far a model that is learnt from a mix of questions is expected to be from its people.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.point import uniform_point
from hushrank.mechanisms.local import Tally
from hushrank.models.max_entropy.pair_features import PairKind, cells_of
from hushrank.protocols.distributions.question_mix import Mix, MixPart, mix_surveys

Ranked: TypeAlias = NDArray[np.intp]
"""The rank of an item in each cell (cells,)."""

SCALES = (0.15, 0.3, 0.6, 1.2)
"""Of the prior: how far from uniform populations are; a loss is the geometric mean over them."""


@lru_cache(maxsize=32)
def round_information(part: MixPart, n_items: int, epsilon: float) -> Floats:
    """Return what one report tells of coefficients at the uniform model (features, features).

    In coordinates in which the prior at scale 1 is round.
    """
    (survey,) = mix_surveys((MixPart(part.kind, n_levels=part.n_levels),), n_items, epsilon)
    asked = [Tally(np.zeros(each.n_categories), 1) for each in survey.questions]
    reports = survey.questions, survey.local_mechanisms, asked
    likelihood = ReportLikelihood.of(n_items, *reports)
    point = uniform_point(n_items)
    changes = point.features.prior_root.T @ point.changes
    information: Floats = likelihood.information(point.statistics, changes) / len(survey.questions)
    return information


def predicted_losses(mix: Mix, n_items: int, epsilon: float, n_people: Sequence[int]) -> Floats:
    """Return the expected Q2 distance for each number of people, where people prefer little.

        C = (n F + I / s^2)^-1      loss = 1/2 sqrt(2 / pi) sum_q sqrt(j_q' C j_q)

    F = information of a report, at the uniform model, in coordinates in which the prior is round;
    j_q = derivatives of the joint ranks (r, s) of two items; all pairs are alike. The scale s is
    taken as known: the geometric mean over `SCALES`.
    Cost: one eigenvalue problem of the size of the features, whatever the number of people.
    """
    information = sum(part.share * round_information(part, n_items, epsilon) for part in mix)
    weights, directions = np.linalg.eigh(information)
    squares = (directions.T @ round_changes(n_items)) ** 2
    known = np.maximum(weights, 0.0)[None, None, :] * np.asarray(n_people)[:, None, None]
    left = 1 / (known + np.array(SCALES)[None, :, None] ** -2.0)
    losses = np.sqrt(left @ squares).sum(axis=-1) / np.sqrt(2 * np.pi)
    means: Floats = np.exp(np.log(losses).mean(axis=1))
    return means


@lru_cache(maxsize=32)
def round_changes(n_items: int) -> Floats:
    """Return `joint_changes` by coordinates in which the prior is round."""
    changes: Floats = uniform_point(n_items).features.prior_root.T @ joint_changes(n_items)
    return changes


@lru_cache(maxsize=32)
def joint_changes(n_items: int) -> Floats:
    """Return how P(rank of 0 = r, rank of 1 = s) moves with each coefficient at the uniform model.

    Shape (features, cells r != s): the mean of each feature given the two ranks, over the number of
    cells. Other items are equally likely on the ranks that are left.
    """
    features = uniform_point(n_items).features
    first, second = np.nonzero(~np.eye(n_items, dtype=np.bool_))
    others = [-(features.polynomials[:, first] + features.polynomials[:, second])]
    own = [features.polynomials[:, ranks] for ranks in (first, second)]
    given = [*own, *(others * (n_items - 2))]
    if n_items > 2:
        given[2:] = [each / (n_items - 2) for each in given[2:]]
    rows = [*given, *(_given_ranks(kind, first, second) for kind in features.kinds)]
    changes: Floats = np.concatenate(rows) / len(first)
    return changes


def _given_ranks(kind: PairKind, first: Ranked, second: Ranked) -> Floats:
    """Return the mean of a kind's function of each pair (pairs, cells), given two items' ranks."""
    n = kind.parts.shape[1]
    values, least = cells_of(kind.parts), max(n - 2, 1)
    both = values[first, second], values[second, first]
    by_first, by_second = values.sum(axis=1), values.sum(axis=0)
    leading = [(by_first[at] - both[nth]) / least for nth, at in enumerate((first, second))]
    trailing = [(by_second[at] - both[1 - nth]) / least for nth, at in enumerate((first, second))]
    gone = by_first[first] + by_first[second] + by_second[first] + by_second[second]
    rest = (values.sum() - gone + both[0] + both[1]) / (least * max(n - 3, 1))

    def mean(a: int, b: int) -> Floats:
        known = {(0, 1): both[0], (1, 0): both[1]}
        leads, trails = dict(enumerate(leading)), dict(enumerate(trailing))
        found: Floats = known.get((a, b), leads.get(a, trails.get(b, rest)))
        return found

    return np.stack([mean(int(a), int(b)) for a, b in zip(*kind.pairs, strict=True)])
