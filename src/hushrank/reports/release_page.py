"""One self-contained HTML page about a release of activity data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hushrank.arrays import Shares
from hushrank.files.disk import replace_file
from hushrank.reports.page import box, page, picture, privacy_box, summary
from hushrank.reports.plots import DARK, new_figure

BLUE, GREY = "#0072B2", "#999999"


@dataclass(frozen=True, eq=False, repr=False)
class GroupPicture:
    """What the page shows of users who protect the same attributes; leakages in bits.

    before, after: leakage by the cluster of the record; distortion: what `after` costs, expected
    distance of clusters; trade_off (budgets, 2): distortion and leakage of the best channels.
    """

    protects: str
    before: float
    after: float
    distortion: float
    trade_off: NDArray[np.float64]
    channel: Shares


@dataclass(frozen=True, eq=False, repr=False)
class PublishingPage:
    """What the page shows: sizes (clusters,) of clusters, a picture a group of users."""

    title: str
    notes: Sequence[str]
    figures: Mapping[str, str]
    unit: str
    sizes: NDArray[np.int64]
    groups: Sequence[GroupPicture]


def write_publishing_report(path: Path, shown: PublishingPage) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all."""
    warning = "<strong>Do not publish this page.</strong> It is computed from raw data."
    parts = [
        f"<h1>{escape(shown.title)}</h1>",
        privacy_box(shown.notes),
        box(warning, "box warning"),
        summary(shown.figures),
        *(part for group in shown.groups for part in _group(shown, group)),
        picture(
            "Sizes of clusters",
            sizes_figure(shown.sizes),
            "How many protected users each cluster has, the largest first.",
        ),
    ]
    replace_file(path, page(shown.title, "\n".join(parts)).encode(), secret=True)


def _group(shown: PublishingPage, group: GroupPicture) -> list[str]:
    who = escape(group.protects)
    return [
        picture(
            f"Privacy against utility: {who}",
            trade_off_figure(group, shown.unit),
            "The small dots: the least that any channel between these clusters tells at this"
            " expected distortion, to 1 % of what it is without a channel. The dashed line guides"
            " the eye: the least lies on it or below. The large dot: this release. The"
            " cross: records as they are.",
        ),
        picture(
            f"Leakage before and after: {who}",
            leakage_figure(group),
            "What the cluster of a record tells of the private value, before and after.",
        ),
        picture(
            f"The channel: {who}",
            channel_figure(group.channel),
            "How likely a user of a cluster (row) is released as one of another (column); the"
            " darker, the likelier.",
        ),
    ]


def trade_off_figure(group: GroupPicture, unit: str) -> Figure:
    """Draw leakage against distortion: the best channels, this release, records as they are."""
    figure = new_figure(6.5, 3.6)
    axes = figure.add_subplot()
    axes.plot(*group.trade_off.T, "o--", color=BLUE, ms=5, lw=0.8, label="least leakage")
    axes.plot(group.distortion, group.after, "o", color=DARK, ms=8, label="this release")
    axes.plot(0, group.before, "x", color=GREY, ms=8, mew=2, label="as they are")
    axes.set_xlabel(f"expected {unit} distance of clusters", fontsize=8)
    axes.set_ylabel("leakage, bits", fontsize=8)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.25)
    return figure


def leakage_figure(group: GroupPicture) -> Figure:
    """Draw two bars: bits told before and after."""
    figure = new_figure(4.5, 2.2)
    axes = figure.add_subplot()
    axes.barh(["released", "as they are"], [group.after, group.before], color=[BLUE, GREY])
    axes.set_xlabel("bits", fontsize=8)
    return figure


def sizes_figure(sizes: NDArray[np.int64]) -> Figure:
    """Draw the sizes of clusters as steps."""
    figure = new_figure(6.5, 2.6)
    axes = figure.add_subplot()
    axes.bar(np.arange(1, len(sizes) + 1), sizes, width=1.0, color=BLUE)
    axes.set_xlabel("cluster", fontsize=8)
    axes.set_ylabel("users", fontsize=8)
    return figure


def channel_figure(channel: Shares) -> Figure:
    """Draw the channel as shades, by square roots: most probabilities are small."""
    figure = new_figure(5.0, 4.6)
    axes = figure.add_subplot()
    image = axes.imshow(np.sqrt(channel), cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
    axes.set_xlabel("released cluster", fontsize=8)
    axes.set_ylabel("cluster", fontsize=8)
    bar = figure.colorbar(image, ax=axes, shrink=0.8)
    bar.set_label("square root of the probability", fontsize=8)
    return figure
