"""K-norm noise for centred scores: no larger in any direction than what one ballot can do there.

Theory: docs/theory/exact-sampling.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Words, is_plain
from hushrank.errors import require
from hushrank.mechanisms.local import MOST_EPSILON
from hushrank.randomness import Randomness
from hushrank.samplers.geometric_numbers import geometric, uniform_below
from hushrank.samplers.permutohedron import lattice_points

LARGEST = 2**62
LARGEST_NOISE = 2**50
"""On average; what is larger wraps around 2^64, which keeps the guarantee and ruins the result."""
FINENESS = 4
"""Units of 1/G an item and nat, at least: then about nine radii of ten are kept."""


@dataclass(frozen=True)
class PermutohedronMechanism:
    """Add noise of a norm to centred scores; its unit ball B is what one ballot may add to them.

        P(z) ~ e^(-ε N(z) / G)      N(z) = the least whole j with z in jB + v

    on whole vectors z of sum 0, in units of 1/G; B and v as in permutohedron.py. One ballot moves G
    times the scores by some Gx, x in B, and (jB + v) + Gx lies in (j + G) B + v: N changes by G at
    most. v is turned to a random item and sign, whatever the scores, so noise favours no item.
    Privacy: ε-DP, exactly, when one ballot is added or removed (central model).
    Source: Hardt, Talwar (STOC 2010), K-norm; Joseph, Yu (arXiv 2309.15790), permutohedron.
    Differs from the source: on a lattice, without floating point.
    """

    n_items: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits hold the noise."""
        typed = isinstance(self.n_items, int) and isinstance(self.epsilon, int | float)
        require(typed, "expected the number of items as an int and epsilon as a float")
        require(self.n_items >= 2, f"need at least 2 items, got {self.n_items}")
        in_range = 0 < self.epsilon <= MOST_EPSILON
        require(in_range, f"expected an epsilon in (0, {MOST_EPSILON}], got {self.epsilon}")
        too_small = f"expected a larger epsilon for {self.n_items} items"
        require(self.n_items**2 / self.rate <= LARGEST_NOISE, too_small)

    @cached_property
    def resolution(self) -> int:
        """G: units of the release to one unit of the scores; a power of 2 of at least 4 m ε."""
        fineness = FINENESS * self.n_items * Fraction(self.epsilon)
        return 1 << (-(-fineness.numerator // fineness.denominator) - 1).bit_length()

    @property
    def rate(self) -> Fraction:
        """ε / G, exactly: the loss of one unit of N."""
        return Fraction(self.epsilon) / self.resolution

    def release(self, centred_scores: Counts, *, rng: Randomness) -> Counts:
        """Return G times the scores plus noise (items,): whole numbers of sum 0, units of 1/G.

        Scores (items,): for each item, over ballots and other items, how often it came first less
        how often it came last, or the opposite. A ballot adds 2 rank - (m - 1) when it is strict;
        a tied or undecided pair adds 0.   Privacy: ε-DP, one ballot added or removed.
        Raises HushrankError, before anything is drawn, unless scores are whole numbers (items,) of
        sum 0 and at most 2^62 / G.
        """
        scores = self.checked(centred_scores)
        released: Counts = scores * self.resolution + self.noise(1, rng=rng)[0]
        return released

    def noise(self, n_draws: int, *, rng: Randomness) -> Counts:
        """Draw noise (draws, items) in units of 1/G, exactly, as `release` adds it."""
        require(n_draws >= 0, f"expected at least 0 draws, got {n_draws}")
        n_edges = self.n_items - 1
        radii = [_draw_radius(self.n_items, self.rate, rng=rng) for _ in range(n_draws)]
        bounds = [2 * radius for radius in radii for _ in range(n_edges)]
        steps = _wrapped([1 + uniform_below(bound, rng=rng) for bound in bounds])
        codes = rng.below(self.n_items, n_draws * (n_edges - 1)).reshape(n_draws, n_edges - 1)
        points = lattice_points(codes, _wrapped(radii), steps.reshape(n_draws, n_edges))
        return _turned(points, rng.below(self.n_items, n_draws), rng.below(2, n_draws))

    def simulate_noise(self, n_draws: int, *, rng: np.random.Generator) -> Counts:
        """Draw noise (draws, items) in units of 1/G fast, with floating point. Protects nobody."""
        require(n_draws >= 0, f"expected at least 0 draws, got {n_draws}")
        radii = _simulate_radii(self.n_items, float(self.rate), n_draws, rng=rng)
        steps = rng.integers(1, 2 * radii[:, None] + 1, size=(n_draws, self.n_items - 1))
        codes = rng.integers(self.n_items, size=(n_draws, self.n_items - 2), dtype=np.uint64)
        items = rng.integers(self.n_items, size=n_draws, dtype=np.uint64)
        signs = rng.integers(2, size=n_draws, dtype=np.uint64)
        return _turned(lattice_points(codes, radii, steps), items, signs)

    def checked(self, centred_scores: Counts) -> Counts:
        """Return the scores (items,) as int64; raise HushrankError for what `release` refuses."""
        require(is_plain(centred_scores), "expected an array of scores, without a mask")
        shaped = centred_scores.shape == (self.n_items,)
        require(shaped, f"expected scores of shape ({self.n_items},)")
        require(centred_scores.dtype.kind in "iu", "expected whole numbers as scores")
        scores = [int(score) for score in centred_scores]  # their sum cannot overflow
        require(sum(scores) == 0, "expected centred scores, of sum 0")
        largest = LARGEST // self.resolution
        require(max(map(abs, scores)) <= largest, f"expected scores of at most {largest}")
        return centred_scores.astype(np.int64)


def _draw_radius(n_items: int, rate: Fraction, *, rng: Randomness) -> int:
    """Draw j >= 1 with P(j) ~ e^(-rate j) j^(m-1), exactly.

    There are m^(m-2) (2j)^(m-1) points in jB + v, and P(z) is a sum of P(j) over all j >= N(z).
    The sum of m geometric numbers has P(j) ~ e^(-rate j) (j + 1) ... (j + m - 1): so
    j / (j + 1) ... j / (j + m - 1) of them are kept.
    """
    while True:
        parts = (geometric(rate.numerator, rate.denominator, rng=rng) for _ in range(n_items))
        radius = sum(parts)
        tickets = prod(range(radius + 1, radius + n_items))
        if uniform_below(tickets, rng=rng) < radius ** (n_items - 1):
            return radius


def _simulate_radii(n_items: int, rate: float, n_draws: int, *, rng: np.random.Generator) -> Counts:
    """Draw (draws,) what `_draw_radius` draws, all at once, with floating point."""
    radii = np.zeros(n_draws, dtype=np.int64)
    while (missing := np.flatnonzero(radii == 0)).size:
        drawn = rng.negative_binomial(n_items, -np.expm1(-rate), size=missing.size)
        share = np.prod(drawn[:, None] / (drawn[:, None] + np.arange(1, n_items)), axis=1)
        radii[missing] = np.where(rng.random(missing.size) < share, drawn, 0)
    return radii


def _turned(points: Counts, items: Words, signs: Words) -> Counts:
    """Move the last item's place in the order of the items, and the sign, as drawn (draws,)."""
    n_items = points.shape[1]
    places: NDArray[np.int64] = (np.arange(n_items) + items.astype(np.int64)[:, None]) % n_items
    turned = np.take_along_axis(points, places, axis=1)
    return turned * (1 - 2 * signs.astype(np.int64)[:, None])


def _wrapped(numbers: list[int]) -> Counts:
    """Return whole numbers of any size modulo 2^64."""
    residues = np.array(numbers, dtype=object) & (2**64 - 1)
    return residues.astype(np.uint64).view(np.int64)
