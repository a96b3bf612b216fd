from itertools import combinations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.partial.stated_terms import StatedTerms
from hushrank.estimators.popular.rest_and_orders import statistics_of_orders
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from tests.estimators.enumeration import all_ranks, some_questions, statistics

RNG = np.random.default_rng(1)
NOT_RANKED = 255


def questions_of(n_items: int, unranked: str) -> list[Stated]:
    if unranked == "unknown":
        pairs = [*combinations(range(n_items), 2), (1, 0)]
        return [Stated(RelativeOrder(pair), "unknown") for pair in pairs]
    asked = [each for each in some_questions(n_items) if not isinstance(each, NamedSet)]
    return [Stated(question, "last") for question in asked]


def counted(questions: list[Stated], shares: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """P(category) of every question by listing all people's answers."""
    each = [np.bincount(q.answer(ranks), shares, minlength=q.n_categories) for q in questions]
    return np.concatenate(each)


@pytest.mark.parametrize("n_items", [3, 4, 5])
def test_people_who_stop_answer_as_foretold(n_items):
    full = all_ranks(n_items)
    shares = RNG.dirichlet(np.full(len(full), 0.3))
    lengths = RNG.dirichlet(np.ones(n_items + 1))
    questions, expected = questions_of(n_items, "last"), 0
    for length, share in enumerate(lengths):
        stopped = np.where(full < length, full, NOT_RANKED).astype(np.uint8)
        expected = expected + share * counted(questions, shares, stopped)
    stated = lengths[::-1].cumsum()[::-1][1:n_items]
    weights = StatedTerms.of(questions, n_items).weights(stated)
    assert weights @ statistics(shares, n_items) == pytest.approx(expected, abs=1e-12)


def test_people_who_know_some_items_answer_as_foretold():
    full, n_items = all_ranks(4), 4
    shares = RNG.dirichlet(np.full(24, 0.3))
    questions, expected = questions_of(4, "unknown"), 0
    known = RNG.dirichlet(np.ones(16))
    both = np.zeros(6)
    for number, share in enumerate(known):
        is_known = np.array([number >> item & 1 for item in range(4)], dtype=bool)
        seen = np.where(is_known, full, NOT_RANKED).astype(np.uint8)
        expected = expected + share * counted(questions, shares, seen)
        both += share * np.array([is_known[a] & is_known[b] for a, b in combinations(range(4), 2)])
    weights = StatedTerms.of(questions, n_items).weights(both)
    assert weights @ statistics(shares, n_items) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("unranked", ["last", "unknown"])
def test_slopes_are_the_derivatives_and_keep_the_sum(unranked):
    questions = questions_of(4, unranked)
    terms = StatedTerms.of(questions, 4)
    foretold = statistics(RNG.dirichlet(np.full(24, 0.3)), 4)
    stated = RNG.random(terms.n_shares)
    slopes = terms.slopes(foretold)
    for number, step in enumerate(1e-3 * np.eye(terms.n_shares)):  # linear: any step will do
        up, down = (terms.weights(stated + sign * step) @ foretold for sign in (1, -1))
        assert slopes[:, number] == pytest.approx((up - down) / 2e-3, abs=1e-9)
    ends = np.cumsum([question.n_categories for question in questions])[:-1]
    sums = [part.sum() for part in np.split(terms.weights(stated) @ foretold, ends)]
    assert sums == pytest.approx(np.ones(len(questions)))


def test_terms_of_different_surveys_follow_each_other():
    one, other = (questions_of(4, "last")[part] for part in (slice(3), slice(3, None)))
    both = StatedTerms.of(one, 4) + StatedTerms.of(other, 4)
    together = StatedTerms.of([*one, *other], 4)
    stated, foretold = RNG.random(3), statistics(RNG.dirichlet(np.ones(24)), 4)
    assert both.weights(stated) @ foretold == pytest.approx(together.weights(stated) @ foretold)
    assert both.slopes(foretold) == pytest.approx(together.slopes(foretold))


def test_the_cells_of_what_is_not_stated_know_their_pair():
    questions = questions_of(4, "unknown")
    cells, pairs = StatedTerms.of(questions, 4).unstated_cells
    assert cells.tolist() == list(range(2, 21, 3))
    assert pairs.tolist() == [0, 1, 2, 3, 4, 5, 0]


@pytest.mark.parametrize(
    "questions",
    [
        [],
        [RelativeOrder((0, 1))],
        [Stated(RelativeOrder((0, 1)), "last"), RelativeOrder((0, 1))],
        [Stated(RelativeOrder((0, 1)), "last"), Stated(RelativeOrder((0, 1)), "unknown")],
    ],
)
def test_questions_of_another_sense_are_refused(questions):
    with pytest.raises(HushrankError, match="one sense"):
        StatedTerms.of(questions, 4)


@pytest.mark.parametrize(
    "question",
    [
        Stated(RelativeOrder((22, 3)), "last"),
        Stated(RankLevel(23, tuple(range(24))), "last"),
        Stated(RelativeOrder((22, 3)), "unknown"),
    ],
)
def test_whole_orders_of_many_items_answer_as_foretold(question):
    """Also behind many other questions."""
    others = [Stated(RelativeOrder((0, 1)), question.unranked)] * 30
    orders = np.array([np.roll(np.arange(24), n) for n in range(24)])
    terms = StatedTerms.of([*others, question], 24)
    weights = terms.weights(np.ones(terms.n_shares))
    foretold = statistics_of_orders(orders) @ weights.T.toarray()
    expected = np.eye(question.n_categories)[question.answer(np.argsort(orders, axis=1))]
    assert foretold[:, -question.n_categories :] == pytest.approx(expected)


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_questions_of_another_sense_is_refused(at):
    questions = [Stated(RelativeOrder((0, 1)), "last")] * 30
    questions[at] = Stated(RelativeOrder((0, 1)), "unknown")
    with pytest.raises(HushrankError, match="one sense"):
        StatedTerms.of(questions, 4)
