"""The site's menu and links, seen without building it: `make docs` builds it, and checks more."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.documents.consoles import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *DOCS.rglob("*.md")]
NOT_IN_THE_MENU = {"index", "experiments/kwiksort-table3", "experiments/privrank-table2"}
"""The page with the menu, and tables that stand beside figures."""
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as forges and the site make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return frozenset(heading.strip().replace(" ", "-") for heading in plain)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_to_a_file_and_to_a_heading_that_it_has(page):
    for target, anchor in LINK.findall(FENCE.sub("", page.read_text())):
        found = (page.parent / target) if target else page
        assert found.exists(), f"{page.name} links to {target}"
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found), f"{page.name} links to {target}#{anchor}"


def test_every_page_is_in_the_menu():
    menu = set()
    for page in ("index", "decisions/index"):
        text = (DOCS / f"{page}.md").read_text()
        for entries in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            for line in entries.splitlines():
                name = re.sub(r"^.*<(.+)>$", r"\1", line)
                menu |= {
                    str(found.relative_to(DOCS).with_suffix(""))
                    for ending in (".md", ".ipynb")
                    if line and not line.startswith(":")
                    for found in (DOCS / page).parent.glob(name + ending)
                }
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.rglob("*.md")}
    pages |= {f"notebooks/{page.stem}" for page in (DOCS / "notebooks").glob("*.ipynb")}
    benchmarks = {page for page in pages if page.startswith("benchmarks/")}  # listed by their own
    assert menu == pages - NOT_IN_THE_MENU - benchmarks


def test_the_site_asks_no_other_host():
    """Formulas are MathML, and the theme's fonts are the reader's own."""
    for file in [DOCS / "conf.py", *(DOCS / "_site").rglob("*.*")]:
        if file.suffix in {".py", ".css", ".html", ".js"}:
            assert "https://" not in file.read_text(), file.name
