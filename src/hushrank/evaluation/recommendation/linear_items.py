"""Weights between items: a recommender that learns in one step, without drawing anything."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.errors import require

STRENGTH = 300.0
"""Of regularization: between the source's for its smaller and its larger data."""
MOST_ITEMS = 10_000
"""Items times items are held at once, and inverted."""


@dataclass(frozen=True, eq=False, repr=False)
class LinearItems:
    """Weights (items, items), and who did what (users, items): scores are their product."""

    records: csr_array
    weights: Floats

    @classmethod
    def fit(cls, activity: csr_array, *, strength: float = STRENGTH) -> "LinearItems":
        """Learn from who did what (users, items): the non-zeros, whatever their scores.

            minimise  |X - X B|^2 + strength |B|^2   within  diag(B) = 0

        Cost: cubic in items.   Raises HushrankError for more items than can be held.
        Source: Steck (WWW 2019), EASE.
        """
        n_items = activity.shape[1]
        require(
            n_items <= MOST_ITEMS, f"ease: expected at most {MOST_ITEMS:,} items, got {n_items:,}"
        )
        marks = np.ones(activity.nnz), activity.indices, activity.indptr
        did = csr_array(marks, shape=activity.shape)
        gram = (did.T @ did).toarray()
        gram[np.diag_indices(n_items)] += strength
        inverse = np.linalg.inv(gram)
        weights: Floats = inverse / -np.diag(inverse)
        weights[np.diag_indices(n_items)] = 0.0
        return cls(did, weights)

    def scores(self, users: slice) -> Floats:
        """Return the scores (users of the slice, items)."""
        scores: Floats = np.asarray(self.records[users] @ self.weights)
        return scores
