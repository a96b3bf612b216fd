"""Publish what users did so far, or nothing of them: records are withheld, none is exchanged."""

from collections.abc import Sequence

import numpy as np

from hushrank.arrays import Floats, Indices, Shares
from hushrank.publishing.historical.believed import (
    Believe,
    Solved,
    Tell,
    believed,
    believed_plans,
)
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import NOTHING, Draw, GroupPlan
from hushrank.publishing.record_channel.withholding import (
    Withholding,
    require_share,
    solve_withholding,
)
from hushrank.randomness import Randomness


def withhold_plans(
    users: ProtectedUsers,
    *,
    budget: float,
    choices: np.random.Generator,
    tell: Tell = lambda share: None,
    believe: Believe = believed,
) -> Sequence[GroupPlan]:
    """Return whose records are withheld of each group of users who protect the same.

    budget in [0, 1]: the largest expected share of them. What values show is learnt from users who
    protect nothing. tell: as in `beliefs`; believe: what learns them.
    Privacy: as `solve_withholding`; no record appears under another name.
    Raises HushrankError when too few users protect nothing; for a budget out of range before
    anything is learnt.
    """
    require_share(budget)

    def solve(users: ProtectedUsers, members: Indices, beliefs: Floats) -> Solved:
        found = solve_withholding(beliefs, budget=budget)
        return Solved(
            draw=_draw(found, members),
            laws=_laws(users, members, found),
            posterior=found.beliefs,
            expected_distortion=found.share,
            leakage=found.leakage,
            certified_gap=found.certified_gap,
            told_by_nothing=found.prior,
        )

    return believed_plans(users, solve, choices=choices, tell=tell, believe=believe)


def _draw(found: Withholding, members: Indices) -> Draw:
    def draw(*, rng: Randomness) -> Indices:
        sources: Indices = np.where(found.draw(rng=rng), NOTHING, members)
        return sources

    return draw


def _laws(users: ProtectedUsers, members: Indices, found: Withholding) -> Shares:
    """Return P(released cluster | user) (members, clusters + 1): the last, that nothing is."""
    laws = np.zeros((len(members), users.clusters.n_clusters + 1))
    laws[np.arange(len(members)), users.clusters.labels[members]] = 1 - found.chances
    laws[:, -1] = found.chances
    return laws
