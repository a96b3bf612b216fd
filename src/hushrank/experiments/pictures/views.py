"""Rows of panels: one for each population."""

from collections.abc import Sequence

from hushrank.experiments.experiment import Group, Quantity, Scale, View, Whiskers
from hushrank.experiments.populations import Population

Y_LABELS: dict[Quantity, str] = {
    "q2": "Q2 distance",
    "tau": "average Kendall tau",
    "excess": "Kendall tau above the optimum",
    "error rate": "error rate of the pairs",
}


def population_views(
    populations: Sequence[Population],
    quantity: Quantity,
    groups: tuple[Group, ...],
    *,
    size: str = " (n = {n:,}, m = {m})",
    whiskers: Whiskers = "sd",
    x: float | None = None,
) -> tuple[View, ...]:
    """Return a panel of a quantity for each population, with its size behind its title."""
    scale: Scale = "symlog" if quantity == "excess" else "linear"
    label = Y_LABELS[quantity]
    return tuple(
        View(each.title + size, groups, quantity, label, scale, each.name, x, whiskers)
        for each in populations
    )


def trade_off_views(groups: tuple[Group, ...], population: str) -> tuple[View, ...]:
    """Return panels of privacy against utility: the worst attacker, and the two of the paper."""
    titles: dict[Quantity, str] = {
        "worst": "the worst attacker",
        "SVM": "linear SVM, taught on originals",
        "naive Bayes": "naive Bayes, taught on originals",
    }
    return tuple(
        View(title, groups, quantity, "1 - AUC", "linear", population, against="MAP")
        for quantity, title in titles.items()
    )
