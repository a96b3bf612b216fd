"""Whose private values attackers are after, and whom they learn from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Indices, WholeNumbers
from hushrank.errors import require
from hushrank.evaluation.attackers import AttackCase
from hushrank.evaluation.joint_attackers import copies


@dataclass(frozen=True, eq=False, repr=False)
class Targets:
    """Rows of users who protect the attributes and of those who do not, both with known codes."""

    protected: Indices
    open_users: Indices
    codes: WholeNumbers
    values: tuple[str, ...]

    def release(self, activity: Activity) -> AttackCase:
        """Return what attackers see where this is what was released."""
        known = activity.scores[self.open_users], self.codes[self.open_users]
        asked = activity.scores[self.protected], self.codes[self.protected]
        n_copies = copies(activity.scores)[self.protected]
        return AttackCase(*known, *asked, len(self.values), n_copies=n_copies)


def attacked_users(profiles: Profiles, names: Sequence[str]) -> Targets:
    """Return whose values attackers are after: users who protect one of the names, and tell all.

    Raises HushrankError when attackers have nobody to learn from, or nobody to attack.
    """
    value, protects = profiles.joint(names), profiles.protects(names)
    protected, open_users = (np.flatnonzero(mask & value.told) for mask in (protects, ~protects))
    both = len(protected) > 0 and len(open_users) > 0
    require(
        both,
        "expected users who protect the attribute and users who do not, who both tell it: without a"
        " column `protects` everybody protects everything; write `none` there for those who agreed",
    )
    return Targets(protected, open_users, value.codes, value.values)
