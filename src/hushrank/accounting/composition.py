"""What several releases cost one person."""

from collections.abc import Iterable, Sequence

from hushrank.accounting.spend import Spend


def total_epsilon(spends: Sequence[Spend]) -> float:
    """Return the largest privacy loss of any person in one collection, in nats.

    Losses add up over the releases a person took part in (sequential composition), and people with
    different lots do not pay for each other (parallel composition). Lots are drawn anew in every
    collection: never mix the spends of two, see `epsilon_of_collections`.
    Source: McSherry (SIGMOD 2009), theorems 3 and 4.
    """
    starts = {spend.lots[0] for spend in spends}
    return max((_epsilon_at(lot, spends) for lot in starts), default=0.0)


def epsilon_of_collections(collections: Iterable[Sequence[Spend]]) -> float:
    """Return the largest privacy loss of a person who may have been in all collections, in nats."""
    return sum(map(total_epsilon, collections))


def _epsilon_at(lot: float, spends: Sequence[Spend]) -> float:
    return sum(spend.epsilon for spend in spends if spend.lots[0] <= lot < spend.lots[1])
