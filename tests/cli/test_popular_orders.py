"""What `collect --popular-orders` shows."""

import json

import numpy as np
import pytest

from hushrank.models.mallows import Mallows
from hushrank.rankings.coding import inverse
from hushrank.rankings.files import read_rankings, write_rankings
from hushrank.rankings.profile import Rankings
from tests.commands import hushrank

NAMES = ("apple", "beech", "cedar", "dogwood", "elm")
HELD = ["elm", "apple", "dogwood", "beech", "cedar"]


@pytest.fixture
def people(tmp_path):
    """A file of 12,000 rankings, four in ten of them the same."""
    ranks = Mallows((0, 1, 2, 3, 4), 0.8).sample(12_000, rng=np.random.default_rng(99))
    ranks[:4800] = inverse(np.array([[NAMES.index(name) for name in HELD]]))
    path = tmp_path / "people.soc"
    write_rankings(Rankings(ranks, NAMES), path)
    return path


def test_they_are_printed_and_written_with_their_shares(monkeypatch, people, capsys):
    out, rows = people.parent / "out.json", people.parent / "rows.csv"
    arguments = ["--epsilon", 4, "--popular-orders", "--seed", 1, "--json", out]
    assert hushrank(monkeypatch, "collect", people, *arguments, "--synthetic", rows) == 0
    result = json.loads(out.read_text())
    popular = result["popular_orders"]
    assert [each["order"] for each in popular["orders"]] == [HELD]
    assert popular["share"] == popular["orders"][0]["share"]
    assert popular["share_error"] == pytest.approx(popular["orders"][0]["share_error"])
    assert abs(popular["share"] - 0.4) < 5.5 * popular["share_error"]
    assert result["options"]["popular_orders"] is True
    assert result["options"]["mix"]
    assert (result["epsilon"], result["private"]) == (4, False)
    assert [spend["lots"] for spend in result["spend"]] == [[0.3, 1.0], [0.0, 0.3]]
    assert len(result["confidence"]) == 4
    share, error = 100 * popular["share"], 100 * popular["share_error"]
    assert f"1 found: {share:.1f} % ± {error:.1f} % of people" in capsys.readouterr().out
    same = (read_rankings(rows).orders() == [NAMES.index(name) for name in HELD]).all(axis=1)
    assert same.mean() == pytest.approx(popular["share"], abs=0.03)
    evaluation = result["evaluation"]
    assert evaluation["q2_distance_nopriv"] < evaluation["q2_distance"] < 0.1


def test_none_found_is_said(monkeypatch, tmp_path, capsys):
    path, out = tmp_path / "smooth.soc", tmp_path / "out.json"
    ranks = Mallows((0, 1, 2, 3), 0.8).sample(500, rng=np.random.default_rng(99))
    write_rankings(Rankings(ranks, NAMES[:4]), path)
    arguments = ["--epsilon", 1, "--popular-orders", "--seed", 1, "--short-cut", "--json", out]
    assert hushrank(monkeypatch, "collect", path, *arguments) == 0
    assert "none found" in capsys.readouterr().out
    found = {"share": 0.0, "share_error": 0.0, "orders": []}
    assert json.loads(out.read_text())["popular_orders"] == found


def test_ordinary_reports_tell_of_them_too(monkeypatch, people, capsys):
    out = people.parent / "out.json"
    arguments = ["--epsilon", 4, "--seed", 1, "--json", out]
    assert hushrank(monkeypatch, "collect", people, *arguments) == 0
    result = json.loads(out.read_text())
    popular = result["popular_orders"]
    assert [each["order"] for each in popular["orders"]] == [HELD]
    assert abs(popular["share"] - 0.4) < 5.5 * popular["share_error"]
    assert result["options"]["popular_orders"] is False
    assert "1 found" in capsys.readouterr().out


def test_none_is_written_where_none_is_found(monkeypatch, tmp_path, capsys):
    ranks = Mallows((0, 1, 2, 3, 4), 0.8).sample(3_000, rng=np.random.default_rng(99))
    write_rankings(Rankings(ranks, NAMES), tmp_path / "smooth.soc")
    out = tmp_path / "out.json"
    arguments = ["--epsilon", 1, "--seed", 1, "--json", out]
    assert hushrank(monkeypatch, "collect", tmp_path / "smooth.soc", *arguments) == 0
    assert json.loads(out.read_text())["popular_orders"] is None
    assert "popular orders" not in capsys.readouterr().out


def test_only_max_entropy_looks_for_them(monkeypatch, people, capsys):
    arguments = ["--epsilon", 1, "--popular-orders", "--protocol", "safari"]
    assert hushrank(monkeypatch, "collect", people, *arguments) == 1
    assert "takes no --popular-orders: it belongs to max-entropy" in capsys.readouterr().err
