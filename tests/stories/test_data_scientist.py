"""A data scientist learns what users of an app prefer, from reports that lie in a data lake."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import hushrank
from hushrank.randomness import Randomness
from hushrank.surveys.wire import read_survey
from tests.commands import hushrank as command

TABS = ("home", "search", "feed", "shop")
SURVEY = """
title = "Tabs"
asked_by = "App team"
purpose = "Which tab comes first."
contact = "app@example.org"
privacy_notice = "Only noisy answers leave your phone."
epsilon = 4.0
expected_people = 300
items = ["home", "search", "feed", "shop"]
"""
N_PEOPLE = 300


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Run a command; return its exit code and all that it said, in one line."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = command(monkeypatch, *arguments)
        printed = capsys.readouterr()
        return code, " ".join((printed.out + printed.err).split())

    return run


def reports(folder: Path) -> list[dict]:
    """What devices send: each knows the part that asks its lot, and its own person."""
    rng, draws = np.random.default_rng(4), Randomness.seeded(4)
    parts = [read_survey(path.read_bytes(), most_epsilon=4.0) for path in folder.iterdir()]
    rows = []
    for person in range(N_PEOPLE):
        order = [0, 1, 2, 3] if rng.random() < 0.7 else rng.permutation(4).tolist()
        own, lot = hushrank.Rankings.from_orders(np.array([order]), TABS), rng.random()
        (part,) = (each for each in parts if each.survey.lots[0] <= lot < each.survey.lots[1])
        asked = [int(rng.integers(len(part.survey.questions)))]
        for sent in part.answer(own, asked, lot=lot, rng=draws, is_simulation=True):
            report = json.loads(sent)
            rows.append({"person": person, **report, "report": json.dumps(report["report"])})
    return rows


def test_reports_in_a_data_lake_become_an_order(said):
    Path("survey.toml").write_text(SURVEY)
    code, words = said("conclude", "survey.toml", "--next", "round")
    assert code == 0, words
    assert "Round 1 follows, of 2 surveys:" in words
    rows = reports(Path("round"))
    columns = ("person", "survey", "question", "report")
    again = [*rows, *rows[:20]]  # a pipeline may deliver twice
    parquet.write_table(
        pa.table({name: [row[name] for row in again] for name in columns}), "lake.parquet"
    )
    tally = ["--survey", "survey.toml", "--key", "person", "--out", "tallies.json"]
    code, words = said("tally", "lake.parquet", *tally)
    assert code == 0, words
    assert "20" in words
    code, words = said("conclude", "tallies.json", "--json", "learnt.json")
    assert code == 0, words
    assert "home > search > feed > shop" in words
    assert "protect each of 300 people by 4-LDP" in words


def test_what_a_survey_lacks_is_said_at_once(said):
    Path("survey.toml").write_text('title = "Tabs"\nitems = ["home", "search"]\n')
    code, words = said("conclude", "survey.toml", "--next", "round")
    assert code == 1
    assert "it lacks asked_by, purpose, contact, privacy_notice" in words


def test_lists_of_users_are_rankings_and_no_profiles(said):
    rows = [{"user": n, "ranking": TABS[:: 1 if n % 3 else -1]} for n in range(30)]
    Path("app.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, words = said("look", "app.ndjson")
    assert code == 0
    assert "30 people, 4 items; whole ballots in column 1, as lists; column user ignored" in words
    assert "hushrank collect app.ndjson --epsilon 4" in words
