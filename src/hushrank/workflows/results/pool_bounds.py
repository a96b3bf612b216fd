"""What pooled records tell at most: a bound on whoever sees them alone."""

from collections.abc import Sequence

import numpy as np

from hushrank.evaluation.attackers import bound_on_attacks
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import GroupPlan, HistoricalRelease


def bound_of_pools(users: ProtectedUsers, drawn: HistoricalRelease) -> float:
    """Return the least 1 - AUC of whoever sees the pooled records alone, at worst.

    At worst: of all that a group protects, or of one attribute of all who protect it, as records
    tell the group, too, and so what is frequent in it. Some plan has to be pooled.
    """
    pooled = [plan for plan in drawn.plans if plan.is_pooled]
    single = {(name,) for plan in pooled for name in plan.names}
    wanted = single | {plan.names for plan in pooled}
    return min(_bound(users, drawn, names, pooled) for names in wanted)


def _bound(
    users: ProtectedUsers,
    drawn: HistoricalRelease,
    names: tuple[str, ...],
    plans: Sequence[GroupPlan],
) -> float:
    """Return it of all who protect these attributes; 1/2 where all of them have one value."""
    members = [plan.users for plan in plans if set(names) <= set(plan.names)]
    rows = users.rows[np.concatenate(members)]
    private = users.private.select(rows)
    if len(names) == 1 and np.count_nonzero(private.attribute(*names).counts) < 2:
        return 0.5
    value, records = private.joint(names), drawn.activity.scores[rows]
    told = value.told
    return bound_on_attacks(records[told], value.codes[told], value.n_values)
