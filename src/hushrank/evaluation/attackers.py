"""What attackers learn about a private attribute from released activity: the worst one counts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats, WholeNumbers
from hushrank.errors import require
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


def attack(release: AttackCase, *, rng: np.random.Generator) -> Attacks:
    """Let every attacker guess.

    Each classifier is taught on open users' records (`original`), and on released records whose
    users' values leaked (`retrained`, by cross-fitting). Others see how often a record was
    released, or the channel's posterior. The last stacks all of them.
    Raises HushrankError, before any is taught, when scikit-learn is missing, or a value has fewer
    users than folds.
    """
    require_foldable(release.values, N_FOLDS)
    with one_thread():
        scores = _original(release, rng) | _retrained(release, rng)
        scores["copies"] = _log_copies(release)
        if release.posterior is not None:
            scores["channel posterior"] = np.log(np.maximum(release.posterior, 1e-12))
        scores["stack of all"] = _stacked(scores, release, rng)
    areas = {name: area_under_curve(found, release.values) for name, found in scores.items()}
    return Attacks(areas | {"copies": max(areas["copies"], 1 - areas["copies"])})


def copies(records: csr_array) -> NDArray[np.intp]:
    """Return how many records (users,) are equal to each one, itself included."""
    keys = [
        records.indices[start:end].tobytes() + records.data[start:end].tobytes()
        for start, end in pairwise(records.indptr.tolist())
    ]
    sizes = Counter(keys)
    return np.array([sizes[key] for key in keys])


def _original(release: AttackCase, rng: np.random.Generator) -> dict[str, Floats]:
    known, asked = features(release.open_records), features(release.records)
    scores = {}
    for name, make in classifiers().items():
        taught = make(int(rng.integers(2**31))).fit(known, release.open_values)
        scores[f"{name}, original"] = value_scores(taught, asked, release.n_values)
    return scores


def _retrained(release: AttackCase, rng: np.random.Generator) -> dict[str, Floats]:
    seen = features(release.records)
    return {
        f"{name}, retrained": cross_fitted_scores(
            make, seen, release.values, release.n_values, n_folds=N_FOLDS, rng=rng
        )
        for name, make in classifiers().items()
    }


def _log_copies(release: AttackCase) -> Floats:
    """Return one score for all values but the first, and its opposite for that."""
    found = copies(release.records) if release.n_copies is None else release.n_copies
    many = np.log(found.astype(np.float64))
    return np.column_stack([-many, *[many] * (release.n_values - 1)])


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
