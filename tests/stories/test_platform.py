"""A platform's data scientist hands visits to a recommender; their owner asks what they betray."""

import shlex
from pathlib import Path

import pytest

import hushrank
from tests.commands import hushrank as command

COLUMNS = ["--user", "userId", "--item", "movieId", "--score", "rating", "--time", "timestamp"]
PEOPLE = ["--profiles", "people.csv", "--private", "gender"]


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """What the platform's own database writes: semicolons, names of its own, times."""
    monkeypatch.chdir(tmp_path)
    made, people = hushrank.simulate_activity(users=240, items=60, tilt=0.8, seed=5)
    hushrank.write_activity(made, "plain.csv")
    hushrank.write_profiles(people, "people.csv")
    records = Path("plain.csv").read_text().splitlines()[1:]
    rows = [record.replace(",", ";") + ";1767225600" for record in records]
    Path("visits.csv").write_text("\n".join(["userId;movieId;rating;timestamp", *rows]) + "\n")
    return Path("visits.csv")


@pytest.fixture
def said(monkeypatch, capsys):
    """Run a command; return its exit code and all that it said, in one line."""

    def run(*arguments):
        code = command(monkeypatch, *arguments)
        printed = capsys.readouterr()
        return code, " ".join((printed.out + printed.err).split())

    return run


@pytest.mark.usefixtures("visits")
def test_a_look_says_what_a_file_is_and_the_command_that_publishes_it(said):
    code, words = said("look", "visits.csv")
    assert code == 0
    assert "240 users, 60 items" in words
    assert "with scores, with times; text with semicolons" in words
    advised = words[words.index("hushrank publish historical") :]
    assert " ".join(COLUMNS) in advised
    asked = [*shlex.split(advised.replace("users.csv", "people.csv"))[1:], "--clusters", "3"]
    code, words = said(*asked)
    assert code == 0
    assert "wrote released.csv" in words
    assert "Times are not released: the column is left out." in words


@pytest.mark.usefixtures("visits")
def test_a_forgotten_budget_is_asked_for_with_some_to_try(said):
    code, words = said(
        "publish", "historical", "visits.csv", *COLUMNS, *PEOPLE, "--output", "r.csv"
    )
    assert code == 1
    assert "for data of this size try budgets of" in words
    assert not Path("r.csv").exists()


@pytest.mark.usefixtures("visits")
def test_who_forgets_to_say_who_is_unprotected_is_told_the_way_out(said):
    lines = Path("people.csv").read_text().splitlines()
    silent = [line.rpartition(",")[0] for line in lines]
    Path("people.csv").write_text("\n".join(silent) + "\n")
    method = ["--method", "user-level", "--budget", "0.3", "--output", "r.csv"]
    code, words = said("publish", "historical", "visits.csv", *COLUMNS, *PEOPLE, *method)
    assert code == 1
    assert "without a column `protects` everybody protects everything" in words
    assert "write `none` there for those who agreed" in words


@pytest.mark.usefixtures("visits")
def test_the_owner_of_the_data_sees_what_attackers_learn_and_what_it_costs(said):
    """Gender shows in nearly every record as it is; what is released is harder to read."""
    method = ["--method", "rand", "--budget", "1", "--hold-out", "held.csv", "--output", "r.csv"]
    assert said("publish", "historical", "visits.csv", *COLUMNS, *PEOPLE, *method)[0] == 0
    code, words = said("attack", "visits.csv", "r.csv", *COLUMNS, *PEOPLE)
    assert code == 0
    before, after = (float(cell) for cell in words.split("worst │ ")[1].split(" │ ")[:2])
    assert before < 0.1 < 0.2 < after
    code, words = said("evaluate", "visits.csv", "r.csv", *COLUMNS, "--held-out", "held.csv")
    assert code == 0, words
    assert "Mean average precision" in words


@pytest.mark.usefixtures("visits")
def test_files_of_movielens_need_no_more_than_a_header_of_the_profiles(said):
    """`::` between cells and no header, as in ratings.dat and users.dat."""
    rows = Path("plain.csv").read_text().splitlines()[1:]
    Path("ratings.dat").write_text("\n".join(rows).replace(",", "::") + "\n")
    profiles = Path("people.csv").read_text().replace(",", "::")
    Path("users.dat").write_text("\n".join(profiles.splitlines()[1:]) + "\n")
    columns = ["--user", "1", "--item", "2", "--score", "3"]
    asked = ["publish", "historical", "ratings.dat", *columns, "--private", "gender"]
    asked += ["--budget", "0.3", "--clusters", "3", "--output", "r.csv", "--profiles"]
    code, words = said(*asked, "users.dat")
    assert code == 1
    assert "write the names of all 3 columns above it" in words
    Path("users.dat").write_text(profiles)
    code, words = said(*asked, "users.dat")
    assert code == 0, words
    assert "240 users, 60 items" in words
