"""Every program of the documents runs as it stands; those of activity-data.md: tests/activities."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

import hushrank
from hushrank.activities.activity_files import write_activity
from hushrank.activities.planted import draw_planted
from hushrank.models.mallows import Mallows
from hushrank.rankings.files import read_rankings, write_rankings
from hushrank.rankings.profile import Rankings
from tests.workflows import twenty_names

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if "```python\n" in page.read_text() and page.stem != "activity-data"
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with the files that the README's program reads."""
    monkeypatch.chdir(tmp_path)
    ranks = Mallows((2, 0, 1, 4, 3), 0.6).sample(300, rng=np.random.default_rng(1))
    people = Rankings(ranks, ("tea", "coffee", "water", "milk", "juice"))
    write_rankings(people, "people.soc")
    write_rankings(people, "ballots.soc")
    write_rankings(people, "ballots.toi")
    Path("stars.csv").write_text("person,item,score\nkim,tea,4\nkim,milk,4\nlee,tea,1\n")
    Path("jester-data-1.csv.gz").write_bytes(gzip.compress(b"2,7.5,99\n3,-1.25,4\n"))
    log, users = draw_planted(200, 30, tilt=0.7, rng=np.random.default_rng(2))
    write_activity(log.activity(), "visits.csv")
    lines = [
        f"{user},{'female' if number % 2 else 'male'},{'none' if number % 3 else 'all'}"
        for number, user in enumerate(users.users)
    ]
    Path("users.csv").write_text("\n".join(["user,gender,protects", *lines]) + "\n")


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_programs_of_a_page_run_in_turn(page, files):
    programs = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    known = {"__name__": f"documented_{page.stem.replace('-', '_')}"}
    for number, program in enumerate(programs):
        exec(compile(program, f"{page.name}, program {number + 1}", "exec"), known)


def test_the_program_of_twenty_names_runs(files, tmp_path, capsys):
    used = set(re.findall(r"hushrank\.(\w+)", Path(twenty_names.__file__).read_text()))
    assert used == set(hushrank.__all__)
    twenty_names.main(tmp_path)
    assert "some items have no rank" in capsys.readouterr().out


def test_the_readme_learns_and_writes(files, capsys):
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(compile(program, "README.md", "exec"), {})
    assert "each of 300 people by 4-LDP" in capsys.readouterr().out
    assert read_rankings("synthetic.csv").n_people == 300
