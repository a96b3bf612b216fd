"""A release beside the raw activity that it was made of: for its owner alone."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hushrank.accounting.rounding import places_below
from hushrank.accounting.words import bits_in_words
from hushrank.activities.activity import Activity, record_keys, row_numbers
from hushrank.arrays import Counts, Indices
from hushrank.errors import require
from hushrank.files.disk import FilePath
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    NOTHING,
    ChangedUsers,
    GroupPlan,
    HistoricalRelease,
    LeakageReport,
    by_row,
    changed_users,
    record_distortion,
    released_with,
)
from hushrank.publishing.record_channel.microaggregation import means_of_pools
from hushrank.workflows.publish.posterior_file import UserPosterior
from hushrank.workflows.publish.rehearse import Rehearsal, budget_warnings
from hushrank.workflows.results.pool_bounds import bound_of_pools
from hushrank.workflows.results.release_terms import (
    BELIEVED,
    MAY_BE_NOTHING,
    POOLED,
    ReleaseTerms,
)
from hushrank.workflows.results.release_warnings import (
    WITHHOLDING,
    is_judged,
    warnings_of,
    who_pays,
)
from hushrank.workflows.results.words import as_text

OWNERS = "* of protected users; all figures are from raw data: for you, not for publication"
NOT_JUDGED = "not judged: too few users tell their value"
BOUND = "1 - AUC by records alone, at least"
BITS = ("untouched_bits", "leakage_bits", "leakage_bits_heldout")
MOST_APART = 1e-9
"""Of means that are added up in another order, in parts of the largest."""
OTHER = "expected the activity and the profiles that this was released from"


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseComparison:
    """What a release costs and tells, as its owner sees it: leakages in bits.

    drawn: the channels of each group of users, and whose record stands for each user's.
    seconds: how long it took to settle the channels, and to draw from them where that was done.
    rehearsal: how the budget was found, where it was.
    Privacy: raw. All of it is computed from raw data, and nothing of it may be published.
    """

    terms: ReleaseTerms
    users: ProtectedUsers
    drawn: HistoricalRelease
    seconds: float
    rehearsal: Rehearsal | None = None

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"ReleaseComparison({self.terms.method}, {self.users})"

    def __str__(self) -> str:
        """Say what the release costs and tells, for `print`."""
        return as_text(self.summary)

    @property
    def expected_distortion(self) -> float:
        """The expected distortion of a protected user, in the budget's unit."""
        return self.drawn.expected_distortion

    @property
    def record_distortion(self) -> float:
        """The mean Kendall distance, ties half, of protected users' records and the released."""
        return self.drawn.record_distortion

    @property
    def untouched_bits(self) -> float:
        """What the clusters of records as they are tell of a private value, in the worst group.

        Raises HushrankError, as all leakages do, where too few users tell their value to judge it.
        """
        return max(each.untouched_bits for each in self._judged())

    @property
    def leakage_bits(self) -> float:
        """What the clusters of released records tell, of the users learnt from, worst group."""
        return max(each.leakage_bits for each in self._judged())

    @property
    def leakage_bits_heldout(self) -> float | None:
        """The same of users that nothing was learnt from: the honest figure; None without any."""
        return _worst([each.leakage_bits_heldout for each in self._judged()])

    def _judged(self) -> Sequence[LeakageReport]:
        """Return what the groups leak, unless a figure of 0 would be no comfort."""
        require(self.is_judged, f"leakage is {NOT_JUDGED}: see warnings")
        return [plan.leaked for plan in self.drawn.plans]

    @property
    def attack_bound(self) -> float | None:
        """Of pooled records the least 1 - AUC of whoever sees them alone, at worst.

        At worst: of what a group protects, or of one attribute of all who protect it, as records
        tell the group, too, and so what is frequent in it. None of records that are not pooled,
        and where too few users tell their value to judge it. Whoever knows some users' values may
        learn more: `attack` says how much.
        """
        is_pooled = any(plan.is_pooled for plan in self.drawn.plans)
        return bound_of_pools(self.users, self.drawn) if is_pooled and self.is_judged else None

    @property
    def pool_sizes(self) -> Counts | None:
        """How many protected users share each pooled record (records,); None of other methods."""
        if self.terms.method not in POOLED:
            return None
        sources = self.drawn.sources[self.users.rows]
        sizes: Counts = np.unique(sources, return_counts=True)[1]
        return sizes

    @property
    def posterior(self) -> UserPosterior:
        """What whoever knows the channel concludes from each protected user's released record.

        Raises HushrankError when users protect different attributes: there is one for each then.
        """
        one = len(self.drawn.plans) == 1
        require(one, "a posterior needs users who all protect the same attributes")
        (plan,), users = self.drawn.plans, self.users
        rows = row_numbers(users.rows[plan.users], users.activity.n_users)
        sources = self.drawn.sources[rows]
        among = np.where(sources == NOTHING, NOTHING, np.searchsorted(users.rows, sources))
        names = tuple(users.activity.users[row] for row in rows)
        return UserPosterior(names, plan.values, plan.posterior[among])

    @property
    def changed(self) -> tuple[tuple[ChangedUsers, ...], ...]:
        """By group of users who protect the same, and by value: who pays for the privacy of all."""
        return tuple(changed_users(self.users, p, self.drawn.sources) for p in self.drawn.plans)

    @property
    def notes(self) -> tuple[str, ...]:
        """What figures alone do not say."""
        paid = (who_pays(*group) for group in zip(self.drawn.plans, self.changed, strict=True))
        beside = () if self.terms.method == "withhold" else (WITHHOLDING,)
        return (OWNERS, *self.terms.notes, *paid, *beside, *self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against handing the release over, or against trusting its figures."""
        terms = self.terms
        of_budget = budget_warnings(terms.method, terms.settled_budget, self.rehearsal)
        return (*of_budget, *warnings_of(terms, self.users, self.drawn.plans))

    @property
    def is_judged(self) -> bool:
        """Whether enough users tell their value for the leakages to mean something."""
        return all(is_judged(self.users, plan) for plan in self.drawn.plans)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, JSON-ready; those of all users are of the worst group.

        Leakages are null where too few users tell their value, which `not_judged` says.
        """
        drawn, users = self.drawn, self.users
        unknown = {} if self.is_judged else dict.fromkeys(BITS)
        return {
            "method": self.terms.method,
            "budget": self.terms.settled_budget,
            "budget_unit": self.terms.unit,
            "expected_distortion": drawn.expected_distortion,
            "record_distortion": drawn.record_distortion,
            **_worst_leaked([plan.leaked for plan in drawn.plans]),
            **unknown,
            "attack_bound": self.attack_bound,
            "not_judged": None if self.is_judged else NOT_JUDGED,
            "users": users.activity.n_users,
            "protected_users": drawn.n_protected,
            "items": users.activity.n_items,
            "clusters": users.clusters.n_clusters,
            "groups": [
                _group(plan, is_judged(users, plan)) | {"changed": [asdict(each) for each in paid]}
                for plan, paid in zip(drawn.plans, self.changed, strict=True)
            ],
            "private": drawn.is_private,
            "rehearsal": None if self.rehearsal is None else self.rehearsal.to_dict(),
            "options": asdict(self.terms),
            "seconds": self.seconds,
            "warnings": list(self.warnings),
            "privacy_statement": " ".join(self.terms.notes),
        }

    @property
    def summary(self) -> dict[str, str]:
        """The figures as rows of a table for people."""
        found, pools = self.to_dict(), self.pool_sizes
        part, n_parts = ("clusters", found["clusters"]) if pools is None else ("pools", len(pools))
        said = {name: _text(found[name]) if self.is_judged else NOT_JUDGED for name in BITS}
        learnt = "by the classifier" if BELIEVED in self.terms.notes else "as learnt"
        return {
            "method": self.terms.method,
            "budget": f"{self.terms.budget_in_words} ({self.terms.unit})",
            **({} if self.rehearsal is None else {"rehearsed": str(self.rehearsal)}),
            "users": f"{found['users']:,}, of whom {found['protected_users']:,} are protected",
            "items": f"{found['items']:,}",
            part: str(n_parts),
            "expected distortion": f"{found['expected_distortion']:.4f}",
            "distortion of records *": f"{found['record_distortion']:.4f} (Kendall, ties half)",
            "leakage, untouched clusters": said["untouched_bits"],
            "leakage, users held out": said["leakage_bits_heldout"],
            f"leakage, {learnt}": said["leakage_bits"],
            "certified gap": _text(found["certified_gap"]),
            "worst likelihood ratio": _text(found["worst_likelihood_ratio"], "unbounded", ""),
            **(
                {} if (bound := self.attack_bound) is None else {BOUND: f"{places_below(bound, 3)}"}
            ),
            "seconds": f"{self.seconds:.2f}",
        }

    def report(
        self, path: FilePath, *, title: str = "A release", notes: Sequence[str] | None = None
    ) -> None:
        """Write one HTML page for the owner: what the release tells beside the best channels.

        notes: what the page says first, unless it is `self.notes`. Only the owner may read it.
        """
        from hushrank.reports.release_page import PublishingPage, write_publishing_report
        from hushrank.reports.release_pictures import group_pictures

        users, said = self.users, self.notes if notes is None else notes
        groups = group_pictures(users, [p for p in self.drawn.plans if is_judged(users, p)])
        unit, pools = users.distances.name, self.pool_sizes
        sizes = users.clusters.sizes if pools is None else pools
        shown = PublishingPage(title, said, self.summary, unit, sizes, groups, pools is not None)
        write_publishing_report(Path(path), shown)

    def _repr_html_(self) -> str:
        from hushrank.reports.notebook import notebook_html

        return notebook_html("A release, for its owner", self.summary, notes=self.notes)


def matched(
    released: Activity,
    terms: ReleaseTerms,
    users: ProtectedUsers,
    plans: Sequence[GroupPlan],
    *,
    is_private: bool,
) -> HistoricalRelease:
    """Find again whose record stands for each user's; of equal ones the own, else the first.

    Of pooled records those who have the same are a pool.
    Raises HushrankError unless all protected users have the record of one, or of their pool, or
    where that may be none, and others their own.
    """
    raw = users.activity
    known = released.users == raw.users and set(released.items) <= set(raw.items)
    require(known, OTHER)
    whole = released.aligned(raw.users, raw.items)
    shown = record_keys(whole.scores[users.rows])
    own = shown if terms.method in POOLED else record_keys(raw.scores[users.rows])
    first = {key: place for place, key in reversed(list(enumerate(own)))}
    if terms.method in MAY_BE_NOTHING:
        first[b""] = NOTHING
    given = [first.get(key) for key in shown]
    require(None not in given, OTHER)
    if terms.method not in POOLED:
        for place, key in enumerate(shown):
            given[place] = place if own[place] == key and given[place] != NOTHING else given[place]
    sources = by_row(users, np.array(given, dtype=np.intp))
    settled = terms.method, terms.settled_budget
    found = released_with(users, plans, sources, *settled, is_private=is_private)
    if terms.method not in POOLED:
        require(whole == found.activity, OTHER)
        return replace(found, activity=released)
    require(_are_means(whole.scores, raw.scores, users.rows), OTHER)
    distortion = record_distortion(users, whole.scores, sources)
    return replace(found, activity=released, sources=sources, record_distortion=distortion)


def _are_means(released: csr_array, raw: csr_array, pooled: Indices) -> bool:
    """Whether scores (users, items) of these rows are means of those with the same record.

    And all others their own. Several pools may have the same record: what each of them leaves out
    they may hold together, so that what is not released is not asked for.
    """
    others = np.setdiff1d(np.arange(raw.shape[0]), pooled)
    shown = released[pooled]
    pool = np.unique(record_keys(shown), return_inverse=True)[1]
    marks = csr_array((np.ones(shown.nnz), shown.indices, shown.indptr), shape=shown.shape)
    means = means_of_pools(raw[pooled], pool)[pool].multiply(marks)
    apart = abs(csr_array(means) - shown).max()
    is_own = abs(released[others] - raw[others]).nnz == 0
    return bool(is_own and apart <= MOST_APART * shown.max())


def _group(plan: GroupPlan, is_judged: bool) -> dict[str, Any]:
    leaked = asdict(plan.leaked) | ({} if is_judged else dict.fromkeys(BITS))
    ratio = _finite(plan.leaked.worst_likelihood_ratio)
    size = {"protects": plan.names, "users": len(plan.users)}
    return {**size, **leaked, "worst_likelihood_ratio": ratio}


def _worst_leaked(reports: Sequence[LeakageReport]) -> dict[str, float | None]:
    return {
        "untouched_bits": max(each.untouched_bits for each in reports),
        "leakage_bits": max(each.leakage_bits for each in reports),
        "leakage_bits_heldout": _worst([each.leakage_bits_heldout for each in reports]),
        "certified_gap": _worst([each.certified_gap for each in reports]),
        "worst_likelihood_ratio": _finite(max(each.worst_likelihood_ratio for each in reports)),
    }


def _worst(numbers: list[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return max(known) if known else None


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _text(number: float | None, nothing: str = "unknown", unit: str = " bits") -> str:
    return nothing if number is None else f"{bits_in_words(number, 4)}{unit}"
