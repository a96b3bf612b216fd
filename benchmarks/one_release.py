"""One historical release in a process of its own: print its seconds and its peak of memory.

`python one_release.py USERS ITEMS REPETITIONS`; all users protect one attribute of two values.
"""

import json
import sys
from typing import Any

import numpy as np
from channel import visits
from harness import check, peak_megabytes, seconds

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.identifiers import numbered
from hushrank.activities.profiles import Profiles
from hushrank.publishing.historical.privrank import privrank
from hushrank.publishing.historical.protected_users import protect
from hushrank.publishing.historical.release import HistoricalRelease
from hushrank.randomness import Randomness

BUDGET = 0.02


def release(n_users: int, n_items: int, repetitions: int) -> dict[str, Any]:
    """Time a release from activity in memory to activity in memory; check what it states."""
    activity = Activity(visits(n_users, n_items), numbered(n_users), numbered(n_items))
    profiles = _profiles(activity)
    found: list[HistoricalRelease] = []

    def act() -> None:
        choices = np.random.default_rng(4)
        users = protect(activity, profiles, ["value"], rng=choices)
        secret = Randomness.secure()
        found[:] = [privrank(users, budget=BUDGET, rng=secret, choices=choices)]

    spent = seconds(act, repetitions)
    megabytes, (released,) = peak_megabytes(), found
    (plan,) = released.plans
    check(released.expected_distortion <= BUDGET * (1 + 1e-9), "a release beyond its budget")
    check(released.is_private and released.activity.n_users == n_users, "expected all users")
    told = plan.leaked.leakage_bits / plan.leaked.untouched_bits
    check(told < 1, f"expected that less is told than by untouched clusters, got {told:.3f} of it")
    return {"seconds": spent, "megabytes": megabytes, "told": told}


def _profiles(activity: Activity) -> Profiles:
    """Return a value that the first tenth of the items leans towards."""
    leaning = activity.scores[:, : activity.n_items // 10].sum(axis=1)
    noisy = leaning + np.random.default_rng(5).normal(0, leaning.std(), activity.n_users)
    codes = (noisy > np.median(noisy)).astype(np.int16)
    return Profiles.protecting_all(activity.users, [Attribute("value", ("low", "high"), codes)])


if __name__ == "__main__":
    print(json.dumps(release(*map(int, sys.argv[1:]))))
