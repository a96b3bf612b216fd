"""How a result looks in a notebook: a table and a small picture, nothing from outside."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

from matplotlib.figure import Figure

from hushrank.reports.plots import png

PIXELS_WIDE = 480


def notebook_html(
    title: str,
    rows: Mapping[str, str],
    *,
    notes: Sequence[str] = (),
    picture: Figure | None = None,
    caption: str = "",
) -> str:
    """Return HTML for `_repr_html_`: labels and values, notes, and one picture; all escaped."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for label, value in rows.items()
    )
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    drawn = "" if picture is None else _image(picture, caption)
    return f"<div><strong>{escape(title)}</strong><table>{cells}</table>{said}{drawn}</div>"


def _image(picture: Figure, caption: str) -> str:
    data = b64encode(png(picture)).decode()
    return (
        f'<img alt="{escape(caption)}" style="max-width:{PIXELS_WIDE}px"'
        f' src="data:image/png;base64,{data}">'
    )
