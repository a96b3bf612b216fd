"""Sentences that several results share."""

from collections.abc import Mapping, Sequence

UNCLEAR = 0.4
"""From here to one half a pair is as good as undecided."""
AS_GOOD = ": as good as undecided"
OTHERWISE = ": by mean ranks the pair is likelier the other way round"
NEARLY_CERTAIN, NEARLY_IMPOSSIBLE = 0.999, 0.005


def as_text(rows: Mapping[str, str], *sentences: str) -> str:
    """Return labels and words one below the other, and what must be said beside: for `print`."""
    width = max(map(len, rows), default=0)
    return "\n".join((*(f"{label:<{width}}  {said}" for label, said in rows.items()), *sentences))


def least_sure(confidence: Sequence[float] | None, of: str = "") -> dict[str, str]:
    """Say how sure the least sure adjacent pair of an order is, and of what, as a table's row."""
    if not confidence:
        return {}
    least = min(confidence)
    doubt = "" if least >= 0.5 else AS_GOOD if least >= UNCLEAR else OTHERWISE
    return {"least sure pair": f"right with probability {probability_in_words(least)}{of}{doubt}"}


def probability_in_words(probability: float) -> str:
    """Return a probability to a hundredth, never 1.00: chance could have made all that is seen."""
    if probability < NEARLY_IMPOSSIBLE:
        return "below 0.01"
    if probability > NEARLY_CERTAIN:
        return f"above {NEARLY_CERTAIN}"
    digits = 3 if probability >= 1 - NEARLY_IMPOSSIBLE else 2
    return f"{probability:.{digits}f}"


def listed(names: Sequence[str], *, by: str = "and") -> str:
    """Return names as a sentence lists them."""
    *others, last = names
    return f"{', '.join(others)} {by} {last}" if others else last
