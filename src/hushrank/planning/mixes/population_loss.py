"""What a mix is expected to lose where the prior is wrong about people, and its scale is learnt.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from hushrank.arrays import Floats
from hushrank.estimators.prior_scale import ScaleEvidence
from hushrank.estimators.ranks.point import uniform_point
from hushrank.planning.mixes.predicted_loss import SCALES, round_changes, round_information
from hushrank.protocols.distributions.question_mix import Mix

RESTS = (1.0, 0.5, 0.25)
"""How large coefficients are, but those of degree 1, as parts of what the prior has.

Where people agree, how good each item is explains most. Fits to complete reports of five jokes of
Jester, drawn at random, have .3 to .5 and 1, those of made-up people .1 to .6, and 1 to 1.5 where
camps agree on a first choice.
"""


def population_losses(mix: Mix, n_items: int, epsilon: float, n_people: Sequence[int]) -> Floats:
    """Return the expected Q2 distance for each number of people, over populations of `RESTS`.

        C = (n F + I / s^2)^-1      M = C (n F + t^2 R R' / s^4) C
        loss = 1/2 sqrt(2 / pi) sum_q sqrt(j_q' M j_q)

    Coefficients have the covariance t^2 R R', where the prior has s^2 I; F, j_q as for
    `predicted_losses`, and t one of its scales. s is what is published by: the posterior median at
    the expected evidence of the reports. The geometric mean over all t and rests.
    Cost: as `predicted_losses`, and a product of that size for each number of people, t and rest.
    """
    information = sum(part.share * round_information(part, n_items, epsilon) for part in mix)
    weights, directions = np.linalg.eigh(information)
    told = np.maximum(weights, 0.0)[None, :] * np.asarray(n_people)[:, None]
    first, second = np.nonzero(~np.eye(n_items, dtype=np.bool_))
    changes = directions.T @ round_changes(n_items)[:, first < second]  # the others are the same
    people = [People(n_items, rest, directions) for rest in RESTS]
    losses = [[[each.loss(w, changes, t) for t in SCALES] for each in people] for w in told]
    means: Floats = np.exp(np.log(losses).mean(axis=(1, 2)))
    return means


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """Populations with coefficients of covariance R R' at scale 1, seen along some directions.

    R is `rest` but for the coefficients of each item's own rank, which have a block of their own.
    """

    n_items: int
    rest: float
    directions: Floats

    def loss(self, weights: Floats, changes: Floats, scale: float) -> float:
        """Return the loss where the reports tell `weights` along the directions."""
        pulls = np.sqrt(weights + weights**2 * scale**2 * self._along)
        learnt = ScaleEvidence(weights, pulls).point_scale("safe")
        shrunk = changes / (weights + learnt**-2)[:, None]
        squares = (weights[:, None] * shrunk**2).sum(axis=0)
        squares += scale**2 * self._variances(shrunk) / learnt**4
        return float(2 * np.sqrt(squares).sum() / np.sqrt(2 * np.pi))

    @cached_property
    def _along(self) -> Floats:
        """The variances at scale 1 along each direction."""
        return self._variances(np.eye(self.directions.shape[1]))

    def _variances(self, vectors: Floats) -> Floats:
        """Return x' R R' x of the columns, which are sums of directions."""
        own = self.directions[: self._n_own] @ vectors
        of_items = own.reshape(self.n_items, -1, vectors.shape[1])
        turned = self._block.T @ of_items
        others = (vectors**2).sum(axis=0) - (own**2).sum(axis=0)
        variances: Floats = (turned**2).sum(axis=(0, 1)) + self.rest**2 * others
        return variances

    @property
    def _n_own(self) -> int:
        return self.n_items * (self.n_items - 1)

    @cached_property
    def _block(self) -> Floats:
        """Return R of one item's rank, in coordinates in which the prior is round."""
        n_degrees = self.n_items - 1
        sizes = np.array([1.0] + [self.rest] * (n_degrees - 1))
        root = uniform_point(self.n_items).features.prior_root[:n_degrees, :n_degrees]
        block: Floats = solve_triangular(root, sizes[:, None] * root, lower=True)
        return block
