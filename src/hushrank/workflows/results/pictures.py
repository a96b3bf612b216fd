"""The picture of an order as a file, in the form that the file's name asks for."""

from collections.abc import Sequence
from pathlib import Path

from hushrank.arrays import Order
from hushrank.errors import require
from hushrank.files.elsewhere.addresses import shown
from hushrank.reports.plots import require_matplotlib

FORMS = (".svg", ".png", ".pdf")


def require_picture(path: Path) -> None:
    """Raise HushrankError unless a file's name says which form is wanted, and it can be drawn."""
    fits = path.suffix.lower() in FORMS
    require(fits, f"{shown(path)}: expected a picture that ends in {', '.join(FORMS)}")
    if path.suffix.lower() != ".svg":
        require_matplotlib("a picture as .png or .pdf")


def order_picture(
    names: Sequence[str], order: Order, intervals: Sequence[tuple[int, int]] | None, form: str
) -> bytes:
    """Return the picture of an order and the ranks that items may have, in a form of FORMS."""
    from hushrank.reports.order_drawing import order_svg
    from hushrank.reports.order_plots import rank_intervals_figure
    from hushrank.reports.plots import rendered

    require(form.lower() in FORMS, f"form: expected one of {', '.join(FORMS)}, got {form}")
    if form.lower() == ".svg":
        return order_svg(names, order, intervals).encode()
    return rendered(rank_intervals_figure(names, order, intervals), form.lower().removeprefix("."))
