"""Guess a private value from a record of activity: classifiers of attackers and defenders."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, hstack

from hushrank.arrays import Floats, WholeNumbers
from hushrank.errors import needs_extra, require

Classifier: TypeAlias = Any
"""Of scikit-learn, which ships no types: fit, and predict_proba or decision_function."""
MakesClassifier: TypeAlias = Callable[[int], Classifier]
"""From a seed."""

N_COMPONENTS = 50
N_NEIGHBOURS = 50
BOOSTING_ROUNDS = 150
SVM_LOOSENESS, LOGISTIC_LOOSENESS = 0.2, 2.0
"""Of records of length 1: the inverse of how strongly a classifier is regularized."""
SCORE_SIZES = (
    "size of scores",
    "spread of scores",
    "largest score",
    "least score",
    "fractions of scores",
)
"""What `score_sizes` says, by column."""
SHARES = "shares of scores"
"""The classifier that looks at which scores a record has how often, and at nothing else."""
MOST_LEVELS = 10
SQUARES_VANISH = 1e-100
"""Records of such small scores alone are scaled up first: floats do not hold their squares."""


def classifiers() -> dict[str, MakesClassifier]:
    """Return what makes each classifier from a seed, by name.

    Those that cannot take thousands of sparse columns see the first components of the records.
    Raises HushrankError when scikit-learn is not installed.
    """
    require_sklearn()
    return {
        "linear SVM": _linear_svm,
        "logistic regression": _logistic_regression,
        "naive Bayes": _naive_bayes,
        "gradient boosting": _gradient_boosting,
        "nearest neighbours": _NearestNeighbours,
    }


def features(scores: csr_array) -> csr_array:
    """Return what classifiers see of records (users, items): log(1 + score), each of length 1."""
    weights = np.log1p(scores.data.astype(np.float64))
    users = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    largest = np.zeros(scores.shape[0])
    np.maximum.at(largest, users, weights)
    weights /= np.where(largest < SQUARES_VANISH, largest, 1.0)[users]
    lengths = np.sqrt(np.bincount(users, weights**2, minlength=scores.shape[0]))
    weights /= lengths[users]
    narrow = scores.indices.astype(np.int32), scores.indptr.astype(np.int32)  # all sklearn takes
    return csr_array((weights, *narrow), shape=scores.shape)


def views(*records: csr_array) -> Iterator[tuple[str, MakesClassifier, Sequence[Any]]]:
    """Yield each classifier's name, what makes it from a seed, and what it sees of these records.

    The first records are those that it is taught on. To `classifiers`, who see features, comes
    SHARES where these first records differ in which scores they have how often.
    Raises HushrankError when scikit-learn is not installed.
    """
    seen = [features(each) for each in records]
    for name, make in classifiers().items():
        yield name, make, seen
    levels = _levels(records[0].data)
    shares = [_score_shares(each, levels) for each in records]
    if np.ptp(shares[0], axis=0).any():
        yield SHARES, _of_shares, shares


def score_sizes(scores: csr_array) -> Floats:
    """Return how large each record's scores are (users, SCORE_SIZES): `features` do not tell.

    Of log(1 + score) the mean, the standard deviation, and how far the largest and the least are
    from the mean; and the share of scores that are no whole numbers. Of a user without records,
    which features do tell, what others have on average. Rounded, or records of ones would differ by
    their length.
    """
    n_users, n_records = scores.shape[0], np.diff(scores.indptr)
    users, logs = np.repeat(np.arange(n_users), n_records), np.log1p(scores.data)

    def means(numbers: Floats) -> Floats:
        found: Floats = np.bincount(users, numbers, n_users) / np.maximum(n_records, 1)
        return found

    size = means(logs)
    off = logs - size[users]
    above, below = np.zeros((2, n_users))
    np.maximum.at(above, users, off)
    np.minimum.at(below, users, off)
    fractions = means((scores.data % 1 > 0).astype(np.float64))
    sizes: Floats = np.column_stack([size, np.sqrt(means(off**2)), above, below, fractions])
    return _as_others(sizes, n_records).round(9)


def _levels(scores: Floats) -> Floats:
    """Return the scores that there are, or MOST_LEVELS of them that part all evenly."""
    found = np.unique(scores)
    if len(found) > MOST_LEVELS:
        parts = (np.arange(MOST_LEVELS) + 0.5) / MOST_LEVELS
        found = np.unique(np.quantile(scores, parts, method="inverted_cdf"))
    return found


def _score_shares(scores: csr_array, levels: Floats) -> Floats:
    """Return which share of a record's scores lies at each level (users, levels + 1).

    A level has the scores up to it that are above the level before; the last column has those above
    all levels. Of a user without records, what others have on average.
    """
    n_users, n_records, n_bins = scores.shape[0], np.diff(scores.indptr), len(levels) + 1
    users = np.repeat(np.arange(n_users), n_records)
    places = users * n_bins + np.searchsorted(levels, scores.data)
    counts = np.bincount(places, minlength=n_users * n_bins).reshape(n_users, n_bins)
    return _as_others(counts / np.maximum(n_records, 1)[:, None], n_records)


def _as_others(numbers: Floats, n_records: WholeNumbers) -> Floats:
    """Give users without records what others have on average: features tell who they are."""
    if 0 < np.count_nonzero(n_records) < len(n_records):
        numbers[n_records == 0] = numbers[n_records > 0].mean(axis=0)
    return numbers


def require_sklearn() -> None:
    """Raise HushrankError, which says how to get it, unless scikit-learn is installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError as missing:
        raise needs_extra("this method, attacker or clustering", "publish") from missing


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep what scikit-learn calls to one thread: records are few, and threads wait for another."""
    require_sklearn()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def value_scores(classifier: Classifier, records: csr_array | Floats, n_values: int) -> Floats:
    """Return a score (users, values) for each value: log-probabilities, or distances to a border.

    A value that the classifier never saw scores least.
    """
    if hasattr(classifier, "predict_proba"):
        found = np.log(np.maximum(classifier.predict_proba(records), 1e-12))
    else:
        found = np.asarray(classifier.decision_function(records))
        found = np.column_stack([-found, found]) if found.ndim == 1 else found
    scores = np.full((found.shape[0], n_values), found.min() - 1.0)
    scores[:, classifier.classes_] = found
    return scores


def cross_fitted_scores(
    make: MakesClassifier,
    records: csr_array | Floats,
    values: WholeNumbers,
    n_values: int,
    *,
    n_folds: int,
    rng: np.random.Generator,
    tell: Callable[[], object] = lambda: None,
) -> Floats:
    """Return scores (users, values) of users whose values their classifier was not taught.

    tell: is called after each fold.

    Raises HushrankError when a value has fewer users than there are folds.
    """
    from sklearn.model_selection import StratifiedKFold

    require_foldable(values, n_folds)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    scores = np.zeros((len(values), n_values))
    for taught, asked in folds.split(np.zeros(len(values)), values):
        classifier = make(int(rng.integers(2**31))).fit(records[taught], values[taught])
        scores[asked] = value_scores(classifier, records[asked], n_values)
        tell()
    return scores


def require_foldable(values: WholeNumbers, n_folds: int) -> None:
    """Raise HushrankError when a value that somebody has has fewer users than there are folds."""
    fewest = np.unique(values, return_counts=True)[1].min(initial=len(values))
    require(fewest >= n_folds, f"expected {n_folds} or more users of each value, got {fewest}")


def area_under_curve(scores: Floats, values: WholeNumbers) -> float:
    """Return the probability that a user of a value scores more for it than one of another.

    Ties count half; the mean over the values that somebody has (one of two would say the same).
    """
    from scipy.stats import rankdata

    areas = []
    for value in np.unique(values):
        own = values == value
        n_own, n_others = int(own.sum()), int((~own).sum())
        above = rankdata(scores[:, value])[own].sum() - n_own * (n_own + 1) / 2
        areas.append(above / (n_own * n_others) if n_others else np.nan)
    return float(np.mean(areas))


def variance_by_chance(values: WholeNumbers, n_equal: WholeNumbers) -> float:
    """Return the variance of `area_under_curve` of scores that know nothing of values.

    n_equal (users,): how many users score the same as each one, itself included. The mean over the
    values that somebody has: the variance of their mean is no larger.
    Source: the Mann-Whitney statistic, with ties.
    """
    n = len(values)
    of_value = np.unique(values, return_counts=True)[1].astype(np.float64)
    by_ties = 1 - (n_equal.astype(np.float64) ** 2 - 1).sum() / (n**3 - n)
    return float(np.mean((n + 1) / (12 * of_value * (n - of_value)))) * float(by_ties)


def _components(seed: int) -> Classifier:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    widened = FunctionTransformer(_wide_enough, accept_sparse=True)
    return make_pipeline(widened, TruncatedSVD(N_COMPONENTS, random_state=seed))


def _wide_enough(records: csr_array) -> csr_array:
    """Add empty columns where there are fewer items than components."""
    n_users, n_items = records.shape
    if n_items >= N_COMPONENTS:
        return records
    return csr_array(hstack([records, csr_array((n_users, N_COMPONENTS - n_items))]))


def _linear_svm(seed: int) -> Classifier:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=SVM_LOOSENESS, random_state=seed)


def _logistic_regression(seed: int) -> Classifier:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=LOGISTIC_LOOSENESS, max_iter=1000)


def _of_shares(seed: int) -> Classifier:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))


def _naive_bayes(seed: int) -> Classifier:
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


def _gradient_boosting(seed: int) -> Classifier:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline

    boosted = HistGradientBoostingClassifier(
        max_iter=BOOSTING_ROUNDS, learning_rate=0.05, max_leaf_nodes=8, random_state=seed
    )
    return make_pipeline(_components(seed), boosted)


@dataclass(frozen=True)
class _NearestNeighbours:
    """A vote of N_NEIGHBOURS users, or of all that were taught where they are fewer."""

    seed: int

    def fit(self, records: csr_array, values: WholeNumbers) -> Classifier:
        """Return the fitted classifier; only here it is known how many users there are."""
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline

        n_neighbours = min(N_NEIGHBOURS, len(values))
        voting = make_pipeline(_components(self.seed), KNeighborsClassifier(n_neighbours))
        return voting.fit(records, values)
