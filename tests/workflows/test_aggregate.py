"""What a consensus holds and says, and what only the comparison with raw ballots does."""

import re
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from hushrank.aggregators.private.order import PrivateOrder
from hushrank.aggregators.raw_order import Ballots
from hushrank.aggregators.registry import METHODS
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import kendall_excess
from hushrank.models.mallows import Mallows
from hushrank.rankings.files import read_rankings
from hushrank.rankings.profile import Rankings
from hushrank.workflows.aggregate import aggregate
from hushrank.workflows.results.consensus import consensus as consensus_module
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.results.consensus.words import NOT_PUBLISHABLE, OPEN_PAIRS, PARTLY_RAW
from hushrank.workflows.seeds import secret_words

NAMES = ("apple", "beech", "cedar", "dogwood", "elm")
PUBLISHABLE = [
    "method",
    "chosen",
    "epsilon",
    "delta",
    "neighbours",
    "guarantee",
    "private",
    "items",
    "order",
    "confidence",
    "rank_intervals",
    "sure_of",
    "how_sure",
    "tied",
    "equally_good_orders",
]
"""What a release says, and nothing else."""
PRIVATE = [name for name, method in METHODS.items() if method.is_private]
KINDS = ["auto", "p-sort", "p-sample", "gaussian-kemeny"]
"""One method of each kind of evidence: scores, compared margins, none, all margins."""


def drawn(n_people, seed=1, dispersion=0.7):
    model = Mallows((3, 1, 4, 0, 2), dispersion)
    return Rankings(model.sample(n_people, rng=np.random.default_rng(seed)), NAMES)


BALLOTS = drawn(1000)
OTHERS = drawn(37, seed=2, dispersion=0.95)


def made(method, **more):
    delta = 1e-6 if METHODS[method].delta == "needed" else None
    epsilon = 1.0 if METHODS[method].is_private else None
    return aggregate(BALLOTS, method=method, epsilon=epsilon, delta=delta, **more)


def says(consensus, tmp_path):
    """All that a consensus shows, writes or returns."""
    page = tmp_path / "page.html"
    consensus.report(page)
    frame = pa.table(consensus)
    return (
        repr(consensus),
        consensus.items,
        consensus.confidence,
        consensus.rank_intervals,
        consensus.privacy,
        consensus.spend,
        consensus.summary,
        consensus.to_dict(),
        frame.to_pydict(),
        consensus._repr_html_(),
        page.read_text(),
    )


@pytest.mark.parametrize("method", KINDS)
def test_a_private_consensus_is_made_of_its_release_alone(tmp_path, method):
    """The same release, whatever ballots it came from, says the same to the letter."""
    found = made(method)
    released = Consensus(found.found, NAMES, method, "unknown")
    comparisons = [found.compared_with(ballots) for ballots in (BALLOTS, OTHERS)]
    assert comparisons[0].to_dict() != comparisons[1].to_dict()
    assert says(found, tmp_path) == says(released, tmp_path)
    assert [field.name for field in fields(Consensus)] == ["found", "names", "method", "unranked"]
    assert isinstance(found.found, PrivateOrder)


@pytest.mark.parametrize("method", PRIVATE)
def test_a_release_says_what_it_always_said(method):
    found = made(method)
    document = found.to_dict()
    assert list(document) == PUBLISHABLE
    assert (document["method"], document["epsilon"], document["private"]) == (method, 1.0, True)
    assert document["guarantee"] == found.privacy
    assert sorted(document["order"]) == sorted(NAMES)


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("method", [*KINDS, "kemeny"])
def test_only_the_comparison_bears_stars_and_warnings(tmp_path, method):
    found = made(method)
    said = found.summary | {"page": says(found, tmp_path)[-1]}
    assert not any("*" in label or "raw" in label for label in found.summary)
    assert ("Do not publish this page" in said["page"]) == (not METHODS[method].is_private)
    compared = found.compared_with(BALLOTS)
    assert all(label.endswith(" *") for label in compared.summary)
    assert not compared.to_dict().keys() & found.to_dict().keys()
    compared.report(tmp_path / "raw.html")
    page = (tmp_path / "raw.html").read_text()
    assert "Do not publish this page" in page
    assert all(label.replace(" *", " (raw ballots)") in page for label in compared.summary)
    assert (tmp_path / "raw.html").stat().st_mode & 0o77 == 0


@pytest.mark.usefixtures("blank_pictures")
def test_only_what_is_private_may_be_read_by_others(tmp_path):
    modes = []
    for consensus in (aggregate(BALLOTS, epsilon=1.0), aggregate(BALLOTS)):
        path = tmp_path / f"{consensus.is_private}.html"
        consensus.report(path)
        modes.append(path.stat().st_mode & 0o77 == 0)
    assert modes == [False, True]


@pytest.mark.usefixtures("blank_pictures")
def test_the_page_of_an_order_whose_noise_can_be_repeated_is_not_to_be_published(tmp_path):
    path = tmp_path / "page.html"
    aggregate(BALLOTS, epsilon=1.0, seed=1).report(path)
    assert "Do not publish this page" in path.read_text()
    assert path.stat().st_mode & 0o77 == 0


def test_an_optimum_that_is_not_proven_is_none_and_so_is_what_exceeds_it():
    compared = aggregate(BALLOTS, epsilon=0.01).compared_with(BALLOTS)
    assert compared.excess == compared.to_dict()["excess"] >= 0
    best = replace(compared.best, lower_bound=0.9 * compared.best.cost)
    found = replace(compared, best=best)
    assert (found.excess, found.kemeny_optimum, found.is_proven) == (None, None, False)
    assert found.to_dict()["excess"] is None
    assert found.gap == pytest.approx(0.1 * compared.kemeny_optimum)
    said = [each.summary["of the exact optimum *"] for each in (compared, found)]
    assert said == [f"{compared.kemeny_optimum:.5f}", "not proven in time"]
    assert compared.summary["excess *"] == f"{compared.excess:.5f}"


def test_where_all_agree_no_order_is_better():
    compared = aggregate(ballots := read_rankings([["apple", "beech"]] * 3)).compared_with(ballots)
    assert (compared.gap, compared.excess, compared.kemeny_optimum) == (0, 0, 0)


@pytest.mark.parametrize("gap", [0.123, 0.2, 1 / 3, 0.0134011299])
def test_what_an_optimum_exceeds_at_most_is_rounded_up(gap):
    compared = aggregate(BALLOTS, epsilon=0.01).compared_with(BALLOTS)
    best = replace(compared.best, lower_bound=(1 - gap) * compared.best.cost)
    found = replace(compared, best=best)
    said = found.summary["excess *"].removeprefix("gap ").removesuffix(" at most")
    assert Fraction(found.gap) <= Fraction(said) < Fraction(found.gap) + Fraction(1, 10**5)


def test_without_an_epsilon_the_order_is_exact_and_says_that_it_is_not_private():
    found = aggregate(BALLOTS)
    assert (found.method, found.is_private, found.spend) == ("kemeny", False, ())
    assert found.privacy == "Not private: the order is computed from the raw ballots."
    assert found.compared_with(BALLOTS).excess == 0
    assert found.to_dict()["guarantee"] == "none"


def test_without_an_epsilon_it_is_sure_of_a_population_and_with_one_of_these_ballots():
    raw, private = aggregate(drawn(20)), aggregate(drawn(20), epsilon=8.0, method="p-borda-knorm")
    assert raw.sure_of == "the population they come from"
    assert private.sure_of == "these ballots"
    assert "noise alone" in private.how_sure
    assert any(best < worst for best, worst in raw.rank_intervals.values())
    compared = private.compared_with(drawn(20))
    assert sum(compared.population_confidence) < sum(private.confidence)
    assert "in the population" in " ".join(compared.summary)
    assert "in the population" not in " ".join(raw.compared_with(drawn(20)).summary)


def test_the_population_is_that_of_the_ballots_it_is_compared_with():
    found = aggregate(BALLOTS)
    assert found.compared_with(BALLOTS).of_other_people is found.found.of_other_people
    compared = found.compared_with(OTHERS)
    chances = compared.ballots.ranks_of_other_people("scores").chances()
    np.testing.assert_array_equal(compared.of_other_people.chances(), chances)
    assert not np.array_equal(found.found.of_other_people.chances(), chances)


def test_the_population_is_drawn_by_what_the_order_was_made_of(monkeypatch):
    monkeypatch.setattr(Ballots, "ranks_of_other_people", lambda ballots, rule: rule)
    rules = {"p-borda": "scores", "p-sample": "pairs", "gaussian-kemeny": "pairs"}
    for method, rule in rules.items():
        assert made(method).compared_with(BALLOTS).of_other_people == rule


@pytest.mark.parametrize("is_contrary", [False, True])
def test_a_pair_that_ballots_put_the_other_way_round_is_said_to_be_so(is_contrary):
    compared = aggregate(BALLOTS, epsilon=8.0, seed=1).compared_with(BALLOTS)
    order = compared.consensus.found.order[:: -1 if is_contrary else 1]
    turned = replace(compared.consensus, found=replace(compared.consensus.found, order=order))
    said = " ".join(replace(compared, consensus=turned).summary.values())
    assert ("; the ballots say the contrary" in said) == is_contrary


@pytest.mark.usefixtures("blank_pictures")
def test_the_page_of_a_comparison_says_what_of_it_is_raw(tmp_path):
    for found, warning in ((made("kemeny"), NOT_PUBLISHABLE), (made("auto"), PARTLY_RAW)):
        found.compared_with(BALLOTS).report(tmp_path / "page.html", figures={"a figure *": "7"})
        page = (tmp_path / "page.html").read_text()
        assert warning in page
        assert ("in the population (raw)" in page) == found.is_private
        assert "a figure (raw ballots)" in page
        assert "average Kendall tau" not in page


def test_what_ballots_leave_open_and_who_leads_in_the_other_reading_is_said():
    open_ones = read_rankings([["apple"]] * 3 + [["beech", "cedar", "apple"]] * 2)
    compared = aggregate(open_ones, method="borda").compared_with(open_ones)
    assert compared.to_dict()["other_reading"] == compared.other.to_dict()
    assert compared.other.summary.items() <= compared.summary.items()
    assert OPEN_PAIRS in compared.summary
    whole = aggregate(BALLOTS).compared_with(BALLOTS)
    assert whole.to_dict()["other_reading"] is None
    assert OPEN_PAIRS not in whole.summary


def test_an_order_by_sampling_says_which_lead_shows():
    found = aggregate(BALLOTS, epsilon=0.5, method="p-sample")
    assert found.confidence is found.rank_intervals is None
    assert "if 59 ballots more say so" in found.how_sure  # log(19) * 10 pairs / 0.5
    assert "59 ballots" in found.summary["least sure pair"]


def test_tied_items_are_said_to_be_tied():
    for columns in ("ab", "ba"):
        ballots = read_rankings([["a", "b"], ["b", "a"]])
        swapped = ballots.restrict([ballots.names.index(name) for name in columns])
        found = aggregate(swapped)
        assert found.in_words == f"{columns[0]} = {columns[1]}"
        assert sorted(found.tied[0]) == ["a", "b"]
        assert found.to_dict()["equally_good_orders"] == 2
        assert "2 orders are as good" in found.summary["tied"]
        assert "nothing to be unsure of" not in found.how_sure
    circle = aggregate(read_rankings([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]))
    assert "=" not in circle.in_words
    assert circle.summary["tied"].startswith("3 orders are as good")
    assert aggregate(BALLOTS).tied == ()
    assert "nothing to be unsure of" in aggregate(BALLOTS).how_sure


def test_each_of_many_groups_of_tied_items_is_said():
    """Sixty items, of which each two neighbours are tied."""
    order = np.arange(60)
    other, names = order.reshape(-1, 2)[:, ::-1].ravel(), tuple(f"item {n}" for n in order)
    found = aggregate(Rankings.from_orders(np.array([order, other]), names=names))
    assert sorted(found.items) == sorted(names)
    assert {frozenset(group) for group in found.tied} == {
        frozenset(pair) for pair in zip(names[::2], names[1::2], strict=True)
    }
    assert found.equally_good_orders == 2**30
    assert (found.in_words.count(" = "), found.in_words.count(" > ")) == (30, 29)
    assert all(f"{name} and" in found.summary["tied"] for name in found.items[::2])
    assert len(found.to_dict()["tied"]) == 30


def test_of_one_group_of_many_tied_items_all_are_said():
    order = np.arange(40)
    other = np.append(order[29::-1], order[30:])
    found = aggregate(Rankings.from_orders(np.array([order, other])))
    (tied,) = found.tied
    assert len(tied) == 30


def test_of_many_items_each_has_a_place_and_an_interval():
    ballots = Rankings.from_orders(np.array([np.arange(60), np.arange(60)[::-1]]))
    found = aggregate(ballots, epsilon=1.0, method="p-borda", seed=1)
    assert list(found.rank_intervals) == list(found.items)
    table = pa.table(found).to_pydict()
    intervals = list(zip(table["best_rank"], table["worst_rank"], strict=True))
    assert dict(zip(table["item"], intervals, strict=True)) == found.rank_intervals
    assert len(found.rank_intervals) == 60


def test_a_seed_repeats_a_consensus_and_marks_it():
    first, again, other = (aggregate(BALLOTS, epsilon=0.1, seed=seed) for seed in (1, 1, 2))
    assert first.to_dict() == again.to_dict()
    assert first.found.evidence.scores.tolist() != other.found.evidence.scores.tolist()
    assert not first.is_private
    assert first.to_dict()["private"] is False
    assert first.privacy.startswith("Not private: a simulation")
    assert "protects nobody" in first.caption
    assert first.plain == first.privacy


def test_without_a_seed_the_noise_is_secret(monkeypatch):
    assert secret_words(None).is_private
    assert not secret_words(0).is_private
    read = []
    monkeypatch.setattr("os.urandom", lambda n: read.append(n) or b"\1" * n)
    assert aggregate(BALLOTS, epsilon=1.0, method="p-borda").is_private
    assert read


def test_no_repr_shows_an_order():
    for method in METHODS:
        found = made(method)
        for shown in (repr(found), repr(found.compared_with(BALLOTS))):
            assert "\n" not in shown
            assert not any(name in shown for name in NAMES)
    assert repr(aggregate(BALLOTS)) == "Consensus(5 items, kemeny, exact, not private)"
    assert repr(aggregate(BALLOTS, epsilon=0.5, method="p-sample")) == (
        "Consensus(5 items, p-sample, 0.5-DP, private)"
    )


def test_the_comparison_measures_what_metrics_do():
    keys = np.random.default_rng(5).random((60, 5))
    keys[keys > 0.7] = np.nan
    ballots = Rankings.from_keys(keys, NAMES)
    for unranked in ("unknown", "last"):
        found = aggregate(ballots, method="borda", unranked=unranked).compared_with(ballots)
        excess = kendall_excess(
            ballots, found.consensus.found.order, time_limit=60, unranked=unranked
        )
        assert found.excess == pytest.approx(excess, abs=1e-12)
        assert found.kemeny_optimum + found.excess == pytest.approx(found.average_kendall_tau)
        assert (found.n_people, found.gap, found.is_proven) == (60, 0, True)
    assert 0 < found.undecided < 0.5


def test_an_exact_order_is_not_computed_twice_for_the_same_ballots(monkeypatch):
    found = aggregate(BALLOTS)

    def computed(*_, **__):
        raise AssertionError

    monkeypatch.setattr(consensus_module, "kemeny", computed)
    assert found.compared_with(BALLOTS).excess == 0
    with pytest.raises(AssertionError):
        found.compared_with(OTHERS)


def test_a_frame_has_a_row_an_item_best_first():
    found = aggregate(BALLOTS, epsilon=3.0, method="p-borda-knorm")
    frame = pa.table(found).to_pydict()
    assert frame["item"] == list(found.items)
    assert frame["place"] == [1, 2, 3, 4, 5]
    assert frame["ahead_of_next"] == [*found.confidence, None]
    best, worst = frame["best_rank"], frame["worst_rank"]
    assert all(1 <= low <= high <= 5 for low, high in zip(best, worst, strict=True))
    intervals = dict(zip(frame["item"], zip(best, worst, strict=True), strict=True))
    assert found.rank_intervals == intervals
    unknown = pa.table(aggregate(BALLOTS, epsilon=1.0, method="p-sample")).to_pydict()
    assert unknown["ahead_of_next"] == unknown["best_rank"] == unknown["worst_rank"] == [None] * 5


def test_a_notebook_sees_the_order_and_one_picture():
    html = aggregate(BALLOTS, epsilon=1.0, method="p-borda")._repr_html_()
    assert html.count("<svg") == 1
    assert "order, best first" in html
    raw = aggregate(BALLOTS).compared_with(BALLOTS)._repr_html_()
    assert "for you, protected by nothing" in raw


def test_progress_is_told_and_nothing_is_printed(capsys):
    steps = []
    aggregate(BALLOTS, epsilon=1.0, progress=steps.append).compared_with(
        BALLOTS, progress=steps.append
    )
    assert len(steps) == 3
    assert all(isinstance(step, str) for step in steps)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"ballots": "ballots.toi"},
            "ballots: expected Rankings, see hushrank.read_rankings, got str",
        ),
        ({"ballots": [["a", "b"]]}, "ballots: expected Rankings"),
        ({"epsilon": "1"}, "epsilon: expected a number, got str"),
        ({"epsilon": 1.0, "delta": "x"}, "delta: expected a number, got str"),
        ({"time_limit": None}, "time_limit: expected a number, got NoneType"),
        ({"epsilon": 1.0, "seed": 1.5}, "seed: expected a whole number, got float"),
    ],
)
def test_a_wrong_type_is_named(arguments, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        aggregate(**{"ballots": BALLOTS, **arguments})


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "p-borda"},
        {"method": "borda", "epsilon": 1.0},
        {"method": "gaussian-borda", "epsilon": 1.0},
        {"method": "p-sort", "epsilon": 1.0, "delta": 1e-6},
        {"method": "best"},
        {"delta": 1e-6},
        {"epsilon": 0.0},
        {"epsilon": float("nan")},
        {"epsilon": 1.0, "delta": 2.0},
        {"epsilon": 1.0, "seed": -1},
        {"epsilon": 1.0, "unranked": "first"},
        {"epsilon": 1.0, "time_limit": 0},
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_drawn(monkeypatch, arguments):
    def drawn_words(_):
        raise AssertionError

    monkeypatch.setattr("os.urandom", drawn_words)
    with pytest.raises(HushrankError) as refused:
        aggregate(BALLOTS, **arguments)
    assert "--" not in str(refused.value)


def test_ballots_of_other_items_are_not_compared():
    found = aggregate(BALLOTS)
    with pytest.raises(TypeError, match="ballots: expected Rankings"):
        found.compared_with("ballots.toi")
    with pytest.raises(HushrankError, match="ballots of the same items"):
        found.compared_with(read_rankings([["x", "y"]]))
