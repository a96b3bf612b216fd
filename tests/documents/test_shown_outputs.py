"""What the consoles of the documents show is what is printed; `make docs-outputs` renews it."""

import re

import pytest

from tests.documents.consoles import (
    ROOT,
    pages,
    printed_and_code,
    printed_by,
    rewritten,
    shown_runs,
    without_layout,
)
from tests.documents.files import write_files

PAGES = pages()


@pytest.mark.usefixtures("blank_pictures", "hasty_attackers")
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
@pytest.mark.block_sizes
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch):
    """On every processor: `make test-portability` runs this under other kernels, too."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for run in shown_runs(page.read_text()):
        printed, code = printed_and_code(run.command)
        if run.is_silent:
            assert code == 0, f"{page.relative_to(ROOT)}: {run.command}{printed}"
            continue
        assert without_layout(printed) == without_layout(run.printed), (
            f"{page.relative_to(ROOT)}: {run.command}(`make docs-outputs` renews what is shown)"
        )


@pytest.mark.block_sizes
def test_first_steps_say_how_safari_does_beside_its_console(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "start.md").read_text()
    monkeypatch.chdir(tmp_path)
    (made,) = [run.command for run in shown_runs(page) if "--out people.soc" in run.command]
    printed_by(made)
    asked = "$ hushrank collect people.soc --epsilon 4 --seed 1 --protocol safari\n"
    (named,) = re.findall(r"collects as SAFARI does: (\.\d+) here", page)
    assert ["Q2 distance *", f"0{named}"] in without_layout(printed_by(asked))


PAGE = """
```console
$ one
1
$ two \\
  more
```
```console
$ three
seconds 3
```
```console
$ silent
```
"""


def test_a_page_is_rewritten_where_its_commands_print_something_else():
    ran = []

    def run(command):
        ran.append(command)
        return "seconds 4\n" if "three" in command else "2\n│ x\n"

    renewed = PAGE.replace("1\n", "2\n│ x\n").replace("more\n", "more\n2\n│ x\n")
    assert rewritten(PAGE, run) == renewed
    assert ran == ["$ one\n", "$ two \\\n  more\n", "$ three\n", "$ silent\n"]


def test_what_needs_a_shell_runs_in_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printed_by("$ echo tea  | tr t T; echo ' ' \n") == "Tea\n\n"


def test_errors_stand_among_what_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "missing.soc" in printed_by("$ hushrank aggregate \\\n  missing.soc\n")
