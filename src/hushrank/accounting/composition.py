"""What several releases cost one person.

Theory: docs/theory/many-answers.md.
"""

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import inf

from hushrank.accounting.rounding import PRECISE, exp_above, float_above, float_below
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import finely
from hushrank.errors import require


def total_epsilon(spends: Sequence[Spend]) -> float:
    """Return the largest privacy loss of any person in one collection, in nats, rounded up.

    Losses add up over the releases a person took part in (sequential composition), and people with
    different lots do not pay for each other (parallel composition). Lots are drawn anew in every
    collection: never mix the spends of two, see `epsilon_of_collections`.
    Raises HushrankError when the releases hide different changes of the data.
    Source: McSherry (SIGMOD 2009), theorems 3 and 4.
    """
    return float_above(exact_epsilon(spends))


def exact_epsilon(spends: Sequence[Spend]) -> Fraction:
    """Return `total_epsilon` without any rounding: what a budget is compared with."""
    each = (sum(Fraction(spend.epsilon) for spend in at_once) for at_once in _overlaps(spends))
    return max((Fraction(total) for total in each), default=Fraction(0))


def require_within(spends: Sequence[Spend], epsilon: float) -> None:
    """Raise HushrankError where releases cost a person more than epsilon, in nats, exactly."""
    dear = f"the rounds cost a person more than the {finely(epsilon)} nats announced"
    require(exact_epsilon(spends) <= Fraction(epsilon), dear)


def total_delta(spends: Sequence[Spend]) -> float:
    """Return the largest sum of deltas of any person in one collection: that of `total_epsilon`.

    Each release is (ε, δ)-DP; together they are (sum ε, sum δ)-DP. Never above 1.
    Raises HushrankError when the releases hide different changes of the data.
    Source: Dwork, Kenthapadi, McSherry, Mironov, Naor (EUROCRYPT 2006), theorem 1.
    """
    return float_above(exact_delta(spends))


def exact_delta(spends: Sequence[Spend]) -> Fraction:
    """Return `total_delta` without any rounding."""
    each = (sum(Fraction(spend.delta) for spend in at_once) for at_once in _overlaps(spends))
    return min(Fraction(1), max((Fraction(total) for total in each), default=Fraction(0)))


def epsilon_of_collections(collections: Iterable[Sequence[Spend]]) -> float:
    """Return the largest privacy loss of a person who may have been in all collections, in nats."""
    return float_above(sum(map(exact_epsilon, collections), Fraction(0)))


def delta_of_replacing(epsilon: float, delta: float) -> float:
    """Return the delta, rounded up, of removing one ballot and adding another: of 2 epsilon.

    (1 + e^ε) δ, never above 1
    """
    odds = exp_above(epsilon)
    with localcontext(prec=PRECISE, rounding=ROUND_CEILING):
        both = (1 + odds) * Decimal(delta)
    return 1.0 if both >= 1 else float_above(Fraction(both))


def share_of(epsilon: float, n_releases: int) -> float:
    """Return the largest float of which `n_releases` cost at most epsilon in all, exactly.

    Raises HushrankError unless epsilon is positive and finite, and there is a release.
    """
    require(n_releases >= 1, f"expected at least 1 release, got {n_releases}")
    return float_below(_price(epsilon) / n_releases)


def rest_of(epsilon: float, spent: float) -> float:
    """Return the largest float that costs, with what is `spent`, at most epsilon, exactly.

    Raises HushrankError unless epsilon is positive and finite, and more than what is spent.
    """
    require(0 <= spent < epsilon, f"expected less than epsilon to be spent, got {spent}")
    return float_below(_price(epsilon) - Fraction(spent))


def _price(epsilon: float) -> Fraction:
    require(0 < epsilon < inf, f"expected a positive finite epsilon, got {epsilon}")
    return Fraction(epsilon)


def _overlaps(spends: Sequence[Spend]) -> list[list[Spend]]:
    """Return, for each lot at which a release begins, the releases about the people there."""
    changes = sorted({spend.neighbours for spend in spends})
    same = len(changes) <= 1
    require(same, f"expected releases that hide the same change, got {' and '.join(changes)}")
    starts = sorted({spend.lots[0] for spend in spends})
    return [[spend for spend in spends if spend.lots[0] <= lot < spend.lots[1]] for lot in starts]
