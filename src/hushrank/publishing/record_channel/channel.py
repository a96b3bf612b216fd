"""Exchange records between users, each record as often as decided before: our own method.

Theory: docs/theory/record-channel.md
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.accounting.words import as_given
from hushrank.arrays import Counts, Floats
from hushrank.errors import HushrankError, require
from hushrank.publishing.classifiers import features
from hushrank.publishing.record_channel.candidates import Candidates, nearest_candidates
from hushrank.publishing.record_channel.dependent_rounding import round_dependently
from hushrank.publishing.record_channel.kernels import column_sums
from hushrank.publishing.record_channel.problem import (
    RecordProblem,
    RecordSolution,
    first_solution,
    improved,
    record_joint,
    solve_at_price,
)
from hushrank.randomness import Randomness

FIRST_PRICE, LEAST_PRICE, MOST_PRICE = 1.0, 1e-3, 1e4
FREE_SHARE = 0.75
"""Of the budget: what records are apart before their counts are rounded, at first."""
AIM, SLACK = 0.97, 0.06
"""Of the budget: what the distance is brought to, and what it may leave unused."""
FREE_TOLERANCE = 0.15
"""Of the certified gap while counts are free, in parts of what untouched records leak."""
POWER, LARGEST_CHANGE = 1.5, 3.0
"""The power by which prices follow distances at first, halved whenever the aim is crossed, and the
largest change at once: distances answer late, the more so the nearer records are to untouched."""
MOST_BLOCKS, MOST_TRIALS = 40, 5
LEAST_AIM = 1e-100
"""Distances so small are none, and powers of what exceeds them no floats."""


@dataclass(frozen=True, eq=False, repr=False)
class RecordChannel:
    """Which record is released for each user, by chance, with the proof of how little it leaks.

    Every record is released exactly as often as `counts` (users,) says. The counts are settled
    before anything is drawn, so that how often a record appears tells nothing beside the channel.
    """

    problem: RecordProblem
    solution: RecordSolution
    budget: float

    @property
    def candidates(self) -> Candidates:
        """Which records may stand for each user's."""
        return self.problem.candidates

    @property
    def counts(self) -> Counts:
        """How often each record is released (users,)."""
        counts = self.problem.counts
        return np.zeros(0, np.int64) if counts is None else counts

    @property
    def leakage(self) -> float:
        """I(record; value) in nats, if the beliefs are right."""
        return self.solution.leakage

    @property
    def distance(self) -> float:
        """The expected cosine distance between a user's record and the one released."""
        return self.solution.distance

    @property
    def certified_gap(self) -> float:
        """By how much, in nats, another channel of these counts and budget leaks less, at most."""
        unused = self.budget - self.solution.distance
        return self.solution.certified_gap + self.problem.price * max(0.0, unused)

    def posterior(self) -> Floats:
        """Return P(value | record) (records, values): what a released record leaks by beliefs."""
        joint = record_joint(self.candidates, self.solution.probabilities, self.problem.beliefs)
        joint += 1e-15 * self.problem.shares  # a record that is never released
        posterior: Floats = joint / joint.sum(axis=1, keepdims=True)
        return posterior

    def draw(self, *, rng: Randomness) -> NDArray[np.int64]:
        """Draw whose record is released for each user (users,), all at once.

        Each user has the channel's probabilities, to 1e-4, and all together the counts, exactly.
        """
        chances = self.solution.probabilities
        rows, places = np.nonzero(chances > 0)
        columns = self.candidates.members[rows, places].astype(np.int64)
        shape = (len(chances), len(chances))
        taken = round_dependently(rows, columns, chances[rows, places], shape, rng=rng)
        one_each = np.array_equal(np.bincount(rows[taken], minlength=len(chances)), self._ones)
        kept = np.array_equal(np.bincount(columns[taken], minlength=len(chances)), self.counts)
        require(one_each and kept, "expected one record for each user, each as often as settled")
        chosen = np.empty(len(chances), dtype=np.int64)
        chosen[rows[taken]] = columns[taken]
        return chosen

    @property
    def _ones(self) -> Counts:
        return np.ones(len(self.solution.probabilities), dtype=np.int64)


def solve_record_channel(
    scores: csr_array, beliefs: Floats, *, budget: float, rng: np.random.Generator
) -> RecordChannel:
    """Return the channel within the budget that leaks least of what `beliefs` say.

    scores (users, items) and beliefs (users, values) are of the users who ask for protection alone.
    The budget, in (0, 1], is the largest expected cosine distance of a record from the one released
    for it. `rng` chooses candidates, and protects nobody.
    Privacy: no differential privacy. It rests on the classifier behind the beliefs; who knows the
    value of one user learns of others with the same record; real records appear under other users'
    names, which needs consent.   Cost: quadratic in users for neighbours, then linear.
    Source: ours.   Raises HushrankError for a budget that no exchange keeps.
    """
    require_distance(budget)
    problem = RecordProblem(nearest_candidates(features(scores), rng=rng), beliefs, FIRST_PRICE)
    aim, free, best = FREE_SHARE * budget, first_solution(problem), None
    for _ in range(MOST_TRIALS):
        problem, free = _priced(problem, free, aim)
        fixed = _with_counts(problem, free)
        found = solve_at_price(fixed, start=free)
        if found.distance <= budget and (best is None or found.distance > best.distance):
            best = RecordChannel(fixed, found, budget)
        is_spent = 1 - SLACK <= found.distance / budget <= 1
        if is_spent or (found.distance <= budget and problem.price == LEAST_PRICE):
            break
        aim *= AIM * budget / max(found.distance, AIM * budget / LARGEST_CHANGE, LEAST_AIM)
    if best is None:
        raise HushrankError(
            f"no exchange of records was found within a budget of {as_given(budget)}"
        )
    return best


def require_distance(budget: float) -> None:
    """Raise HushrankError unless the budget is a distance that leaves something to choose."""
    require(0 < budget <= 1, f"expected a budget above 0, at most 1, got {as_given(budget)}")


def _priced(
    problem: RecordProblem, start: RecordSolution, aim: float
) -> tuple[RecordProblem, RecordSolution]:
    """Return the problem at about the price that brings the distance to `aim`, and its channel.

    Price and channel move together, and where they do not settle the last ones are returned.
    """
    found, power, was_far = start, POWER, start.distance > aim
    for _ in range(MOST_BLOCKS):
        found = improved(problem, found)
        spent = found.distance / max(aim, LEAST_AIM)
        power, was_far = (power if was_far == (spent > 1) else power / 2), spent > 1
        at_limit = problem.price == (LEAST_PRICE if spent < 1 else MOST_PRICE)
        is_near = abs(spent - 1) <= SLACK or at_limit
        if is_near and found.certified_gap <= FREE_TOLERANCE * problem.told:
            break
        if not at_limit:
            change = np.clip(spent**power, 1 / LARGEST_CHANGE, LARGEST_CHANGE)
            price = float(np.clip(problem.price * change, LEAST_PRICE, MOST_PRICE))
            problem = replace(problem, price=price)
    return problem, found


def _with_counts(problem: RecordProblem, free: RecordSolution) -> RecordProblem:
    """Return the problem with its counts fixed to those of `free`, rounded to whole numbers."""
    return replace(
        problem, counts=_whole(column_sums(free.probabilities, problem.candidates.members))
    )


def _whole(sums: Floats) -> Counts:
    """Round numbers with a whole sum to whole ones of that sum, by largest remainder."""
    counts: Counts = np.floor(sums).astype(np.int64)
    missing = round(float(sums.sum())) - int(counts.sum())
    counts[np.argsort(counts - sums, kind="stable")[:missing]] += 1
    return counts
