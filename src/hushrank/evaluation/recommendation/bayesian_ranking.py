"""Bayesian personalised ranking: the recommender that published activity data must still serve."""

from collections.abc import Callable
from dataclasses import dataclass
from warnings import catch_warnings, filterwarnings

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from hushrank.arrays import Floats32
from hushrank.errors import needs_extra, require


@dataclass(frozen=True)
class BayesianRankingSettings:
    """How to train: a triple (user, item done, item not done) moves the factors at each step."""

    n_factors: int = 32
    learning_rate: float = 0.05
    regularization: float = 0.01
    n_epochs: int = 50

    def __post_init__(self) -> None:
        """Check the numbers."""
        require(self.n_factors >= 1, f"expected at least 1 factor, got {self.n_factors}")
        require(self.n_epochs >= 1, f"expected at least 1 epoch, got {self.n_epochs}")
        rates = self.learning_rate > 0 and self.regularization >= 0
        require(rates, "expected a positive learning rate and a regularization of at least 0")


@dataclass(frozen=True, eq=False, repr=False)
class BayesianRanking:
    """Factors of users (users, f) and items (items, f); a score is their inner product."""

    users: Floats32
    items: Floats32

    @classmethod
    def fit(
        cls,
        activity: csr_array,
        *,
        rng: np.random.Generator,
        settings: BayesianRankingSettings | None = None,
        tell: Callable[[float], object] = lambda share: None,
    ) -> "BayesianRanking":
        """Learn from who did what (users, items): the non-zeros, whatever their scores.

        tell: is told which share of the epochs is done.

        Raises HushrankError when the extra `publish` is not installed, or nobody did anything.
        Source: Rendle, Freudenthaler, Gantner, Schmidt-Thieme (UAI 2009), as in `implicit`.
        """
        require(activity.nnz > 0, "expected some activity to learn from, got none")
        chosen = settings or BayesianRankingSettings()
        did = csr_matrix(activity, dtype=np.float32, copy=True)  # an `Activity` is frozen
        did.data[:] = 1.0
        model = _implicit_model(chosen, int(rng.integers(2**31)))
        done = lambda epoch, *_: tell((epoch + 1) / chosen.n_epochs)  # noqa: E731
        model.fit(did, show_progress=False, callback=done)
        return cls(np.asarray(model.user_factors), np.asarray(model.item_factors))

    def scores(self, users: slice) -> Floats32:
        """Return the scores (users of the slice, items)."""
        scores: Floats32 = self.users[users] @ self.items.T
        return scores


def popularity(activity: csr_array) -> Floats32:
    """Return how many users did each item (items,): a recommender that knows nobody."""
    return np.bincount(activity.indices, minlength=activity.shape[1]).astype(np.float32)


def _implicit_model(settings: BayesianRankingSettings, seed: int):  # type: ignore[no-untyped-def]
    try:
        with catch_warnings():  # of a progress bar that notebooks could have, and nobody sees
            filterwarnings("ignore", message="IProgress not found")
            from implicit.cpu.bpr import BayesianPersonalizedRanking
    except ImportError as missing:
        raise needs_extra("this recommender", "publish") from missing
    return BayesianPersonalizedRanking(
        factors=settings.n_factors,
        learning_rate=settings.learning_rate,
        regularization=settings.regularization,
        iterations=settings.n_epochs,
        num_threads=1,
        random_state=seed,
    )
