"""Mechanisms that hide one category on a device."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from hushrank.accounting.rounding import log_above
from hushrank.audit.subject import Observations, Subject
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import buckets_of
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.randomness import Randomness

N_CATEGORIES = 4
MECHANISMS: tuple[tuple[str, Callable[[int, float], Any], int], ...] = (
    ("grr", GeneralizedRandomizedResponse, N_CATEGORIES),
    ("rappor", SymmetricUnaryEncoding, N_CATEGORIES),
    ("oue", OptimisedUnaryEncoding, N_CATEGORIES),
    ("olh", OptimisedLocalHashing, N_CATEGORIES),
    ("sh", SuccinctHistogram, N_CATEGORIES),
    ("harmony", Harmony, N_CATEGORIES),
)


def local_subjects(epsilon: float) -> Iterator[Subject]:
    """Yield each mechanism, with every pair of its categories."""
    for name, make, n_categories in MECHANISMS:
        mechanism = make(n_categories, epsilon)
        inputs = {f"category {category}": category for category in range(n_categories)}
        yield Subject(
            f"mechanism {name}",
            epsilon,
            inputs,
            tuple(combinations(inputs, 2)),
            _reports_of(mechanism),
            exact=log_above(mechanism.rates.worst_ratio),
        )
    yield _laplace(epsilon)
    yield _orders(epsilon)
    yield _named(epsilon)


def _reports_of(mechanism: Any) -> Callable[[int, int, Randomness], Observations]:
    def draw(category: int, n_draws: int, rng: Randomness) -> Observations:
        reports = mechanism.randomise(np.full(n_draws, category), rng=rng)
        if reports.dtype.names is not None:
            return _in_its_bucket(reports, getattr(mechanism, "n_buckets", 2))
        return np.unpackbits(reports, axis=1) if reports.dtype == np.uint8 else reports

    return draw


def _in_its_bucket(reports: Observations, n_buckets: int) -> Observations:
    """Return the bucket of each hashed report, and which categories fall into it.

    The function is drawn anew each time: what it does to the categories is all there is to see.
    """
    categories = np.arange(N_CATEGORIES, dtype=np.uint64)
    functions = reports["multiplier"][:, None], reports["offset"][:, None]
    buckets = buckets_of(*functions, categories, n_buckets)
    return np.column_stack([reports["bucket"], buckets == reports["bucket"][:, None]])


def _laplace(epsilon: float) -> Subject:
    mechanism = ThresholdedLaplace(epsilon)
    inputs = {"first before second": 0, "second before first": 1}
    return Subject(
        "mechanism laplace of a pair",
        mechanism.epsilon,
        inputs,
        (tuple(inputs),),  # type: ignore[arg-type]
        _reports_of(mechanism),
        exact=log_above(mechanism.rates.worst_ratio),
    )


def _orders(epsilon: float) -> Subject:
    mechanism = SubsetOrder(4, epsilon)
    inputs = {
        "abcd": (0, 1, 2, 3),
        "abdc": (0, 1, 3, 2),
        "cadb": (2, 0, 3, 1),
        "dcba": (3, 2, 1, 0),
    }

    def draw(order: tuple[int, ...], n_draws: int, rng: Randomness) -> Observations:
        return mechanism.randomise(np.tile(order, (n_draws, 1)), rng=rng)

    return Subject(
        "mechanism subset order",
        epsilon,
        inputs,
        tuple(combinations(inputs, 2)),
        draw,
        exact=log_above(mechanism.worst_ratio),
    )


def _named(epsilon: float) -> Subject:
    """Two of six hold: rows that share one, or none, or hold what comes first."""
    mechanism = NamedMember(6, epsilon, 2)
    rows = ((0, 1), (0, 2), (2, 3), (4, 5))
    inputs = {f"{one} and {other}": (one, other) for one, other in rows}

    def draw(row: tuple[int, int], n_draws: int, rng: Randomness) -> Observations:
        return mechanism.randomise(np.tile(row, (n_draws, 1)), rng=rng)

    return Subject(
        "mechanism named member",
        epsilon,
        inputs,
        tuple(combinations(inputs, 2)),
        draw,
        exact=log_above(mechanism.rates.worst_ratio),
    )
