"""What several releases cost one person."""

from collections.abc import Sequence

from hushrank.accounting.spend import Spend


def total_epsilon(spends: Sequence[Spend]) -> float:
    """Return the largest privacy loss of any person, in nats.

    Losses add up over the releases a person took part in (sequential composition), and people with
    different lots do not pay for each other (parallel composition).
    Source: McSherry (SIGMOD 2009), theorems 3 and 4.
    """
    starts = {spend.lots[0] for spend in spends}
    return max((_epsilon_at(lot, spends) for lot in starts), default=0.0)


def _epsilon_at(lot: float, spends: Sequence[Spend]) -> float:
    return sum(spend.epsilon for spend in spends if spend.lots[0] <= lot < spend.lots[1])
