"""Sentences that several results share."""

from collections.abc import Sequence

UNCLEAR = 0.4
"""From here to one half a pair is as good as undecided."""


def least_sure(confidence: Sequence[float] | None) -> dict[str, str]:
    """Say how sure the least sure adjacent pair of an order is, as a row of a table."""
    if not confidence:
        return {}
    least = min(confidence)
    doubt = "" if least >= UNCLEAR else ": the pair is likelier the other way round"
    return {"least sure pair": f"right with probability {least:.2f}{doubt}"}
