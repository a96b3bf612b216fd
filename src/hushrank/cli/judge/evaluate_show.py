"""Train recommenders on what is known and on what was released, and show how well they do."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity
from hushrank.cli.console import plain
from hushrank.errors import require
from hushrank.evaluation.recommendation.average_precision import ScoresOf, average_precisions
from hushrank.evaluation.recommendation.bayesian_ranking import BayesianRanking, popularity
from hushrank.files.disk import replace_file, require_apart, require_folder

MOST_WHOLE = 0.1
"""Of the released records: so many short ones may be whole records of others, by chance."""


@dataclass(frozen=True)
class EvaluatePaths:
    """The files to read, and the one to write."""

    activity: Path
    released: Path
    held_out: Path
    json: Path | None

    def require_usable(self) -> None:
        """Raise HushrankError, before anything is done, where writing would fail or destroy."""
        if self.json is not None:
            require_apart([self.activity, self.released, self.held_out, self.json])
            require_folder(self.json)


@dataclass(frozen=True)
class Precision:
    """Mean average precision of all users and of those whose record changed; none: no such user."""

    all_users: float
    changed_users: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Trial:
    """Who was seen to do what (users, items), what was released, and what is to be foretold."""

    seen: csr_array
    released: csr_array
    held_out: csr_array

    @property
    def is_changed(self) -> NDArray[np.bool_]:
        """Whose released record (users,) is not what was seen."""
        differ = abs(self.seen - self.released)
        return np.asarray(differ.sum(axis=1) > 0)

    def precision(self, scores_of: ScoresOf) -> Precision:
        """Return how a recommender ranks what was held out; what was seen is not ranked."""
        found = average_precisions(scores_of, self.seen, self.held_out)
        changed = found[self.is_changed & ~np.isnan(found)]
        of_changed = float(changed.mean()) if len(changed) else None
        return Precision(float(np.nanmean(found)), of_changed)


def read_trial(paths: EvaluatePaths) -> Trial:
    """Return what the files say, in one order of users and items.

    Raises HushrankError when what was held out is no part of the activity, or all of it, or a part
    of what was released.
    """
    activity = read_activity(paths.activity)
    held_out, released = (
        read_activity(path).aligned(activity.users, activity.items)
        for path in (paths.held_out, paths.released)
    )
    seen = _without(activity, held_out)
    whole = set(_records(activity.scores)) - set(_records(seen))
    unseen = "expected a release made without the held-out records: publish with --hold-out"
    n_whole = sum(record in whole for record in _records(released.scores))
    require(n_whole <= MOST_WHOLE * activity.n_users, unseen)
    return Trial(seen, released.scores, held_out.scores)


def _records(scores: csr_array) -> Iterator[bytes]:
    """Yield one key for each record: the same for equal ones."""
    for start, end in pairwise(scores.indptr.tolist()):
        yield (
            scores.indices[start:end].astype(np.int64).tobytes() + scores.data[start:end].tobytes()
        )


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


def evaluate_and_show(paths: EvaluatePaths, repetitions: int, seed: int) -> None:
    """Train and rank, print a table, and write what was asked for."""
    paths.require_usable()
    trial = read_trial(paths)
    with Console(stderr=True).status("recommending"):
        found = {
            "before": _trained(trial, trial.seen, repetitions, seed),
            "after": _trained(trial, trial.released, repetitions, seed),
            "popularity": trial.precision(_popular(trial.seen)),
        }
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(_table(found))
    if paths.json is not None:
        numbers = {name: asdict(each) for name, each in found.items()}
        counts = {"users": trial.seen.shape[0], "changed_users": int(trial.is_changed.sum())}
        result = msgspec.json.encode({"map": numbers, **counts})
        replace_file(paths.json, msgspec.json.format(result) + b"\n", secret=True)
        console.print(f"wrote {plain(str(paths.json))}")


def _trained(trial: Trial, known: csr_array, repetitions: int, seed: int) -> Precision:
    """Return the mean over trainings of what a recommender that knows `known` reaches."""
    found = []
    for stream in np.random.SeedSequence(seed).spawn(repetitions):
        ranking = BayesianRanking.fit(known, rng=np.random.default_rng(stream))
        found.append(trial.precision(ranking.scores))
    changed = [each.changed_users for each in found if each.changed_users is not None]
    return Precision(fmean(each.all_users for each in found), fmean(changed) if changed else None)


def _popular(seen: csr_array) -> ScoresOf:
    of_items = popularity(seen)
    n_users = seen.shape[0]
    return lambda users: np.tile(of_items, (len(range(*users.indices(n_users))), 1))


def _table(found: dict[str, Precision]) -> Table:
    table = Table(title="Mean average precision", title_justify="left")
    table.add_column("recommender")
    for column in ("all users", "users changed"):
        table.add_column(column, justify="right")
    labels = {"before": "on activity as it is", "after": "on released", "popularity": "popularity"}
    for name, each in found.items():
        changed = "-" if each.changed_users is None else f"{each.changed_users:.4f}"
        table.add_row(labels[name], f"{each.all_users:.4f}", changed)
    return table
