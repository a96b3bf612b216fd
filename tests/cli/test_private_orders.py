import json
import stat

import numpy as np
import pytest

from hushrank.accounting.words import epsilon_in_words
from hushrank.aggregators.registry import METHODS
from hushrank.models.mallows import Mallows
from hushrank.rankings.files import write_rankings
from hushrank.rankings.profile import Rankings
from tests.commands import hushrank

NAMES = ("apple", "beech", "cedar", "dogwood", "elm")
PRIVATE_METHODS = [name for name, method in METHODS.items() if method.is_private]
WITH_DELTA = [name for name, method in METHODS.items() if method.delta == "needed"]
KEYS = {
    "method",
    "chosen",
    "epsilon",
    "delta",
    "neighbours",
    "guarantee",
    "people",
    "items",
    "private",
    "order",
    "confidence",
    "average_kendall_tau",
    "kemeny_optimum",
    "excess",
    "optimal_proven",
    "gap",
    "other_reading",
    "reading",
    "seconds",
    "publishable",
    "rank_intervals",
    "sure_of",
    "how_sure",
    "tied",
    "equally_good_orders",
    "population_confidence",
}


@pytest.fixture
def ballots(tmp_path):
    """A file of 20,000 rankings of 5 items around one order: no noise here hides it."""
    model = Mallows((3, 1, 4, 0, 2), 0.6)
    path = tmp_path / "ballots.soc"
    write_rankings(Rankings(model.sample(20_000, rng=np.random.default_rng(1)), NAMES), path)
    return path


def budget(method):
    return ["--epsilon", 2, *(["--delta", 1e-6] if method in WITH_DELTA else [])]


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("method", PRIVATE_METHODS)
def test_a_private_order_comes_with_its_price(monkeypatch, ballots, tmp_path, method):
    out, release, page = (tmp_path / name for name in ("o.json", "r.json", "o.html"))
    paths = ["--json", out, "--release", release, "--report", page]
    assert (
        hushrank(monkeypatch, "aggregate", ballots, "--method", method, *budget(method), *paths)
        == 0
    )
    result = json.loads(out.read_text())
    assert result.keys() == KEYS
    assert stat.S_IMODE(out.stat().st_mode) == 0o600  # how near it is comes from raw ballots
    assert (result["method"], result["epsilon"], result["private"]) == (method, 2, True)
    assert result["delta"] == (1e-6 if method in WITH_DELTA else 0)
    assert result["neighbours"] == "add or remove one ballot"
    assert "the number of people is not treated as public" in result["guarantee"]
    assert sorted(result["order"]) == sorted(NAMES)
    assert result["optimal_proven"]
    assert 0 <= result["excess"] < 0.4
    assert result["kemeny_optimum"] + result["excess"] == pytest.approx(
        result["average_kendall_tau"]
    )
    if result["chosen"].endswith("p-sample"):
        assert result["confidence"] is None
    else:
        assert len(result["confidence"]) == 4
        assert all(0.4 < sure <= 1 for sure in result["confidence"])
    assert "Do not publish this page" in page.read_text()


@pytest.mark.parametrize("method", ["p-borda-knorm", "p-sample", "auto"])
def test_what_is_released_holds_nothing_of_the_raw_ballots(monkeypatch, ballots, tmp_path, method):
    release = tmp_path / "release.json"
    arguments = ["--method", method, "--epsilon", 1, "--release", release]
    assert hushrank(monkeypatch, "aggregate", ballots, *arguments) == 0
    published = json.loads(release.read_text())
    exact = {
        "population_confidence",
        "people",
        "average_kendall_tau",
        "kemeny_optimum",
        "excess",
        "gap",
        "seconds",
        "other_reading",
    }
    of_ballots = exact | {"optimal_proven", "publishable", "reading"}
    of_release = {"title", "date", "hushrank", "candidates", "statement"}
    assert published.keys() == KEYS - of_ballots | of_release
    assert sorted(published["order"]) == sorted(NAMES)


def test_a_name_that_somebody_wrote_is_not_released_where_items_are_listed(monkeypatch, tmp_path):
    ballots, released = tmp_path / "ballots.csv", tmp_path / "released.json"
    ballots.write_text("1st,2nd,3rd\n" + "tea,milk,cola\n" * 9 + "tea,Mallory,milk\n")
    for items in (["tea,milk,cola,water"], ["tea, milk", '"cola",water']):
        words = [word for each in items for word in ("--items", each)]
        asked = ("--epsilon", "1", "--release", str(released), "--force")
        hushrank(monkeypatch, "aggregate", str(ballots), *asked, *words)
        assert sorted(json.loads(released.read_text())["order"]) == ["cola", "milk", "tea", "water"]
        assert "Mallory" not in released.read_text()
    for nothing in ("", " , "):
        assert hushrank(monkeypatch, "aggregate", str(ballots), "--items", nothing) == 1


def test_with_epsilon_the_default_is_private_and_without_it_exact(monkeypatch, ballots, tmp_path):
    chosen = []
    for extra in ([], ["--epsilon", 1]):
        out = tmp_path / "out.json"
        assert hushrank(monkeypatch, "aggregate", ballots, "--json", out, *extra) == 0
        chosen.append(json.loads(out.read_text()))
    assert [each["method"] for each in chosen] == ["kemeny", "auto"]
    assert [each["private"] for each in chosen] == [False, True]
    assert chosen[0]["publishable"] == []


@pytest.mark.parametrize("method", PRIVATE_METHODS)
def test_a_seed_repeats_a_private_order_and_marks_it(monkeypatch, ballots, tmp_path, method):
    results = []
    for _ in range(2):
        out = tmp_path / "out.json"
        arguments = ["--method", method, *budget(method), "--seed", 3, "--json", out]
        assert hushrank(monkeypatch, "aggregate", ballots, *arguments) == 0
        results.append(json.loads(out.read_text()))
        del results[-1]["seconds"]
    assert results[0] == results[1]
    assert results[0]["private"] is False
    assert results[0]["guarantee"].startswith("Not private")
    assert results[0]["publishable"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--method", "p-borda"],
        ["--method", "borda", "--epsilon", "1"],
        ["--method", "kemeny", "--delta", "0.1"],
        ["--method", "kemeny", "--release", "out.json"],
        ["--epsilon", "0"],
        ["--epsilon", "-1"],
        ["--epsilon", "nan"],
        ["--epsilon", "inf"],
        ["--method", "gaussian-borda", "--epsilon", "1"],
        ["--method", "gaussian-kemeny", "--epsilon", "1", "--delta", "0"],
        ["--method", "gaussian-kemeny", "--epsilon", "1", "--delta", "1"],
        ["--method", "gaussian-borda", "--epsilon", "1", "--delta", "nan"],
        ["--method", "p-sort", "--epsilon", "1", "--delta", "1e-6"],
        ["--epsilon", "1", "--delta", "2"],
        ["--epsilon", "1", "--delta", "0.99"],
        ["--epsilon", "1", "--time-limit", "0"],
        ["--epsilon", "1", "--seed", "1", "--release", "out.json"],
        ["--epsilon", "1", "--seed", "1", "--release", "out.json", "--force"],
    ],
)
def test_a_budget_that_does_not_fit_is_one_line(monkeypatch, ballots, capsys, arguments):
    assert hushrank(monkeypatch, "aggregate", ballots, *arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("hushrank: ")
    assert error.count("\n") == 1


def written(tmp_path, text):
    path = tmp_path / "some.csv"
    path.write_text(text)
    return path


def test_the_table_says_what_it_cost_and_marks_what_is_raw(monkeypatch, ballots, capsys):
    asked = ("--method", "p-borda", "--epsilon", 2, "--no-ledger")
    assert hushrank(monkeypatch, "aggregate", ballots, *asked) == 0
    said = capsys.readouterr().out
    assert epsilon_in_words(2.0) in " ".join(said.split())
    assert {"people *", "seconds *"} <= {
        line.strip("│ ").split(" │")[0].rstrip() for line in said.splitlines()
    }


@pytest.mark.parametrize("method", ["p-borda", "p-borda-hist"])
def test_partial_ballots_are_refused_where_a_proof_needs_full_ones(
    monkeypatch, tmp_path, capsys, method
):
    partial = written(tmp_path, "a,b,c\n1,2,3\n1,,2\n2,1,3\n")
    arguments = ["--form", "ranks", "--method", method, "--epsilon", 1, "--unranked", "unknown"]
    assert hushrank(monkeypatch, "aggregate", partial, *arguments) == 1
    assert capsys.readouterr().err.count("\n") == 1
    arguments[3] = "p-borda-knorm"
    assert hushrank(monkeypatch, "aggregate", partial, *arguments) == 0


def test_too_many_items_for_a_histogram_and_too_few_for_an_order(monkeypatch, tmp_path, capsys):
    names = ",".join(f"i{nth}" for nth in range(11))
    wide = written(tmp_path, names + "\n" + ",".join(map(str, range(1, 12))) + "\n")
    arguments = ["--form", "ranks", "--epsilon", 1, "--method"]
    assert hushrank(monkeypatch, "aggregate", wide, *arguments, "p-borda-hist") == 1
    assert "at most 10 items, got 11" in capsys.readouterr().err
    single = written(tmp_path, "a\n1\n1\n")
    for method in PRIVATE_METHODS:
        extra = ["--delta", 1e-6] if method in WITH_DELTA else []
        assert hushrank(monkeypatch, "aggregate", single, *arguments, method, *extra) == 1
        error = capsys.readouterr().err
        assert "2 items" in error
        assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("protocol", "asked"),
    [("pairs", 1), ("ldp-kwiksort-rr", 1), ("ldp-kwiksort-lap", 1), ("subset-order", None)],
)
def test_one_order_is_collected_with_its_uncertainty(
    monkeypatch, ballots, tmp_path, protocol, asked
):
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    arguments = ["--protocol", protocol, "--epsilon", 2, "--json", out, "--report", page]
    assert hushrank(monkeypatch, "collect", ballots, *arguments) == 0
    result = json.loads(out.read_text())
    assert result["private"] is True
    assert result["epsilon"] <= 2
    assert sorted(result["order"]) == sorted(NAMES)
    assert len(result["confidence"]) == 4
    assert all(0.4 < sure <= 1 for sure in result["confidence"])
    assert [*result["rank_intervals"]] == result["order"]  # and not as the file has them
    assert all(1 <= best <= worst <= 5 for best, worst in result["rank_intervals"].values())
    assert 0 <= result["evaluation"]["kendall_excess"] < 0.4
    assert result["evaluation"]["q2_distance"] is None
    assert result["options"].get("queries") == asked
    assert "The order, and how sure it is" in page.read_text()


def test_the_laplace_variant_states_its_true_loss(monkeypatch, ballots, tmp_path, capsys):
    out = tmp_path / "out.json"
    arguments = ["--protocol", "ldp-kwiksort-lap", "--epsilon", 1, "--queries", 1, "--json", out]
    assert hushrank(monkeypatch, "collect", ballots, *arguments) == 0
    true_loss = np.log(2 * np.exp(0.5) - 1)
    assert json.loads(out.read_text())["epsilon"] == pytest.approx(true_loss)
    assert "0.8318" in capsys.readouterr().out


@pytest.mark.parametrize("process", ["kwiksort", "borda", "kemeny", "scores", "auto"])
def test_pair_reports_become_an_order_as_asked(monkeypatch, ballots, tmp_path, process):
    out = tmp_path / "out.json"
    for protocol in ("pairs", "ldp-kwiksort-rr"):
        arguments = ["--protocol", protocol, "--epsilon", 3, "--post-process", process]
        assert hushrank(monkeypatch, "collect", ballots, *arguments, "--json", out) == 0
        used = json.loads(out.read_text())["options"]["post_process"]
        assert used == process if process != "auto" else used in ("scores", "borda", "kemeny")


def test_the_short_cut_serves_pairs_but_no_rows(monkeypatch, ballots, capsys):
    arguments = ["--epsilon", 1, "--short-cut", "--protocol"]
    assert hushrank(monkeypatch, "collect", ballots, *arguments, "pairs") == 0
    assert hushrank(monkeypatch, "collect", ballots, *arguments, "subset-order") == 1
    assert "no tally short cut" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["p-borda-hist", "gaussian-kemeny", "p-sort"])
def test_a_tie_without_noise_makes_a_report_too(monkeypatch, tmp_path, method):
    tied = written(tmp_path, "a,b,c\n1,2,3\n3,2,1\n")
    page = tmp_path / "page.html"
    arguments = ["--form", "ranks", "--method", method, "--epsilon", 900, "--report", page]
    extra = ["--delta", 0.1] if method in WITH_DELTA else []
    assert hushrank(monkeypatch, "aggregate", tied, *arguments, *extra) == 0
    assert page.exists()


def test_certain_answers_give_the_right_order(monkeypatch, tmp_path):
    certain = written(tmp_path, "1,2,3\n" + "c,b,a\n" * 50)
    out = tmp_path / "out.json"
    arguments = ["--form", "places", "--protocol", "pairs", "--queries", 3, "--json", out]
    for process in ("scores", "auto"):
        extra = ["--epsilon", 240, "--post-process", process]
        assert hushrank(monkeypatch, "collect", certain, *arguments, *extra) == 0
        assert json.loads(out.read_text())["order"] == ["c", "b", "a"]


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize(
    ("method", "options", "is_private"),
    [
        ("borda", [], False),
        ("p-borda", ["--epsilon", 2], True),
        ("p-borda", ["--epsilon", 2, "--seed", 0], False),
        ("p-borda", ["--epsilon", 2, "--seed", 5], False),
    ],
)
def test_what_comes_from_raw_ballots_or_a_seed_is_for_its_owner_alone(
    monkeypatch, ballots, tmp_path, method, options, is_private
):
    """Also in the place of files that everybody could read; and no raw figure is publishable."""
    out, *shown = (tmp_path / name for name in ("o.json", "o.csv", "o.svg"))
    for path in (out, *shown):
        path.write_text("{}")
        path.chmod(0o644)
    paths = ["--json", out, "--csv", shown[0], "--figure", shown[1], "--force"]
    asked = ["--method", method, *options, *paths]
    assert hushrank(monkeypatch, "aggregate", ballots, *asked) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    modes = {stat.S_IMODE(path.stat().st_mode) for path in shown}
    assert modes == {0o644 if is_private else 0o600}
    publishable = json.loads(out.read_text())["publishable"]
    assert {"average_kendall_tau", "kemeny_optimum", "excess", "gap"}.isdisjoint(publishable)
    assert ("order" in publishable) == is_private
