"""How likely each private value of a user is, given the record: learnt from users who tell."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Floats, WholeNumbers
from hushrank.errors import require
from hushrank.publishing.classifiers import (
    classifiers,
    cross_fitted_scores,
    one_thread,
    score_sizes,
    value_scores,
    views,
)

N_FOLDS = 5
LEAST_BELIEF = 1e-6


def beliefs(
    open_scores: csr_array,
    open_values: WholeNumbers,
    scores: csr_array,
    n_values: int,
    *,
    rng: np.random.Generator,
    tell: Callable[[float], object] = lambda share: None,
) -> Floats:
    """Return P(value | record) (users, values) by a stack of all classifiers.

    open_scores (open users, items), open_values: users who protect nothing, and tell. A logistic
    regression on the classifiers' cross-fitted scores, and on how large a record's scores are and
    how they are spread, where that differs, calibrates them. tell: is told which share of the
    classifiers has been taught.
    Raises HushrankError when a value has too few open users, or scikit-learn is missing.
    """
    every = bool((np.bincount(open_values, minlength=n_values) >= N_FOLDS).all())
    require(every, f"expected {N_FOLDS} or more users of each value who protect nothing")
    taught, foretold = [], []
    with one_thread():
        for number, (_, make, (known, asked)) in enumerate(views(open_scores, scores), start=1):
            taught.append(
                cross_fitted_scores(make, known, open_values, n_values, n_folds=N_FOLDS, rng=rng)
            )
            final = make(int(rng.integers(2**31))).fit(known, open_values)
            foretold.append(value_scores(final, asked, n_values))
            tell(min(1.0, number / len(classifiers())))
        differ = np.ptp(sizes := score_sizes(open_scores), axis=0) > 0
        taught.append(sizes[:, differ])
        foretold.append(score_sizes(scores)[:, differ])
        return _calibrated(np.hstack(taught), open_values, np.hstack(foretold))


def _calibrated(taught: Floats, values: WholeNumbers, asked: Floats) -> Floats:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    stack = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    stack.fit(taught, values)
    found = np.maximum(stack.predict_proba(asked), LEAST_BELIEF)
    believed: Floats = found / found.sum(axis=1, keepdims=True)
    return believed
