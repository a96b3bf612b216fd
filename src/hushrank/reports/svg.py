"""Small SVG pictures with real text: as wide as there is room, in the colours of their page.

Places from left to right are per cents of the width and places from above are pixels, so that text
keeps its size on a phone and nothing is scaled.
"""

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap
from unicodedata import bidirectional, category, east_asian_width

COLOURS = """
:root { --page: #fff; --ink: #1f2328; --faint: #57606a; --rule: #c9ced6; --soft: #f2f4f7;
  --accent: #0072b2; --accent-soft: #7fb8d8; --warm: #b45309; --warning: #b00020;
  --warning-page: #fdecef; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --page: #15181c; --ink: #e8eaed; --faint: #a9b1bb;
  --rule: #454c56; --soft: #20252b; --accent: #56b4e9; --accent-soft: #2d6f97; --warm: #f0a35e;
  --warning: #ff9aa8; --warning-page: #3a151b; } }
@media print { :root { --page: #fff; --ink: #000; --faint: #333; --rule: #999; --soft: #fff;
  --accent: #0072b2; --accent-soft: #7fb8d8; --warm: #b45309; --warning: #b00020;
  --warning-page: #fff; color-scheme: light; } }
""".strip()
DRAWING = """
svg text { fill: var(--ink); stroke: var(--page); stroke-width: 3px; paint-order: stroke;
  font: 14px/1 system-ui, "Noto Sans", "Noto Sans CJK JP", sans-serif; }
svg .small { fill: var(--faint); font-size: 12px; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .bar { stroke: var(--accent-soft); stroke-width: 8; stroke-linecap: round; }
svg .fill { fill: var(--accent); }
svg .faint-fill { fill: var(--faint); }
svg .line { stroke: var(--accent); stroke-width: 2; }
svg .dot { fill: var(--ink); stroke: var(--page); stroke-width: 2; }
svg .mark { fill: var(--warm); stroke: var(--page); stroke-width: 2; }
""".strip()
ALONE = 720
"""Pixels that a picture in a file of its own is wide."""


def drawing(parts: Sequence[str], height: int, *, title: str, told: str) -> str:
    """Return an SVG element of a page; `title` and `told` are read out in its place."""
    return (
        f'<svg role="img" width="100%" height="{height}" aria-label="{escape(f"{title}. {told}")}">'
        f"\n{chr(10).join(parts)}\n</svg>"
    )


def alone(parts: Sequence[str], height: int, *, title: str, told: str) -> str:
    """Return an SVG document: a file of its own."""
    margin, style = 12, f"{COLOURS}\n{DRAWING}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{ALONE}" height="{height + 2 * margin}"'
        f' viewBox="0 0 {ALONE} {height + 2 * margin}" role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f"<desc>{escape(told)}</desc>\n<style>\n{style}\n</style>\n"
        f'<rect width="100%" height="100%" style="fill: var(--page)"/>\n'
        f'<svg x="{margin}" y="{margin}" width="{ALONE - 2 * margin}" height="{height}">\n'
        f"{chr(10).join(parts)}\n</svg>\n</svg>\n"
    )


def text(x: float, y: float, said: str, kind: str = "", *, anchor: str = "start") -> str:
    """Return one line of text; one that is written from the right begins at the right edge."""
    named = f' class="{kind}"' if kind else ""
    if anchor == "start" and is_from_the_right(said):
        return f'<text x="100%" y="{y:g}" direction="rtl"{named}>{escape(said)}</text>'
    return f'<text x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}"{named}>{escape(said)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str, more: str = "") -> str:
    """Return a line between two points."""
    return f'<line x1="{x1:.2f}%" y1="{y1:g}" x2="{x2:.2f}%" y2="{y2:g}" class="{kind}"{more}/>'


def circle(x: float, y: float, radius: float, kind: str) -> str:
    """Return a dot."""
    return f'<circle cx="{x:.2f}%" cy="{y:g}" r="{radius:g}" class="{kind}"/>'


def rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Return a rectangle, as wide as so many per cent."""
    return f'<rect x="{x:.3f}%" y="{y:g}" width="{width:.3f}%" height="{height:g}" class="{kind}"/>'


def is_from_the_right(said: str) -> bool:
    """Tell whether a text begins with a script that is written from right to left."""
    strong = (bidirectional(letter) for letter in said)
    return next((kind != "L" for kind in strong if kind in ("L", "R", "AL")), False)


def wrapped(name: str, width: int) -> list[str]:
    """Break a name into lines of at most so many letters of Latin; wide signs count twice."""
    words = " ".join(name.split())
    if all(_width(sign) == 1 for sign in words):
        return wrap(words, width) or [""]
    lines, used = [""], 0
    for sign in _signs(words):
        wide = sum(map(_width, sign[:1]))
        if used + wide > width:
            cut = lines[-1].rfind(" ") + 1
            tail = lines[-1][cut:] if cut > len(lines[-1]) // 2 else ""
            if tail:
                lines[-1] = lines[-1][: cut - 1]
            lines.append(tail)
            used = sum(map(_width, tail))
        lines[-1] += sign
        used += wide
    return lines


def _signs(words: str) -> Iterator[str]:
    """Yield what is seen as one sign: letters with their accents, joined emoji."""
    sign = ""
    for letter in words:
        joins = category(letter) in ("Mn", "Me", "Cf", "Sk") or sign.endswith("\u200d")
        if sign and not joins:
            yield sign
            sign = ""
        sign += letter
    yield sign


def _width(sign: str) -> int:
    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(sign) in ("W", "F") else 1
