"""An order as a table."""

from collections.abc import Iterable, Mapping, Sequence

from hushrank.files.data_frames import Values


def ranks_of_items(
    names: Sequence[str],
    order: Iterable[int],
    intervals: Sequence[tuple[int, int]] | None,
) -> dict[str, tuple[int, int]] | None:
    """Return the best and the worst rank of each item, 1 = best, in their order, best first."""
    if intervals is None:
        return None
    return {names[item]: (intervals[item][0] + 1, intervals[item][1] + 1) for item in order}


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
