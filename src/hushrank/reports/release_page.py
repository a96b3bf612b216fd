"""One self-contained HTML page about a release of activity data, for its owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.rounding import places_above
from hushrank.accounting.words import bits_in_words
from hushrank.arrays import Shares
from hushrank.files.disk import replace_file
from hushrank.reports.charts import (
    bars_drawing,
    channel_drawing,
    steps_drawing,
    trade_off_drawing,
)
from hushrank.reports.page import (
    box,
    facts,
    figure,
    heading,
    lead,
    page,
    paragraph,
    privacy_box,
    section,
    table,
)

WARNING = "<strong>Do not publish this page.</strong> It is computed from raw data."
FLATTERING = "of the users that the channel was learnt from, which flatters it"
TRADE_OFF = (
    "Small dots: the least that any channel between these clusters tells at this expected"
    " distortion, to 1 % of what it is without a channel; the dashed line guides the eye, the least"
    " lies on it or below. Large dot: this release. Withholding all records tells nothing, and what"
    " is popular can still be recommended: only what recommends better is worth a release."
)
CHANNEL = (
    "How likely a user of a cluster (row) is released as one of another (column); the darker, the"
    " likelier. Of more than 40 clusters neighbours are taken together."
)
BEFORE_AND_AFTER = (
    "What the cluster of a record tells of the private value, before and after. Of users held out"
    " nothing was learnt: theirs is the honest number."
)
SEEN = ("nothing", "the record as it was", "the released record")
NOT_JUDGED = (
    "What this release tells cannot be judged: too few users tell their private value. No number is"
    " shown, because a small one would be no comfort."
)
MOST_LISTED = 20


@dataclass(frozen=True, eq=False, repr=False)
class GroupPicture:
    """What the page shows of users who protect the same attributes; leakages in bits.

    before, after: leakage by the cluster of the record, of the users that the channel was learnt
    from; held_out: after, of users that nothing was learnt from, None where there are none.
    guessed: how many of 100 users who sees nothing guesses right, who sees the cluster as it is,
    and who sees the released one. distortion: what `after` costs, expected distance of clusters;
    trade_off (budgets, 2): distortion and leakage of the best channels; None where records are
    withheld, none exchanged.
    """

    protects: str
    n_users: int
    before: float
    after: float
    held_out: float | None
    guessed: tuple[float, float, float]
    distortion: float
    trade_off: NDArray[np.float64] | None
    channel: Shares


@dataclass(frozen=True, eq=False, repr=False)
class PublishingPage:
    """What the page shows: sizes (parts,) of clusters or pools, a picture a group judged."""

    title: str
    notes: Sequence[str]
    figures: Mapping[str, str]
    unit: str
    sizes: NDArray[np.int64]
    groups: Sequence[GroupPicture]
    are_pools: bool = False


def write_publishing_report(path: Path, shown: PublishingPage) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all."""
    parts = [
        heading(shown.title),
        box(WARNING, "box warning"),
        lead(_told(shown.groups)),
        *(part for group in shown.groups for part in _group(shown, group)),
        section("What is promised, and what is not", privacy_box(_promises(shown.notes))),
        _sizes(shown.sizes, "pool" if shown.are_pools else "cluster"),
        section("Details", facts(_without_stars(shown.figures))),
    ]
    replace_file(path, page(shown.title, "\n".join(parts)).encode(), secret=True)


def _told(groups: Sequence[GroupPicture]) -> list[str]:
    """Say first what leaks, or that nobody can tell."""
    return [_leader(groups), *map(_in_guesses, groups)] if groups else [NOT_JUDGED]


def _sizes(sizes: NDArray[np.int64], part: str) -> str:
    drawn = steps_drawing(f"Sizes of {part}s", sizes, f"{part}s", "users")
    caption = f"How many protected users each {part} has, the largest first."
    return section(f"Sizes of {part}s", figure(drawn, caption), _sizes_table(sizes, part))


def _promises(notes: Sequence[str]) -> list[str]:
    """Leave out what explains a star: on a page words stand in its place."""
    return [note for note in notes if not note.startswith("*")]


def _without_stars(figures: Mapping[str, str]) -> dict[str, str]:
    """Say in words what a star says in a terminal."""
    return {label.replace(" *", " (protected users)"): said for label, said in figures.items()}


def _leader(groups: Sequence[GroupPicture]) -> str:
    """Say what leaks, of users held out first; the worst group, where there are several."""
    worst = max(groups, key=lambda group: _honest(group))
    told = "learnt from; nobody was held out to check it" if worst.held_out is None else "held out"
    bits = f"{bits_in_words(_honest(worst))} bits"
    tells = f"tells {bits}" if _honest(worst) >= 0 else f"tells nothing that shows ({bits})"
    return (
        f"What a partner sees of a record told {bits_in_words(worst.before)} bits of"
        f" {worst.protects} before, and {tells} after this release, of users {told}."
    )


def _honest(group: GroupPicture) -> float:
    return group.after if group.held_out is None else group.held_out


def _in_guesses(group: GroupPicture) -> str:
    blind, before, after = group.guessed
    return (
        f"A partner who knows the method and guesses {group.protects} by a record's cluster is"
        f" right for {before:.0f} of 100 users before and {places_above(after, 0)} after; who"
        f" sees nothing, for {blind:.0f} ({FLATTERING})."
    )


def _group(shown: PublishingPage, group: GroupPicture) -> list[str]:
    if group.trade_off is None:
        return [_before_and_after(group)]
    exchanged = _utility(group, group.trade_off, shown.unit)
    return [exchanged, _before_and_after(group), _channel(group)]


def _utility(group: GroupPicture, trade_off: NDArray[np.float64], unit: str) -> str:
    here = (group.distortion, group.after)
    drawn = trade_off_drawing(trade_off, here, group.before, unit)
    title = f"Privacy against utility: {group.protects}"
    return section(title, figure(drawn, TRADE_OFF), _trade_off_table(group, trade_off, unit))


def _before_and_after(group: GroupPicture) -> str:
    title = f"Bits that the cluster of a record tells of {group.protects}"
    drawn = bars_drawing(title, _bars(group))
    blind, before, after = group.guessed
    guessed = (f"{blind:.1f}", f"{before:.1f}", places_above(after, 1))
    rows = [list(row) for row in zip(SEEN, guessed, strict=True)]
    return section(
        f"What a partner sees, before and after: {group.protects}",
        figure(drawn, BEFORE_AND_AFTER),
        table(["what is seen", "guessed right, of 100 users"], rows, numbers=(1,)),
    )


def _bars(group: GroupPicture) -> list[tuple[str, float, str]]:
    """Return a bar for each leakage; of users held out first of what is after."""
    bits = {"before": group.before, "after, held out": group.held_out}
    bits["after, learnt from"] = group.after
    known = {label: each for label, each in bits.items() if each is not None}
    return [(label, each, f"{bits_in_words(each, 4)} bits") for label, each in known.items()]


def _channel(group: GroupPicture) -> str:
    drawn = channel_drawing(f"The channel of {group.protects}", group.channel)
    table_of = _channel_table(group.channel)
    return section(f"The channel: {group.protects}", figure(drawn, CHANNEL), table_of)


def _trade_off_table(group: GroupPicture, trade_off: NDArray[np.float64], unit: str) -> str:
    rows = [["as it was", "0", bits_in_words(group.before, 4)]]
    points = np.where(trade_off[1:] < 1e-12, 0, trade_off[1:])  # a solver's zero is some 1e-16
    best = [["best channel", f"{x:.4g}", bits_in_words(y, 4)] for x, y in points]
    rows += [row for number, row in enumerate(best) if row not in best[:number]]
    rows.append(["this release", f"{group.distortion:.4g}", bits_in_words(group.after, 4)])
    rows.append(["withholding: nothing is released", "no record", "0"])
    return table(["channel", f"distortion ({unit})", "bits that leak"], rows, numbers=(1, 2))


def _channel_table(channel: Shares) -> str:
    stay, many = np.diag(channel), len(channel)
    rows = [
        ["users stay in their own cluster, mean over clusters", f"{100 * stay.mean():.1f} %"],
        ["clusters of which nobody stays", f"{int((stay < 1e-9).sum())} of {many}"],
        ["clusters as which nobody is released", f"{int((channel.sum(axis=0) < 1e-9).sum())}"],
    ]
    return table(["the channel", "how many"], rows, numbers=(1,))


def _sizes_table(sizes: NDArray[np.int64], part: str) -> str:
    falling = np.sort(sizes)[::-1][:MOST_LISTED].tolist()
    rows = [[f"{part} {number}", f"{size:,}"] for number, size in enumerate(falling, start=1)]
    left = len(sizes) - len(falling)
    more = paragraph(f"{left:,} smaller ones are not listed.", "hint") if left else ""
    return table(["the largest", "users"], rows, numbers=(1,)) + more
