"""Platforms that publish what their users did: activities and profiles in files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity
from hushrank.activities.private_items import hide_items
from hushrank.activities.profile_files import read_profiles
from hushrank.activities.profiles import Profiles
from hushrank.activities.splits import split_activity, split_users
from hushrank.errors import require
from hushrank.experiments.populations import FilePopulation, Populations

QUICK_USERS = 300


@dataclass(frozen=True, eq=False, repr=False)
class Platform:
    """What users did, and their profiles in the same order."""

    activity: Activity
    profiles: Profiles

    @classmethod
    def of(cls, people: Populations, name: str) -> "Platform":
        """Join the activity and the profiles of a platform that is two populations."""
        activity, profiles = people[name], people[f"{name}-profiles"]
        return cls(activity, profiles.aligned(activity.users, surplus="dropped"))

    @classmethod
    def hiding(
        cls, activity: Activity, *, share: float = 0.1, rng: np.random.Generator
    ) -> "Platform":
        """Hide an item that this share of the users or more have, drawn at random: it is private.

        As many have it not.
        """
        least = max(1, int(activity.n_users * share))
        return cls(*hide_items(activity, [2], least_users=least, rng=rng))


@dataclass(frozen=True, eq=False, repr=False)
class PlatformSplit:
    """What is published of a platform, and what a recommender has to foretell.

    Half of the users, at random, protect `names`; the others protect nothing.
    """

    shown: Activity
    held_out: Activity
    profiles: Profiles
    names: tuple[str, ...]

    @classmethod
    def draw(
        cls, platform: Platform, names: Sequence[str], *, rng: np.random.Generator
    ) -> "PlatformSplit":
        """Hold out a fifth of each user's items, and draw who protects."""
        shown, held_out = split_activity(platform.activity, rng=rng)
        _, asking = split_users(shown.n_users, rng=rng)
        asks = np.zeros(shown.n_users, dtype=np.bool_)
        asks[asking] = True
        nobody = dict.fromkeys(platform.profiles.names, np.zeros_like(asks))
        protected: Mapping[str, Any] = nobody | dict.fromkeys(names, asks)
        return cls(shown, held_out, platform.profiles.with_protected(protected), tuple(names))


def platform_files(name: str, title: str, holds: str) -> tuple[FilePopulation, FilePopulation]:
    """Return the two populations of a platform: its activity, and its profiles."""
    activity = FilePopulation(name, title, f"activity of {holds}", read_activity, _active)
    held = f"profiles of {holds}"
    profiles = FilePopulation(f"{name}-profiles", title, held, read_profiles, _as_it_is)
    return activity, profiles


def _active(activity: Activity, quick: np.random.Generator | None) -> Activity:
    """Return the activity, of some users where `quick`; everybody must have done something."""
    activity.require_active()
    require(activity.n_users >= 4, f"expected 4 or more users, got {activity.n_users}")
    if quick is None:
        return activity
    n_kept = min(QUICK_USERS, activity.n_users)
    return activity.select(np.sort(quick.choice(activity.n_users, size=n_kept, replace=False)))


def _as_it_is(profiles: Profiles, quick: np.random.Generator | None) -> Profiles:
    del quick  # profiles follow the users of the activity
    return profiles


MOVIELENS = platform_files("movielens-1m", "MovieLens-1M", "MovieLens-1M, docs/activity-data.md")
