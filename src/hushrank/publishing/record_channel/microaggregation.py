"""Release one record for many: pools of users who hold as many of each private value as all do.

Theory: docs/theory/microaggregation.md
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf

import numpy as np
from scipy.sparse import csr_array

from hushrank.accounting.words import as_given
from hushrank.arrays import Counts, Floats, Shares
from hushrank.errors import require
from hushrank.publishing.classifiers import features
from hushrank.publishing.clusters.k_means import partitioned
from hushrank.publishing.clusters.record_space import Labels, component_space, distinct
from hushrank.publishing.leakage.information import mutual_information
from hushrank.publishing.record_channel.dependent_rounding import round_dependently
from hushrank.randomness import Randomness

N_COMPONENTS = 20
"""Of the space of tastes in which users of one pool shall be near to each other."""
SOFTNESS = 0.03
"""Nats of a pool's chance cost so much of the mean distance to the nearest one."""
N_ROUNDS = 5
"""How often pools are filled, and their centres moved: later rounds bring next to nothing."""
NEARLY_SETTLED, SETTLED = 1e-2, 1e-4
"""Users of a value by which a pool may miss its share, before the last round and after it."""
MOST_STEPS, MOST_SWEEPS = 2_000, 10_000
NEGLIGIBLE, LEAST_NAT, LEAST_FILLED = 1e-9, 1e-12, 1e-300
MOST_CELLS = 10**8
"""Users times pools: all chances are held at once."""
LEAST_HOLDERS = 3
"""An item that fewer of a pool did is not in its record."""


@dataclass(frozen=True, eq=False, repr=False)
class Pools:
    """How well each user fits into each pool, of sizes that are settled.

    beliefs (users, values): P(value | record); likings (users, pools), in nats; prices (pools,
    values): what of likings it takes to fill each pool with its share of every value; sizes
    (pools,): how many users each pool has.
    """

    beliefs: Floats
    likings: Floats
    prices: Floats
    sizes: Counts

    @property
    def prior(self) -> Floats:
        """The share of each value (values,): what is known of a user by the pool."""
        prior: Floats = self.beliefs.mean(axis=0)
        return prior

    @cached_property
    def chances(self) -> Shares:
        """How likely each user is in each pool (users, pools), before anything is drawn."""
        return self._filled_with(self.sizes[:, None] * self.prior)

    @property
    def leakage(self) -> float:
        """I(pool; value) in nats, if the beliefs are right: 0, but for rounding."""
        return mutual_information(self.chances.T @ self.beliefs / len(self.beliefs), self.prior)

    @property
    def mean_users(self) -> float:
        """With how many users, oneself included, a user shares a record, in the mean."""
        return float((self.sizes**2).sum() / self.sizes.sum())

    def draw(self, *, rng: Randomness) -> Labels:
        """Draw the pool of each user (users,), all at once; pools have their sizes, exactly.

        First a partition is drawn that looks at nobody; near users are then brought together in
        pools that have its sums of beliefs. So pools differ as such a partition's do, and who knows
        some users' values learns no more of the others than there.
        """
        n_users, n_pools = self.likings.shape
        anyhow = np.repeat(np.arange(n_pools), self.sizes)[np.argsort(rng.words(n_users))]
        chances = self._filled_with(sums_by(anyhow, self.beliefs, n_pools))
        users, pools = np.nonzero(chances > 0)
        taken = round_dependently(users, pools, chances[users, pools], chances.shape, rng=rng)
        one_each = np.array_equal(users[taken], np.arange(n_users))
        filled = np.array_equal(np.bincount(pools[taken], minlength=n_pools), self.sizes)
        require(one_each and filled, "expected each user in one pool, and pools as settled")
        labels: Labels = pools[taken]
        return labels

    def _filled_with(self, wanted: Floats) -> Shares:
        """Return chances (users, pools) that fill pools with so many users of each value.

        Of pools so small that hardly anybody else would do, sizes are kept, and values nearly.
        """
        chances, _ = _filled(self.likings, self.beliefs, wanted, self.prices, SETTLED)
        chances[chances <= NEGLIGIBLE] = 0.0
        if not _scale(chances, self.sizes):  # then some pool cannot do without those chances
            _scale(np.maximum(chances, NEGLIGIBLE, out=chances), self.sizes)
        return chances


def solve_pools(points: Floats, beliefs: Floats, *, least_users: float) -> Pools:
    """Return pools of near users, each with as many of every value as its size's share of all.

        minimise  sum_uc w_uc |z_u - m_c|^2   within  sum_u w_uc b_u = s_c p,  sum_c w_uc = 1

    points (users, dimensions): z, rows that are near where users are alike; beliefs (users, values)
    above 0, rows of sum 1: b, with the mean p. least_users: of a pool, at least 3; sizes s differ
    by 1 at most. Where fewer users ask for it there is one pool of all.
    Privacy: no differential privacy. It rests on the classifier behind the beliefs; what it misses
    is what the pools' true shares differ by.
    Cost: some hundred times users times pools times values.   Memory: users times pools.
    Source: ours; microaggregation as in Domingo-Ferrer, Mateo-Sanz (TKDE 2002), with shares as in
    t-closeness (Li, Li, Venkatasubramanian, ICDE 2007), t = 0 by the beliefs.
    Raises HushrankError for pools of fewer than 3, and for more users times pools than fit.
    """
    require_least_users(least_users)
    n_users = len(points)
    centres = _first_centres(points, pools_of(n_users, least_users))
    n_pools = len(centres)
    most = f"expected at most {MOST_CELLS:,} users times pools, got {n_users * n_pools:,}"
    require(n_users * n_pools <= MOST_CELLS, f"{most}: ask for larger pools")
    sizes = n_users // n_pools + (np.arange(n_pools) < n_users % n_pools)
    wanted = sizes[:, None] * beliefs.mean(axis=0)
    prices = np.zeros(wanted.shape)
    for _ in range(N_ROUNDS):
        likings = _likings(points, centres)
        chances, prices = _filled(likings, beliefs, wanted, prices, NEARLY_SETTLED)
        centres = chances.T @ points / sizes[:, None]
    return Pools(beliefs, likings, prices, sizes)


def pools_of(n_users: int, least_users: float) -> int:
    """Return how many pools of so many users at least there are: one where they are too few."""
    return max(1, n_users // ceil(least_users))


def require_least_users(least_users: float) -> None:
    """Raise HushrankError unless pools can have so many users at least, and a record of some."""
    possible = LEAST_HOLDERS <= least_users < inf
    said = f"budget: expected pools of {LEAST_HOLDERS} or more users, got {as_given(least_users)}"
    require(possible, said)


def tastes(known: csr_array, records: csr_array, *, rng: np.random.Generator) -> Floats:
    """Return points of length 1 (users, components): users who did alike are near to each other.

    records (users, items); the components are learnt from `known` (others, items). `rng` chooses
    where the search for them starts, and protects nobody.
    """
    space = component_space(features(known), N_COMPONENTS, rng=rng)
    points: Floats = np.asarray(space.points(features(records)))
    lengths = np.sqrt((points**2).sum(axis=1, keepdims=True))
    return points / np.where(lengths > 0, lengths, 1.0)


def pooled_records(scores: csr_array, labels: Labels) -> csr_array:
    """Return each user's pool's mean record (users, items): the items that most of it did.

    scores (users, items), labels (users,): the pools, by any numbers. An item that is not done
    counts 0; as many items are kept as a user did in the mean, but none that fewer than
    LEAST_HOLDERS of the pool did. Of items done by as many the first are kept.
    """
    pool = np.unique(labels, return_inverse=True)[1]
    n_kept = max(1, round(scores.nnz / scores.shape[0]))
    kept = _most_held(_sums_of_pools(_marks(scores), pool), n_kept)
    return csr_array(csr_array(means_of_pools(scores, pool).multiply(kept))[pool])


def means_of_pools(scores: csr_array, pool: Labels) -> csr_array:
    """Return the mean scores (pools, items) of users; pool (users,): 0, 1, ... without a gap."""
    means = _sums_of_pools(scores, pool)
    means.data /= np.repeat(np.bincount(pool), np.diff(means.indptr))
    return means


def sums_by(labels: Labels, values: Floats, n_labels: int) -> Floats:
    """Return the sums (labels, columns) of `values` (rows, columns) by the labels of rows."""
    sums = np.zeros((n_labels, values.shape[1]))
    np.add.at(sums, labels, values)
    return sums


def _first_centres(points: Floats, n_pools: int) -> Floats:
    """Return centres (pools or fewer, dimensions) that differ, of clusters by bisection."""
    first, which = distinct(points)
    weights = np.bincount(which).astype(np.float64)
    n_centres = min(n_pools, len(first))
    rng = np.random.default_rng(0)  # bisection draws nothing
    labels = partitioned(points, first, weights, n_centres, "bisecting", rng=rng)
    sums = sums_by(labels, weights[:, None] * points[first], n_centres)
    centres: Floats = sums / np.bincount(labels, weights)[:, None]
    return centres


def _scale(chances: Shares, sizes: Counts) -> bool:
    """Scale chances (users, pools) in place: rows sum to 1, columns to sizes; tell whether they do.

    Source: Sinkhorn, Knopp (Pacific J. Math. 1967).
    """
    for _ in range(MOST_SWEEPS):
        chances /= chances.sum(axis=1, keepdims=True)
        filled = chances.sum(axis=0)
        if np.abs(filled - sizes).max() < SETTLED:
            return True
        chances *= sizes / np.maximum(filled, LEAST_FILLED)
    return False


def _likings(points: Floats, centres: Floats) -> Floats:
    """Return minus the squared distances (users, centres), in nats."""
    squares = (points**2).sum(axis=1)[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)
    np.maximum(squares, 0.0, out=squares)
    nat = SOFTNESS * float(squares.min(axis=1).mean())
    likings: Floats = -squares / max(nat, LEAST_NAT)
    return likings


def _filled(
    likings: Floats, beliefs: Floats, wanted: Floats, prices: Floats, tolerance: float
) -> tuple[Shares, Floats]:
    """Return chances (users, pools) that fill pools with `wanted` users (pools, values).

    And the prices of it (pools, values): the maximum of a concave dual; prices: where to start.
    """
    from scipy.optimize import minimize

    found = minimize(
        _shortfall,
        prices.ravel(),
        args=(likings, beliefs, wanted),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_STEPS, "maxfun": 2 * MOST_STEPS, "ftol": 0.0, "gtol": tolerance},
    )
    prices = found.x.reshape(wanted.shape)
    return _soft_choice(likings + beliefs @ prices.T)[0], prices


def _shortfall(
    prices: Floats, likings: Floats, beliefs: Floats, wanted: Floats
) -> tuple[float, Floats]:
    """Return the dual, less, and its gradient: users of each value too many in each pool."""
    of_pools = prices.reshape(wanted.shape)
    chances, logarithms = _soft_choice(likings + beliefs @ of_pools.T)
    surplus = chances.T @ beliefs - wanted
    return float(logarithms.sum() - (of_pools * wanted).sum()), surplus.ravel()


def _soft_choice(likings: Floats) -> tuple[Shares, Floats]:
    """Return shares in proportion to exp(likings) (users, pools), and the logarithms of sums."""
    most = likings.max(axis=1, keepdims=True)
    weights = np.exp(likings - most)
    sums = weights.sum(axis=1, keepdims=True)
    return weights / sums, (most + np.log(sums)).ravel()


def _sums_of_pools(values: csr_array, pool: Labels) -> csr_array:
    members = csr_array((np.ones(len(pool)), (pool, np.arange(len(pool)))))
    return csr_array(members @ values)


def _marks(scores: csr_array) -> csr_array:
    return csr_array((np.ones(scores.nnz), scores.indices, scores.indptr), shape=scores.shape)


def _most_held(holders: csr_array, n_kept: int) -> csr_array:
    """Return marks (pools, items) of the items that most users hold; holders: of how many each."""
    rows = np.repeat(np.arange(holders.shape[0]), np.diff(holders.indptr))
    order = np.lexsort((holders.indices, -holders.data, rows))
    places = np.arange(holders.nnz) - holders.indptr[rows[order]]
    kept = order[(places < n_kept) & (holders.data[order] >= LEAST_HOLDERS)]
    marks = np.ones(len(kept)), (rows[kept], holders.indices[kept])
    return csr_array(marks, shape=holders.shape)
