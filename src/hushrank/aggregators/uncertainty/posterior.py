"""What noisy margins or scores leave open: which of two items leads, which rank an item has."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from hushrank.arrays import Floats, Order
from hushrank.errors import require

N_DRAWS = 4000


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

    The prior is normal; its spread, flat before, is weighed by the evidence, so that near ties are
    not over-read.
    """

    beliefs: tuple[Belief, ...]

    @property
    def margins(self) -> Floats:
        """The expected margins (items, items), in shares of people; antisymmetric."""
        mean: Floats = sum(each.weight * each.margins for each in self.beliefs)  # type: ignore[assignment]
        return mean

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

    def rank_intervals(
        self, level: float = 0.95, *, rng: np.random.Generator | None = None
    ) -> tuple[tuple[int, int], ...]:
        """Return for each item the best and the worst rank (0 = best) by Borda score.

        The run of ranks whose probability is nearest to `level`: in the mean over the items the
        true rank lies inside that often. By Monte Carlo with a fixed seed, unless `rng` is given;
        no noise is needed, because the posterior comes from what was released already.
        """
        require(0 < level < 1, f"expected a level between 0 and 1, got {level}")
        draws = self._drawn_scores(np.random.default_rng(0) if rng is None else rng)
        ranks = np.argsort(np.argsort(-draws, axis=1), axis=1)
        n_items = ranks.shape[1]
        counts = np.stack([np.bincount(column, minlength=n_items) for column in ranks.T])
        return tuple(_run_of_ranks(each / len(ranks), level) for each in counts)

    def _drawn_scores(self, rng: np.random.Generator) -> Floats:
        weights = [each.weight for each in self.beliefs]
        drawn = rng.multinomial(N_DRAWS, np.array(weights) / sum(weights))
        return np.concatenate(
            [
                each.scores + rng.standard_normal((n, len(each.scores))) @ _root(each.covariance).T
                for each, n in zip(self.beliefs, drawn, strict=True)
            ]
        )


def _root(covariance: Floats) -> Floats:
    """Return the symmetric square root of a covariance, which may be singular.

    There is one alone: a root of eigenvectors only would turn with the signs, and in spaces of
    one variance with the vectors, that rounding gives them, and every seeded draw with it.
    """
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def _run_of_ranks(shares: Floats, level: float) -> tuple[int, int]:
    """Return the run of ranks whose mass is nearest to `level`, of the likeliest of each length."""
    below = np.concatenate([[0.0], shares.cumsum()])
    runs = []
    for length in range(1, len(shares) + 1):
        masses = below[length:] - below[:-length]
        start = int(masses.argmax())
        runs.append((round(abs(masses[start] - level), 9), length, start))
    _, length, start = min(runs)
    return start, start + length - 1
