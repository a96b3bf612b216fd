"""One historical release, from options to what is released."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any, cast

from hushrank.activities.activity import Activity
from hushrank.activities.bins import parse_bins
from hushrank.activities.profiles import Profiles
from hushrank.errors import require
from hushrank.publishing.clusters.clustering import Method
from hushrank.publishing.historical.baselines import BASELINES, publish_baseline
from hushrank.publishing.historical.privrank import HELD_OUT, privrank
from hushrank.publishing.historical.protected_users import ProtectedUsers, protected_users
from hushrank.publishing.historical.release import HistoricalRelease
from hushrank.publishing.historical.user_level import publish_user_level
from hushrank.randomness import Randomness
from hushrank.workflows.seeds import stream

UNITS = {"privrank": "expected {distance} distance of clusters", **BASELINES}
UNITS["user-level"] = "expected cosine distance of records"


@dataclass(frozen=True)
class PublishOptions:
    """What the command line asked for; None where it did not say."""

    method: str
    private: tuple[str, ...]
    budget: float
    clusters: int | None
    clustering: str
    distance: str
    max_ratio: float | None
    keep_own: bool
    bins: tuple[str, ...]
    seed: int | None

    @property
    def unit(self) -> str:
        """What the budget counts."""
        return UNITS[self.method].format(distance=self.distance)

    @property
    def edges(self) -> dict[str, tuple[float, ...]]:
        """Where numeric attributes are cut, by name."""
        return dict(parse_bins(rule) for rule in self.bins)

    def require_usable(self) -> None:
        """Raise HushrankError, before a file is read, where options do not go together."""
        is_known = all(name in self.private for name in self.edges)
        require(is_known, "--bins cuts attributes that --private names")
        if self.method != "privrank":
            alone = f"{self.method} takes no --max-ratio and no --keep-own: they are privrank's"
            require(self.max_ratio is None and not self.keep_own, alone)


@dataclass(frozen=True, eq=False, repr=False)
class Published:
    """A release, the users it is about, and how long it took."""

    users: ProtectedUsers
    release: HistoricalRelease
    seconds: float


def publish_activity(
    activity: Activity, profiles: Profiles, options: PublishOptions, *, one_group: bool = False
) -> Published:
    """Cluster users, settle the channels, and draw the release.

    Raises HushrankError, before anything is drawn, where users protect different attributes and
    there may be but `one_group`.
    """
    start = perf_counter()
    users = protected_users(
        activity,
        profiles,
        options.private,
        n_clusters=options.clusters,
        clustering=cast(Method, options.clustering),
        distance=options.distance,
        rng=stream(options.seed, "clusters"),
    )
    fits = not one_group or len(users.groups) == 1
    require(fits, "--posterior needs users who all protect the same attributes")
    release = _release(users, options)
    return Published(users, release, perf_counter() - start)


def _release(users: ProtectedUsers, options: PublishOptions) -> HistoricalRelease:
    seed, method = options.seed, options.method
    rng = Randomness.secure() if seed is None else Randomness.seeded(seed)
    common: dict[str, Any] = {"budget": options.budget, "rng": rng}
    common["choices"] = stream(seed, "choices")
    if method == "user-level":
        return publish_user_level(users, **common)
    if method != "privrank":
        return publish_baseline(users, method, held_out=HELD_OUT, **common)
    common |= {"max_ratio": options.max_ratio, "keep_own": options.keep_own}
    return privrank(users, held_out=HELD_OUT, **common)
