"""The theory pages and the code speak of the same things, by the same names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = ROOT / "src" / "hushrank"
PAGES = sorted((ROOT / "docs" / "theory").glob("*.md"))
HEADER = ("letter", "meaning", "name in the code")
PLACE = re.compile(r"`(?P<file>[\w/]+\.py): (?P<name>[A-Za-z_][\w.]*)`")
SCOPES = (ast.ClassDef, ast.FunctionDef, ast.Lambda)


def rows_of(page: Path) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the page's tables "letter | meaning | name in the code"."""
    is_inside = False
    for line in page.read_text().splitlines():
        cells = tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        is_rule = all(set(cell) <= set(":-") for cell in cells)
        if is_inside and cells and not is_rule:
            yield cells
        is_inside = cells == HEADER or (is_inside and bool(cells))


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a module, class or function, but not inside another one in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, SCOPES):
            yield from own_nodes(node)


def defined_in(scope: ast.AST) -> dict[str, ast.AST]:
    """Return what a module, class or function defines: fields, parameters and variables too."""
    found = {}
    for node in own_nodes(scope):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                found[name] = node
            case ast.Name(id=name, ctx=ast.Store()):
                found.setdefault(name, node)
            case _:
                pass
    return found


def is_defined(file: Path, name: str) -> bool:
    """Return whether a file defines a dotted name."""
    scope: ast.AST | None = ast.parse(file.read_text()) if file.exists() else None
    for part in name.split("."):
        scope = defined_in(scope).get(part) if scope is not None else None
    return scope is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_letter_of_a_theory_page_has_its_name_in_the_code(page):
    rows = list(rows_of(page))
    assert rows, f"{page.name} has no table {' | '.join(HEADER)}"
    for row in rows:
        assert len(row) == len(HEADER), f"{page.name}: {row}"
        places = list(PLACE.finditer(row[-1]))
        assert places, f"{page.name}: {row[-1]} names nothing like `room/file.py: Class.member`"
        for place in places:
            found = is_defined(CODE / place["file"], place["name"])
            assert found, f"{page.name}: {place[0]} does not exist"
        assert row[-1].count("`") == 2 * len(places), f"{page.name}: {row[-1]} is not all checked"


def test_names_that_the_code_has_not_are_noticed():
    file = CODE / "mechanisms" / "local.py"
    assert is_defined(file, "Tally.support")
    assert is_defined(file, "Tally.__add__.other")
    assert not is_defined(file, "Tally.supports")
    assert not is_defined(file, "support")
    assert not is_defined(file, "n_reports.Tally")
    assert not is_defined(CODE / "mechanisms" / "nowhere.py", "Tally")


def test_every_theory_page_is_named_by_the_code_it_explains():
    docstrings = "".join(file.read_text() for file in CODE.rglob("*.py"))
    named = set(re.findall(r"Theory: docs/theory/([\w-]+\.md)", docstrings))
    assert named == {page.name for page in PAGES}
