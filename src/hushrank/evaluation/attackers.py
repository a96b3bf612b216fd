"""What attackers learn about a private attribute from released activity: the worst one counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats, WholeNumbers
from hushrank.errors import require
from hushrank.evaluation.joint_attackers import (
    copies,
    holders,
    joint_scores,
    n_joint,
    same_records,
    told_values,
)
from hushrank.publishing.classifiers import (
    SCORE_SIZES,
    area_under_curve,
    classifiers,
    cross_fitted_scores,
    one_thread,
    require_foldable,
    score_sizes,
    value_scores,
    views,
)

N_FOLDS, N_HALVES = 5, 2
COPIES, POSTERIOR = "copies", "channel posterior"


@dataclass(frozen=True, eq=False, repr=False)
class AttackCase:
    """What an attacker holds of some users, and the truth that judges the guesses.

    open_records (open users, items) and their values: users who protect nothing, unchanged.
    records (users, items): what was released of those who do; values (users,): their private ones,
    which an attacker who retrains knows of four fifths of them. posterior (users, values) = what
    the channel itself says about a released record, where there is a channel that says it.
    n_copies (users,) = how often each record appears in all that was released, also of users whose
    values nobody knows; counted among `records` where it is not given.
    """

    open_records: csr_array
    open_values: WholeNumbers
    records: csr_array
    values: WholeNumbers
    n_values: int
    posterior: Floats | None = None
    n_copies: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        """Check that the parts fit."""
        same = self.open_records.shape[1] == self.records.shape[1]
        require(same, "expected the same items in both sets of records")
        fits = len(self.open_values) == self.open_records.shape[0]
        fits &= len(self.values) == self.records.shape[0]
        require(fits, "expected one private value for each record")
        for codes in (self.open_values, self.values):
            known = bool(((codes >= 0) & (codes < self.n_values)).all())
            require(known and len(np.unique(codes)) >= 2, "expected 2 or more known values")


@dataclass(frozen=True)
class Attacks:
    """By attacker, how likely it tells a user of a value from one of another: its AUC.

    Half is a coin's; 1 - AUC is what the papers print.
    """

    areas: Mapping[str, float]

    @property
    def strongest(self) -> str:
        """The attacker who learns most."""
        return max(self.areas, key=self.areas.__getitem__)

    @property
    def worst(self) -> float:
        """1 - AUC of the strongest attacker: the figure that counts."""
        return 1 - self.areas[self.strongest]


def attack(
    release: AttackCase,
    *,
    rng: np.random.Generator,
    tell: Callable[[float], object] = lambda share: None,
) -> Attacks:
    """Let every attacker guess.

    Each classifier is taught on open users' records (`original`), and on released records whose
    users' values leaked (`retrained`, by cross-fitting). Others see how often a record was
    released, the channel's posterior, or how large scores are and how they are spread, which
    classifiers do not. The stack is taught what all of these say who know half of the values. The
    joint ones know half, or four fifths, and what the values say of users with the same record.
    tell: is told which share of the classifiers has been taught.
    Raises HushrankError, before any is taught, when scikit-learn is missing, or a value has fewer
    users than folds.
    """
    require_foldable(release.values, N_FOLDS)
    with one_thread(), np.errstate(divide="ignore", invalid="ignore"):  # equal ones do not vary
        told = _Taught(tell)
        scores = _original(release, rng, told) | _retrained(release, rng, told)
        scores[COPIES] = _rising(np.log(_copies(release).astype(np.float64)), release)
        sizes = dict(zip(SCORE_SIZES, score_sizes(release.records).T, strict=True))
        scores |= {name: _rising(each, release) for name, each in sizes.items() if np.ptp(each)}
        if release.posterior is not None:
            scores[POSTERIOR] = np.log(np.maximum(release.posterior, 1e-12))
        scores["stack of all"] = _stacked(scores, release, rng, told)
        scores |= _joint(scores, release, rng, told)
    others = {name: found for name, found in scores.items() if name not in sizes}
    areas = {name: area_under_curve(found, release.values) for name, found in others.items()}
    areas |= {name: _area_by_size(each, release.values) for name, each in sizes.items()}
    return Attacks(areas | {COPIES: max(areas[COPIES], 1 - areas[COPIES])})


@dataclass
class _Taught:
    """Counts what has been taught: classifiers once, their folds, and joint ones by theirs."""

    tell: Callable[[float], object]
    n: int = 0

    def __call__(self) -> None:
        self.n += 1
        of_one = 1 + N_FOLDS + N_HALVES * (1 + N_HALVES)
        whole = of_one * len(classifiers()) + n_joint()
        self.tell(min(1.0, self.n / whole))


def bound_on_attacks(records: csr_array, values: WholeNumbers, n_values: int) -> float:
    """Return the least 1 - AUC of anybody who sees records alone, and knows no user's value.

    Of users with one record nobody can tell who is who; the best there is knows how many of them
    have which value, and guesses in that order. The mean over values where there are more than 2.
    records (users, items), values (users,): of those who protect something.
    Source: Neyman, Pearson (1933).
    """
    told = told_values(values, n_values, np.arange(len(values)))
    counts = holders(same_records(records), told) + told
    return 1 - area_under_curve(counts / counts.sum(axis=1, keepdims=True), values)


def _original(release: AttackCase, rng: np.random.Generator, told: _Taught) -> dict[str, Floats]:
    scores = {}
    for name, make, (known, asked) in views(release.open_records, release.records):
        taught = make(int(rng.integers(2**31))).fit(known, release.open_values)
        scores[f"{name}, original"] = value_scores(taught, asked, release.n_values)
        told()
    return scores


def _retrained(release: AttackCase, rng: np.random.Generator, told: _Taught) -> dict[str, Floats]:
    return {
        f"{name}, retrained": cross_fitted_scores(
            make, seen, release.values, release.n_values, n_folds=N_FOLDS, rng=rng, tell=told
        )
        for name, make, (seen,) in views(release.records)
    }


def _joint(
    scores: Mapping[str, Floats], release: AttackCase, rng: np.random.Generator, told: _Taught
) -> Mapping[str, Floats]:
    """Return what attackers conclude who know others' values, and all that needs no value."""
    alone = [scores[name] for name in _without_values(scores) if name != COPIES]
    teachers = np.column_stack([each[:, 1:] - each[:, :1] for each in alone])
    seen = release.n_values, teachers, _copies(release)
    return joint_scores(release.records, release.values, *seen, rng=rng, tell=told)


def _without_values(scores: Mapping[str, Floats]) -> list[str]:
    """Return the attackers who need no protected user's value."""
    return [
        name
        for name in scores
        if name.endswith(", original") or name in (COPIES, POSTERIOR, *SCORE_SIZES)
    ]


def _rising(number: Floats, release: AttackCase) -> Floats:
    """Return a number (users,) as the score of all values but the first, whose score falls."""
    return np.column_stack([-number, *[number] * (release.n_values - 1)])


def _area_by_size(sizes: Floats, values: WholeNumbers) -> float:
    """Return the AUC of who guesses by one of SCORE_SIZES, and knows which way for a value."""
    guesses, areas = np.column_stack([-sizes, sizes]), []
    for value in np.unique(values):
        area = area_under_curve(guesses, (values == value).astype(np.intp))
        areas.append(max(area, 1 - area))
    return float(np.mean(areas))


def _copies(release: AttackCase) -> NDArray[np.intp]:
    return copies(release.records) if release.n_copies is None else release.n_copies


def _stacked(
    scores: Mapping[str, Floats], release: AttackCase, rng: np.random.Generator, told: _Taught
) -> Floats:
    """Return the scores of a logistic regression on what all say who know half of the values.

    What it learns from is said without the values of those whom it then guesses, too: where many
    records are equal, what others say of their holders would betray these by what is left over.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    records, values, n_values = release.records, release.values, release.n_values
    alone = np.column_stack([scores[name] for name in _without_values(scores)])
    folds = StratifiedKFold(N_HALVES, shuffle=True, random_state=int(rng.integers(2**31)))
    found = np.zeros((len(values), n_values))
    for known, asked in folds.split(alone, values):
        of_known = records[known], values[known]
        within, foretold = _by_known(*of_known, records[asked], n_values, rng, told)
        stack = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        stack.fit(np.column_stack([alone[known], within]), values[known])
        found[asked] = value_scores(stack, np.column_stack([alone[asked], foretold]), n_values)
    return found


def _by_known(
    known_records: csr_array,
    values: WholeNumbers,
    asked_records: csr_array,
    n_values: int,
    rng: np.random.Generator,
    told: _Taught,
) -> tuple[Floats, Floats]:
    """Return what classifiers say of known users, by cross-fitting, and of those asked about."""
    within, foretold = [], []
    for _, make, (known, asked) in views(known_records, asked_records):
        within.append(
            cross_fitted_scores(make, known, values, n_values, n_folds=N_HALVES, rng=rng, tell=told)
        )
        final = make(int(rng.integers(2**31))).fit(known, values)
        foretold.append(value_scores(final, asked, n_values))
        told()
    return np.hstack(within), np.hstack(foretold)
