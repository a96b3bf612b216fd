"""Attackers who know the values of some protected users, and what those say of the others.

Released records hang together: of two users with one record, one has probably one value and the
other the other. Whoever knows some users' values learns more than each record tells by itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import record_keys
from hushrank.arrays import Floats, Indices, WholeNumbers
from hushrank.publishing.classifiers import Classifier, features, value_scores

FOLDS_LEAKED = {"half leaked": 2, "four fifths leaked": 5}
"""How many folds users are split into; the values of all folds but the one attacked leaked."""
NEAREST = (10, 40, 160)
"""Of how many neighbours the known values are counted."""
PRIOR_WEIGHT = 5.0
"""So many made-up neighbours with the values of all: few known ones say little."""
ROWS_AT_ONCE = 512
ROUNDS, QUADRATIC_LOOSENESS = 100, 0.02
ROUNDING = 1e-9
"""What varies by less is one number: scaled up, its rounding would stand for other columns."""


def joint_scores(
    records: csr_array,
    values: WholeNumbers,
    n_values: int,
    teachers: Floats,
    n_copies: NDArray[np.intp],
    *,
    rng: np.random.Generator,
    tell: Callable[[], object] = lambda: None,
) -> Mapping[str, Floats]:
    """Return the scores (users, values) of every attacker who uses several users at once, by name.

    records (users, items) and values (users,) are of the protected users, at least as many of each
    value as there are folds; teachers (users, t) is what attackers say of each record who know no
    protected user, n_copies (users,) how often each was released. No user is judged, or taught
    about, with the help of that user's own value.
    tell: is called after each fold.
    Cost: quadratic in users, in blocks.   Source: ours, after an outside audit.
    """
    from sklearn.model_selection import StratifiedKFold

    same, near = same_records(records), nearest_users(features(records), max(NEAREST))
    fixed = np.column_stack([teachers, np.log(n_copies)])
    scores: dict[str, Floats] = {}
    for leaked, n_folds in FOLDS_LEAKED.items():
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
        seed = int(rng.integers(2**31))
        found = {name: np.zeros((len(values), n_values)) for name in LEARNERS}
        for known, asked in folds.split(fixed, values):
            told = told_values(values, n_values, known)
            seen = np.column_stack([fixed, holders(same, told), neighbours(near, told)])
            seen = seen[:, np.ptp(seen[known], axis=0) > ROUNDING]
            for name, make in LEARNERS.items():
                if seen.size:  # else all are alike
                    taught = make(seed).fit(seen[known], values[known])
                    found[name][asked] = value_scores(taught, seen[asked], n_values)
                tell()
        scores |= {f"{name}, {leaked}": each for name, each in found.items()}
    return scores


def n_joint() -> int:
    """Return how many classifiers are taught: one a fold and learner."""
    return sum(FOLDS_LEAKED.values()) * len(LEARNERS)


def told_values(values: WholeNumbers, n_values: int, known: Indices) -> Floats:
    """Return who is known to have which value (users, values): 1, and 0 for all the others."""
    told = np.zeros((len(values), n_values))
    told[known, values[known]] = 1.0
    return told


def holders(same: Indices, told: Floats) -> Floats:
    """Return how many known users have the same record, by value (users, values), without oneself.

    same (users,): the number of each one's record.
    """
    counts = np.zeros((int(same.max()) + 1, told.shape[1]))
    np.add.at(counts, same, told)
    others: Floats = counts[same] - told
    return others


def neighbours(near: Indices, told: Floats) -> Floats:
    """Return the shares of values among the nearest known users (users, len(NEAREST) (values - 1)).

    near (users, k): the nearest first; that of the first value follows from the others.
    """
    prior = told.sum(axis=0) / told.sum() * PRIOR_WEIGHT
    found = []
    for n_near in NEAREST:
        counts = told[near[:, :n_near]].sum(axis=1) + prior
        found.append((counts / counts.sum(axis=1, keepdims=True))[:, 1:])
    return np.column_stack(found)


def same_records(records: csr_array) -> NDArray[np.intp]:
    """Return a number (users,) for each record: the same for equal ones."""
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in record_keys(records)])


def copies(records: csr_array) -> NDArray[np.intp]:
    """Return how many records (users,) are equal to each one, itself included."""
    keys = record_keys(records)
    sizes = Counter(keys)
    return np.array([sizes[key] for key in keys])


def nearest_users(records: csr_array, n_near: int) -> NDArray[np.intp]:
    """Return the other users with the nearest records (users, n_near or all), the nearest first."""
    n_users = records.shape[0]
    n_kept = min(n_near, n_users - 1)
    transposed = csr_array(records.T)
    found = np.empty((n_users, n_kept), dtype=np.intp)
    for start in range(0, n_users, ROWS_AT_ONCE):
        likeness = (records[start : start + ROWS_AT_ONCE] @ transposed).toarray()
        block = np.arange(len(likeness))
        likeness[block, start + block] = -np.inf
        found[start + block] = np.argsort(-likeness, axis=1, kind="stable")[:, :n_kept]
    return found


def _boosting(seed: int) -> Classifier:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=ROUNDS,
        learning_rate=0.05,
        max_leaf_nodes=6,
        l2_regularization=1.0,
        random_state=seed,
    )


def _quadratic(seed: int) -> Classifier:
    from sklearn.feature_selection import VarianceThreshold
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    products = PolynomialFeatures(2, include_bias=False)
    logistic = LogisticRegression(C=QUADRATIC_LOOSENESS, max_iter=1000)
    varying = VarianceThreshold(ROUNDING)  # squares of two values that are as frequent are all one
    return make_pipeline(StandardScaler(), products, varying, StandardScaler(), logistic)


LEARNERS: Mapping[str, Callable[[int], Classifier]] = {
    "joint boosting": _boosting,
    "joint quadratic": _quadratic,
}
