"""Which record is released for each user: the problem, its bound, and its solution at a price.

Theory: docs/theory/record-channel.md
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Floats
from hushrank.errors import require
from hushrank.publishing.record_channel.candidates import Candidates
from hushrank.publishing.record_channel.kernels import STEP, Terms, balance, descend, log_ratios

TOLERANCE = 0.1
"""Of the certified gap, in parts of what records leak when they are released unchanged."""
MOST_STEPS, STEPS_AT_ONCE = 5000, 50
MOST_SCALINGS, LARGEST_ERROR = 100_000, 1e-4
SHARPNESS = 20.0
"""Of the first channel, e^(-20 distance): most of it between near records."""
LEAST_START, NEGLIGIBLE = 1e-12, 1e-9
LEAST_CONTRACTION = 1e-6
"""Where beliefs hardly differ, steps get so much longer, and not more."""
NEXT_TO_NOTHING = 1e-6
"""In nats: of less, which may be 0, no gap can be asked to be a part."""


@dataclass(frozen=True, eq=False, repr=False)
class RecordProblem:
    """Minimise I(record; value) + price E[distance] over channels P(record | user).

    beliefs (users, values) say how likely each value is, given the user's own record, as
    classifiers see it. counts (users,) say how often each record is released, where that is fixed.
    """

    candidates: Candidates
    beliefs: Floats
    price: float
    counts: Counts | None = None

    def __post_init__(self) -> None:
        """Check the parts."""
        require(self.price > 0, f"expected a positive price of distance, got {self.price}")
        n_users = len(self.candidates.members)
        fits = self.beliefs.shape[0] == n_users and self.beliefs.shape[1] >= 2
        require(fits, "expected a belief in 2 or more values for each user")
        sums = np.allclose(self.beliefs.sum(axis=1), 1) and bool((self.beliefs > 0).all())
        require(sums, "expected beliefs above 0 that sum to 1")
        if self.counts is not None:
            whole = self.counts.shape == (n_users,) and int(self.counts.sum()) == n_users
            require(whole and bool((self.counts >= 0).all()), "expected counts that sum to users")

    @cached_property
    def shares(self) -> Floats:
        """The share of each value among the users (values,)."""
        shares: Floats = self.beliefs.mean(axis=0)
        return shares

    @cached_property
    def whole_counts(self) -> Floats:
        """The counts as the kernels take them: none at all where they are free."""
        return np.zeros(0) if self.counts is None else self.counts.astype(np.float64)

    @property
    def terms(self) -> Terms:
        """The problem as the kernels take it."""
        costs = self.price * np.where(self.allowed, self.candidates.distances, 0.0)
        of_users = self.candidates.members, costs, self.beliefs
        return Terms(*of_users, self.shares, self.whole_counts, STEP / self.contraction)

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which candidates (users, c) may be released."""
        allowed: NDArray[np.bool_] = np.isfinite(self.candidates.distances)
        if self.counts is not None:
            allowed = allowed & (self.counts[self.candidates.members] > 0)
        return allowed

    @cached_property
    def contraction(self) -> float:
        """What two laws of users keep of their divergence as laws of values, at most: 1 is all.

            H2 (1 - H2 / 4),   H2 the largest squared Hellinger distance of two users' beliefs

        Source: Ordentlich, Polyanskiy (IEEE Trans. IT 2022); H2 from above, exact for 2 values.
        """
        apart = float((np.ptp(np.sqrt(self.beliefs), axis=0) ** 2).sum())
        return max(LEAST_CONTRACTION, min(apart, 2.0) * (1 - min(apart, 2.0) / 4))

    @property
    def told(self) -> float:
        """What gaps are measured by, in nats: the untouched leakage, or next to nothing."""
        return max(NEXT_TO_NOTHING, self.untouched_leakage)

    @property
    def untouched_leakage(self) -> float:
        """I(record; value) of records released as they are, in nats."""
        ratios = np.log(self.beliefs / self.shares)
        return float((self.beliefs * ratios).sum() / len(self.beliefs))


@dataclass(frozen=True, eq=False, repr=False)
class RecordSolution:
    """A channel, as probabilities (users, c) of each user's candidates, and what it costs.

    leakage is I(record; value) in nats, if the beliefs are right. The potentials (users, values)
    and the fees (users,) prove that no channel has an objective below `lower_bound`.
    """

    probabilities: Floats
    leakage: float
    distance: float
    potentials: Floats
    fees: Floats
    certified_gap: float


def lower_bound(problem: RecordProblem, potentials: Floats, fees: Floats) -> float:
    """Return what leakage + price E[distance] is at least, whatever the channel.

        mean_u min_v [ beliefs_u . a_v + price d_uv + fee_v ] - mean_v count_v fee_v

    Here a are potentials (records, values), and the largest log of sum_y p_y exp(a_vy) is taken off
    where it is above 0. Fees may have either sign, and must be 0 where counts are free.
    """
    allowed = float((np.exp(potentials) @ problem.shares).max())
    members = problem.candidates.members
    costs = problem.price * problem.candidates.distances + fees[members]
    for value in range(problem.beliefs.shape[1]):
        costs += problem.beliefs[:, value, None] * potentials[members, value]
    costs[~problem.allowed] = np.inf
    paid = 0.0 if problem.counts is None else float(fees @ problem.counts) / len(members)
    return float(costs.min(axis=1).mean() - paid - np.log(max(allowed, 1.0)))


def solve_at_price(
    problem: RecordProblem, *, start: RecordSolution | None = None, tolerance: float = TOLERANCE
) -> RecordSolution:
    """Return the best channel, to a certified gap of `tolerance` times what is `told`.

        log P_uv <- log P_uv - step (price d_uv + beliefs_u . a_v + fee_v), a = log r_vy / (r_v p_y)

    Mirror descent, in steps of 1.8 / `contraction`: the less beliefs differ, the longer. Rows, and
    columns where counts are fixed, are scaled to their sums at each step.
    Raises HushrankError when the gap stays open, as with counts that no channel can have.
    Source: Blahut (IEEE Trans. IT 1972), for the step.
    """
    found = first_solution(problem, start)
    for _ in range(MOST_STEPS // STEPS_AT_ONCE):
        found = improved(problem, found)
        if found.certified_gap <= tolerance * problem.told:
            balanced = with_exact_counts(problem, found)
            if balanced.certified_gap <= 2 * tolerance * problem.told:
                return balanced
    exact = _by_no_potentials(problem, with_exact_counts(problem, found))
    enough = exact.certified_gap <= tolerance * problem.told
    require(enough, f"no exchange of records within {MOST_STEPS} steps: try another budget")
    return exact


def first_solution(problem: RecordProblem, start: RecordSolution | None = None) -> RecordSolution:
    """Return a channel to begin with: one already found, or one by distance alone.

    Raises HushrankError when counts leave a user no record at all.
    """
    chances = np.exp(-SHARPNESS * problem.candidates.distances)
    if start is not None:
        chances = np.maximum(start.probabilities, LEAST_START)
    reachable = bool(problem.allowed.any(axis=1).all())
    require(reachable, "expected counts that leave each user a record, some have none")
    chances = np.where(problem.allowed, chances, 0.0)
    keeps_fees = start is not None and problem.counts is not None
    fees = start.fees if start is not None and keeps_fees else np.zeros(len(chances))
    return _judged(problem, chances / chances.sum(axis=1, keepdims=True), fees)


def improved(problem: RecordProblem, start: RecordSolution) -> RecordSolution:
    """Return the channel 50 steps on, whose columns have their counts only nearly."""
    probabilities, fees = start.probabilities.copy(), start.fees.copy()
    descend(probabilities, fees, problem.terms, STEPS_AT_ONCE)
    return _judged(problem, probabilities, fees)


def with_exact_counts(problem: RecordProblem, found: RecordSolution) -> RecordSolution:
    """Return the channel without negligible chances, its columns scaled to their counts, to 1e-4.

    Raises HushrankError when that takes too long.
    """
    if problem.counts is None:
        return found
    users, places = np.nonzero(found.probabilities > NEGLIGIBLE)
    kept = found.probabilities[users, places]
    columns = problem.candidates.members[users, places]
    error = balance(
        users.astype(np.int32), columns, kept, problem.whole_counts, MOST_SCALINGS, LARGEST_ERROR
    )
    require(error <= LARGEST_ERROR, "no exchange of records has these counts")
    exact = np.zeros_like(found.probabilities)
    exact[users, places] = kept
    return _judged(problem, exact, found.fees)


def _by_no_potentials(problem: RecordProblem, found: RecordSolution) -> RecordSolution:
    """Certify the channel by potentials and fees of 0: nothing leaks less than nothing.

    Where next to nothing is left to leak and distance is cheap, that bound is the better one.
    """
    potentials, fees = np.zeros_like(found.potentials), np.zeros_like(found.fees)
    paid = found.leakage + problem.price * found.distance
    gap = paid - lower_bound(problem, potentials, fees)
    return replace(found, potentials=potentials, fees=fees, certified_gap=gap)


def record_joint(candidates: Candidates, probabilities: Floats, beliefs: Floats) -> Floats:
    """Return P(record, value): (users, values), which sums to 1."""
    n_users = len(beliefs)
    flat = candidates.members.ravel()
    columns = [
        np.bincount(flat, (probabilities * belief[:, None]).ravel(), minlength=n_users)
        for belief in beliefs.T
    ]
    return np.column_stack(columns) / n_users


def _judged(problem: RecordProblem, probabilities: Floats, fees: Floats) -> RecordSolution:
    distances = problem.candidates.distances
    potentials = log_ratios(probabilities, problem.terms)
    joint = record_joint(problem.candidates, probabilities, problem.beliefs)
    leakage = float((joint * potentials).sum())
    paid = probabilities * np.where(problem.allowed, distances, 0.0)
    distance = float(paid.sum(axis=1).mean())
    gap = leakage + problem.price * distance - lower_bound(problem, potentials, fees)
    return RecordSolution(probabilities, leakage, distance, potentials, fees, gap)
