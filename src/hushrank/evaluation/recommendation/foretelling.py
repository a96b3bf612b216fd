"""How well a recommender foretells what was held out: from activity as it is, and as released."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity, record_keys
from hushrank.errors import require
from hushrank.evaluation.recommendation.average_precision import ScoresOf, average_precisions
from hushrank.evaluation.recommendation.bayesian_ranking import BayesianRanking, popularity
from hushrank.evaluation.recommendation.linear_items import LinearItems

Recommender: TypeAlias = Literal["bpr", "ease"]
"""Bayesian personalised ranking, as the paper has it; or EASE, which learns more of a record."""

MOST_WHOLE = 0.1
"""Of released records: so many short ones may by chance be whole ones that nobody was seen with."""


@dataclass(frozen=True)
class Precision:
    """Mean average precision of all users and of those whose record changed; none: no such user."""

    all_users: float
    changed_users: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Foretelling:
    """Who was seen to do what (users, items), what was released, and what is to be foretold."""

    seen: csr_array
    released: csr_array
    held_out: csr_array

    @property
    def is_changed(self) -> NDArray[np.bool_]:
        """Whose released record (users,) is not what was seen."""
        differ = abs(self.seen - self.released)
        return np.asarray(differ.sum(axis=1) > 0)

    def by_training(
        self,
        known: csr_array,
        recommender: Recommender = "bpr",
        *,
        repetitions: int,
        seed: int | None,
        tell: Callable[[float], object] = lambda share: None,
    ) -> Precision:
        """Return the mean over trainings of what a recommender that knows `known` reaches.

        Users of whom it knows nothing are recommended what is popular. `ease` draws nothing, and is
        trained once. tell: is told which share of the trainings is done.
        """
        if recommender == "ease":
            return self._precision(_popular_where_unknown(LinearItems.fit(known), known))
        found = []
        for number, stream in enumerate(np.random.SeedSequence(seed).spawn(repetitions)):
            told = partial(_tell_all, tell, number, repetitions)
            ranking = BayesianRanking.fit(known, rng=np.random.default_rng(stream), tell=told)
            found.append(self._precision(_popular_where_unknown(ranking, known)))
        changed = [each.changed_users for each in found if each.changed_users is not None]
        of_all = fmean(each.all_users for each in found)
        return Precision(of_all, fmean(changed) if changed else None)

    def by_popularity(self) -> Precision:
        """Return what a recommender reaches that ranks what most users did first for everybody."""
        of_items = popularity(self.seen)
        n_users = self.seen.shape[0]
        return self._precision(lambda users: np.tile(of_items, (_length(users, n_users), 1)))

    def by_list(self) -> Precision:
        """Return what is reached where a released record is itself the list, the most first.

        Of equal scores, and of what is not in it, what is more popular comes first.
        """
        of_items = popularity(self.released) / (1.0 + self.released.shape[0])
        least = self.released.data.min(initial=1.0)

        def scores(users: slice) -> NDArray[np.floating]:
            found: NDArray[np.floating] = self.released[users].toarray() / least + of_items
            return found

        return self._precision(scores)

    def withholding(self, after: Precision, popular: Precision) -> Precision:
        """Return what is reached where changed users are recommended what is popular instead.

        That is the honest baseline: what is withheld tells nothing.
        """
        if after.changed_users is None or popular.changed_users is None:
            return after
        share = float(self.is_changed[np.diff(self.held_out.indptr) > 0].mean())
        gained = share * (popular.changed_users - after.changed_users)
        return Precision(after.all_users + gained, popular.changed_users)

    def _precision(self, scores_of: ScoresOf) -> Precision:
        """Return how a recommender ranks what was held out; what was seen is not ranked."""
        found = average_precisions(scores_of, self.seen, self.held_out)
        changed = found[self.is_changed & ~np.isnan(found)]
        of_changed = float(changed.mean()) if len(changed) else None
        return Precision(float(np.nanmean(found)), of_changed)


def _tell_all(tell: Callable[[float], object], number: int, repetitions: int, share: float) -> None:
    tell((number + share) / repetitions)


def foretelling(activity: Activity, released: Activity, held_out: Activity) -> Foretelling:
    """Return what there is to foretell, in one order of users and items.

    Raises HushrankError when what was held out is no part of the activity, or all of it, or a part
    of what was released.
    """
    held_out, released = (
        each.aligned(activity.users, activity.items) for each in (held_out, released)
    )
    seen = _without(activity, held_out)
    unseen = "expected a release made without the held-out records: publish with hold_out="
    require(not _is_of_whole_records(activity.scores, seen, released.scores), unseen)
    return Foretelling(seen, released.scores, held_out.scores)


def _is_of_whole_records(activity: csr_array, seen: csr_array, released: csr_array) -> bool:
    """Tell whether too many records (users, items) were released that nobody was seen with.

    They are whole records, with what was held out. What exchanges records as they were seen
    releases none of them: where each released record is somebody's, they are counted among the
    users of whom something was held out, however few these are. What changes records may come
    upon others' whole ones, but on a user's own only by foretelling all that was held out of it.
    """
    wholes, kept, given = (record_keys(each) for each in (activity, seen, released))
    unseen = set(wholes) - set(kept)
    n_holders = sum(whole != rest for whole, rest in zip(wholes, kept, strict=True))
    n_whole = sum(record in unseen for record in given)
    n_own = sum(
        record == whole and record in unseen for record, whole in zip(given, wholes, strict=True)
    )
    are_exchanged = unseen.union(kept).issuperset(given)
    most = MOST_WHOLE * (n_holders if are_exchanged else len(given))
    return n_whole > most or n_own > MOST_WHOLE * n_holders


def _popular_where_unknown(ranking: BayesianRanking | LinearItems, known: csr_array) -> ScoresOf:
    """Return the ranking's scores, and popularity for users without any record in `known`."""
    of_items, is_unknown = popularity(known), np.diff(known.indptr) == 0

    def scores(users: slice) -> NDArray[np.floating]:
        return np.where(is_unknown[users, None], of_items, ranking.scores(users))

    return scores


def _length(users: slice, n_users: int) -> int:
    return len(range(*users.indices(n_users)))


def _without(activity: Activity, held_out: Activity) -> csr_array:
    """Return the scores without those held out, which must be the same."""
    marks = csr_array(
        (np.ones(held_out.n_records), held_out.scores.indices, held_out.scores.indptr),
        shape=held_out.scores.shape,
    )
    out = activity.scores * marks
    same = out.nnz == held_out.n_records and abs(out - held_out.scores).sum() == 0
    require(same and held_out.n_records > 0, "expected held-out records of the activity")
    rest = activity.with_scores(csr_array(activity.scores - out)).scores
    require(rest.nnz > 0, "expected some activity that was not held out")
    return rest
