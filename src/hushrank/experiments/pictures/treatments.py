"""The panels and the table of SAFARI's figures: a column of panels for each post-processing."""

from collections.abc import Mapping, Sequence

from hushrank.experiments.experiment import Group, Quantity, Scale, TableForm, View

TREATMENT_TITLES: Mapping[Quantity, str] = {
    "simplex": "post-processing: simplex",
    "clip": "post-processing: clip",
    "raw": "no post-processing (unbiased)",
}
LOGARITHMIC: tuple[Quantity, ...] = ("raw",)
"""Unbiased shares may be off by more than 1: their panels need a logarithmic axis."""

TREATMENT_TABLE = TableForm(
    {"figure": "figure", "group": "group", "curve": "curve", "post_process": "quantity"}
    | {"x": "x", "mean": "mean", "sd": "sd", "repetitions": "repetitions"},
    decimals=5,
)


def treatment_views(
    rows: Mapping[str, tuple[Group, ...]], treatments: Sequence[Quantity], *, y_label: str
) -> tuple[tuple[View, ...], ...]:
    """Return a row of panels for each set of groups, with a column for each treatment."""
    return tuple(
        tuple(
            View(f"{title}; {TREATMENT_TITLES[each]}", groups, each, y_label, _scale(each))
            for each in treatments
        )
        for title, groups in rows.items()
    )


def _scale(treatment: Quantity) -> Scale:
    return "log" if treatment in LOGARITHMIC else "unit"
