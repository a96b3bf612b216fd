"""The parts of a self-contained HTML page: for a lay reader first, details after."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import count

from hushrank.reports.svg import COLOURS, DRAWING

NOT_PRIVATE = "Not private"
"""How statements begin that promise nothing."""

LAYOUT = """
* { box-sizing: border-box; }
body { font: 1rem/1.55 system-ui, "Noto Sans", "Noto Sans CJK JP", sans-serif; color: var(--ink);
  background: var(--page); margin: 0 auto; max-width: 46rem; padding: 1rem 1rem 3rem;
  overflow-wrap: break-word; }
h1 { line-height: 1.2; margin: .5rem 0 1rem; font-size: 1.6rem; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem; line-height: 1.3; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
.lead { font-size: 1.25rem; line-height: 1.4; margin: 0 0 .5rem; }
.box { border-left: .3rem solid var(--accent); background: var(--soft); padding: .6rem 1rem;
  margin: 1rem 0; }
.warning { border-color: var(--warning); background: var(--warning-page); }
.hint, figcaption { color: var(--faint); font-size: .92rem; }
blockquote { margin: .5rem 0; padding: .6rem 1rem; border: 1px dashed var(--rule); }
figure { margin: 1rem 0; break-inside: avoid; }
svg { display: block; overflow: visible; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { border-bottom: 1px solid var(--rule); padding: .3rem .7rem .3rem 0; text-align: start;
  vertical-align: top; font-weight: normal; }
thead th { color: var(--faint); font-size: .92rem; }
th[scope=row], .facts td { overflow-wrap: anywhere; }
th[scope=col] { overflow-wrap: normal; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.facts th { color: var(--faint); padding-inline-end: 1.2rem; }
@media (max-width: 26rem) { thead th { font-size: .78rem; }
  th, td { font-size: .85rem; padding-right: .3rem; } }
.scroll { overflow-x: auto; }
@media (min-width: 50rem) { .scroll { width: max-content; min-width: 100%;
  max-width: calc(50vw + 20rem); } }
.scroll:focus-visible { outline: 2px solid var(--accent); }
.heat th[scope=row] { min-width: 7rem; max-width: 16rem; }
.heat td { text-align: center; padding: .3rem .45rem; min-width: 2.4rem;
  border: 1px solid var(--page); font-variant-numeric: tabular-nums; }
.heat thead th { text-align: center; padding: .3rem; }
.tree, .tree ul { list-style: none; padding-inline-start: 1.1rem; margin: .3rem 0;
  border-inline-start: 2px solid var(--rule); }
@media print { body { max-width: none; padding: 0; font-size: 11pt; } h2 { break-after: avoid; }
  .scroll { overflow: visible; } .heat td { print-color-adjust: exact; } }
@media (max-width: 30rem) { body { padding: .75rem; } table { font-size: .9rem; }
  th, td { padding-inline-end: .35rem; } th[scope=col] { hyphens: auto; } }
@media (max-width: 30rem) { td + th[scope=row] { min-width: 5em; } }
@media (min-width: 23rem) and (max-width: 30rem) { td + th[scope=row] { min-width: 6.5em; } }
""".strip()
LEVELS = 10
SHADES = "\n".join(
    f".{kind}{level} {{ background: color-mix(in srgb, var({colour}) {5 * level}%, var(--page)); }}"
    for kind, colour in (("more", "--accent"), ("less", "--warm"))
    for level in range(1, LEVELS + 1)
)
STYLE = f"{COLOURS}\n{LAYOUT}\n{DRAWING}\n{SHADES}"

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, body: str) -> str:
    """Return one HTML document that loads nothing from outside."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def heading(title: str) -> str:
    """Return the heading of the page."""
    return f'<h1 dir="auto">{escape(title)}</h1>'


def lead(sentences: Sequence[str]) -> str:
    """Return what is said first: the first sentence large, the others below; escaped."""
    first, *others = sentences
    more = "\n".join(f"<p>{escape(each)}</p>" for each in others)
    return f'<p class="lead">{escape(first)}</p>\n{more}'


def section(title: str, *parts: str) -> str:
    """Return a part of the page under a heading; nothing where it is empty."""
    content = "\n".join(filter(None, parts))
    return f"<section>\n<h2>{escape(title)}</h2>\n{content}\n</section>" if content else ""


def paragraph(said: str, kind: str = "") -> str:
    """Return a paragraph, escaped."""
    named = f' class="{kind}"' if kind else ""
    return f"<p{named}>{escape(said)}</p>"


def quoted(said: str) -> str:
    """Return a text to be taken over, escaped."""
    return f"<blockquote>{escape(said)}</blockquote>"


def box(content: str, kind: str) -> str:
    """Return a framed paragraph of HTML `content`."""
    return f'<p class="{kind}">{content}</p>'


def privacy_box(statements: Sequence[str]) -> str:
    """Frame what is said of privacy, escaped; as a warning where it says that there is none."""
    is_warning = any(each.startswith(NOT_PRIVATE) for each in statements)
    return box("<br>".join(map(escape, statements)), "box warning" if is_warning else "box")


def facts(figures: Mapping[str, str]) -> str:
    """Return a table of labels and values, escaped."""
    rows = "\n".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{escape(value)}</td></tr>'
        for label, value in figures.items()
    )
    return f'<table class="facts">\n<tbody>\n{rows}\n</tbody>\n</table>' if rows else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int]) -> str:
    """Return a table, escaped; the columns of these `numbers` are flush right, one names rows."""
    top = "".join(
        f'<th scope="col"{_aligned(column in numbers)}>{escape(head)}</th>'
        for column, head in enumerate(heads)
    )
    named = next(column for column in count() if column not in numbers)
    body = "\n".join(
        f"<tr>{''.join(_cell(cell, column, named, numbers) for column, cell in row)}</tr>"
        for row in map(enumerate, rows)
    )
    return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def figure(drawn: str, caption: str) -> str:
    """Return a picture of the page with its caption, escaped."""
    return f"<figure>\n{drawn}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"


def _cell(cell: str, column: int, named: int, numbers: Sequence[int]) -> str:
    if column == named:
        return f'<th scope="row" dir="auto">{escape(cell)}</th>'
    return f"<td{_aligned(column in numbers)}>{escape(cell)}</td>"


def _aligned(is_number: bool) -> str:
    return ' class="number"' if is_number else ""
