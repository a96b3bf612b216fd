import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.cell_weights import cell_weights, statistics_of
from hushrank.estimators.popular.rest_and_orders import statistics_of_orders
from hushrank.estimators.ranks.point import RankPoint
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.coding import inverse
from tests.estimators.enumeration import all_ranks, some_questions, statistics

N_ITEMS = 4
SHARES = np.random.default_rng(1).dirichlet(np.full(24, 0.3))


def held_shares(answers, shares, n_categories):
    """Sum up the shares of the orders for which each category holds: one of them, or several."""
    held = np.repeat(shares, answers[0].size)
    return np.bincount(answers.ravel(), held, minlength=n_categories)


def test_the_weights_turn_statistics_into_the_shares_of_all_answers():
    questions = some_questions(N_ITEMS)
    foretold = cell_weights(questions, N_ITEMS) @ statistics(SHARES, N_ITEMS)
    counted = [
        held_shares(each.answer(all_ranks(N_ITEMS)), SHARES, each.n_categories)
        for each in questions
    ]
    assert foretold == pytest.approx(np.concatenate(counted), abs=1e-12)


def test_statistics_are_numbered_as_the_weights_say():
    features = rank_features(N_ITEMS)
    coefficients = np.random.default_rng(2).normal(size=len(features.spreads))
    point = RankPoint(features, coefficients)
    assert point.statistics.tolist() == statistics_of(*point.model.marginals).tolist()
    orders = all_ranks(N_ITEMS).argsort(axis=1)
    shares = np.exp(point.model.log_probability(orders))
    assert point.statistics == pytest.approx(statistics(shares, N_ITEMS), abs=1e-12)


@pytest.mark.parametrize(
    "question",
    [RankAndPrecedence(0, 1, 2, 4), Interleaving((0,), (1, 2)), RelativeOrder((0, 1, 2))],
    ids=str,
)
def test_questions_about_more_are_refused(question):
    with pytest.raises(HushrankError, match=type(question).__name__):
        cell_weights([question], N_ITEMS)


RANKS = tuple(range(24))
LONG = (
    RelativeOrder((22, 3)),
    RankLevel(23, RANKS),
    LevelAndPrecedence(20, 1, RANKS),
    LevelAndPrecedence(1, 23, (*[0] * 12, *[1] * 12)),
    NamedSet(RANKS[1:23], 24, "before"),
    NamedSet(RANKS[1:23], 24),
)


@pytest.mark.parametrize("questions", [*([each] for each in LONG), LONG * 5], ids=len)
def test_all_of_many_ranks_levels_places_and_questions_are_foretold(questions):
    orders = np.array([np.roll(RANKS, n) for n in RANKS])
    weights = cell_weights(questions, 24)
    for ranks, foretold in zip(inverse(orders), statistics_of_orders(orders), strict=True):
        ends = np.cumsum([question.n_categories for question in questions])[:-1]
        for question, held in zip(questions, np.split(weights @ foretold, ends), strict=True):
            answer = question.answer(ranks[None]).ravel()
            assert np.flatnonzero(held > 0.5).tolist() == sorted(answer.tolist())
