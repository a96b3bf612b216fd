"""What noisy margins or scores leave open: which of two items leads, which rank an item has."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from hushrank.aggregators.uncertainty.drawn_ranks import (
    MOST_ITEMS_BY_PAIRS,
    DrawnRanks,
    Rule,
    ranks_by_pairs,
    ranks_by_scores,
)
from hushrank.arrays import Floats, Order

N_DRAWS = 4000
MOST_NUMBERS = 2**21
"""Of drawn margins at once."""


@dataclass(frozen=True, eq=False, repr=False)
class Belief:
    """A normal distribution of the true values, for one prior spread.

    scores (items,) with their covariance (items, items): sums of an item's margins over the
    others. margins (items, items) with their variances: who leads whom.
    """

    weight: float
    scores: Floats
    covariance: Floats
    margins: Floats
    variances: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """What is known of a population after a noisy release: a mixture of normal beliefs.

    The prior is normal; its spread is weighed by the evidence, so that near ties are not over-read.
    cautious: beliefs by a prior that holds large spreads likelier, for `variances` alone.
    """

    beliefs: tuple[Belief, ...]
    cautious: tuple[Belief, ...] = ()

    @property
    def margins(self) -> Floats:
        """The expected margins (items, items), in shares of people; antisymmetric.

        A belief is normal, and may expect more than all people of a pair that few reported: it is
        cut to all of them.
        """
        mean: Floats = sum(weight * margins for weight, margins, _ in _of_margins(self.beliefs))  # type: ignore[assignment]
        return mean

    @property
    def variances(self) -> Floats:
        """The mean squares of what margins (items, items) are off the expected ones.

        By the cautious beliefs where these are wider: where noise is as large as what people
        prefer, reports hardly tell whether they prefer anything. That they do not is then the safer
        thing to say of an order, but intervals of shares that rest on it are too narrow.
        """
        expected, widest = self.margins, np.zeros_like(self.margins)
        for beliefs in (self.beliefs, self.cautious):
            squares = np.zeros_like(expected)
            for weight, margins, own in _of_margins(beliefs):
                squares += weight * (own + (margins - expected) ** 2)
            widest = np.maximum(widest, squares)
        return widest

    def pair_probabilities(self, order: Order) -> tuple[float, ...]:
        """Return, for each pair of neighbours in `order`, the probability that it is right.

        Right: the margin of the first of the two over the second is positive; where only scores
        were learnt, its score is higher.
        """
        first, second = list(order[:-1]), list(order[1:])
        right = np.zeros(len(first))
        for each in self.beliefs:
            spread = np.sqrt(np.maximum(each.variances[first, second], np.finfo(float).tiny))
            right += each.weight * ndtr(each.margins[first, second] / spread)
        return tuple(float(min(1.0, probability)) for probability in right)

    def score_probabilities(self, order: Order) -> tuple[float, ...]:
        """Return, for each pair of neighbours in `order`, how likely its first has more score."""
        first, second = list(order[:-1]), list(order[1:])
        right = np.zeros(len(first))
        for each in self.beliefs:
            own = np.diag(each.covariance)
            variances = own[first] + own[second] - 2 * each.covariance[first, second]
            spread = np.sqrt(np.maximum(variances, np.finfo(float).tiny))
            right += each.weight * ndtr((each.scores[first] - each.scores[second]) / spread)
        return tuple(float(min(1.0, probability)) for probability in right)

    def rank_intervals(
        self, level: float = 0.95, *, rng: np.random.Generator | None = None
    ) -> tuple[tuple[int, int], ...]:
        """Return for each item the best and the worst rank (0 = best) by Borda score.

        See `DrawnRanks.intervals`. By Monte Carlo with a fixed seed, unless `rng` is given; no
        noise is needed, because the posterior comes from what was released already.
        """
        return self.drawn_ranks(rng=rng).intervals(level=level)

    def drawn_ranks(
        self, rule: Rule = "scores", *, rng: np.random.Generator | None = None
    ) -> DrawnRanks:
        """Draw orders that are as likely as each other: by scores, or by least Kendall cost.

        By `pairs` a margin is drawn as what scores make of it and a rest that adds nothing to any
        score, with the variance that is left. Of more than 150 items orders are drawn by scores.
        Source: Jiang, Lim, Yao, Ye (Math. Programming 2011), HodgeRank, for the two parts.
        """
        draws = np.random.default_rng(0) if rng is None else rng
        if rule == "scores" or len(self.margins) > MOST_ITEMS_BY_PAIRS:
            return DrawnRanks(ranks_by_scores(self._drawn_scores(draws)))
        return DrawnRanks(
            np.concatenate(
                [
                    ranks_by_pairs(_drawn_margins(each, size, draws))
                    for each, n in self._draws_of_beliefs(draws)
                    for size in _parts(n, len(each.scores))
                ]
            )
        )

    def _drawn_scores(self, rng: np.random.Generator) -> Floats:
        return np.concatenate(
            [
                each.scores + rng.standard_normal((n, len(each.scores))) @ _root(each.covariance).T
                for each, n in self._draws_of_beliefs(rng)
            ]
        )

    def _draws_of_beliefs(self, rng: np.random.Generator) -> list[tuple[Belief, int]]:
        weights = [each.weight for each in self.beliefs]
        drawn = rng.multinomial(N_DRAWS, np.array(weights) / sum(weights)).tolist()
        return list(zip(self.beliefs, drawn, strict=True))


def _of_margins(beliefs: tuple[Belief, ...]) -> list[tuple[float, Floats, Floats]]:
    """Return each belief's weight, its margins cut to what is possible, and their variances."""
    return [(each.weight, np.clip(each.margins, -1, 1), each.variances) for each in beliefs]


def _parts(n_draws: int, n_items: int) -> list[int]:
    """Cut a number of draws so that the margins of each part fit into memory."""
    size = max(1, MOST_NUMBERS // n_items**2)
    return [min(size, n_draws - start) for start in range(0, n_draws, size)]


def _drawn_margins(belief: Belief, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw margins (draws, items, items) whose sums are the belief's scores."""
    n_items = len(belief.scores)
    scores = rng.standard_normal((n_draws, n_items)) @ _root(belief.covariance).T / n_items
    own = np.diag(belief.covariance)
    by_scores = (own[:, None] + own - 2 * belief.covariance) / n_items**2
    left = np.maximum(belief.variances - by_scores, 0.0) / max(1 - 2 / n_items, 1e-3)
    np.fill_diagonal(left, 0.0)
    rest = np.triu(rng.standard_normal((n_draws, n_items, n_items)) * np.sqrt(left), k=1)
    rest -= rest.transpose(0, 2, 1)
    shift = scores - rest.sum(axis=2) / n_items
    drawn: Floats = belief.margins + rest + shift[:, :, None] - shift[:, None, :]
    return drawn


def _root(covariance: Floats) -> Floats:
    """Return the symmetric square root of a covariance, which may be singular.

    There is one alone: a root of eigenvectors only would turn with the signs, and in spaces of
    one variance with the vectors, that rounding gives them, and every seeded draw with it.
    """
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root
