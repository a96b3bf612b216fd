"""How many pairs LDP-KwikSort gets wrong, at most, where people follow a Mallows model."""

from dataclasses import dataclass
from math import comb, exp, expm1

from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters


@dataclass(frozen=True)
class ErrorBound:
    """More than 6 mu of the pairs are wrong with probability at most 2^(-6 mu).

    expected_wrong_pairs = mu, a bound of the mean; it may exceed the number of pairs.
    Differs from the source: the second part takes the errors of different pairs as independent,
    which they are not quite; the mean does not need it.
    """

    expected_wrong_pairs: float

    @property
    def wrong_pairs(self) -> float:
        """6 mu: what is seldom exceeded."""
        return 6 * self.expected_wrong_pairs

    @property
    def failure_probability(self) -> float:
        """2^(-6 mu): how seldom."""
        return float(2.0**-self.wrong_pairs)


def rr_error_bound(
    n_items: int, n_people: int, *, epsilon: float, theta: float, n_queries: int
) -> ErrorBound:
    """Bound the errors of randomised response.

        mu = 2 C(m, 2) exp(-K epsilon^2 / (epsilon + 2K)^2  theta*^2 n / (m (m - 1)))
        theta* = theta / (2 - theta) = p_M - q_M       theta = 1 - q_M / p_M

    p_M = how likely a person agrees with the centre on two neighbours of it.
    Raises HushrankError for impossible numbers.   Source: Yan, Li, Liu (arXiv 2019), Theorem 2.
    """
    _require_bound_parameters(n_items, n_people, epsilon, theta, n_queries)
    gap = epsilon / (epsilon + 2 * n_queries)
    return _bound(n_items, n_people, theta, n_queries * gap**2)


def lap_error_bound(
    n_items: int, n_people: int, *, epsilon: float, theta: float, n_queries: int
) -> ErrorBound:
    """Bound the errors of the thresholded Laplace mechanism at the nominal epsilon.

        mu = 2 C(m, 2) exp(-K (1 - exp(-epsilon / 2K))^2  theta*^2 n / (m (m - 1)))

    Raises HushrankError for impossible numbers.   Source: Yan, Li, Liu (arXiv 2019), Theorem 3.
    """
    _require_bound_parameters(n_items, n_people, epsilon, theta, n_queries)
    gap = -expm1(-epsilon / (2 * n_queries))
    return _bound(n_items, n_people, theta, n_queries * gap**2)


def _bound(n_items: int, n_people: int, theta: float, worth: float) -> ErrorBound:
    agreement = theta / (2 - theta)
    exponent = worth * agreement**2 * n_people / (n_items * (n_items - 1))
    return ErrorBound(2 * comb(n_items, 2) * exp(-exponent))


def _require_bound_parameters(
    n_items: int, n_people: int, epsilon: float, theta: float, n_queries: int
) -> None:
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    require(n_people >= 1, f"expected at least 1 person, got {n_people}")
    require_parameters(2, epsilon)
    require(0 <= theta <= 1, f"expected a theta of 0 to 1, got {theta}")
    most = comb(n_items, 2)
    require(1 <= n_queries <= most, f"expected 1 to {most} queries, got {n_queries}")
