"""What `collect --unranked` takes, shows and refuses."""

import json

import numpy as np
import pytest

from hushrank.models.mallows import Mallows
from hushrank.rankings.files import write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.reports.collection_page import true_shares
from tests.commands import hushrank

NAMES = ("apple", "beech", "cedar", "dogwood", "elm")
ORDER = ["dogwood", "beech", "elm", "apple", "cedar"]


def written(folder, name: str, keys: np.ndarray):
    path = folder / name
    write_rankings(Rankings.from_keys(keys, NAMES), path)
    return path


@pytest.fixture
def ballots(tmp_path):
    """A file of 6,000 rankings of 5 items around one order, of 1 to 5 of the items."""
    rng = np.random.default_rng(99)
    ranks = Mallows((3, 1, 4, 0, 2), 0.4).sample(6000, rng=rng)
    lengths = rng.integers(1, 6, size=6000)[:, None]
    return written(tmp_path, "ballots.soi", np.where(ranks < lengths, ranks, np.nan))


def collected(monkeypatch, ballots, *arguments: object) -> dict:
    out = ballots.parent / "out.json"
    assert hushrank(monkeypatch, "collect", ballots, "--json", out, *arguments) == 0
    return json.loads(out.read_text())


def test_incomplete_ballots_are_collected_and_compared_where_they_can_be(
    monkeypatch, ballots, capsys
):
    result = collected(monkeypatch, ballots, "--epsilon", 4, "--unranked", "last")
    assert result["order"] == ORDER
    assert result["private"] is True
    evaluation = result["evaluation"]
    assert evaluation["kendall_excess"] == pytest.approx(0, abs=1e-12)
    for name in ("q2_distance", "q2_distance_uniform", "q2_distance_nopriv"):
        assert evaluation[name] is None
    assert result["options"]["unranked"] == "last"
    assert result["options"]["stated_shares"] == pytest.approx([1, 0.8, 0.6, 0.4], abs=0.1)
    said = capsys.readouterr().out
    assert said.count("* No Q2 distance: it is not defined where rankings are incomplete.") == 1
    assert "Q2 distance *" not in said
    assert "No better than uniform" not in said


def test_more_than_16_items_must_all_be_ranked(monkeypatch, tmp_path, capsys):
    """Of up to 16 they need not, as `test_partial_rankings.py` measures."""
    names = tuple(f"item {n}" for n in range(17))
    keys = np.where(np.eye(20, 17, dtype=np.bool_), np.nan, np.arange(17.0))
    write_rankings(Rankings.from_keys(keys, names), tmp_path / "wide.soi")
    asked = "collect", tmp_path / "wide.soi", "--epsilon", 1, "--unranked"
    for meaning in ("last", "unknown"):
        assert hushrank(monkeypatch, *asked, meaning) == 1
        assert "more than 16 items must all be ranked, got 17" in capsys.readouterr().err
    dropped = [f"--drop={name}" for name in names[3:14]]
    assert hushrank(monkeypatch, *asked, "unknown", *dropped, "--seed", 1) == 0


def test_the_optimum_counts_what_is_left_out_as_it_was_told(monkeypatch, tmp_path):
    """`last`: nearly everybody puts a before e; `unknown`: of those who rank both, hardly any."""
    a_alone = [[0, 1, 2, 3, np.nan]] * 900
    both = [[4, 1, 2, 3, 0]] * 100
    path = written(tmp_path, "some.soi", np.array([*a_alone, *both]))
    excess = {}
    for unranked in ("last", "unknown"):
        result = collected(monkeypatch, path, "--epsilon", 8, "--unranked", unranked)
        places = {name: result["order"].index(name) for name in ("apple", "elm")}
        assert (places["apple"] < places["elm"]) == (unranked == "last")
        excess[unranked] = result["evaluation"]["kendall_excess"]
    assert excess == pytest.approx({"last": 0, "unknown": 0}, abs=1e-12)


def test_only_pairs_are_asked_where_ranks_are_unknown(monkeypatch, ballots):
    options = collected(monkeypatch, ballots, "--epsilon", 4, "--unranked", "unknown")["options"]
    assert [part["kind"] for part in options["mix"]] == ["pairs"]
    assert len(options["stated_shares"]) == 10


def test_true_shares_count_what_is_left_out_as_it_was_told():
    keys = np.array([[0, 1, np.nan]] * 3 + [[1, 0, np.nan]])
    rankings = Rankings.from_keys(keys, ("a", "b", "c"))
    known, last = (true_shares(rankings, unranked) for unranked in ("unknown", "last"))
    assert (known[0, 1], known[1, 0], last[0, 1]) == (0.75, 0.25, 0.75)
    assert np.isnan(known[0, 2])
    assert (last[0, 2], last[2, 0]) == (1, 0)


def test_the_page_is_about_the_order_and_pairs(monkeypatch, ballots, tmp_path):
    page = tmp_path / "page.html"
    arguments = ["--epsilon", 4, "--unranked", "last", "--report", page]
    collected(monkeypatch, ballots, *arguments)
    shown = page.read_text()
    assert "The order, and how sure it is" in shown
    assert "Two by two" in shown
    assert "Who is placed where" not in shown
    assert "Do not publish this page" in shown


def test_complete_rankings_keep_their_distances(monkeypatch, tmp_path):
    ranks = Mallows((3, 1, 4, 0, 2), 0.4).sample(2000, rng=np.random.default_rng(99))
    path = written(tmp_path, "people.soc", ranks.astype(float))
    result = collected(monkeypatch, path, "--epsilon", 4, "--unranked", "last")
    evaluation = result["evaluation"]
    assert evaluation["q2_distance"] < evaluation["q2_distance_uniform"] / 3
    assert collected(monkeypatch, path, "--epsilon", 4)["options"]["stated_shares"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say --unranked last, if what people leave out comes after the rest"),
        (
            ["--unranked", "last", "--protocol", "pairs"],
            "pairs takes no --unranked: it belongs to max-entropy",
        ),
        (["--unranked", "last", "--popular-orders"], "takes no --unranked"),
    ],
)
def test_other_ways_refuse_incomplete_ballots_in_one_line(
    monkeypatch, ballots, capsys, arguments, said
):
    assert hushrank(monkeypatch, "collect", ballots, "--epsilon", 1, *arguments) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_ties_are_refused_or_broken(monkeypatch, tmp_path, capsys):
    path = written(tmp_path, "tied.toi", np.array([[0, 0, 1, np.nan, np.nan]] * 50))
    arguments = ["collect", path, "--epsilon", 1, "--unranked", "last"]
    assert hushrank(monkeypatch, *arguments) == 1
    assert "--break-ties" in capsys.readouterr().err
    assert hushrank(monkeypatch, *arguments, "--break-ties") == 0
