"""The maximum-entropy family by the list of all orders: slow, and from nothing but definitions."""

from functools import cache
from itertools import combinations, permutations

import numpy as np

from hushrank.engines.rounds import collect, simulate_each
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.coding import inverse
from hushrank.surveys.sampled_survey import sampled_survey


def all_ranks(n_items: int) -> np.ndarray:
    """All rankings (orders, items)."""
    return inverse(np.array(list(permutations(range(n_items)))))


@cache
def feature_table(n_items: int) -> np.ndarray:
    """Every feature of every order (features, orders)."""
    features, ranks = rank_features(n_items), all_ranks(n_items).astype(int)
    table = np.zeros((len(features.spreads), len(ranks)))
    for order, row in enumerate(ranks):
        for a in range(n_items):
            table[:, order] += features.own[:, a, row[a]]
            for b in range(n_items):
                if row[b] < row[a]:
                    table[:, order] += features.before[:, a, b, row[a]]
    return table


def probabilities(coefficients: np.ndarray, n_items: int) -> np.ndarray:
    """P of every order (orders,)."""
    logs = coefficients @ feature_table(n_items)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def statistics(shares: np.ndarray, n_items: int) -> np.ndarray:
    """P(rank of a = r), then P(that, and b before a), of shares of all orders."""
    at, preceded = np.zeros((n_items,) * 2), np.zeros((n_items,) * 3)
    for share, row in zip(shares, all_ranks(n_items).astype(int), strict=True):
        for a in range(n_items):
            at[a, row[a]] += share
            for b in range(n_items):
                preceded[a, b, row[a]] += share * (row[b] < row[a])
    return np.concatenate([at.ravel(), preceded.ravel()])


def some_questions(n_items: int) -> list:
    """A few questions of every kind that the family can foretell."""
    kinds = [MixPart("extremes"), MixPart("levels", n_levels=3), MixPart("ranks-and-pairs")]
    kinds.append(MixPart("levels-and-pairs", n_levels=2))
    kinds += [MixPart("first", n_levels=2), MixPart("first-and-later", n_levels=2)]
    kinds.append(MixPart("two-of-first", n_levels=3))
    asked = [question for kind in kinds for question in kind.questions(n_items)[:4]]
    return [*asked, *map(RelativeOrder, combinations(range(n_items), 2)), RelativeOrder((2, 0))]


def reported(questions, ranks: np.ndarray, epsilon: float, seed: int):
    """The mechanisms and tallies of people who each answer one of the questions."""
    survey, rng = sampled_survey("some", questions, epsilon), np.random.default_rng(seed)

    def report(mechanism, answers, ends):
        return simulate_each(mechanism, answers, ends, rng=rng)

    source = Randomness(rng.bytes, is_private=False)
    return survey.local_mechanisms, collect(survey, ranks, source, report, 10**6)
