import csv
import json
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from io import BytesIO, StringIO
from types import SimpleNamespace
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest

import hushrank
from hushrank.collector.refusals import Refusal
from hushrank.collector.results import pictures, public_document
from hushrank.collector.results.files import FILES, file_names, make_file
from hushrank.collector.results.tables import order_table
from hushrank.workflows.results.shares import pair_shares, rank_shares
from tests.collector.drafts import NAMES, draft

ID = "abcdefghijkl"
SCRIPT = "<script>alert(1)</script>"


def in_places(share, rounding=ROUND_FLOOR):
    """Return a share to four places; what we are sure of no surer, and intervals no narrower."""
    return float(Decimal(float(share)).quantize(Decimal("0.0001"), rounding))


def collected(protocol, n_people=400, names=NAMES, **options):
    people = hushrank.simulate("plackett-luce", items=len(names), people=n_people, seed=5)
    rankings = hushrank.Rankings(people.ranks, names)
    return hushrank.collect(rankings, protocol=protocol, epsilon=4, seed=3, **options)


def rows_of(collection, name):
    made = make_file(collection, ID, draft(), name).content.decode()
    return list(csv.DictReader(StringIO(made)))


@pytest.fixture(scope="module", params=["max-entropy", "order", "pairs", "subset-order", "grr"])
def collection(request):
    return collected(request.param)


def test_each_place_comes_with_how_sure_it_is(collection):
    rows = rows_of(collection, "order.csv")
    assert [row["item"] for row in rows] == list(collection.items)
    told = [row["ahead_of_next"] for row in rows]
    sure = collection.confidence
    expected = [""] * len(rows) if sure is None else [*(str(in_places(each)) for each in sure), ""]
    assert told == expected
    for row in rows:
        best, worst = (collection.rank_intervals or {}).get(row["item"], ("", ""))
        assert (row["best_rank"], row["worst_rank"]) == (str(best), str(worst))


def test_a_share_of_nobody_is_told():
    """And no empty cell, which is a share that nobody knows."""
    learnt = collected("max-entropy", n_people=60)
    found = rank_shares(learnt)
    low = [each for row in found.low for each in row]
    assert 0 in low
    told = [row["low"] for row in rows_of(learnt, "rank-shares.csv")]
    assert "" not in told
    assert sorted(map(float, told)) == sorted(map(in_places, low))


def test_a_document_tells_each_figure_by_its_name(monkeypatch):
    learnt = collected("max-entropy")
    named = {name: {"of": name} for name in ("popular_orders", "goodness_of_fit", "chains")}
    shown = replace(learnt.shown, named=named)
    monkeypatch.setitem(vars(learnt), "shown", shown)
    document = json.loads(public_document(learnt, ID, draft()))
    assert {name: document[name] for name in named} == named


def test_the_shares_of_ranks_stand_beside_their_items():
    learnt = collected("max-entropy")
    assert learnt.items != NAMES
    found = rank_shares(learnt).shares
    for row in rows_of(learnt, "rank-shares.csv"):
        share = found[NAMES.index(row["item"]), int(row["rank"]) - 1]
        assert float(row["share"]) == round(float(share), 4)


def test_the_shares_of_pairs_and_their_intervals_stand_beside_their_items():
    learnt = collected("max-entropy")
    assert learnt.items != NAMES
    found = pair_shares(learnt)
    for row in rows_of(learnt, "pairs.csv"):
        pair = NAMES.index(row["item"]), NAMES.index(row["before"])
        assert float(row["share"]) == round(float(found.shares[pair]), 4)
        assert float(row["low"]) == in_places(found.low[pair])
        assert float(row["high"]) == in_places(found.high[pair], ROUND_CEILING)


def test_nobody_is_told_to_be_certain_who_is_nearly():
    learnt = SimpleNamespace(items=("tea", "milk"))
    learnt.to_dict = lambda: {"confidence": [0.99999], "rank_intervals": None}
    assert order_table(learnt).rows[0] == (1, "tea", 0.9999, None, None)


def test_the_rows_of_pictures_are_those_of_their_items(monkeypatch):
    shares = SimpleNamespace(shares=np.arange(9).reshape(3, 3) / 10)
    learnt = SimpleNamespace(
        **{"names": ("tea", "water", "juice"), "order": np.array([1, 2, 0]), "n_people": 9},
        intervals=np.array([[3, 3], [1, 1], [2, 2]]),
    )
    monkeypatch.setattr(pictures, "rank_shares", lambda _: shares)
    monkeypatch.setattr(pictures, "heatmaps_figure", lambda maps, labels, *_: (maps, labels))
    monkeypatch.setattr(pictures, "rank_intervals_figure", lambda *drawn: drawn)
    (heatmap,), labels = pictures.rank_picture(learnt)
    assert [label.split() for label in labels] == [["2", "water"], ["3", "juice"], ["1", "tea"]]
    assert heatmap.shares.tolist() == shares.shares[[1, 2, 0]].tolist()
    _, order, intervals = pictures.order_picture(learnt)
    assert (order is learnt.order, intervals is learnt.intervals) == (True, True)


def test_each_row_of_many_is_in_files_and_in_the_document():
    learnt = collected("max-entropy", names=tuple("abcdef"))
    told = json.loads(make_file(learnt, ID, draft(), "results.json").content)
    named = {"order": "order", "rank-shares": "rank_shares", "pairs": "pair_shares"}
    for (file, name), n_rows in zip(named.items(), (6, 36, 30), strict=True):
        rows = rows_of(learnt, f"{file}.csv")
        assert len({tuple(row.values()) for row in rows}) == n_rows
        found = [["" if one is None else str(one) for one in row.values()] for row in told[name]]
        assert found == [[*row.values()] for row in rows]


def test_each_place_of_many_is_told():
    learnt = collected("pairs", names=tuple(f"item {n}" for n in range(24)))
    rows = rows_of(learnt, "order.csv")
    assert [row["item"] for row in rows] == list(learnt.items)
    assert [row["place"] for row in rows] == [str(place) for place in range(1, 25)]


N_ROWS = {"order.csv": 4, "rank-shares.csv": 4 * 4, "pairs.csv": 4 * 3, "synthetic.csv": 400}


def test_every_file_is_what_its_name_says(collection):
    packed = make_file(collection, ID, draft(), "results.zip").content  # makes all the others
    archive = ZipFile(BytesIO(packed))
    assert [*archive.namelist(), "results.zip"] == list(file_names(collection))
    for name in archive.namelist():
        content = archive.read(name)
        if name.endswith(".csv"):
            _, *rows = csv.reader(StringIO(content.decode()))
            assert len(rows) == N_ROWS[name]
        elif name.endswith(".json"):
            assert json.loads(content)["survey"] == ID
        elif name.endswith(".png"):
            assert content.startswith(b"\x89PNG")
        elif name.endswith(".svg"):
            assert ElementTree.fromstring(content).tag.endswith("svg")
        else:
            assert collection.privacy in content.decode()


def test_the_document_states_no_less_than_was_spent():
    drawn = hushrank.simulate("plackett-luce", items=len(NAMES), people=50, seed=5)
    people = hushrank.Rankings(drawn.ranks, NAMES)
    found = hushrank.collect(people, protocol="grr", epsilon=1.00004, seed=3)
    told = json.loads(make_file(found, ID, draft(), "results.json").content)
    assert told["epsilon"] == found.epsilon == 1.00004


def test_what_a_protocol_does_not_learn_has_no_file(collection):
    names = file_names(collection)
    is_order = collection.protocol.name == "subset-order"
    assert ("synthetic.csv" in names) == collection.protocol.has_model
    assert ("pairs.csv" in names) != is_order
    if collection.protocol.name == "max-entropy":
        assert names == (*FILES, "results.zip")
    for name in {"synthetic.csv", "pairs.csv", "order.png", "rank-shares.svg"}.difference(names):
        with pytest.raises(Refusal):
            make_file(collection, ID, draft(), name)


def test_the_order_stands_best_first(collection):
    rows = rows_of(collection, "order.csv")
    assert [row["item"] for row in rows] == list(collection.items)
    assert [row["place"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[-1]["ahead_of_next"] == ""


def test_shares_of_a_rank_and_of_an_item_add_up():
    rows = rows_of(collected("max-entropy"), "rank-shares.csv")
    for key in ("item", "rank"):
        for value in {row[key] for row in rows}:
            total = sum(float(row["share"]) for row in rows if row[key] == value)
            assert total == pytest.approx(1, abs=2e-3)


def test_both_ways_round_a_pair_add_up_to_everybody():
    for protocol in ("max-entropy", "order", "pairs", "grr"):
        found = pair_shares(collected(protocol)).shares
        np.testing.assert_allclose(found + found.T, 1, atol=1e-9)


def test_intervals_hold_their_share_and_are_narrower_with_more_people():
    few, many = (collected("pairs", n_people=n) for n in (300, 30_000))
    widths = []
    for each in (few, many):
        found = pair_shares(each)
        assert (found.low <= found.shares).all()
        assert (found.shares <= found.high).all()
        widths.append((found.high - found.low)[~np.eye(4, dtype=bool)].mean())
    assert widths[1] < widths[0] / 3


def test_intervals_of_rank_shares_hold_the_truth_as_often_as_they_say():
    """Of 16 shares, 30 times: 95 % of intervals, and never fewer than 85 %."""
    people = hushrank.simulate("plackett-luce", items=4, people=3000, seed=8)
    rankings = hushrank.Rankings(people.ranks, NAMES)
    truth = np.stack([(rankings.ranks == rank).mean(axis=0) for rank in range(4)], axis=1)
    held = []
    for seed in range(30):
        found = rank_shares(hushrank.collect(rankings, epsilon=2, seed=seed))
        held.append((found.low <= truth) & (truth <= found.high))
    assert 0.85 < np.mean(held) <= 1.0


def test_popular_orders_are_told():
    found = collected("max-entropy", popular_orders=True)
    told = json.loads(make_file(found, ID, draft(), "results.json").content)
    assert set(told["popular_orders"]) == {"share", "share_error", "orders"}


def test_names_of_items_are_no_markup():
    found = collected("max-entropy", names=(SCRIPT, *NAMES[1:]))
    page = make_file(found, ID, draft(title=SCRIPT), "report.html").content.decode()
    assert SCRIPT not in page
    for picture in ("order.svg", "pairs.svg", "rank-shares.svg"):
        assert b"<script" not in make_file(found, ID, draft(), picture).content


def test_no_file_of_results_stays_on_the_disk(tmp_path, monkeypatch):
    """Nobody would look for it there when the survey is deleted."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert make_file(collected("grr"), ID, draft(), "synthetic.csv").content
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_file_is_refused():
    with pytest.raises(Refusal):
        make_file(collected("pairs"), ID, draft(), "../secrets")
