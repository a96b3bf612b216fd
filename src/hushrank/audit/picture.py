"""Lower bounds beside what is claimed, as a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hushrank.audit.auditing import Finding
from hushrank.reports.plots import new_figure

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.figure import Figure

FINE, EXCEEDED, EXACT = "#00497e", "#b3261e", "#222222"


def bounds_figure(findings: Sequence[Finding]) -> "Figure":
    """Draw for each subject how much it betrays at least, what it claims, and its exact loss."""
    figure = new_figure(7.5, 1.2 + 0.28 * len(findings))
    axes = figure.add_subplot()
    places = range(len(findings))
    colours = [EXCEEDED if each.exceeds else FINE for each in findings]
    axes.barh(places, [each.bound for each in findings], color=colours, height=0.6)
    claims = [each.claimed for each in findings]
    axes.plot(claims, places, "|", color=EXACT, markersize=12, label="claimed")
    exact = [(each.exact, place) for place, each in enumerate(findings) if each.exact is not None]
    if exact:
        axes.plot(*zip(*exact, strict=True), "x", color=EXACT, label="computed exactly")
    axes.set_yticks(places, [each.subject for each in findings])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("privacy loss in nats: at least (bar)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.6 / (1 + len(findings) / 4)), ncols=2)
    return figure
