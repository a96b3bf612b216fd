"""Every program of the documents runs as it stands; those of activity-data.md: tests/activities."""

import re
from pathlib import Path

import pytest

import hushrank
from hushrank.rankings.files import read_rankings
from tests.documents.files import write_files
from tests.documents.programs import printed_in_turn, programs
from tests.workflows import every_name

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if page.stem != "embedding"  # beside a collector: tests/collector/device/test_embedding.py
    and "```python\n" in page.read_text()
    and page.stem != "activity-data"
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with the files that programs read."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)


@pytest.mark.usefixtures("blank_pictures", "hasty_attackers")
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_programs_of_a_page_run_in_turn(page, files):
    shown = [said for _, said in programs(page.read_text())]
    for said, printed in zip(shown, printed_in_turn(page), strict=True):
        assert said in (None, printed), f"{page.name} (`make docs-outputs` renews what is shown)"


@pytest.mark.usefixtures("blank_pictures", "hasty_attackers")
def test_the_program_of_every_name_runs(files, tmp_path, capsys):
    used = set(re.findall(r"hushrank\.(\w+)", Path(every_name.__file__).read_text()))
    assert used == set(hushrank.__all__)
    every_name.main(tmp_path)
    assert "some items have no rank" in capsys.readouterr().out


def test_the_readme_learns_and_writes(files, capsys):
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(compile(program, "README.md", "exec"), {})
    assert "each of 300 people by 4-LDP" in capsys.readouterr().out
    assert read_rankings("synthetic.csv").n_people == 300
