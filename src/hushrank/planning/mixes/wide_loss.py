"""How far a model of many items that is learnt from a mix is expected to be from its people.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.estimators.cell_weights import terms_of
from hushrank.estimators.chains.uniform_orders import UniformOrders
from hushrank.models.max_entropy.pair_features import cells_of
from hushrank.models.max_entropy.rank_features import wide_features
from hushrank.planning.mixes.predicted_loss import SCALES
from hushrank.protocols.distributions.question_kinds import NAMED
from hushrank.protocols.distributions.question_mix import Mix, MixPart
from hushrank.questions.named_set import NamedSet
from hushrank.questions.question import Question
from hushrank.surveys.sampled_survey import mechanism_for


def wide_losses(mix: Mix, n_items: int, epsilon: float, n_people: Sequence[int]) -> Floats:
    """Return what `predicted_losses` does, for the features of more than 16 items.

        j' C j = sum_items x' (n F + P / s^2)^-1 x + z^2 (d - 1) / (d - 3) / (n f + p / s^2)

    As all items are alike, information is one matrix F of the degrees of a rank and one number f of
    the pairs, and so is the prior's, P and p. Of the cell of the ranks r, t of two items x are the
    polynomials at r, those at t, and what is left for each other item; z is the function of r, t.
    """
    parts = [(part.share, *report_information(part, n_items, epsilon)) for part in mix]
    of_degrees = sum((share * matrix for share, matrix, _ in parts), np.zeros(()))
    of_pairs = sum(share * number for share, _, number in parts)
    losses = [
        [_loss(n_items, n * of_degrees, n * of_pairs, scale) for scale in SCALES] for n in n_people
    ]
    means: Floats = np.exp(np.log(losses).mean(axis=1))
    return means


@lru_cache(maxsize=1024)
def report_information(part: MixPart, n_items: int, epsilon: float) -> tuple[Floats, float]:
    """Return what one report tells at the uniform model: F (degrees, degrees), and f.

    One question of a kind stands for all; of a set's cells, one for all.
    """
    asked = part.questions(n_items)
    asked = asked if part.kind in NAMED else asked[:1]
    each = [_of_question(question, n_items, epsilon) for question in asked]
    degrees, pairs = zip(*each, strict=True)
    return np.mean(degrees, axis=0), float(np.mean(pairs))


def _of_question(question: Question, n_items: int, epsilon: float) -> tuple[Floats, float]:
    uniform, alike = _uniform(n_items), isinstance(question, NamedSet)
    n_cells = 1 if alike else question.n_categories
    terms = [*takewhile(lambda term: term[0] < n_cells, terms_of(question, n_items))]
    cells, statistics, counts = zip(*terms, strict=True)
    shape = (n_cells, uniform.statistics.size)
    weights = csr_array((counts, (cells, statistics)), shape=shape)
    rates = mechanism_for(question, epsilon).rates
    probabilities = rates.false_hit_rate + rates.reach * (weights @ uniform.statistics)
    times = question.n_categories if alike else 1
    return uniform.moments(weights, times * rates.reach**2 / probabilities)


def _loss(n_items: int, of_degrees: Floats, of_pairs: float, scale: float) -> float:
    features = _uniform(n_items).features
    n_degrees, n_cells = len(features.polynomials), n_items * (n_items - 1)
    prior = features.prior_precision[:n_degrees, :n_degrees] / scale**2
    left = np.linalg.inv(of_degrees + prior)
    left_of_pairs = 1 / (of_pairs + (features.kinds[0].spread * scale) ** -2)
    first, second = np.nonzero(~np.eye(n_items, dtype=np.bool_))
    own, other = features.polynomials[:, first], features.polynomials[:, second]
    squares = left_of_pairs * cells_of(features.kinds[0].parts)[first, second] ** 2
    squares *= (n_items - 1) / (n_items - 3)
    for values, times in ((own, 1.0), (other, 1.0), (own + other, 1 / (n_items - 2))):
        squares += times * (values * (left @ values)).sum(axis=0)
    return float(np.sqrt(squares).sum() / n_cells / np.sqrt(2 * np.pi))


@lru_cache(maxsize=64)
def _uniform(n_items: int) -> UniformOrders:
    return UniformOrders(wide_features(n_items))
