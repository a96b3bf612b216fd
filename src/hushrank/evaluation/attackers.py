"""What attackers learn about a private attribute from released activity: the worst one counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats, WholeNumbers
from hushrank.errors import require
from hushrank.evaluation.joint_attackers import copies, joint_scores, n_joint
from hushrank.publishing.classifiers import (
    area_under_curve,
    classifiers,
    cross_fitted_scores,
    features,
    one_thread,
    require_foldable,
    value_scores,
)

N_FOLDS = 5
POSTERIOR = "channel posterior"


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
    released, or the channel's posterior. The stack is taught what all of these say. The joint ones
    know half, or four fifths, of the values, and what they say of users with the same record.
    tell: is told which share of the classifiers has been taught.
    Raises HushrankError, before any is taught, when scikit-learn is missing, or a value has fewer
    users than folds.
    """
    require_foldable(release.values, N_FOLDS)
    with one_thread(), np.errstate(invalid="ignore"):  # withheld records have no variance
        told = _Taught(tell)
        scores = _original(release, rng, told) | _retrained(release, rng, told)
        scores["copies"] = _log_copies(release)
        if release.posterior is not None:
            scores[POSTERIOR] = np.log(np.maximum(release.posterior, 1e-12))
        scores["stack of all"] = _stacked(scores, release, rng)
        scores |= _joint(scores, release, rng, told)
    areas = {name: area_under_curve(found, release.values) for name, found in scores.items()}
    return Attacks(areas | {"copies": max(areas["copies"], 1 - areas["copies"])})


@dataclass
class _Taught:
    """Counts what has been taught: classifiers once, their folds, and joint ones by theirs."""

    tell: Callable[[float], object]
    n: int = 0

    def __call__(self) -> None:
        self.n += 1
        whole = (1 + N_FOLDS) * len(classifiers()) + n_joint()
        self.tell(min(1.0, self.n / whole))


def _original(release: AttackCase, rng: np.random.Generator, told: _Taught) -> dict[str, Floats]:
    known, asked = features(release.open_records), features(release.records)
    scores = {}
    for name, make in classifiers().items():
        taught = make(int(rng.integers(2**31))).fit(known, release.open_values)
        scores[f"{name}, original"] = value_scores(taught, asked, release.n_values)
        told()
    return scores


def _retrained(release: AttackCase, rng: np.random.Generator, told: _Taught) -> dict[str, Floats]:
    seen = features(release.records)
    return {
        f"{name}, retrained": cross_fitted_scores(
            make, seen, release.values, release.n_values, n_folds=N_FOLDS, rng=rng, tell=told
        )
        for name, make in classifiers().items()
    }


def _joint(
    scores: Mapping[str, Floats], release: AttackCase, rng: np.random.Generator, told: _Taught
) -> Mapping[str, Floats]:
    """Return what attackers conclude who know others' values, and all that needs no value."""
    alone = [name for name in scores if name.endswith(", original") or name == POSTERIOR]
    teachers = np.column_stack([scores[name][:, 1:] - scores[name][:, :1] for name in alone])
    seen = release.n_values, teachers, _copies(release)
    return joint_scores(release.records, release.values, *seen, rng=rng, tell=told)


def _log_copies(release: AttackCase) -> Floats:
    """Return one score for all values but the first, and its opposite for that."""
    many = np.log(_copies(release).astype(np.float64))
    return np.column_stack([-many, *[many] * (release.n_values - 1)])


def _copies(release: AttackCase) -> NDArray[np.intp]:
    return copies(release.records) if release.n_copies is None else release.n_copies


def _stacked(scores: Mapping[str, Floats], release: AttackCase, rng: np.random.Generator) -> Floats:
    """Return the scores of a logistic regression on what all the others say."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return cross_fitted_scores(
        lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        np.column_stack(list(scores.values())),
        release.values,
        release.n_values,
        n_folds=N_FOLDS,
        rng=rng,
    )
