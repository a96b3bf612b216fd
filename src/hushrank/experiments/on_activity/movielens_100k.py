"""MovieLens-100K: who rated which film, in which order; private are gender and age."""

from functools import partial
from typing import Any

import numpy as np

from hushrank.activities.activity_files import read_log
from hushrank.activities.log import ActivityLog
from hushrank.activities.profile_files import read_profiles
from hushrank.experiments.on_activity.platforms import Platform
from hushrank.experiments.populations import FilePopulation, Populations

NAME = "movielens-100k"
AGE_EDGES = (35,)
"""Ages are told as under 35, or 35 and more."""
QUICK_USERS = 200


def rated(people: Populations) -> Platform:
    """Return the ratings of all users, and their profiles in the same order."""
    log, profiles = people[NAME], people[f"{NAME}-profiles"]
    return Platform(log.activity("last"), profiles.aligned(log.users, surplus="dropped"))


def _some_users(log: ActivityLog, quick: np.random.Generator | None) -> ActivityLog:
    """Return the records, of some users where `quick`."""
    if quick is None:
        return log
    n_kept = min(QUICK_USERS, log.n_users)
    kept = np.sort(quick.choice(log.n_users, size=n_kept, replace=False))
    of_kept = log.select(np.isin(log.user_codes, kept))
    users = tuple(log.users[user] for user in kept)
    codes = np.searchsorted(kept, of_kept.user_codes).astype(np.int32)
    return ActivityLog(codes, of_kept.item_codes, of_kept.scores, users, log.items, of_kept.times)


def _as_it_is(profiles: Any, quick: np.random.Generator | None) -> Any:
    del quick  # profiles follow the users of the log
    return profiles


MOVIELENS_100K = (
    FilePopulation(
        NAME,
        "MovieLens-100K",
        "activity of MovieLens-100K, docs/activity-data.md",
        read_log,
        _some_users,
    ),
    FilePopulation(
        f"{NAME}-profiles",
        "MovieLens-100K",
        "profiles of MovieLens-100K, docs/activity-data.md",
        partial(read_profiles, bins={"age": AGE_EDGES}),
        _as_it_is,
    ),
)
