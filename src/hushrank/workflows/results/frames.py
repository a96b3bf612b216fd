"""An order as a table."""

from collections.abc import Mapping, Sequence

from hushrank.files.data_frames import Values


def order_columns(
    items: Sequence[str],
    confidence: Sequence[float] | None,
    intervals: Mapping[str, tuple[int, int]] | None,
) -> Values:
    """Return one row an item, best first, with the probability that it is ahead of the next."""
    known = intervals or {}
    return {
        "place": range(1, len(items) + 1),
        "item": items,
        "ahead_of_next": [*(confidence or (None,) * (len(items) - 1)), None],
        "best_rank": [known.get(item, (None, None))[0] for item in items],
        "worst_rank": [known.get(item, (None, None))[1] for item in items],
    }
