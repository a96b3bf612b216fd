"""How a result looks in a notebook: a table and a small picture, nothing from outside."""

from collections.abc import Mapping, Sequence
from html import escape

from hushrank.reports.svg import COLOURS, DRAWING

PIXELS_WIDE = 480
SCOPE = ".hushrank"


def notebook_html(
    title: str,
    rows: Mapping[str, str],
    *,
    notes: Sequence[str] = (),
    picture: str = "",
    caption: str = "",
) -> str:
    """Return HTML for `_repr_html_`: labels and values, notes, and one SVG picture; all escaped."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for label, value in rows.items()
    )
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    drawn = _drawn(picture, caption) if picture else ""
    return f"<div><strong>{escape(title)}</strong><table>{cells}</table>{said}{drawn}</div>"


def _drawn(picture: str, caption: str) -> str:
    """Show a picture in colours of its own: those of the notebook stay as they are."""
    colours = COLOURS.replace(":root", SCOPE)
    drawing = DRAWING.replace("svg ", f"{SCOPE} svg ")
    frame = f"max-width:{PIXELS_WIDE}px;background:var(--page);padding:8px"
    return (
        f'<style>{colours}\n{drawing}</style><div class="hushrank" style="{frame}">{picture}</div>'
        f"<p>{escape(caption)}</p>"
    )
