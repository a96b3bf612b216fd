"""Release what users did so that the values they keep private are hard to infer from it.

`Release` is what may be handed over. What it costs and tells is measured in the raw data, so it is
another type, for the owner alone: `ReleaseComparison`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from secrets import randbits
from time import perf_counter
from typing import Any, cast

import numpy as np

from hushrank.accounting.spend import Spend
from hushrank.activities.activity import Activity
from hushrank.activities.profiles import Profiles
from hushrank.activities.splits import split_activity
from hushrank.errors import HushrankError, require
from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.files.disk import FilePath
from hushrank.publishing.clusters.clustering import Clustering
from hushrank.publishing.historical.baselines import baseline_plans
from hushrank.publishing.historical.believed import learnt_once
from hushrank.publishing.historical.microaggregate import microaggregate_plans
from hushrank.publishing.historical.privrank import HELD_OUT, privrank_plans
from hushrank.publishing.historical.protected_users import ProtectedUsers, protect
from hushrank.publishing.historical.release import GroupPlan, exchange_records
from hushrank.publishing.historical.user_level import user_level_plans
from hushrank.publishing.historical.withhold import withhold_plans
from hushrank.publishing.record_channel.microaggregation import pools_of
from hushrank.workflows.arguments import expect, expect_attributes
from hushrank.workflows.progress import Progress, parts_of, silent
from hushrank.workflows.publish.rehearse import (
    REHEARSALS,
    REHEARSALS_OF_POOLS,
    Rehearsal,
    budget_warnings,
    find_budget,
    rehearsed_parts,
    with_used_items,
)
from hushrank.workflows.results.release_comparison import ReleaseComparison, matched
from hushrank.workflows.results.release_terms import (
    POOLED,
    Distance,
    ReleaseMethod,
    ReleaseTerms,
)
from hushrank.workflows.results.useful_budgets import useful_budgets
from hushrank.workflows.results.words import as_text
from hushrank.workflows.seeds import secret_words, stream

SETTLING = "settling the channels"
POOLS_TO_SEARCH = 10.0, 300.0
"""The least and the most users of a pool: more bring little privacy, and fewer much less."""
OURS: Mapping[str, Callable[..., Sequence[GroupPlan]]] = {
    "user-level": user_level_plans,
    "withhold": withhold_plans,
    "microaggregate": microaggregate_plans,
}


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What may be handed over: `activity`, and what was promised of it.

    activity: all users, with the items that somebody is released with.
    is_private: the draws came from the operating system. choices: what clusters were chosen by and
    users held out by; it protects nobody, and leads back to the channel with the raw data alone.
    rehearsal: how the budget was found, where it was asked for by what it protects.
    Privacy: private values become harder to infer; no differential privacy. Two releases of the
    same users tell more than one.
    """

    activity: Activity
    terms: ReleaseTerms
    is_private: bool
    choices: int
    rehearsal: Rehearsal | None = None

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"Release({self.terms.method}, {self.activity})"

    def __str__(self) -> str:
        """Say what was promised, for `print`."""
        return as_text(self.summary, self.privacy, *self.warnings)

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the released items."""
        return self.activity.items

    @property
    def private(self) -> tuple[str, ...]:
        """The names of the attributes that are hidden."""
        return self.terms.private

    @property
    def confidence(self) -> None:
        """Nothing is ranked, so there is no confidence in an order."""

    @property
    def spend(self) -> tuple[Spend, ...]:
        """No epsilon was spent: this is no differential privacy."""
        return ()

    @property
    def privacy(self) -> str:
        """What was protected, for whom, and at what cost, in one line."""
        return self.terms.privacy

    @property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the budget; nothing of it is computed from who protects something."""
        terms = self.terms
        return budget_warnings(terms.method, terms.settled_budget, self.rehearsal)

    @property
    def summary(self) -> dict[str, str]:
        """What was promised, and the size of the release, as rows of a table for people."""
        return {
            "method": self.terms.method,
            "budget": f"{self.terms.budget_in_words} ({self.terms.unit})",
            **({} if self.rehearsal is None else {"rehearsed": str(self.rehearsal)}),
            "hidden": ", ".join(self.private),
            "users": f"{self.activity.n_users:,}",
            "items": f"{self.activity.n_items:,}",
            "records": f"{self.activity.n_records:,}",
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what was promised, and the size of the release, JSON-ready."""
        return {
            "method": self.terms.method,
            "budget": self.terms.settled_budget,
            "budget_unit": self.terms.unit,
            "users": self.activity.n_users,
            "items": self.activity.n_items,
            "records": self.activity.n_records,
            "private": self.is_private,
            "rehearsal": None if self.rehearsal is None else self.rehearsal.to_dict(),
            "options": asdict(self.terms),
            "privacy_statement": " ".join(self.terms.notes),
        }

    def to_frame(self) -> Any:
        """Return the records, `user`, `item` and `score`, as a data frame."""
        return to_frame(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Let Arrow, polars and others read the records."""
        return arrow_stream(self._columns(), requested_schema)

    def report(self, path: FilePath, *, title: str = "Released activity") -> None:
        """Write one HTML page with pictures, from the release alone.

        Only its owner may read the file where draws came from a seed.
        """
        from hushrank.reports.released_page import write_released_report

        shown = self.activity, self.summary, (self.privacy, *self.terms.notes)
        write_released_report(Path(path), *shown, title=title, secret=not self.is_private)

    def _repr_html_(self) -> str:
        from hushrank.reports.notebook import notebook_html
        from hushrank.reports.released_page import records_drawing

        drawn = records_drawing(self.activity.records_of_items, "items", "users")
        said, caption = (self.privacy,), "Of how many users each item was released."
        return notebook_html(
            "Released activity", self.summary, notes=said, picture=drawn, caption=caption
        )

    def compared_with(
        self, activity: Activity, profiles: Profiles, *, progress: Progress = silent
    ) -> ReleaseComparison:
        """Return what the release costs and tells, for the owner of the raw data alone.

        The channels are settled again, which takes as long as `publish`: a release does not hold
        them. Raises HushrankError unless these are the data that it was released from.
        """
        start = perf_counter()
        _expect_data(activity, profiles)
        users, plans = _settle(activity, profiles, self.terms, self.choices, progress)
        drawn = matched(self.activity, self.terms, users, plans, is_private=self.is_private)
        seconds = perf_counter() - start
        return ReleaseComparison(self.terms, users, drawn, seconds, self.rehearsal)

    def _columns(self) -> Values:
        scores, users = self.activity.scores, self.activity.users
        rows = np.repeat(np.arange(len(users)), self.activity.records_of_users)
        return {
            "user": [users[row] for row in rows],
            "item": [self.items[column] for column in scores.indices],
            "score": scores.data.tolist(),
        }


def publish(
    activity: Activity,
    profiles: Profiles,
    *,
    private: Sequence[str],
    budget: float | None = None,
    protect: float | None = None,
    method: ReleaseMethod = "privrank",
    clusters: int | None = None,
    clustering: Clustering = "auto",
    distance: Distance = "kendall",
    max_ratio: float | None = None,
    keep_own: bool = False,
    seed: int | None = None,
    progress: Progress = silent,
) -> Release:
    """Release other records in place of protected users', so that little is told of values.

    activity, profiles: as `hushrank.read_activity` and `hushrank.read_profiles` return them; users
    without a profile protect everything, and users who protect nothing are released unchanged.
    private: the attributes to hide; users who protect several of them are hidden jointly.
    budget: the largest expected distortion. It counts, by method: `privrank`, the expected
    `distance` of clusters (Kendall: 0 to 1); `user-level`, the expected cosine distance of records,
    above 0 to 1; `withhold`, the expected share of protected users of whom nothing is released;
    `microaggregate`, the users of a pool, at least, who are released with its mean record;
    `rand`, the probability of another record; `frapp`, how many times likelier the own record is, 1
    or more; `diff`, nats a unit of distance, where more is less private.
    protect, in place of a budget: the 1 - AUC that the worst attacker shall have at least, below
    0.5; the budget is found by rehearsals on users who protect nothing (not for frapp and diff).
    clusters: how many of protected users; None: 200, or one for 10 users. clustering: `auto` takes
    `ward` up to 8,000 users, else `bisecting`; also `minibatch` and `average`.
    max_ratio (privrank): bounds P(released | y) / P(released | y') of two private values.
    keep_own (privrank): a user whose cluster stays keeps the own record, which voids every bound.
    seed: repeats a simulation, which is not private; None draws from the operating system.
    progress: called with each step that is begun.

    Privacy: chosen private values become harder to infer, in the mean; no differential privacy.
    Real records appear under other users' names, which needs their consent, but for `withhold` and
    `microaggregate`. `docs/publishing.md` says what is promised. What the release tells:
    `release.compared_with(activity, profiles)`.
    Raises TypeError for what is of another type, and HushrankError, before anything is drawn, for
    options of another method, a budget out of range, fewer than 4 users who ask for protection,
    and where no budget protects as much as is wanted.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), Algorithms 1 and 2; `user-level`, `withhold` and
    `microaggregate` are our own.

    >>> import hushrank, numpy
    >>> from hushrank.activities.planted import draw_planted
    >>> log, people = draw_planted(400, 40, tilt=0.7, rng=numpy.random.default_rng(1))
    >>> visits = log.activity()
    >>> release = hushrank.publish(visits, people, private=["group"], budget=0.05, seed=1)
    >>> release
    Release(privrank, Activity(400 users, 40 items, ...))
    >>> release.privacy
    'Not private: whoever knows the seed knows whose record each one is.'
    >>> owners = release.compared_with(visits, people)
    >>> owners.leakage_bits < owners.untouched_bits
    True
    """
    _expect_data(activity, profiles)
    require((budget is None) != (protect is None), "expected a budget, or what to protect")
    chosen = clusters, clustering, distance, max_ratio, keep_own, seed, protect
    terms = ReleaseTerms(method, expect_attributes(private), budget, *chosen)
    return publish_and_compare(activity, profiles, terms, progress=progress)[0]


def publish_and_compare(
    activity: Activity, profiles: Profiles, terms: ReleaseTerms, *, progress: Progress = silent
) -> tuple[Release, ReleaseComparison]:
    """Return a release, and what it costs and tells, for the owner: nothing is settled twice.

    Raises as `publish` does.
    """
    start = perf_counter()
    _expect_data(activity, profiles)
    choices = randbits(128) if terms.seed is None else terms.seed
    rehearsal = None
    if terms.protect is not None:
        rehearsal = _rehearse(activity, profiles, terms, terms.protect, choices, progress)
        terms = replace(terms, budget=rehearsal.budget)
    users, plans = _settle(activity, profiles, terms, choices, progress)
    progress("drawing the release")
    rng = secret_words(terms.seed)
    drawn = exchange_records(users, plans, terms.method, terms.settled_budget, rng=rng)
    seconds = perf_counter() - start
    given = with_used_items(drawn.activity), terms, drawn.is_private, choices, rehearsal
    return Release(*given), ReleaseComparison(terms, users, drawn, seconds, rehearsal)


def hold_out(activity: Activity, *, seed: int | None = None) -> tuple[Activity, Activity]:
    """Split each user's records at random into 80 % to release and 20 % to evaluate with.

    activity: what users did. seed: splits the same way again.
    The second part must not be released: `evaluate` asks how well the release foretells it.
    """
    expect(activity, Activity, "activity", "hushrank.read_activity")
    return split_activity(activity, rng=stream(seed, "hold out"))


def _expect_data(activity: Activity, profiles: Profiles) -> None:
    expect(activity, Activity, "activity", "hushrank.read_activity")
    expect(profiles, Profiles, "profiles", "hushrank.read_profiles")


def _settle(
    activity: Activity, profiles: Profiles, terms: ReleaseTerms, choices: int, progress: Progress
) -> tuple[ProtectedUsers, Sequence[GroupPlan]]:
    """Cluster users and settle how their records are exchanged; nothing is drawn yet."""
    progress("clustering users")
    users = _protector(terms)(activity, profiles, rng=stream(choices, "clusters"))
    drawn_by, planner = stream(choices, "choices"), planner_of(terms)
    if terms.method in OURS:
        learnt = parts_of(progress, "learning what records show of values")
        planner = partial(planner, tell=lambda share: _told(share, learnt, progress))
    else:
        progress(SETTLING)
    return users, planner(users, budget=terms.settled_budget, choices=drawn_by)


def _told(share: float, learnt: Callable[[float], None], progress: Progress) -> None:
    """Say what is learnt; after that what follows begins, which nobody can foresee."""
    learnt(share) if share < 1 else progress(SETTLING)


def _rehearse(
    activity: Activity,
    profiles: Profiles,
    terms: ReleaseTerms,
    wanted: float,
    choices: int,
    progress: Progress,
) -> Rehearsal:
    """Find the budget that protects as much as is wanted, on users who protect nothing."""
    progress("clustering users to rehearse with")
    parts = rehearsed_parts(
        activity,
        profiles,
        terms.private,
        _protector(terms),
        n_rehearsals=REHEARSALS_OF_POOLS if terms.method in POOLED else REHEARSALS,
        rng=stream(choices, "rehearsal"),
    )
    n_protecting = int(profiles.aligned(activity.users).protects(terms.private).sum())
    budgets = _budgets_to_search(terms, parts[0].users, n_protecting)
    planner = planner_of(terms)
    if terms.method in OURS:
        planner = partial(planner, believe=learnt_once())
    given = parts, planner, terms.method, wanted, budgets
    return find_budget(*given, n_protecting=n_protecting, progress=progress)


def _budgets_to_search(
    terms: ReleaseTerms, users: ProtectedUsers, n_protecting: int
) -> tuple[float, float]:
    """Return the least and the largest budget to rehearse with, on these users.

    One pool of all tells nothing of what several would tell.
    """
    if terms.method == "withhold":
        return 0.0, 1.0
    if terms.method in POOLED:
        least, most = POOLS_TO_SEARCH
        is_one_pool = pools_of(n_protecting, most) == 1
        return least, most if is_one_pool else min(most, len(users.rows) // 2)
    found = useful_budgets(terms.method, terms.distance, users.activity)
    if found is None:
        raise HushrankError(f"protect: no budgets of {terms.method} are known to search")
    return found


def _protector(terms: ReleaseTerms) -> Callable[..., ProtectedUsers]:
    """Return what finds who is protected, and clusters them."""
    return partial(
        protect,
        names=terms.private,
        n_clusters=terms.clusters,
        clustering=cast(Clustering, terms.clustering),
        distance=terms.distance,
    )


def planner_of(terms: ReleaseTerms) -> Callable[..., Sequence[GroupPlan]]:
    """Return what settles the channels of the method."""
    if terms.method in OURS:
        return OURS[terms.method]
    if terms.method != "privrank":
        return partial(baseline_plans, method=terms.method, held_out=HELD_OUT)
    ratio, own = terms.max_ratio, terms.keep_own
    return partial(privrank_plans, held_out=HELD_OUT, max_ratio=ratio, keep_own=own)
