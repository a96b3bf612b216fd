"""Check a question: that its answers are what a survey, a device and an estimator rely on."""

from itertools import permutations

import numpy as np

from hushrank.arrays import Answers, Ranks
from hushrank.questions.question import Question
from hushrank.rankings.coding import inverse, rank_type
from hushrank.rankings.profile import Rankings
from hushrank.testing.statistics import promise

MOST_ITEMS_LISTED = 7
"""7 items have 5,040 rankings."""
N_SAMPLED, N_ALONE = 5000, 64


def check_question(question: Question, n_items: int, *, seed: int = 2026) -> None:
    """Check a question that is asked about rankings of `n_items` items.

    Every ranking has an answer in the domain; the answer depends on the items that the question
    names and on nothing else, not on who else is asked; rankings stay as they are. All rankings of
    up to 7 items are tried, 5,000 drawn ones of more; incomplete ones where they are taken.
    Raises AssertionError.
    """
    fits = question.fits(n_items) and max(question.items) < n_items
    promise(fits, f"does not fit {n_items} items")
    promise(not question.fits(max(question.items)), "says to fit items that it does not know")
    promise(question.n_categories >= 2, "has fewer than 2 categories")
    rng = np.random.default_rng(seed)
    ranks = _every_ranking(n_items, rng)
    before = ranks.copy()
    answers = _answered(question, ranks)
    promise(np.array_equal(ranks, before), "changes the rankings that it is asked about")
    _check_named_items_alone(question, ranks, answers, rng)
    if question.takes_incomplete:
        keys = np.where(rng.random(ranks.shape) < 0.7, ranks.astype(float), np.nan)
        names = [str(item) for item in range(n_items)]
        _answered(question, Rankings.from_keys(keys, names).ranks)


def _every_ranking(n_items: int, rng: np.random.Generator) -> Ranks:
    if n_items <= MOST_ITEMS_LISTED:
        orders = np.array(list(permutations(range(n_items))))
    else:
        orders = rng.permuted(np.tile(np.arange(n_items), (N_SAMPLED, 1)), axis=1)
    return inverse(orders.astype(rank_type(n_items)))


def _answered(question: Question, ranks: Ranks) -> Answers:
    answers, k = question.answer(ranks), question.n_categories
    promise(len(answers) == len(ranks), "expected an answer a person, along the first axis")
    promise(answers.dtype.kind in "iu", "expected whole numbers as answers")
    if answers.ndim == 1:
        promise(answers.min() >= 0 and answers.max() < k, f"answers outside 0..{k - 1}")
    else:
        promise(answers.shape == (len(ranks), k), f"expected rows of {k} numbers")
    some = slice(0, None, max(1, len(ranks) // N_ALONE))
    alone = np.concatenate([question.answer(row[None]) for row in ranks[some]])
    promise(np.array_equal(answers[some], alone), "answers depend on who else is asked")
    return answers


def _check_named_items_alone(
    question: Question, ranks: Ranks, answers: Answers, rng: np.random.Generator
) -> None:
    """Two items that it does not name may change places."""
    others = np.setdiff1d(np.arange(ranks.shape[1]), question.items)
    if len(others) < 2:
        return
    one, two = rng.choice(others, 2, replace=False)
    swapped = ranks.copy()
    swapped[:, [one, two]] = ranks[:, [two, one]]
    same = np.array_equal(question.answer(swapped), answers)
    promise(same, "the answer depends on items that the question does not name")
