"""The parts of a self-contained HTML page."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

from matplotlib.figure import Figure

from hushrank.reports.plots import png

NOT_PRIVATE = "Not private"
"""How statements begin that promise nothing."""

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto;
  max-width: 64rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; }
.box { border: 2px solid #0072b2; border-radius: .4rem; padding: .6rem 1rem; margin: 1rem 0; }
.warning { border-color: #b00020; background: #fdecef; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #ccc; padding: .3rem .8rem .3rem 0; text-align: left;
  vertical-align: top; }
th[scope=col] { overflow-wrap: normal; }
figure { margin: 0; break-inside: avoid; }
img { max-width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
ol { columns: 16rem; column-gap: 3rem; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } }
""".strip()

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, body: str) -> str:
    """Return one HTML document that loads nothing from outside."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def box(content: str, kind: str) -> str:
    """Return a framed paragraph of HTML `content`."""
    return f'<p class="{kind}">{content}</p>'


def privacy_box(statements: Sequence[str]) -> str:
    """Frame what is said of privacy, escaped; as a warning where it says that there is none."""
    is_warning = any(each.startswith(NOT_PRIVATE) for each in statements)
    return box("<br>".join(map(escape, statements)), "box warning" if is_warning else "box")


def summary(figures: Mapping[str, str]) -> str:
    """Return a table of labels and values, escaped."""
    rows = "\n".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{escape(value)}</td></tr>'
        for label, value in figures.items()
    )
    return f"<h2>Summary</h2>\n<table>\n{rows}\n</table>" if rows else ""


def picture(heading: str, figure: Figure, caption: str) -> str:
    """Return a figure as HTML, the picture inside."""
    data = b64encode(png(figure)).decode()
    return (
        f'<h2>{heading}</h2>\n<figure>\n<img alt="{escape(caption)}" '
        f'src="data:image/png;base64,{data}">\n<figcaption>{caption}</figcaption>\n</figure>'
    )
