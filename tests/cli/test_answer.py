import asyncio
import io
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import msgspec
import pytest

from hushrank.cli.answer.order import read_order
from hushrank.collector.device.connection import HttpConnection
from hushrank.collector.device.kept import ACCOUNT, Answered, KeptRound, KeptSurvey
from hushrank.collector.device.ledger import Account, Entry
from hushrank.collector.device.memory import FileMemory
from hushrank.errors import HushrankError
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey
from tests.collector.drafts import NAMES
from tests.collector.web.running import others_report, running
from tests.commands import hushrank

ORDER = "coffee\ntea\njuice\nwater\n"


@pytest.fixture
def at_terminal(tmp_path, monkeypatch, capsys):
    """Run something with a collector, and `answer`, which types lines and returns what it shows."""

    async def answer(survey, *options, typed="", code=0, state="device.sqlite"):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        arguments = ["answer", survey, "--state", tmp_path / state, *options]
        assert await asyncio.to_thread(hushrank, monkeypatch, *arguments) == code
        shown = capsys.readouterr()
        return shown.out if code == 0 else shown.err

    def runs(using):
        async def whole():
            async with running(tmp_path) as collector:
                return await using(collector, answer)

        return asyncio.run(whole())

    return runs


def link(collector, survey, invitation=None):
    token = "" if invitation is None else f"#i={invitation}"
    return f"{collector.origin}/s/{survey}{token}"


async def reported(collector, survey):
    return (await collector.service.survey(survey)).counts[0].reported


def test_a_person_answers_at_a_terminal_and_sees_what_is_sent(at_terminal):
    async def using(collector, answer):
        survey = await collector.open()
        here = link(collector, survey)
        shown = await answer(here, typed="2 1 4\n2 1 4 9\n2,1,4,4\n2, 1, 4, 3\ny\n")
        for told in ("What to drink", "The kitchen", "To buy the right things.", "at most 2 nats"):
            assert told in shown
        assert all(f"{number}  {name}" in shown for number, name in enumerate(NAMES, start=1))
        assert shown.count("expected") == 3
        assert not any(typed in shown for typed in ("2 1 4", "2,1,4,4"))  # refused without a word
        (said,) = re.findall("This machine sends:\n  “(.*)”", shown)
        assert any(name in said for name in NAMES)
        assert "It may be a lie" in shown
        (sent,) = re.findall("Exactly these bytes: (.*)", shown)
        assert sent.startswith('{"assignment":"')
        (receipt,) = re.findall("the receipt is ([0-9a-f]+)", shown)
        assert "Your answers cost 2 nats here within a year, of 8 that you allow." in shown
        assert await reported(collector, survey) == 1
        again = await answer(here)
        assert f"It was sent before; the receipt is {receipt}." in again
        assert sent in again
        assert await reported(collector, survey) == 1

    at_terminal(using)


def test_who_does_not_send_can_send_the_same_later(at_terminal):
    async def using(collector, answer):
        survey = await collector.open()
        first = await answer(link(collector, survey), typed="1 2 3 4\n\nn\n")
        assert "Not sent" in first
        assert await reported(collector, survey) == 0
        second = await answer(link(collector, survey), "--yes", typed="4 3 2 1\n")
        assert "gave your order before" in second
        assert "gave your order before" not in first
        sent = [re.findall("Exactly these bytes: (.*)", shown) for shown in (first, second)]
        assert sent[0] == sent[1] != []
        assert await reported(collector, survey) == 1

    at_terminal(using)


def test_the_answer_that_was_shown_is_sent_or_none(at_terminal, tmp_path, monkeypatch):
    """Another process joins the next round, and answers it, while the person reads."""

    async def using(collector, answer):
        survey = await collector.open()
        place = f"survey {collector.origin} {survey}"

        def confirm(question):
            with FileMemory(tmp_path / "device.sqlite").opened() as drawer:
                own = drawer.get(place, KeptSurvey)
                drawer.put(place, msgspec.structs.replace(own, latest=1))
                drawer.put(f"round 1 {place}", drawer.get(f"round 0 {place}", KeptRound))
            return True

        monkeypatch.setattr("typer.confirm", confirm)
        said = await answer(link(collector, survey), typed="1 2 3 4\n", code=1)
        assert said == "hushrank: another round was joined after this answer was shown\n"
        assert await reported(collector, survey) == 0

    at_terminal(using)


def test_what_is_repeated_is_not_said_to_have_been_sent(at_terminal):
    async def using(collector, answer):
        first = await collector.open(protocol="pairs")
        await answer(link(collector, first), typed="2 1 3 4\nn\n")
        again = await collector.service.copy(first)
        await collector.service.open(again)
        shown = await answer(link(collector, again), typed="2 1 3 4\nn\n")
        assert "is repeated, and costs nothing" in shown
        assert "You sent" not in shown
        assert "order stays" not in shown  # what is asked may be all of it

    at_terminal(using)


def test_an_answer_to_an_earlier_order_is_said_to_be_one(at_terminal):
    """Of the order that is given now nobody knows the chance that it is a lie."""

    async def using(collector, answer):
        first = await collector.open(protocol="subset-order")
        once = await answer(link(collector, first), "--limit", "2", typed="1 2 3 4\nn\n")
        again = await collector.service.copy(first)
        await collector.service.open(again)
        shown = await answer(link(collector, again), typed="4 3 2 1\nn\n")
        for said, chance, older in ((once, 1, 0), (shown, 0, 1)):
            plain = " ".join(said.split())
            assert plain.count("drawn by chance, likelier to be near yours") == chance
            assert plain.count("answered to an earlier order of yours") == older

    at_terminal(using)


def test_the_chance_of_a_lie_is_said_of_each_answer_that_has_another(at_terminal, tmp_path):
    """A survey may hide one answer much better than the other: the chance of one is not of both."""
    pairs = [RelativeOrder((0, 1)), RelativeOrder((0, 2)), RelativeOrder((0, 3))]
    hidden = [GeneralizedRandomizedResponse(2, each) for each in (0.6, 0.01, 0.01)]
    asked = Survey("three", tuple(pairs), tuple(hidden), 1.8, answers_per_person=3)
    handout = PublishedSurvey(asked, NAMES).handout(range(3)).decode()

    async def using(collector, answer):
        survey = await collector.open()
        at = f"round 0 survey {collector.origin} {survey}"
        await answer(link(collector, survey), typed="1 2 3 4\nn\n")
        with FileMemory(tmp_path / "device.sqlite").opened() as drawer:
            answered = Answered((0, 1, 0), 0.62, False)
            kept = msgspec.structs.replace(
                drawer.get(at, KeptRound), handout=handout, answered=answered
            )
            drawer.put(at, kept)
        shown = await answer(link(collector, survey), typed="n\n")
        (told,) = re.findall("This machine sends:\n(.*)\nExactly", shown, re.DOTALL)
        first, weak, second, third, strong = told.splitlines()
        assert (first, second) == ("  “tea before coffee”", "  “water before tea”")
        assert third == "  “tea before juice”"
        assert (weak[-17:], strong[-17:]) == ("a chance of 35 %.", "a chance of 49 %.")

    at_terminal(using)


def test_an_order_comes_from_a_file_or_a_pipe(at_terminal, tmp_path):
    async def using(collector, answer):
        survey = await collector.open(options={"unranked": "last"})
        file = tmp_path / "order.txt"
        file.write_text(ORDER)
        here = link(collector, survey)
        await answer(here, "--order", file, "--yes")
        await answer(here, "--order", "-", "--yes", typed="tea\nwater", state="other.sqlite")
        assert await reported(collector, survey) == 2

    at_terminal(using)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (ORDER + "milk\n", "order.txt: expected items of the survey only"),
        (ORDER + "tea\n", "order.txt: expected each item once"),
        ("coffee\ntea\n", "order.txt: expected all 4 items"),
        ("coffee\x00\xff", "order.txt: expected"),
        (None, "order.txt: No such file"),
    ],
)
def test_a_wrong_order_is_refused_in_one_line_without_a_word_of_it(
    at_terminal, tmp_path, order, words
):
    async def using(collector, answer):
        survey = await collector.open()
        file = tmp_path / "order.txt"
        if order is not None:
            file.write_bytes(order.encode("latin-1"))
        shown = await answer(link(collector, survey), "--order", file, "--yes", code=1)
        assert shown.count("\n") == 1
        assert words in shown
        assert not any(name in shown for name in (*NAMES, "milk"))
        assert await reported(collector, survey) == 0

    at_terminal(using)


def test_what_is_no_text_is_in_no_error_before_the_one_that_is_shown(tmp_path):
    """An error of decoding holds all that was read."""
    file = tmp_path / "order.txt"
    file.write_bytes(b"coffee\xff\n")
    with pytest.raises(HushrankError, match="expected text in UTF-8") as caught:
        read_order(file, NAMES, is_partial=False)
    error = caught.value
    while error is not None:
        assert isinstance(error, HushrankError)
        error = error.__context__


def test_a_dry_run_joins_nobody(at_terminal):
    async def using(collector, answer):
        survey = await collector.open()
        shown = await answer(link(collector, survey), "--dry-run")
        assert "What to drink" in shown
        assert "Your order" not in shown
        assert (await collector.service.survey(survey)).counts[0].joined == 0

    at_terminal(using)


def test_who_is_asked_in_a_later_round_is_told_when_that_one_ends(at_terminal):
    """What was announced is the end of the first round."""
    first, second = datetime(2027, 2, 1, 18, tzinfo=UTC), datetime(2027, 2, 9, 18, tzinfo=UTC)
    asked = {"protocol": "safari", "smallest_group": 2, "closes": first}

    async def using(collector, answer):
        here = link(collector, survey := await collector.open(**asked))
        asks = await answer(here, typed="1 2 3 4\nn\n", state="another.sqlite")
        assert "a noisy answer to this leaves this machine in this round:" in asks
        assert "2027-02-01 18:00 UTC" in await answer(here, "--dry-run")
        await others_report(collector.service, survey, 2)
        await collector.service.close_round(survey)
        await collector.service.open_round(survey, second)
        shown = await answer(here, "--dry-run")
        assert "2027-02-09 18:00 UTC" in shown
        assert "2027-02-01" not in shown

    at_terminal(using)


def test_a_person_joins_what_they_were_shown_and_nothing_else(at_terminal, monkeypatch):
    """The collector announces another survey by the same name once the first was read."""
    documents = []

    async def using(collector, answer):
        survey, other = await collector.open(), await collector.open(purpose="Another one.")
        asked = HttpConnection.announcement

        def announcement(connection, survey):
            document = asked(connection, other if documents else survey)
            documents.append(document)
            return document.replace(other.encode(), survey.encode())

        monkeypatch.setattr(HttpConnection, "announcement", announcement)
        said = await answer(link(collector, survey), "--yes", typed="1 2 3 4\n", code=1)
        assert said == "hushrank: the collector changed the announcement after it was shown\n"
        assert len(documents) == 2
        assert (await collector.service.survey(survey)).counts[0].joined == 0

    at_terminal(using)


def test_an_invitation_is_part_of_the_link(at_terminal):
    async def using(collector, answer):
        survey = await collector.open(joining="invitations")
        (token,) = await collector.service.invite(survey, 1)
        refused = await answer(link(collector, survey), "--yes", typed="1 2 3 4\n", code=1)
        assert refused == "hushrank: the collector refuses: this survey needs an invitation\n"
        shown = await answer(link(collector, survey, token), "--yes", typed="1 2 3 4\n")
        assert "the receipt is" in shown

    at_terminal(using)


def test_a_limit_is_kept_until_it_is_changed(at_terminal):
    async def using(collector, answer):
        first, second = await collector.open(), await collector.open()
        await answer(link(collector, first), "--yes", "--limit", 2, typed="1 2 3 4\n")
        over = await answer(link(collector, second), "--yes", typed="1 2 3 4\n", code=1)
        assert "--limit" in over
        await answer(link(collector, second), "--yes", "--limit", 4, typed="1 2 3 4\n")
        assert await reported(collector, second) == 1

    at_terminal(using)


def test_a_limit_of_0_allows_no_collector_anything(at_terminal):
    async def using(collector, answer):
        survey = await collector.open()
        asked = link(collector, survey), "--yes", "--limit", 0
        assert "see --limit" in await answer(*asked, typed="1 2 3 4\n", code=1)
        assert await reported(collector, survey) == 0

    at_terminal(using)


def test_what_other_collectors_cost_is_said_with_what_this_one_does(at_terminal, tmp_path):
    earlier = Entry(
        "https://example.org", "s", "Elsewhere", 0, 3.5, datetime(2020, 1, 1, tzinfo=UTC)
    )
    with FileMemory(tmp_path / "device.sqlite").opened() as drawer:
        drawer.put(ACCOUNT, Account(entries=(earlier,)))

    async def using(collector, answer):
        shown = await answer(link(collector, await collector.open()), "--yes", typed="1 2 3 4\n")
        assert "Your answers cost 2 nats here within a year, of 8 that you allow." in shown
        assert "Everywhere, at any time: 5.5 nats." in shown

    at_terminal(using)


def test_words_of_others_cannot_command_the_terminal(at_terminal):
    async def using(collector, answer):
        hostile = "a\x1b[2Jb [bold]c\nd"
        survey = await collector.open(purpose=hostile, privacy_notice=hostile)
        shown = await answer(link(collector, survey), "--dry-run")
        assert "\x1b[2J" not in shown
        assert "[bold]c" in shown

    at_terminal(using)


def test_a_survey_that_is_closed_or_unknown_is_said_so(at_terminal):
    async def using(collector, answer):
        survey = await collector.open()
        await answer(link(collector, survey), typed="1 2 3 4\nn\n")
        await collector.service.close_round(survey)
        late = await answer(link(collector, survey), "--yes", code=1)
        assert "the survey, or the round, is closed" in late
        new = await answer(link(collector, survey), "--yes", code=1, state="new.sqlite")
        assert "not open now" in new
        unknown = await answer(link(collector, "A1b2C3d4E5f6"), code=1)
        assert "there is no such survey" in unknown

    at_terminal(using)


def test_who_cannot_be_reached_is_said_to_be_so(at_terminal, monkeypatch):
    async def using(collector, answer):
        shown = await answer("http://127.0.0.1:1/s/A1b2C3d4E5f6", code=1)
        assert shown == "hushrank: the collector cannot be reached\n"

    at_terminal(using)


def test_what_a_device_keeps_is_in_ones_own_folder(at_terminal, tmp_path, monkeypatch):
    monkeypatch.setattr("typer.get_app_dir", lambda name: str(tmp_path / "own" / name))

    async def using(collector, answer):
        survey = await collector.open()
        monkeypatch.setattr("sys.stdin", io.StringIO("1 2 3 4\n"))
        words = ["answer", link(collector, survey), "--yes"]
        assert await asyncio.to_thread(hushrank, monkeypatch, *words) == 0

    at_terminal(using)
    kept = tmp_path / "own" / "hushrank" / "device.sqlite"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    with closing(sqlite3.connect(kept)) as database:
        assert len(database.execute("SELECT name FROM kept").fetchall()) == 4
