"""What `publish` states exactly: of withheld records, and of budgets that are rehearsed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Floats
from hushrank.audit.replay import Replay
from hushrank.audit.subject import Observations, Subject
from hushrank.publishing.historical.protected_users import protect
from hushrank.publishing.record_channel.microaggregation import Pools, solve_pools
from hushrank.publishing.record_channel.withholding import Withholding, solve_withholding
from hushrank.randomness import Randomness
from hushrank.workflows.progress import silent
from hushrank.workflows.publish.historical import OURS
from hushrank.workflows.publish.rehearse import REHEARSALS, Search, rehearsed_parts

N_USERS = 60
BUDGET, LEAST_USERS = 0.4, 12
PRIVATE = "group"


def publishing_subjects() -> Iterator[Subject]:
    """Yield that somebody's record is withheld, and whose it is pooled with, of either value."""
    withheld = _Withheld(solve_withholding(_beliefs(), budget=BUDGET))
    inputs: dict[str, Any] = {"value 0": 0, "value 1": 1}
    pairs = (("value 0", "value 1"),)
    yield Subject("publish withhold", 0.0, inputs, pairs, withheld.draw)
    points = np.random.default_rng(2).normal(size=(N_USERS, 2)) + 2 * _beliefs()
    pooled = _Pooled(solve_pools(points, _beliefs(), least_users=LEAST_USERS))
    yield Subject("publish microaggregate", 0.0, inputs, pairs, pooled.draw)


def publishing_replays() -> Iterator[Replay]:
    """Yield the search for a budget, of users who protect and have other values or records."""
    inputs = {"as they are": (False, False), "other values": (True, False)}
    inputs["other records"] = (False, True)
    yield Replay("publish rehearsal", inputs, _rehearsed)


@dataclass(frozen=True)
class _Withheld:
    """Draws somebody of a value, as likely as beliefs say, and whether their record is withheld."""

    solved: Withholding

    def draw(self, value: int, n_draws: int, rng: Randomness) -> Observations:
        """Return whether a record is withheld (draws,)."""
        users = _somebody(self.solved.beliefs[:, value], n_draws, rng)
        each = Withholding(self.solved.beliefs, self.solved.chances[users], BUDGET, np.zeros(2))
        return each.draw(rng=rng)


@dataclass(frozen=True)
class _Pooled:
    """Draws somebody of a value, as likely as beliefs say, and the pool, before it is settled."""

    solved: Pools

    def draw(self, value: int, n_draws: int, rng: Randomness) -> Observations:
        """Return the number of the pool (draws,)."""
        chances = self.solved.chances.T @ self.solved.beliefs[:, value]
        return _somebody(chances, n_draws, rng)


def _somebody(weights: Floats, n_draws: int, rng: Randomness) -> Observations:
    """Draw numbers (draws,), each as likely as its weight (numbers,)."""
    coins = (rng.words(n_draws) >> np.uint64(11)) / 2.0**53
    return np.searchsorted(weights.cumsum() / weights.sum(), coins).clip(max=len(weights) - 1)


def _beliefs() -> Observations:
    likely = np.random.default_rng(1).beta(0.7, 1.1, size=N_USERS).clip(0.01, 0.99)
    return np.column_stack([likely, 1 - likely])


@cache
def _users() -> tuple[Activity, Profiles]:
    """Return planted users of whom a third protect the value of their group."""
    log, people = draw_planted(300, 30, tilt=0.6, rng=np.random.default_rng(3))
    visits = log.activity("max")
    asks = np.arange(visits.n_users) % 3 == 0
    known = people.aligned(visits.users, surplus="dropped")
    return visits, known.with_protected({PRIVATE: asks})


def _rehearsed(changed: tuple[bool, bool], seed: int) -> bytes:
    """Return what one budget is rehearsed to keep, with values or records exchanged or not."""
    visits, people = _users()
    group, asks = people.attributes[0], people.protected[PRIVATE]
    if changed[0]:
        codes = np.where(asks, 1 - group.codes, group.codes)
        people = Profiles(people.users, (group.with_codes(codes),), people.protected)
    if changed[1]:
        rows = np.arange(visits.n_users)
        rows[asks] = rows[asks][::-1]
        visits = visits.with_scores(visits.scores[rows])
    named = partial(protect, names=[PRIVATE])
    rng, n_asking = np.random.default_rng(seed), int(asks.sum())
    parts = rehearsed_parts(visits, people, [PRIVATE], named, n_rehearsals=REHEARSALS, rng=rng)
    search = Search(parts, OURS["withhold"], "withhold", n_asking, silent)
    promised = search.promised_at(BUDGET)
    return repr((promised, search.trials)).encode()
