"""What the default protocol shows of itself."""

import json
from itertools import permutations

import numpy as np
import pytest

from hushrank.evaluation.metrics import kendall_excess, mean_rank_order, q2_distance
from hushrank.models.mallows import Mallows
from hushrank.protocols import registry
from hushrank.protocols.learnt import models
from hushrank.rankings.files import read_rankings, write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.workflows.collect import collect
from tests.commands import hushrank

NAMES = ("apple", "beech", "cedar", "dogwood", "elm")
ORDER = ["dogwood", "beech", "elm", "apple", "cedar"]


@pytest.fixture
def people(tmp_path):
    """A file of 3,000 rankings of 5 items around one order."""
    ranks = Mallows((3, 1, 4, 0, 2), 0.5).sample(3000, rng=np.random.default_rng(99))
    path = tmp_path / "people.soc"
    write_rankings(Rankings(ranks, NAMES), path)
    return path


def collected(monkeypatch, people, *arguments: object) -> dict:
    """Collect, and return the result for machines."""
    out = people.parent / "out.json"
    assert hushrank(monkeypatch, "collect", people, "--json", out, *arguments) == 0
    return json.loads(out.read_text())


def test_it_is_the_default_and_says_order_and_uncertainty(monkeypatch, people, capsys):
    result = collected(monkeypatch, people, "--epsilon", 4)
    assert result["protocol"] == "max-entropy"
    assert result["private"] is True
    assert result["epsilon"] == 4
    assert result["order"] == ORDER
    assert len(result["confidence"]) == 4
    assert all(0.9 < sure <= 1 for sure in result["confidence"])
    places = {name: place for place, name in enumerate(ORDER, start=1)}
    for name, (best, worst) in result["rank_intervals"].items():
        assert 1 <= best <= places[name] <= worst <= 5
    evaluation = result["evaluation"]
    assert evaluation["q2_distance"] < evaluation["q2_distance_uniform"] / 3
    assert evaluation["kendall_excess"] == pytest.approx(0, abs=1e-12)
    assert "least sure pair" in capsys.readouterr().out


@pytest.mark.block_sizes
def test_the_order_is_the_model_s_and_not_that_of_the_rows(people):
    """Where reports are few the two differ for some seed."""
    rankings, by_rows = read_rankings(people), []
    for seed in range(6):
        result = collect(rankings, 0.2, seed=seed, short_cut=True)
        assert result.order == result.outcome.result.order
        excess = kendall_excess(rankings, result.order, time_limit=60)
        assert result.compared_with(rankings).kendall_excess == excess
        by_rows.append(mean_rank_order(result.synthetic) == result.order)
    assert not all(by_rows)


def test_what_was_asked_and_the_prior_are_printed_and_written(monkeypatch, people, capsys):
    arguments = ["--epsilon", 1, "--seed", 1, "--prior"]
    scales = []
    for prior in ("safe", "typical"):
        options = collected(monkeypatch, people, *arguments, prior)["options"]
        assert options["mix"] == [
            {"kind": "levels-and-pairs", "share": 0.5, "n_levels": 3},
            {"kind": "first", "share": 0.5, "n_levels": 1},
        ]
        assert (options["prior"], options["rows"]) == (prior, "herded")
        assert (options["post_process"], options["queries"]) == (None, None)
        scales.append(options["prior_scale"])
        printed = capsys.readouterr().out
        assert "50 % in which of 3 parts" in printed  # the table's line ends soon
        assert f"{prior}, scale {scales[-1]:.2g}" in printed
    assert min(scales) > 0
    assert scales[0] != scales[1]
    default = collected(monkeypatch, people, *arguments[:-1])["options"]
    assert (default["prior"], default["prior_scale"]) == ("safe", scales[0])


def test_the_price_is_what_one_person_pays_however_many_kinds_are_asked(monkeypatch, people):
    result = collected(monkeypatch, people, "--epsilon", 1)
    assert len(result["spend"]) == 2
    assert result["epsilon"] == 1


def synthetic_rows(monkeypatch, people, *arguments: object) -> tuple[Rankings, dict]:
    """Collect with one seed, and return the rows and how far they are from the truth."""
    out = people.parent / "rows.csv"
    options = ["--epsilon", 4, "--seed", 1, "--synthetic", out, *arguments]
    evaluation = collected(monkeypatch, people, *options)["evaluation"]
    return read_rankings(out), evaluation


def test_herded_rows_are_nearer_to_the_model_than_independent_ones(monkeypatch, people):
    """The same seed gives the same model: what differs is the error of the rows."""
    far = {}
    for rows in ("herded", "independent"):
        written, evaluation = synthetic_rows(monkeypatch, people, "--rows", rows)
        far[rows] = evaluation["q2_distance"]
        truth = read_rankings(people)
        assert (written.n_people, written.names) == (3000, NAMES)
        assert q2_distance(written, truth) == pytest.approx(far[rows], rel=1e-9)
    _, default = synthetic_rows(monkeypatch, people)
    assert default["q2_distance"] == far["herded"] < far["independent"]


def test_the_page_has_the_order_its_intervals_and_the_marginals(monkeypatch, people, tmp_path):
    page = tmp_path / "page.html"
    collected(monkeypatch, people, "--epsilon", 4, "--report", page)
    shown = page.read_text()
    assert shown.count("<svg") == 1
    for heading in ("The order, and how sure it is", "What people prefer"):
        assert f"<h2>{heading}</h2>" in shown
    for heading in ("Who is placed where", "Two by two"):
        assert f"<h3>{heading}" in shown
    assert ">ahead of the next</th>" in shown
    listed = [shown.index(f'dir="auto">{name}<') for name in ORDER]
    assert listed == sorted(listed)
    assert "Do not publish this page" in shown
    pairs, named = "whether another is before it", "the first two items in order, or the last two"
    assert f"50 % the rank of one item, and {pairs}; 50 % {named}" in shown


def test_more_items_than_it_takes_are_refused_with_what_takes_them(monkeypatch, tmp_path, capsys):
    path = tmp_path / "many.soc"
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(51), (50, 1)), axis=1)
    write_rankings(Rankings.from_orders(orders), path)
    assert hushrank(monkeypatch, "collect", path, "--epsilon", 1) == 1
    error = capsys.readouterr().err
    assert "at most 50 items, got 51" in error
    assert "protocol pairs" in error
    assert "protocol safari" in error
    assert error.count("\n") == 1
    arguments = ["--epsilon", 1, "--protocol", "pairs"]
    assert hushrank(monkeypatch, "collect", path, *arguments) == 0


def test_one_item_and_two_items(monkeypatch, tmp_path, capsys):
    for n_items, code in ((1, 1), (2, 0)):
        path = tmp_path / f"{n_items}.soc"
        write_rankings(Rankings.from_orders(np.tile(np.arange(n_items), (50, 1))), path)
        assert hushrank(monkeypatch, "collect", path, "--epsilon", 1) == code
    assert capsys.readouterr().err.count("\n") == 1


def test_what_takes_too_long_to_know_is_null(monkeypatch, people, capsys):
    monkeypatch.setattr(registry, "MOST_ITEMS_WITHOUT_NOISE", 4)
    evaluation = collected(monkeypatch, people, "--epsilon", 1)["evaluation"]
    assert evaluation["q2_distance_nopriv"] is None
    assert evaluation["q2_distance"] < evaluation["q2_distance_uniform"]
    assert "not computed" in capsys.readouterr().out


def test_rows_of_many_people_are_herded_with_fewer_draws(monkeypatch, people):
    """Never with none: such rows would be the independent ones."""
    far = [synthetic_rows(monkeypatch, people)[1]["q2_distance"]]
    monkeypatch.setattr(models, "MOST_HERDED_DRAWS", 1000)
    rows, evaluation = synthetic_rows(monkeypatch, people)
    far.append(evaluation["q2_distance"])
    far.append(synthetic_rows(monkeypatch, people, "--rows", "independent")[1]["q2_distance"])
    assert rows.n_people == 3000
    assert len(set(far)) == 3


def test_the_short_cut_serves_it(monkeypatch, people):
    result = collected(monkeypatch, people, "--epsilon", 4, "--short-cut")
    assert result["private"] is False
    assert result["order"] == ORDER


def test_no_better_than_uniform_is_said(monkeypatch, tmp_path, capsys):
    path = tmp_path / "uniform.soc"
    every_order = list(permutations(range(4)))
    write_rankings(Rankings.from_orders(np.array(every_order * 10)), path)
    assert hushrank(monkeypatch, "collect", path, "--epsilon", 1) == 0
    said = capsys.readouterr().out
    assert "* No better than uniform rankings: ask more people, spend more epsilon." in said
