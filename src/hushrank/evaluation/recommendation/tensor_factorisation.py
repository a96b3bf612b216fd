"""Recommend what to do in a context: pairwise interaction tensor factorisation."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hushrank.arrays import Floats, WholeNumbers
from hushrank.errors import require
from hushrank.kernels import kernel

INITIAL_SPREAD = 0.1


@dataclass(frozen=True)
class TensorSettings:
    """How to train: `n_epochs` passes, each of as many steps as there are observations."""

    n_factors: int = 32
    learning_rate: float = 0.05
    regularization: float = 0.01
    n_epochs: int = 30

    def __post_init__(self) -> None:
        """Check the numbers."""
        positive = min(self.n_factors, self.n_epochs) >= 1 and self.learning_rate > 0
        require(positive, "expected positive numbers of factors and epochs, and learning rate")
        require(self.regularization >= 0, "expected a regularization of at least 0")


@dataclass(frozen=True, eq=False, repr=False)
class TensorFactorisation:
    """score(user, context, activity) = users . activities_of_users + contexts . of_contexts.

    users (users, f), contexts (contexts, f), of_users and of_contexts (activities, f).
    What a user and a context have in common alone moves no ranking of activities.
    Source: Rendle, Schmidt-Thieme (WSDM 2010), PITF, trained by Bayesian personalised ranking.
    """

    users: Floats
    contexts: Floats
    of_users: Floats
    of_contexts: Floats

    @classmethod
    def fit(
        cls,
        observations: WholeNumbers,
        shape: tuple[int, int, int],
        *,
        rng: np.random.Generator,
        settings: TensorSettings | None = None,
    ) -> "TensorFactorisation":
        """Learn from observations (n, 3): which user did in which context which activity.

        `shape` = how many users, contexts and activities there are. An activity that a user is not
        known to do in the context ranks below one that is.
        Raises HushrankError for codes outside the shape, and without observations.
        """
        seen = _distinct(observations, shape)
        chosen = settings or TensorSettings()
        sizes = (shape[0], shape[1], shape[2], shape[2])
        drawn = (rng.normal(0, INITIAL_SPREAD, (size, chosen.n_factors)) for size in sizes)
        factors = _Factors(*drawn)
        rates = chosen.learning_rate, chosen.regularization
        keys = np.ravel_multi_index((seen[:, 0], seen[:, 1], seen[:, 2]), shape)
        for _ in range(chosen.n_epochs):
            rows = rng.integers(len(seen), size=len(seen))
            others = rng.integers(shape[2], size=len(seen))
            is_done = np.isin(keys[rows] - seen[rows, 2] + others, keys)
            triples = np.column_stack([seen[rows], others])[~is_done]
            _descend(triples, factors, *rates)
        return cls(*factors)

    def scores(self, users: WholeNumbers, contexts: WholeNumbers) -> Floats:
        """Return the scores (n, activities) of all activities for n users in their contexts."""
        known: Floats = self.users[users] @ self.of_users.T
        known += self.contexts[contexts] @ self.of_contexts.T
        return known


def _distinct(observations: WholeNumbers, shape: tuple[int, int, int]) -> WholeNumbers:
    require(observations.ndim == 2 and observations.shape[1] == 3, "expected rows of 3 codes")
    require(len(observations) >= 1, "expected at least 1 observation, got 0")
    inside = bool(((observations >= 0) & (observations < np.array(shape))).all())
    require(inside, f"expected codes within the shape {shape}")
    return np.unique(observations.astype(np.int64), axis=0)


class _Factors(NamedTuple):
    """The fields of `TensorFactorisation`, while they are learnt."""

    users: Floats
    contexts: Floats
    of_users: Floats
    of_contexts: Floats


@kernel
def _descend(triples: WholeNumbers, factors: _Factors, rate: float, regularization: float) -> None:
    """Take a step for each (user, context, done, not done), in place."""
    users, contexts, of_users, of_contexts = factors
    kept = 1.0 - rate * regularization
    for row in range(len(triples)):
        user, context, done, other = triples[row]
        u, c = users[user].copy(), contexts[context].copy()
        by_user = of_users[done] - of_users[other]
        by_context = of_contexts[done] - of_contexts[other]
        pull = rate / (1.0 + np.exp(u @ by_user + c @ by_context))
        users[user] = kept * u + pull * by_user
        contexts[context] = kept * c + pull * by_context
        of_users[done] = kept * of_users[done] + pull * u
        of_users[other] = kept * of_users[other] - pull * u
        of_contexts[done] = kept * of_contexts[done] + pull * c
        of_contexts[other] = kept * of_contexts[other] - pull * c
