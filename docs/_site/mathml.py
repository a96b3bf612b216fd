"""Formulas as MathML, which browsers show by themselves: no script, no other host."""

import re
from typing import Literal

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

ESCAPED = re.compile(r">\\([{}|])<")
"""A large brace or double bar, which latex2mathml leaves as LaTeX writes it."""
LARGE = {"{": "{", "}": "}", "|": "\N{DOUBLE VERTICAL LINE}"}
LONG = 50
"""Characters from which on a formula inside a line may be wider than a phone."""


def mathml(formula: str, display: Literal["inline", "block"]) -> str:
    """Return a formula as MathML."""
    written = convert(formula, display=display)
    return ESCAPED.sub(lambda found: f">{LARGE[found[1]]}<", written)


def visit_math(page: HTML5Translator, node: nodes.math) -> None:
    """Write a formula inside a line."""
    kind = "math-long" if len(node.astext()) > LONG else "math"
    page.body.append(f'<span class="{kind}">{mathml(node.astext(), "inline")}</span>')
    raise nodes.SkipNode


def visit_displaymath(page: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula of its own, which scrolls where it is too wide."""
    page.body.append(f'<div class="math-block">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Show formulas so, unless told otherwise."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
