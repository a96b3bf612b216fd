"""What the committed tables of the frontier say, so that the text beside them stays true."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest

from hushrank.experiments.figures.frontier.elections import ELECTIONS

PAGES = Path(__file__).parents[3] / "docs" / "experiments"
PAGE = PAGES / "max-entropy.md"
PRIVATE_GROUPS = ("ours", "proposed", "repair", "compared")
SAFE, UNIFORM = "max-entropy, safe", "uniform rankings"
MOST_WORSE = 0.006


def curves_of(figure, quantity, groups=(*PRIVATE_GROUPS, "reference")):
    """Return {(population, x): {curve: (mean, standard error)}} of a committed table."""
    table = defaultdict(dict)
    with (PAGES / f"{figure}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["quantity"] == quantity and row["group"] in groups:
                error = float(row["sd"]) / int(row["repetitions"]) ** 0.5
                place = row["population"], float(row["x"])
                table[place][row["curve"]] = float(row["mean"]), error
    return table


def n_items_of_elections():
    record = json.loads((PAGES / "frontier-elections.json").read_text("utf-8"))
    return {name: size["n_items"] for name, size in record["populations"].items()}


def assert_nearest(place, curves):
    """By more than .006 and two standard errors: where little is learnt, all are about uniform."""
    mean, error = curves[SAFE]
    for curve, (other, its_error) in curves.items():
        if curve != "max-entropy, typical":
            allowed = MOST_WORSE + 2 * (error**2 + its_error**2) ** 0.5
            assert mean <= other + allowed, (place, curve)


@pytest.mark.parametrize("figure", ["frontier-epsilon", "frontier-people"])
def test_no_other_private_protocol_is_clearly_nearer(figure):
    places = curves_of(figure, "q2", PRIVATE_GROUPS)
    assert len(places) >= 30
    for place, curves in places.items():
        assert_nearest(place, curves)


def test_nor_in_elections_of_seven_or_more_items():
    n_items = n_items_of_elections()
    places = curves_of("frontier-elections", "q2", PRIVATE_GROUPS)
    several = {place: curves for place, curves in places.items() if n_items[place[0]] >= 7}
    assert len(several) == 5 * 6
    for place, curves in several.items():
        assert_nearest(place, curves)


def test_whole_rankings_of_few_items_are_nearer_where_epsilon_is_large():
    """The page says so: in eleven of the thirteen elections of up to 6 items."""
    n_items = n_items_of_elections()
    few = {
        name: curves["GRR"][0] < curves[SAFE][0]
        for (name, epsilon), curves in curves_of("frontier-elections", "q2").items()
        if n_items[name] <= 6 and epsilon == 8
    }
    assert len(few) == 13
    assert {name for name in few if not few[name]} == {"debian-2003", "uk-labour"}


def test_rows_of_a_thousand_people_are_not_clearly_worse_than_uniform_rankings():
    places = curves_of("frontier-epsilon", "q2") | {
        place: curves
        for place, curves in curves_of("frontier-people", "q2").items()
        if place[1] >= 1000
    }
    for place, curves in places.items():
        (mean, error), (uniform, _) = curves[SAFE], curves[UNIFORM]
        assert mean <= uniform + MOST_WORSE + 2 * error, place


def table_under(head):
    """Return the rows (cells) of the page's table whose first cell is `head`, heading included."""
    lines = PAGE.read_text("utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {head} |"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[0], rows[2:]


def assert_shown(shown, mean):
    assert float(shown) == pytest.approx(mean, abs=0.00051)


@pytest.mark.parametrize(
    ("head", "figure", "place"),
    [
        ("Sushi, n = 5,000, ε =", "frontier-epsilon", lambda epsilon: ("sushi", epsilon)),
        (
            "Mallows φ = 0.8, ε =",
            "frontier-epsilon",
            lambda epsilon: ("mallows-0.8-10", epsilon),
        ),
        (
            "Mixture of 3, ε =",
            "frontier-epsilon",
            lambda epsilon: ("mixture-3-10", epsilon),
        ),
        (
            "Nearly uniform, ε =",
            "frontier-epsilon",
            lambda epsilon: ("mallows-0.97-10", epsilon),
        ),
        ("Sushi, ε = 1, n =", "frontier-people", lambda n: ("sushi, epsilon 1", n)),
    ],
)
def test_the_page_shows_what_was_measured(head, figure, place):
    (_, *columns), rows = table_under(head)
    means = curves_of(figure, "q2")
    assert len(rows) >= 5
    for curve, *cells in rows:
        for column, shown in zip(columns, cells, strict=True):
            if shown:
                assert_shown(shown, means[place(float(column.replace(",", "")))][curve][0])


def test_the_page_shows_what_elections_gave():
    means = curves_of("frontier-elections", "q2")
    titles = {each.title: each.name for each in ELECTIONS}
    (_, _, _, *columns), rows = table_under("ballots")
    assert [titles[row[0]] for row in rows] == [each.name for each in ELECTIONS]
    for title, _, _, *cells in rows:
        for column, shown in zip(columns, cells, strict=True):
            curve, _, epsilon = column.partition(", ε = ")
            name = SAFE if curve == "max-entropy" else curve
            at_any = means[titles[title], float(epsilon or 1)]
            assert_shown(shown, at_any[UNIFORM if curve == "uniform" else name][0])
