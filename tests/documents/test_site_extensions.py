"""What makes the site: formulas become MathML, docstrings become reStructuredText."""

import re
import sys

import pytest

from tests.documents.consoles import ROOT

pytest.importorskip("latex2mathml", reason="`make docs` needs the extra docs")
pytest.importorskip("sphinx", reason="`make docs` needs the extra docs")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\w$])\$([^$\n]+?)\$", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
THEORY = sorted((ROOT / "docs" / "theory").glob("*.md"))


@pytest.fixture
def extensions(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_site"), *sys.path])


@pytest.mark.usefixtures("extensions")
@pytest.mark.parametrize("page", THEORY, ids=[page.stem for page in THEORY])
def test_every_formula_is_shown_without_a_rest_of_latex(page):
    from mathml import mathml

    formulas = FORMULA.findall(CODE.sub("", page.read_text()))
    assert formulas
    for block, inline in formulas:
        written = mathml(block or inline, "block" if block else "inline")
        assert written.startswith("<math")
        left = re.search(r"\\[A-Za-z{}|]+", re.sub(r"&#x0*5C;", "\\\\", written))
        assert not left, f"{page.name}: {left[0]} in {block or inline}"


@pytest.mark.usefixtures("extensions")
def test_a_docstring_becomes_paragraphs_parameters_formulas_and_an_example():
    from docstrings import as_rest

    docstring = """Return `x` of *_this*.

    P = p^k_1

people, items: how many `each`,
    and no more.
seed: repeats it.

Raises HushrankError when not.

>>> 1 + 1
2""".splitlines()
    written = "\n".join(as_rest(docstring))
    assert "Return ``x`` of \\*\\_this\\*." in written
    assert "::\n\n    P = p^k_1\n" in written
    assert "``people``, ``items``\n    how many ``each``,\n    and no more.\n" in written
    assert "``seed``\n    repeats it.\n" in written
    assert written.index("Raises") > written.index("repeats")
    assert ">>> 1 + 1\n2\n" in written
