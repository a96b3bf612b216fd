"""Ballots of a form that is told: its columns read, and said in words."""

from collections import Counter

import numpy as np

from hushrank.files.names import distinct_names
from hushrank.rankings.forms.columns import listed
from hushrank.rankings.forms.found import Flags
from hushrank.rankings.forms.layouts.layout import Layout
from hushrank.rankings.forms.layouts.marks import mark_of
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.lists import ballots_of_lists
from hushrank.rankings.forms.places import CROSSED, NONE, SEVERAL, Placed, ballots_of_places, placed
from hushrank.rankings.forms.ranks import place_keys, score_keys
from hushrank.rankings.profile import Rankings


def ballots_of_layout(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    """Read the ballots of a layout, and flag which rows are irregular, by kind.

    Raises HushrankError, with line or column, when a cell is not what the form holds.
    """
    return _READERS[layout.kind](head, layout)


def remarks_on(head: Headed, layout: Layout) -> tuple[str, ...]:
    """Say what else a reader of these ballots should know."""
    return *layout.remarks, *_of_crosses(head, layout), *_of_names(layout), *_of_previews(head)


def _of_previews(head: Headed) -> tuple[str, ...]:
    """Say how many rows are of whoever made a form, and tried it, as Qualtrics marks them."""
    for title, column in zip(head.table.header, head.table.columns, strict=True):
        if title.lower() in ("status", "response type"):
            marked = [text.lower() in ("survey preview", "spam") for text in column.texts]
            n_rows = int(np.array([*marked, False])[column.codes].sum())
            rows = "1 row is a preview" if n_rows == 1 else f"{n_rows:,} rows are previews"
            return (f"{rows} or spam, as {title} says, and counted",) if n_rows else ()
    return ()


def _of_crosses(head: Headed, layout: Layout) -> tuple[str, ...]:
    """Say how many places hold XXX, which is no item."""
    if layout.kind != "places":
        return ()
    columns = [head.table.columns[n] for n in layout.columns]
    n_cells = sum(
        int((each.codes == each.texts.index(CROSSED)).sum())
        for each in columns
        if CROSSED in each.texts
    )
    return (f"{CROSSED} is no item: {n_cells:,} times an empty place",) if n_cells else ()


def _of_names(layout: Layout) -> tuple[str, ...]:
    """Say which items have a number behind their name, because columns are called alike."""
    if not layout.names:
        return ()
    called = Counter(layout.names)
    each = zip(layout.columns, layout.names, strict=True)
    again = [n for n, name in each if called[name] > 1]
    return (f"{listed(again)} are called alike: numbered",) if again else ()


def in_words(layout: Layout) -> str:
    """Say which columns hold what."""
    where, size = listed(layout.columns), len(layout.columns)
    signs = {
        ">": "parted by >",
        ";": "parted by semicolons",
        "\n": "one item a line",
        "|": "parted by bars",
        ",": "parted by commas",
        "[": "as lists",
    }
    words = {
        "places": f"places 1 to {size} in {where}",
        "ranks": f"places of the items in {where}",
        "scores": f"scores of the items in {where}, the {layout.best}est is best",
        "marks": f"marks of candidates and places in {where}",
        "lists": f"whole ballots in {where}, {signs.get(layout.separator, '')}",
    }
    return words[layout.kind]


def _of_places(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    return _of_placed(ballots_of_places([head.table.columns[n] for n in layout.columns]))


def _of_marks(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    """Turn marks (people, candidates and places) into the item at each place, where it is one."""
    marks = {n: mark_of(head.parts[n]) for n in layout.columns}
    names = list(dict.fromkeys(name for name, _ in marks.values()))
    n_places = max(place for _, place in marks.values())
    cells = np.full((head.table.n_rows, n_places), NONE, dtype=np.int32)
    for n, (name, place) in marks.items():
        is_marked = head.table.columns[n].numbers() == 1
        at = cells[:, place - 1]
        at[is_marked] = np.where(at[is_marked] == NONE, names.index(name), SEVERAL)
    return _of_placed(placed(cells, names))


def _of_placed(found: Placed) -> tuple[Rankings, dict[str, Flags]]:
    flags = {"skipped": found.skipped, "repeated": found.repeated, "overvoted": found.overvoted}
    return Rankings(found.ranks, found.names), flags


def _of_ranks(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    keys = place_keys(head.table, layout.columns)
    rankings = Rankings.from_keys(keys, distinct_names(layout.names))
    is_even = (rankings.ranks + 1.0 == keys) | ~rankings.is_ranked
    return rankings, {"uneven": np.asarray(~is_even.all(axis=1))}


def _of_scores(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    keys = score_keys(head.table, layout.columns) * (-1 if layout.best == "high" else 1)
    return Rankings.from_keys(keys, distinct_names(layout.names), unranked="unknown"), {}


def _of_lists(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    (column,) = layout.columns
    return ballots_of_lists(head.table, head.table.columns[column], layout.separator), {}


_READERS = {
    "places": _of_places,
    "marks": _of_marks,
    "ranks": _of_ranks,
    "scores": _of_scores,
    "lists": _of_lists,
}
