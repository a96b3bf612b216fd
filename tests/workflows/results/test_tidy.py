import csv
from collections import Counter
from io import StringIO

import pytest

import hushrank
from hushrank.workflows.results.shares import SURE, pair_shares, rank_shares
from hushrank.workflows.results.tidy import collection_csv, consensus_csv

BALLOTS = hushrank.simulate("mallows", people=200, items=4, seed=1)
SHUFFLED = BALLOTS.restrict([2, 0, 3, 1])
"""The best item is in no file the first column for that."""
RELEASED = [
    ("p-borda", None, "noisy_score", 4),
    ("gaussian-borda", 1e-6, "noisy_score", 4),
    ("gaussian-kemeny", 1e-6, "noisy_margin", 12),
]


@pytest.mark.parametrize(("method", "delta", "measure", "n_rows"), RELEASED)
def test_noisy_numbers_come_with_the_interval_of_their_noise(method, delta, measure, n_rows):
    found = hushrank.aggregate(SHUFFLED, epsilon=1, delta=delta, method=method, seed=1)
    table = csv.DictReader(StringIO(consensus_csv(found).decode()))
    rows = [row for row in table if row["measure"] == measure]
    assert len(rows) == n_rows
    evidence, place = found.found.evidence, found.names.index
    reach = SURE * evidence.noise_sd
    numbers = evidence.scores if measure == "noisy_score" else evidence.margins
    for row in rows:
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        assert (value - low, high - value) == pytest.approx((reach, reach), abs=1e-4)
        of_whom = tuple(place(row[name]) for name in ("item", "other") if row[name])
        assert value == pytest.approx(float(numbers[of_whom[0] if len(of_whom) == 1 else of_whom]))


@pytest.mark.parametrize(
    ("ballots", "n_rows"),
    [
        ([["tea", "milk", "cola"], ["milk", "tea", "cola"]], 9),
        ([["tea", "milk", "cola"], ["milk", "tea"]], 0),
        ([["tea", "milk", "cola"], [["milk", "tea"], "cola"]], 0),
    ],
)
def test_shares_at_ranks_are_of_ballots_that_have_every_rank(ballots, n_rows):
    found = hushrank.aggregate(hushrank.read_rankings(ballots))
    rows = list(csv.DictReader(StringIO(consensus_csv(found).decode())))
    shares = [float(row["value"]) for row in rows if row["measure"] == "share_at_rank"]
    assert len(shares) == n_rows
    assert sum(shares) == pytest.approx(n_rows / 3)


def test_places_come_with_their_intervals():
    found = hushrank.aggregate(BALLOTS, epsilon=1, method="p-borda", seed=1)
    rows = csv.DictReader(StringIO(consensus_csv(found).decode()))
    ends = {
        row["item"]: (int(row["low"]), int(row["high"]))
        for row in rows
        if row["measure"] == "place"
    }
    assert ends == found.rank_intervals


def test_chances_of_ranks_stand_beside_the_items_that_they_are_of():
    found = hushrank.aggregate(SHUFFLED, epsilon=1, method="p-borda", seed=1)
    assert found.items != found.names
    chances, table = (
        found.drawn_ranks.chances(),
        csv.DictReader(StringIO(consensus_csv(found).decode())),
    )
    rows = [row for row in table if row["measure"] == "chance_of_rank"]
    assert len(rows) == 16
    for row in rows:
        stated = chances[found.names.index(row["item"]), int(row["rank"]) - 1]
        assert float(row["value"]) == pytest.approx(stated, abs=1e-5)


def test_shares_of_a_collection_stand_beside_the_items_that_they_are_of():
    learnt = hushrank.collect(SHUFFLED, epsilon=4, protocol="grr", seed=2)
    at, before, place = rank_shares(learnt), pair_shares(learnt), learnt.names.index
    rows = list(csv.DictReader(StringIO(collection_csv(learnt).decode())))
    of_ranks = [row for row in rows if row["measure"] == "share_at_rank"]
    of_pairs = [row for row in rows if row["measure"] == "share_before"]
    assert (len(of_ranks), len(of_pairs)) == (16, 12)
    stated = [at.shares[place(row["item"]), int(row["rank"]) - 1] for row in of_ranks]
    stated += [before.shares[place(row["item"]), place(row["other"])] for row in of_pairs]
    said = [float(row["value"]) for row in (*of_ranks, *of_pairs)]
    assert said == pytest.approx(stated, abs=1e-5)


def test_exact_shares_stand_beside_the_items_that_they_are_of():
    ballots = [["tea", "milk", "cola"]] * 3 + [["milk", "tea", "cola"]]
    found = hushrank.aggregate(hushrank.read_rankings(ballots))
    rows = list(csv.DictReader(StringIO(consensus_csv(found).decode())))
    at = {(row["item"], row["rank"]): row["value"] for row in rows if row["rank"]}
    before = {
        (row["item"], row["other"]): row["value"] for row in rows if "before" in row["measure"]
    }
    assert (at["tea", "1"], at["tea", "2"], at["cola", "3"]) == ("0.75", "0.25", "1")
    assert (before["tea", "milk"], before["milk", "tea"], before["tea", "cola"]) == (
        "0.75",
        "0.25",
        "1",
    )


def test_an_exact_share_is_of_those_who_decide_between_the_two():
    found = hushrank.aggregate(
        hushrank.read_rankings([["tea", "milk", "cola"], ["milk"], ["milk"]])
    )
    rows = list(csv.DictReader(StringIO(consensus_csv(found).decode())))
    before = {
        (row["item"], row["other"]): row["value"] for row in rows if "before" in row["measure"]
    }
    assert (before["tea", "cola"], before["cola", "tea"]) == ("1", "0")


def test_shares_of_a_collection_lie_in_their_intervals():
    learnt = hushrank.collect(SHUFFLED, epsilon=4, protocol="pairs", seed=2)
    rows = list(csv.DictReader(StringIO(collection_csv(learnt).decode())))
    told = [[float(row[name]) for name in ("low", "value", "high")] for row in rows if row["low"]]
    assert len(told) == 12 + 4
    assert all(low <= value <= high and low < high for low, value, high in told[4:])


OF_MANY = {"place": 30, "ahead_of_next": 29, "chance_of_rank": 900}


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ({"method": "p-borda", "epsilon": 1}, {"noisy_score": 30}),
        ({"method": "gaussian-kemeny", "epsilon": 1, "delta": 1e-6}, {"noisy_margin": 870}),
        ({}, {"share_at_rank": 900, "share_before": 870}),
    ],
)
def test_of_many_items_all_numbers_are_there(asked, more):
    found = hushrank.aggregate(hushrank.simulate("mallows", people=50, items=30, seed=1), **asked)
    rows = list(csv.DictReader(StringIO(consensus_csv(found).decode())))
    assert Counter(row["measure"] for row in rows) == {**OF_MANY, **more}
    told = {(row["measure"], row["item"], row["other"], row["rank"]) for row in rows}
    assert len(told) == len(rows)
