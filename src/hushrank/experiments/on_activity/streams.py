"""Activity that goes on after a first release: the history, and the stream that follows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity, Scores
from hushrank.activities.log import ActivityLog
from hushrank.activities.profiles import Profiles
from hushrank.activities.splits import split_latest, split_log, split_users
from hushrank.arrays import Indices
from hushrank.experiments.on_activity.platforms import PlatformSplit
from hushrank.publishing.historical.privrank import privrank
from hushrank.publishing.historical.protected_users import ProtectedUsers, protect
from hushrank.publishing.historical.release import HistoricalRelease
from hushrank.publishing.item_channel.problem import ActivityPopulation
from hushrank.randomness import Randomness

STREAM_SHARE = 4 / 18
"""Of what a user does, the latest: 4 of the paper's 18 months."""
HISTORY_BUDGET = 0.02
LARGEST_SEED = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class Started:
    """A platform whose history was released, and the stream of its protected users, in order.

    `split` has the history that is shown and the records that are held out. Of each activity of the
    stream, `who` is the place of its user among the protected ones, `what` the item, and `when` the
    share, from above 0 to 1, of the user's stream that is over with it. `latest` is what all users
    did after the history. `population` says what an activity tells of the private value, and is
    learnt from the history of those who protect nothing.
    """

    split: PlatformSplit
    users: ProtectedUsers
    release: HistoricalRelease
    latest: ActivityLog
    who: Indices
    what: Indices
    when: NDArray[np.float64]
    population: ActivityPopulation

    @property
    def held(self) -> Scores:
        """What the recipient holds of the protected users (protected, items)."""
        scores: Scores = self.release.activity.scores[self.users.rows]
        return scores

    def so_far(self, until: float) -> PlatformSplit:
        """Return the split with what users truly did up to this share of each stream."""
        early = self.latest.select(shares_of_streams(self.latest.user_codes) <= until)
        together = self.split.shown.scores + early.activity("sum").scores
        return replace(self.split, shown=self.split.shown.with_scores(csr_array(together)))

    def released_so_far(self, items: Indices, until: float) -> Scores:
        """Return what the recipient holds of all users when `items` are released for `what`."""
        true = self.so_far(until).shown.scores.tocoo()
        is_open = ~np.isin(true.row, self.users.rows)
        held, is_early = self.held.tocoo(), self.when <= until
        rows = self.users.rows[np.concatenate((held.row, self.who[is_early]))]
        columns = np.concatenate((true.col[is_open], held.col, items[is_early]))
        counts = np.concatenate((true.data[is_open], held.data, np.ones(int(is_early.sum()))))
        places = np.concatenate((true.row[is_open], rows)), columns
        cells: Any = counts, places
        released: Scores = csr_array(cells, shape=true.shape)
        return released


def start(
    log: ActivityLog,
    profiles: Profiles,
    names: Sequence[str],
    *,
    choices: np.random.Generator,
    secret: Randomness,
) -> Started:
    """Hold out a fifth of each user's records, cut the rest in time, release the history.

    Each record counts one activity. Half of the users protect `names`.
    """
    counted = replace(log.in_time_order(), scores=np.ones(log.n_records))
    shown, held_out = split_log(counted, rng=choices)
    earlier, latest = split_latest(shown, held_out=STREAM_SHARE)
    split = _split(earlier.activity(), held_out.activity(), profiles, names, choices)
    users = protect(split.shown, split.profiles, names, rng=choices)
    release = privrank(users, budget=HISTORY_BUDGET, rng=secret, choices=choices)
    place = np.full(log.n_users, -1)
    place[users.rows] = np.arange(len(users.rows))
    stream = latest.select(place[latest.user_codes] >= 0)
    return Started(
        split,
        users,
        release,
        latest,
        place[stream.user_codes],
        stream.item_codes.astype(np.intp),
        shares_of_streams(stream.user_codes),
        _population(split, users.rows),
    )


def shares_of_streams(users: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return which share of its user's activities (activities,) is over with each one."""
    sizes = np.bincount(users)
    order = np.argsort(users, kind="stable")
    nth = np.empty(len(users))
    nth[order] = np.arange(len(users)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shares: NDArray[np.float64] = (nth + 1) / sizes[users]
    return shares


def _split(
    history: Activity,
    held_out: Activity,
    profiles: Profiles,
    names: Sequence[str],
    rng: np.random.Generator,
) -> PlatformSplit:
    _, asking = split_users(history.n_users, rng=rng)
    asks = np.isin(np.arange(history.n_users), asking)
    nobody = dict.fromkeys(profiles.names, np.zeros_like(asks))
    protected = profiles.with_protected(nobody | dict.fromkeys(names, asks))
    return PlatformSplit(history, held_out, protected, tuple(names))


def _population(split: PlatformSplit, protected: Indices) -> ActivityPopulation:
    """Learn what an activity tells; one made-up activity an item tells nothing."""
    value = split.profiles.joint(split.names)
    is_open = value.told
    is_open[protected] = False
    values = np.eye(value.n_values)[value.codes[is_open]]
    counts = np.asarray(split.shown.scores[is_open].T @ values)
    joint = counts + counts.sum(axis=0) / counts.sum()
    return ActivityPopulation(joint / joint.sum())
