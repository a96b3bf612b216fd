"""Withhold whole records: a user is released with the own record, or with nothing at all.

Theory: docs/theory/withholding.md
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.accounting.words import as_given
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.randomness import Randomness

WHOLE = 1e-9
"""Chances so near 0 or 1 are whole: the solver's numbers are no more exact."""


@dataclass(frozen=True, eq=False, repr=False)
class Withholding:
    """How likely each user's record is withheld, with the proof that no better choice exists.

    beliefs (users, values): P(value | record); chances (users,): P(withheld), 0 or 1 but for at
    most as many users as there are values. multipliers (values,): the dual point, that of the
    budget last.
    """

    beliefs: Floats
    chances: Floats
    budget: float
    multipliers: Floats

    @property
    def prior(self) -> Floats:
        """The share of each value (values,): what is known of a user whose record is withheld."""
        prior: Floats = self.beliefs.mean(axis=0)
        return prior

    @property
    def share(self) -> float:
        """The expected share of users whose records are withheld."""
        return float(self.chances.mean())

    @property
    def untouched_leakage(self) -> float:
        """I(record; value) where nothing is withheld, in nats, if the beliefs are right."""
        return float(told_by_records(self.beliefs).mean())

    @property
    def leakage(self) -> float:
        """I(released; value) in nats, if the beliefs are right: of the records that are released.

        That a record is withheld tells nothing: these users' beliefs have the prior as their mean.
        """
        return float(((1 - self.chances) * told_by_records(self.beliefs)).mean())

    @property
    def certified_gap(self) -> float:
        """By how much, in nats, another such choice of this budget leaks less, at most."""
        told, off = told_by_records(self.beliefs), (self.beliefs - self.prior)[:, :-1]
        prices, budget_price = self.multipliers[:-1], max(0.0, float(self.multipliers[-1]))
        kept_at_most = np.maximum(told - off @ prices - budget_price, 0.0).mean()
        hidden = float((self.chances * told).mean())
        return max(0.0, float(kept_at_most) + budget_price * self.budget - hidden)

    def draw(self, *, rng: Randomness) -> NDArray[np.bool_]:
        """Draw whose records are withheld (users,): one word each."""
        coins = (rng.words(len(self.chances)) >> np.uint64(11)) / 2.0**53
        withheld: NDArray[np.bool_] = coins < self.chances
        return withheld


def solve_withholding(beliefs: Floats, *, budget: float) -> Withholding:
    """Return whose records to withhold, so that those released tell least of what beliefs say.

        maximise mean_u w_u KL(b_u || p)  within  mean_u w_u (b_u - p) = 0,  mean w <= budget

    beliefs (users, values) above 0, rows of sum 1; budget in [0, 1]: the largest expected share of
    users whose record is withheld. A linear program, solved exactly.
    Privacy: no differential privacy. It rests on the classifier behind the beliefs; nobody's record
    appears under another name.   Raises HushrankError for a budget out of range.   Source: ours.
    """
    from scipy.optimize import linprog

    require_share(budget)
    n_users, prior = len(beliefs), beliefs.mean(axis=0)
    found = linprog(
        -told_by_records(beliefs) / n_users,
        A_ub=np.full((1, n_users), 1 / n_users),
        b_ub=[budget],
        A_eq=(beliefs - prior)[:, :-1].T / n_users,
        b_eq=np.zeros(beliefs.shape[1] - 1),
        bounds=(0, 1),
        method="highs",
    )
    require(found.success, "expected beliefs of which some records can be withheld")
    solved = np.asarray(found.x, dtype=np.float64)
    chances = np.where(solved > 1 - WHOLE, 1.0, np.where(solved < WHOLE, 0.0, solved))
    multipliers = -np.concatenate([found.eqlin.marginals, found.ineqlin.marginals])
    return Withholding(beliefs, chances, budget, multipliers)


def require_share(budget: float) -> None:
    """Raise HushrankError unless the budget is a share."""
    require(
        0 <= budget <= 1, f"budget: expected a share of 0 to 1 to withhold, got {as_given(budget)}"
    )


def told_by_records(beliefs: Floats) -> Floats:
    """Return KL(b_u || p) (users,): what each user's own record tells of the value, in nats."""
    told: Floats = (beliefs * np.log(beliefs / beliefs.mean(axis=0))).sum(axis=1)
    return told


def without(records: csr_array, is_withheld: NDArray[np.bool_]) -> csr_array:
    """Return the records (users, items) where those withheld are empty."""
    kept = np.repeat(~is_withheld, np.diff(records.indptr))
    sizes = np.where(is_withheld, 0, np.diff(records.indptr))
    starts = np.concatenate([[0], sizes.cumsum()]).astype(records.indptr.dtype)
    return csr_array((records.data[kept], records.indices[kept], starts), shape=records.shape)
