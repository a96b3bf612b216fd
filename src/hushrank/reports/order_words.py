"""An order for a lay reader: who leads, and how sure that is."""

from collections import Counter
from collections.abc import Sequence
from math import floor

from hushrank.arrays import Order

CERTAIN, LIKELY, LEANING = 0.975, 0.9, 0.7
"""How likely a pair of neighbours is the right way round, to be called so."""
MOST_RIVALS = 5

Intervals = Sequence[tuple[int, int]] | None
Confidence = Sequence[float] | None


def leader(
    names: Sequence[str],
    order: Order,
    confidence: Confidence,
    intervals: Intervals,
    among: str = "",
) -> str:
    """Say who is first, and who else may be; `among`: in what the order is so sure."""
    first, within = f"“{names[order[0]]}”", f"in {among} " if among else ""
    also = f" also in {among}" if among else ""
    if intervals is None:
        sure = confidence[0] if confidence else 0.0
        if sure < LEANING:
            return f"{first} comes first. How sure that is, this result does not tell."
        return f"{first} comes first, {_adverb(sure, 'probably')}{also}."
    rivals = [item for item in order[1:] if intervals[item][0] == 0]
    if not rivals:
        sure = confidence[0] if confidence else 0.0
        return f"{first} comes first, {_adverb(sure, 'very likely')}{also}."
    if len(rivals) > MOST_RIVALS or 3 * len(rivals) >= 2 * (len(order) - 1) > 2:
        return f"{first} stands first, but who leads {within}is open: most of the others may, too."
    listed = [f"“{names[item]}”" for item in rivals]
    others = " or ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))
    return f"{first} stands first, but {within}{others} may lead, too."


def counted(confidence: Confidence) -> str:
    """Count how sure the neighbours in the order are; nothing where unknown."""
    if not confidence:
        return ""
    found = Counter(map(sure_word, confidence))
    words = ("almost certain", "likely", "leaning", "open")
    said = ", ".join(f"{found[word]} {word}" for word in words if found[word])
    pairs = "pair" if len(confidence) == 1 else "pairs"
    return f"Of {len(confidence)} {pairs} of neighbours in the order: {said}."


def sure_word(probability: float) -> str:
    """Return one word for how sure a pair is."""
    if probability >= CERTAIN:
        return "almost certain"
    if probability >= LIKELY:
        return "likely"
    return "leaning" if probability >= LEANING else "open"


def whole_per_cent(probability: float) -> int:
    """Return a probability in per cent, rounded down: nothing is certain that noise could make."""
    return floor(100 * probability + 1e-9)  # 0.57 is 57, though 100 times it is a bit less


def _adverb(probability: float, less: str) -> str:
    return "almost certainly" if probability >= CERTAIN else less
