"""The curve from scores to margins, made straight where the scores are believed to be.

Theory: docs/theory/one-order.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import squareform

from hushrank.aggregators.bradley_terry import FLATTEST, laplacian
from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins
from hushrank.arrays import Floats

POINTS: Floats = np.linspace(-5, 5, 61)
WEIGHTS: Floats = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()
"""What a standard normal expects of a function, within .01 of tanh of differences up to 12 wide."""
LEAST_DEVIATION = 1e-6
"""Of a difference of scores: the curve is straight within it."""
MOST_ROUNDS = 30
ROUNDS_AT_ONCE = 4
"""From then on half a step at a time, as wide beliefs go to and fro."""
PAIRS_AT_ONCE = 2**16
TOLERANCE = 1e-2
"""Of a score in its deviations, and in parts of its variance."""


@dataclass(frozen=True, eq=False, repr=False)
class Line:
    """A straight line (items, items) for each pair: offset + slope (score[a] - score[b]) + bend.

    bends: the variance of what the line leaves out of the curve, in the mean over what is believed
    of the scores.
    """

    offsets: Floats
    slopes: Floats
    bends: Floats


@dataclass(frozen=True, eq=False, repr=False)
class _Scores:
    """A normal belief about scores: means (items,) and covariance (items, items)."""

    means: Floats
    covariance: Floats

    @property
    def line(self) -> Line:
        """The line that is nearest to tanh in the mean of squares."""
        pairs = np.triu_indices(len(self.means), 1)
        gaps = (self.means[:, None] - self.means)[pairs]
        variances = np.maximum(contrasts(self.covariance)[pairs], LEAST_DEVIATION**2)
        parts = [_nearest(gaps[some], variances[some]) for some in _in_parts(len(gaps))]
        means, slopes, bends = np.concatenate(parts, axis=1)
        slopes = np.maximum(slopes, FLATTEST)
        return Line(
            _filled(means - slopes * gaps, -1, 0.0),
            _filled(slopes, 1, 1.0),
            _filled(np.maximum(bends, 0.0), 1, 0.0),
        )

    def given(self, known: EstimatedMargins, line: Line, spread: float) -> "_Scores":
        """Return what the estimates say of scores of this spread, if the line is right."""
        information = known.is_known / (line.bends + known.own_noise)
        prior = np.eye(len(self.means)) / spread**2
        precision = laplacian(information * line.slopes**2) + prior
        covariance: Floats = cho_solve(cho_factor(precision), np.eye(len(prior)))
        pull = (information * line.slopes * (known.estimates - line.offsets)).sum(axis=1)
        return _Scores(covariance @ pull, covariance)

    def toward(self, other: "_Scores", share: float) -> "_Scores":
        """Return the belief that lies so far on the way to another."""
        means = self.means + share * (other.means - self.means)
        return _Scores(means, self.covariance + share * (other.covariance - self.covariance))

    def distance(self, other: "_Scores") -> float:
        """Return how far means move in deviations of the other, and variances in parts."""
        variances = np.diag(other.covariance)
        moved = np.abs(self.means - other.means).max() / np.sqrt(variances.max())
        return float(moved + np.abs(variances / np.diag(self.covariance) - 1).max())


def straightened(known: EstimatedMargins, spreads: Iterable[float]) -> Iterator[Line]:
    """Yield, for scores of each spread, tanh straightened over what the estimates say of them.

    Tangents would go on where the curve ends: of few noisy reports they expect more than all people
    to agree, and take chance for it. Each spread, in ascending order, begins with what was believed
    for the one before. Deterministic. Cost: O(items^3) for each of at most 30 rounds.
    Source: García-Fernández, Svensson, Morelande, Särkkä (IEEE Trans. Signal Process. 2015),
    iterated posterior linearisation.
    """
    n_items = len(known.margins)
    scores: _Scores | None = None
    for spread in spreads:
        scores = scores or _Scores(np.zeros(n_items), spread**2 * np.eye(n_items))
        for nth in range(MOST_ROUNDS):
            found = scores.given(known, scores.line, spread)
            moved = scores.distance(found)
            scores = scores.toward(found, 1.0 if nth < ROUNDS_AT_ONCE else 0.5)
            if moved < TOLERANCE:
                break
        yield scores.line


def contrasts(covariance: Floats) -> Floats:
    """Return the covariances (items, items) of differences, of two items each: of both factors."""
    own = np.diag(covariance)
    return own[:, None] + own - covariance - covariance.T


def _nearest(gaps: Floats, variances: Floats) -> tuple[Floats, Floats, Floats]:
    """Return tanh's mean (pairs,) over believed gaps, its slope, and the variance it leaves."""
    deviations = np.sqrt(variances)
    curve = np.tanh(gaps[:, None] + deviations[:, None] * POINTS)
    means = curve @ WEIGHTS
    slopes = curve @ (WEIGHTS * POINTS) / deviations
    return means, slopes, curve**2 @ WEIGHTS - means**2 - slopes**2 * variances


def _in_parts(n_pairs: int) -> list[slice]:
    """Cut pairs so that the points of each part fit into memory."""
    return [slice(first, first + PAIRS_AT_ONCE) for first in range(0, n_pairs, PAIRS_AT_ONCE)]


def _filled(upper: Floats, sign: int, diagonal: float) -> Floats:
    """Return a matrix from what stands above its diagonal, row by row; below it, times the sign."""
    full = squareform(upper)
    full[np.tril_indices(len(full), -1)] *= sign
    np.fill_diagonal(full, diagonal)
    return full
