import csv
import json
from io import BytesIO, StringIO
from types import SimpleNamespace
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest

from hushrank.accounting.rounding import within
from hushrank.collector.web.pages_organiser.reliance import reliance_on
from hushrank.collector.web.pages_organiser.results_view import (
    _likely,
    _popular,
    _winner,
    results_view,
)
from hushrank.collector.web.pages_organiser.words import words_in
from hushrank.estimators.goodness_of_fit import GoodnessOfFit
from tests.collector.drafts import NAMES
from tests.collector.web.pages_organiser.organiser import signed_in, take_part

PROTOCOLS = [
    ({"protocol": "max-entropy"}, "blank_pictures"),
    ({"protocol": "max-entropy", "options": {"unranked": "last"}}, None),
    ({"protocol": "subset-order"}, "blank_pictures"),
]


async def closed(collector, n_people=40, **fields):
    id = await collector.open(**fields)
    await take_part(collector.service, id, n_people)
    await collector.service.close(id)
    return id


@pytest.mark.parametrize(("asked", "pictures"), PROTOCOLS)
def test_every_file_of_the_results_can_be_read(on_collector, asked, pictures, request):
    if pictures:
        request.getfixturevalue(pictures)

    async def using(collector):
        organiser = await signed_in(collector)
        id = await closed(collector, **asked)
        page = (await organiser.get(f"/o/surveys/{id}/results")).text
        names = [part.partition('"')[0] for part in page.split(f"/o/surveys/{id}/files/")[1:]]
        assert {"order.csv", "results.json", "report.html", "results.zip"} <= set(names)
        for name in names:
            answer = await organiser.get(f"/o/surveys/{id}/files/{name}")
            assert answer.status_code == 200, name
            assert f'filename="{id}-{name}"' in answer.headers["content-disposition"]
            _read(name, answer.content)
        missing = await organiser.get(f"/o/surveys/{id}/files/raw-rankings.csv")
        assert missing.status_code == 404

    on_collector(using)


def test_no_page_says_less_than_what_was_spent(on_collector):
    """An epsilon is said rounded up, and how many of 100 answers are lies rounded down."""

    async def using(collector):
        organiser = await signed_in(collector)
        id = await closed(collector, protocol="subset-order", epsilon=1.0000049)
        here = f"/o/surveys/{id}"
        assert "epsilon 1.00001: at least 26 of 100" in (await organiser.get(here)).text
        results = (await organiser.get(f"{here}/results")).text
        assert "epsilon 1.01, so that at least 26 of 100" in results
        in_german = {"accept-language": "de"}  # where a point parts thousands
        assert "Epsilon 1,00001" in (await organiser.get(here, **in_german)).text
        assert "Epsilon 1,01" in (await organiser.get(f"{here}/results", **in_german)).text

    on_collector(using)


def test_pages_say_the_epsilon_that_was_asked_for(on_collector):
    """The float of 1.1 is above it: rounded up once more the results said 1.11."""

    async def using(collector):
        organiser = await signed_in(collector)
        id = await closed(collector, protocol="subset-order", epsilon=within(1.1))
        results = (await organiser.get(f"/o/surveys/{id}/results")).text
        assert "epsilon 1.1, so that at least 24 of 100" in results
        assert "1.11" not in results.partition("epsilon 1.1,")[2][:200]

    on_collector(using)


def _read(name, content):
    kind = name.rpartition(".")[2]
    if kind == "csv":
        rows = list(csv.reader(StringIO(content.decode())))
        assert len(rows) > len(NAMES)
        assert len({len(row) for row in rows}) == 1
    elif kind == "json":
        assert sorted(row["item"] for row in json.loads(content)["order"]) == sorted(NAMES)
    elif kind == "svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")
    elif kind == "png":
        assert content.startswith(b"\x89PNG")
    elif kind == "zip":
        assert not ZipFile(BytesIO(content)).testzip()
    else:
        assert kind == "html"
        assert b"http-equiv" in content
        assert b"<script" not in content


def test_a_page_says_how_sure_the_order_is(on_collector):
    async def using(collector):
        t = words_in("en")
        sure = await closed(collector, n_people=400, epsilon=8.0, expected_people=400)
        learnt = await collector.service.results(sure)
        view = results_view(t, learnt)
        assert view.winner == "“tea” comes first."
        assert [row.item for row in view.order] == list(learnt.items)
        assert view.order[0].sure == "certain"
        unsure = await closed(collector, n_people=6, epsilon=0.1)
        view = results_view(t, await collector.service.results(unsure))
        assert "nearly any item may be first" in view.winner
        assert {row.sure for row in view.order} <= {"open", "leaning", ""}

    on_collector(using)


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        ((0.98,), "winner.sure"),
        ((0.97,), "winner.likely"),
        ((0.97, 0.99), "winner.likely"),
        (None, "winner.likely"),
    ],
)
def test_who_leads_is_sure_only_where_hardly_any_doubt_is_left(confidence, said):
    t, intervals = words_in("en"), {"tea": (1, 1), "water": (2, 2)}
    learnt = SimpleNamespace(
        items=("tea", "water"), rank_intervals=intervals, confidence=confidence
    )
    assert _winner(t, learnt) == t(said, item="tea")


def test_no_pair_is_told_as_certain():
    t = words_in("en")
    assert _likely(t, 1.0) == _likely(t, 0.9901) == f">{t.percent(0.99)}"
    assert _likely(t, 0.9899) == t.percent(0.98)


def test_no_interval_is_told_narrower_than_it_is():
    assert words_in("en").between(0.126, 0.341) == "12\N{EN DASH}35\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize("settled", [True, False])
def test_chains_that_did_not_settle_alarm(settled):
    found = {"standard_errors_off": 0.1, "r_hat": 1.2, "effective_draws": 90, "q2_error": 0.05}
    chains, unseen = reliance_on(words_in("en"), {"chains": found | {"settled": settled}})
    assert (chains.is_alarming, unseen.is_alarming) == (not settled, False)


def test_no_order_is_told_to_go_unseen_less_than_it_can():
    unseen = {"unseen_orders": {"share": 0.0421, "errors_if_there_is_one": 1.34}}
    [said] = reliance_on(words_in("en"), unseen)
    assert "order that 5 % of people hold goes unseen in half" in said.said
    assert "errors 1.4 times" in said.said


def test_shares_on_the_page_add_up_and_lie_in_their_intervals(on_collector):
    async def using(collector):
        id = await closed(collector, n_people=200, epsilon=4.0)
        view = results_view(words_in("en"), await collector.service.results(id))
        for row in view.ranks:
            shares = [int(cell.share.split()[0]) for cell in row.cells]
            assert abs(sum(shares) - 100) <= len(shares)
            for cell, share in zip(row.cells, shares, strict=True):
                low, high = (int(each.split()[0]) for each in cell.between.split("\N{EN DASH}"))
                assert low <= share <= high
                assert 0 <= cell.level <= 10
        for number, row in enumerate(view.pairs):
            assert row.cells[number] is None

    on_collector(using)


def test_each_cell_of_the_page_is_of_the_items_between_which_it_stands(monkeypatch):
    ends = {name: np.arange(n, n + 9).reshape(3, 3) / 100 for name, n in (("low", 0), ("high", 20))}
    shares = SimpleNamespace(shares=np.arange(9).reshape(3, 3) / 10, **ends)
    for name in ("rank_shares", "pair_shares"):
        monkeypatch.setattr(f"{results_view.__module__}.{name}", lambda _: shares)
    learnt = SimpleNamespace(
        **{"names": ("tea", "water", "juice"), "items": ("water", "juice", "tea")},
        **{"order": [1, 2, 0], "rank_intervals": None, "confidence": None},
        **{"n_people": 9, "privacy": "", "outcome": SimpleNamespace(epsilon=1.0)},
        shown=SimpleNamespace(named={}),
        protocol=SimpleNamespace(has_model=True),
        synthetic=SimpleNamespace(ranks=np.array([[2, 0, 1]])),
    )
    view = results_view(words_in("en"), learnt)
    ranks, pairs = (
        [(row.item, [cell and int(cell.share.split()[0]) for cell in row.cells]) for row in table]
        for table in (view.ranks, view.pairs)
    )
    assert ranks == [("water", [30, 40, 50]), ("juice", [60, 70, 80]), ("tea", [0, 10, 20])]
    assert pairs == [("water", [None, 50, 30]), ("juice", [70, None, 60]), ("tea", [10, 20, None])]
    for cell in (cell for table in (view.ranks, view.pairs) for row in table for cell in row.cells):
        if cell is not None:  # which all have another share
            low, high = (int(end.split()[0]) for end in cell.between.split("\N{EN DASH}"))
            assert 10 * low == int(cell.share.split()[0])
            assert low + 20 <= high <= low + 21  # rounded up
    assert view.synthetic == ("water > juice > tea",)


def test_columns_have_the_numbers_of_rows_where_a_phone_has_no_room_for_names(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await closed(collector, n_people=60)
        page = (await organiser.get(f"/o/surveys/{id}/results")).text
        for number, item in enumerate((await collector.service.results(id)).items, start=1):
            mark = '<span class="number" aria-hidden="true">'
            assert f'{mark}{number}</span><span class="name">{item}</span></th>' in page
            assert f'<th scope="row">{mark}{number}.</span> {item}</th>' in page

    on_collector(using)


def test_reports_that_do_not_fit_are_spoken_of_on_the_page_as_in_a_report(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await closed(collector, n_people=60)
        learnt = await collector.service.results(id)
        assert "the reports fit the model" in (await organiser.get(f"/o/surveys/{id}/results")).text
        outcome = learnt.outcome.result.outcome
        vars(outcome)["goodness"] = GoodnessOfFit(48.0, 12.0, 24.0)
        vars(learnt).pop("shown")
        page = (await organiser.get(f"/o/surveys/{id}/results")).text
        assert learnt.shown.rows["fit"].startswith("the reports do not fit the model (chance")
        assert page.count(learnt.shown.rows["fit"]) == 2  # above all, and where it belongs
        assert 'role="alert"' in page

    on_collector(using)


def test_what_a_protocol_does_not_learn_is_said_and_not_shown(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await closed(collector, protocol="subset-order")
        page = (await organiser.get(f"/o/surveys/{id}/results")).text
        assert "Made-up rankings" not in page
        assert "Two by two" not in page
        assert "no estimator for them yet" in page
        id = await closed(collector, protocol="max-entropy", options={"popular_orders": True})
        page = (await organiser.get(f"/o/surveys/{id}/results")).text
        assert "no estimator for them yet" not in page

    on_collector(using)


@pytest.mark.parametrize(("language", "said"), [("en", "chance of"), ("de", "genau diese")])
def test_how_likely_people_hold_just_an_order_is_on_the_page(language, said):
    orders = [
        {"share": 0.25, "order": ["tea", "milk"], "exact": 0.786},
        {"share": 0.1, "order": ["milk", "tea"], "exact": None},
        {"share": 0.1, "order": ["milk", "tea"], "exact": 0.9999},
    ]
    learnt = SimpleNamespace(shown=SimpleNamespace(named={"popular_orders": {"orders": orders}}))
    first, second, sure = _popular(words_in(language), learnt)
    assert (first.order, first.exact, second.exact) == ("tea > milk", "79\N{NO-BREAK SPACE}%", None)
    assert sure.exact == "99\N{NO-BREAK SPACE}%"  # nothing is certain
    words = words_in(language)("groups.exact", chance=first.exact)
    assert said in words
    assert first.exact in words


def test_reports_of_which_nothing_can_be_learnt_are_said_on_the_page(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(protocol="safari")
        await take_part(collector.service, id, 12)
        await organiser.post(f"/o/surveys/{id}/close", {"round": "0"})
        page = await organiser.get(f"/o/surveys/{id}")
        assert "There is no result of this survey" in page.text
        assert (await organiser.get(f"/o/surveys/{id}/results")).status_code == 409

    on_collector(using)
