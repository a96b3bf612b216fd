import csv
import json
import re
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from string import Formatter

import msgspec
import pytest

from hushrank.collector.forecast import LEVELS
from hushrank.collector.refusals import RefusalKind
from hushrank.collector.service import Accepted, Joining, Upload
from hushrank.collector.web.pages_organiser.words import languages, words_in
from hushrank.surveys.handout import read_handout
from hushrank.surveys.wire_documents import SentReport
from tests.collector.drafts import KEY, NAMES, draft
from tests.collector.web.pages_organiser.organiser import (
    FILLED,
    fields,
    scripts,
    signed_in,
    take_part,
    wrongs,
)
from tests.collector.web.running import START

SCRIPT = "<script>alert(1)</script>"
SITE = Path(__file__).parents[4] / "src/hushrank/collector/web"
UNKNOWN = "zzzzzzzzzzzz"


async def in_every_state(collector):
    """Return surveys by the state of their life; every text of theirs is a script."""
    service = collector.service
    texts = dict.fromkeys(("title", "asked_by", "purpose", "contact", "privacy_notice"), SCRIPT)
    items = [{"name": SCRIPT, "description": SCRIPT}, *({"name": name} for name in NAMES[1:])]
    hostile = texts | {"items": items}
    made = {
        "draft": await service.create(draft(**hostile)),
        "closed": await collector.open(**hostile),
        "few": await collector.open(**hostile),
        "open": await collector.open(closes=START + timedelta(days=1), **hostile),
        "invitations": await collector.open(joining="invitations", **hostile),
        "api": await collector.open(joining="api", **hostile),
        "between": await collector.open(protocol="safari", **hostile),
        "counting": await collector.open(**hostile),
        "published": await collector.open(protocol="pairs", **hostile),
        "order": await collector.open(protocol="subset-order", **hostile),
    }
    for name in ("open", "closed", "between", "published", "order"):
        await take_part(service, made[name], 12)
    for name in ("closed", "few", "published", "order"):
        await service.close(made[name])
    await service.close_round(made["between"])
    await service.hand_over(made["counting"])
    await service.publish(made["published"])
    await service.publish(made["order"])
    return made


def pages(made):
    yield from ("/o/", "/o/new", "/o/import")
    for name, id in made.items():
        here = f"/o/surveys/{id}"
        yield from (here, f"{here}/delete", f"{here}/poster", f"{here}/preview")
        if name == "draft":
            yield f"{here}/edit"
        if name in ("closed", "published", "order"):
            yield f"{here}/results"
        if name in ("published", "order"):
            yield f"/r/{id}"


def test_a_notice_with_brackets_to_fill_in_is_said_before_the_survey_opens(on_collector):
    async def using(collector):
        organiser, service = await signed_in(collector), collector.service
        for notice, is_said in (("Deleted on: [date].", True), ("Deleted in May.", False)):
            id = await service.create(draft(privacy_notice=notice))
            page = (await organiser.get(f"/o/surveys/{id}")).text
            assert ("still has brackets to fill in" in page) == is_said

    on_collector(using)


def test_who_deletes_a_survey_is_told_what_its_copies_remember_and_they_ask_the_same(on_collector):
    """By chance all are dealt the same questions again, once in 720 ** 3 times."""

    async def using(collector):
        organiser, service = await signed_in(collector), collector.service
        people = [f"{number:032}" for number in range(36)]
        first = await collector.open(protocol="pairs")
        asked = {each: (await collector.join(first, each)).json() for each in people}
        await service.close(first)
        again = await service.copy(first)
        shown = (await organiser.get(f"/o/surveys/{first}/delete")).text
        assert "remember what it asked and when it was opened" in shown
        await service.delete(first)
        await service.open(again)
        for each in reversed(people):
            answer = await collector.join(again, each, earlier=asked[each]["assignment"])
            assert answer.json()["handout"] == asked[each]["handout"]

    on_collector(using)


@pytest.mark.parametrize("language", languages())
def test_every_page_is_shown_in_every_state_and_no_text_becomes_a_script(on_collector, language):
    async def using(collector):
        organiser = await signed_in(collector)
        made = await in_every_state(collector)
        for path in pages(made):
            answer = await organiser.get(path, **{"accept-language": language})
            assert answer.status_code == 200, path
            assert "alert(1)" not in answer.text.replace(
                "&lt;script&gt;alert(1)&lt;/script&gt;", ""
            )
            assert all(scripts(answer.text)), "a script stands in the page"
            assert " style=" not in answer.text
            assert " onclick=" not in answer.text
            if not path.endswith("/preview"):
                assert f'<html lang="{language}">' in answer.text

    on_collector(using)


def test_nobody_sees_an_organisers_page_without_signing_in(on_collector):
    async def using(collector):
        made = await in_every_state(collector)
        client, id = collector.client, made["open"]
        for path in pages(made):
            answer = await client.get(path)
            assert answer.status_code == (200 if path.startswith("/r/") else 303), path
        for deed in ("open", "close", "delete", "invitations", "api-key", "copy", "publish"):
            for headers in ({}, {"origin": collector.origin}):
                answer = await client.post(f"/o/surveys/{id}/{deed}", headers=headers)
                assert answer.status_code == 401, deed
        assert (await collector.service.survey(id)).life.state == "open"

    on_collector(using)


def test_a_form_of_another_page_changes_nothing(on_collector):
    async def using(collector):
        await collector.sign_in()
        id = await collector.open()
        for token, origin in (("0" * 64, collector.origin), ("", "https://evil.example")):
            for deed in ("close", "delete", "copy"):
                answer = await collector.client.post(
                    f"/o/surveys/{id}/{deed}",
                    data={"csrf": token, "sure": "yes"},
                    headers={"origin": origin},
                )
                assert answer.status_code == 403
        assert len(await collector.service.surveys()) == 1

    on_collector(using)


def test_how_many_came_is_said_of_the_round_that_is_open(on_collector):
    async def using(collector):
        organiser, service = await signed_in(collector), collector.service
        id = await collector.open(protocol="safari")
        await take_part(service, id, 40)
        await service.close_round(id)
        await service.open_round(id)
        await take_part(service, id, 9)
        told = (await organiser.get(f"/o/surveys/{id}/progress")).json()
        assert (told["round"], told["joined"], told["reported"]) == (1, 9, 9)
        assert [n for _, n in told["bins"]] == [9]

    on_collector(using)


def test_a_survey_from_its_form_to_its_deletion(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made()
        here = f"/o/surveys/{id}"

        async def does(deed, **sent):
            answer = await organiser.post(f"{here}/{deed}", sent)
            assert answer.status_code == 303, answer.text
            return await organiser.get(answer.headers["location"])

        page = await organiser.get(here)
        assert "With 300 people" in page.text
        page = await does("open", draft=fields(page.text)["draft"][0])
        assert f"{collector.origin}/s/{id}" in page.text
        await take_part(collector.service, id, 30)
        told = (await organiser.get(f"{here}/progress")).json()
        assert (told["state"], told["joined"], told["reported"]) == ("open", 30, 30)
        assert told["bins"] == [["2027-01-31T12:00:00Z", 30]]
        page = await does("close-round", round="0")
        assert "Closed with 30 reports" in page.text
        page = await organiser.get(f"{here}/results")
        assert "The common order" in page.text
        assert (await organiser.get(f"/r/{id}")).status_code == 404
        page = await does("publish")
        assert f"{collector.origin}/r/{id}" in page.text
        assert "The common order" in (await organiser.get(f"/r/{id}")).text
        await does("unpublish")
        assert (await organiser.get(f"/r/{id}")).status_code == 404
        page = await does("copy")
        assert "This is a copy" in page.text
        unsure = await organiser.post(f"{here}/delete", {})
        assert (unsure.status_code, wrongs(unsure.text)) == (422, ["Tick this if you are sure."])
        assert (
            "everything that was kept of it is deleted" in (await does("delete", sure="yes")).text
        )
        assert (await organiser.get(here)).status_code == 404
        first, second = await collector.service.surveys(), await organiser.get("/o/")
        assert [each.draft.title for each in first] == [FILLED["title"]]
        assert FILLED["title"] in second.text

    on_collector(using)


def test_no_result_is_shown_before_the_end(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open()
        await take_part(collector.service, id, 30)
        for path in ("results", "files/order.csv", "files/results.json", "files/results.zip"):
            answer = await organiser.get(f"/o/surveys/{id}/{path}")
            assert answer.status_code == 409
            assert "The common order" not in answer.text
        refused = await organiser.post(f"/o/surveys/{id}/publish", {})
        assert refused.status_code == 409
        assert "There is no result of this survey" in refused.text

    on_collector(using)


def test_no_result_of_a_group_that_is_too_small_is_shown(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(smallest_group=20)
        await take_part(collector.service, id, 19)
        await collector.service.close(id)
        page = await organiser.get(f"/o/surveys/{id}")
        assert "Fewer than 20 people reported" in page.text
        for path in ("results", "files/order.csv", "files/synthetic.csv"):
            answer = await organiser.get(f"/o/surveys/{id}/{path}")
            assert answer.status_code == 409
        assert (await organiser.post(f"/o/surveys/{id}/publish", {})).status_code == 409
        assert (await organiser.get(f"/r/{id}")).status_code == 404

    on_collector(using)


def test_what_is_refused_is_said_on_the_page_of_the_survey(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open()
        for deed, kind in (("open", 403), ("open-round", 403), ("unpublish", 403)):
            answer = await organiser.post(f"/o/surveys/{id}/{deed}", {})
            assert answer.status_code == kind
            assert "That cannot be done now" in answer.text
        for deed in ("open", "close", "copy", "delete", "invitations", "api-key"):
            sent = {"sure": "yes", "n": "3"}
            assert (await organiser.post(f"/o/surveys/{UNKNOWN}/{deed}", sent)).status_code == 404

    on_collector(using)


def test_the_button_of_an_old_page_opens_no_other_draft(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made()
        here = f"/o/surveys/{id}"
        (shown,) = fields((await organiser.get(here)).text)["draft"]
        found = await collector.service.survey(id)
        await collector.service.edit(id, msgspec.structs.replace(found.draft, epsilon=8.0))
        for mark in (shown, ""):
            refused = await organiser.post(f"{here}/open", {"draft": mark})
            assert refused.status_code == 403
            assert "the draft was changed meanwhile" in refused.text
        (shown,) = fields(refused.text)["draft"]
        assert (await organiser.post(f"{here}/open", {"draft": shown})).status_code == 303

    on_collector(using)


def test_invitations_are_shown_once_and_let_people_in(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(joining="invitations")
        here, service = f"/o/surveys/{id}", collector.service
        answer = await organiser.post(f"{here}/invitations", {"n": "3", "as": "csv"})
        assert answer.headers["content-type"].startswith("text/csv")
        links = [row["link"] for row in csv.DictReader(StringIO(answer.text))]
        named = f'attachment; filename="invitations-{id}.csv"'  # a list of downloads keeps it
        assert answer.headers["content-disposition"] == named
        page = await organiser.post(f"{here}/invitations", {"n": "2", "as": "page"})
        links += fields(page.text)[""][0].splitlines()
        assert len(set(links)) == 5
        for number, link in enumerate(links):
            address, _, token = link.partition("#i=")
            assert address == f"{collector.origin}/s/{id}"
            assert await service.join(id, Joining(f"{number:032x}", 5, invitation=token))
        for wrong in ("9" * 5_000, "0", "10001", "many", ""):
            answer = await organiser.post(f"{here}/invitations", {"n": wrong})
            assert answer.status_code == 422
            assert wrongs(answer.text) == ["A whole number from 1 to 10,000, please."]
        assert links[0] not in (await organiser.get(here)).text

    on_collector(using)


def test_a_new_key_of_an_app_ends_the_one_before(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(joining="api")
        keys = []
        for _ in range(2):
            answer = await organiser.post(f"/o/surveys/{id}/api-key", {})
            keys += fields(answer.text)[""]
        answers = []
        for key in keys:
            headers = {"authorization": f"Bearer {key}"}
            body = {"person": "anna", "lot": 1}
            path = f"/v1/surveys/{id}/assignments"
            sent = await collector.client.post(path, json=body, headers=headers)
            answers.append(sent.status_code)
        assert answers == [403, 201]

    on_collector(using)


def test_a_second_round_is_opened_until_the_time_that_was_typed(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(protocol="safari")
        await take_part(collector.service, id, 12)
        page = await organiser.get(f"/o/surveys/{id}")
        assert "You can open the second one" in page.text
        await organiser.post(f"/o/surveys/{id}/close-round", {"round": "0"})
        page = await organiser.get(f"/o/surveys/{id}")
        assert "Round 1 is closed" in page.text
        past = {"closes": "2020-01-01T10:00", "closes_offset": "0"}
        refused = await organiser.post(f"/o/surveys/{id}/open-round", past)
        assert (refused.status_code, wrongs(refused.text)) == (
            422,
            ["This time has passed already."],
        )
        typed = {"closes": "2027-02-01T10:00", "closes_offset": "-60"}
        for another in ("1", "", "-1"):  # an old page's, or none
            refused = await organiser.post(
                f"/o/surveys/{id}/open-round", typed | {"round": another}
            )
            assert (refused.status_code, "ended meanwhile" in refused.text) == (403, True)
        (shown,) = {*fields(page.text)["round"]}
        await organiser.post(f"/o/surveys/{id}/open-round", typed | {"round": shown})
        life = (await collector.service.survey(id)).life
        assert (life.state, life.round) == ("open", 1)
        assert life.closes == datetime(2027, 2, 1, 9, tzinfo=UTC)
        terms = (await organiser.get(f"/o/surveys/{id}")).text.partition("What people are told")[2]
        assert "2027-02-01 09:00 UTC" in terms

    on_collector(using)


def test_too_few_in_one_round_are_not_said_to_be_all_who_reported(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(protocol="safari", smallest_group=10)
        await take_part(collector.service, id, 12)
        await collector.service.close_round(id)
        await collector.service.open_round(id)
        await take_part(collector.service, id, 3)
        await collector.service.join(id, Joining(f"{77:032x}", 0))  # and does not answer
        page = (await organiser.get(f"/o/surveys/{id}")).text
        for what, n in (("reported", 3), ("joined", 4)):  # in the round that is open
            assert f'data-count="{what}">{n}<' in page
        await collector.service.close_round(id)
        page = (await organiser.get(f"/o/surveys/{id}")).text
        assert "Closed with 15 reports" in page
        assert "In one of the rounds fewer than 10 people reported" in page
        assert "15 reports" in (await organiser.get("/o/")).text

    on_collector(using)


def test_a_first_round_that_closes_by_itself_is_not_said_to_close_the_survey(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        for protocol, said in (("safari", "This round closes"), ("pairs", "The survey closes")):
            id = await collector.open(protocol=protocol, closes=START + timedelta(days=1))
            page = (await organiser.get(f"/o/surveys/{id}")).text
            assert re.findall(r"[\w ]+ closes(?= by itself:)", page) == [said]

    on_collector(using)


def test_the_button_of_an_old_page_ends_no_later_round(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(protocol="safari")
        await take_part(collector.service, id, 12)
        here = f"/o/surveys/{id}"
        shown, _ = fields((await organiser.get(here)).text)["round"]
        for other in ({}, {"round": ""}, {"round": "-1"}, {"round": "1"}):
            assert (await organiser.post(f"{here}/close-round", other)).status_code == 403
        ended = await organiser.post(f"{here}/close-round", {"round": shown})
        assert ended.status_code == 303
        await collector.service.open_round(id)
        refused = await organiser.post(f"{here}/close-round", {"round": shown})
        assert refused.status_code == 403
        assert "this round was ended meanwhile" in refused.text
        refused = await organiser.post(f"{here}/close", {"round": shown})
        assert refused.status_code == 403
        assert (await collector.service.survey(id)).life.state == "open"
        (shown,) = fields((await organiser.get(here)).text)["round"]
        await organiser.post(f"{here}/close-round", {"round": shown})
        assert (await collector.service.survey(id)).life.state == "closed"

    on_collector(using)


def test_uploads_that_differ_are_told_to_the_organiser(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open(protocol="pairs")
        upload = await collector.upload(id, f"{0:032x}")
        await take_part(collector.service, id, 1)
        (sent,) = upload["reports"]
        for value in range(2):
            other = upload | {"reports": [sent | {"report": value}]}
            await collector.client.post("/v1/reports", json=other)
        assert "1 upload differed" in (await organiser.get(f"/o/surveys/{id}")).text

    on_collector(using)


async def forge(service, id, n_people):
    """Let people send the first answer of their question, whatever it is, without a coin."""
    uploads = []
    for number in range(n_people):
        assigned = await service.join(id, Joining(f"{number:032x}", 5))
        device = read_handout(assigned.handout, most_epsilon=8.0)
        sent = [
            SentReport(version=2, survey=device.fingerprint, question=question, report=0)
            for question in device.asked
        ]
        uploads.append(Upload(assigned.assignment, KEY, tuple(sent)))
    assert all(isinstance(each, Accepted) for each in await service.accept(uploads))


@pytest.mark.parametrize(
    ("state", "n_people", "said"),
    [
        ("closed", 300, ["do not look like", "More reports than can be honest"]),
        ("too-few", 300, ["do not look like"]),
        ("honest", 60, ["look like what honest devices can send. That is no proof"]),
    ],
)
def test_reports_that_cannot_be_honest_are_told_where_results_may_be_seen(
    on_collector, state, n_people, said
):
    async def using(collector):
        organiser, service = await signed_in(collector), collector.service
        smallest = 301 if state == "too-few" else 5
        id = await collector.open(protocol="pairs", epsilon=1.0, smallest_group=smallest)
        await (take_part if state == "honest" else forge)(service, id, n_people)
        assert "do not look like" not in (await organiser.get(f"/o/surveys/{id}")).text
        await service.close(id)
        page = (await organiser.get(f"/o/surveys/{id}")).text
        words = ("do not look like", "More reports than can be honest", "That is no proof")
        shown = {each for each in words if each in page}
        assert shown == {each for each in words if any(each in one for one in said)}

    on_collector(using)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"protocol": "pairs", "epsilon": "1"}, "by up to 8 percentage points"),
        ({"protocol": "pairs", "epsilon": "0.5"}, "for up to 2.6 honest"),
        ({"protocol": "pairs", "epsilon": "1", "expected_people": "35"}, "by up to 10 percentage"),
        ({"protocol": "pairs", "epsilon": "1"}, "If all of them answered one question"),
        ({"joining": "invitations"}, "each invitation adds one report at most"),
        ({"protocol": "olh"}, "can speak for all"),
        ({"protocol": "safari"}, "These numbers are of the first round"),
    ],
)
def test_a_draft_says_what_forged_reports_can_do(on_collector, fields, said):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made(**fields)
        assert said in (await organiser.get(f"/o/surveys/{id}")).text

    on_collector(using)


def test_a_page_says_when_phones_cannot_reach_the_survey(on_collector):
    said = {
        "http://127.0.0.1:8000": "Only this computer can open",
        "http://192.168.1.5:8000": "The connection is not protected",
        "https://survey.example.org": None,
    }
    for address, words in said.items():

        async def using(collector, words=words):
            organiser = await signed_in(collector)
            page = await organiser.get(f"/o/surveys/{await collector.open()}")
            assert page.status_code == 200
            for each in filter(None, said.values()):
                assert (each in page.text) == (each == words)

        on_collector(using, public_url=address)


def test_a_language_that_was_chosen_stays(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        assert "Neue Umfrage" in (await organiser.get("/o/?lang=de")).text
        assert "Neue Umfrage" in (await organiser.get("/o/")).text
        assert "New survey" in (await organiser.get("/o/?lang=en")).text
        assert "New survey" in (await organiser.get("/o/?lang=xx")).text

    on_collector(using)


def test_the_qr_code_is_a_picture_of_the_link(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await collector.open()
        svg = await organiser.get(f"/o/surveys/{id}/qr.svg")
        png = await organiser.get(f"/o/surveys/{id}/qr.png")
        assert svg.headers["content-type"].startswith("image/svg+xml")
        assert svg.text.lstrip().startswith("<?xml")
        assert png.content.startswith(b"\x89PNG")
        assert (await organiser.get(f"/o/surveys/{id}/qr.gif")).status_code == 404

    on_collector(using)


@pytest.mark.parametrize("language", languages())
def test_no_language_promises_more_than_happens(language):
    """Several questions may be asked, or for the whole order, and an app names its people.

    Tables are public as JSON, and too few end a survey.
    """
    said = words_in(language)
    for key in ("notice.default", "poster.text", "form.privacy.text"):
        assert re.search("or a few|oder einige", said(key))
        assert not re.search("stays on|bleibt auf|small|kleine", said(key))
    assert "app" in said("notice.default").lower()
    assert "JSON" in said("publish.text")
    assert "20" in said("close.round.text", n=20)
    assert not re.search("asked again|wieder gefragt", said("between.text"))  # others may be
    for key in ("done.copied", "more.copy.hint"):
        assert re.search("asks .*the same|dasselbe fragt|Gerät dasselbe", said(key))


@pytest.mark.parametrize("language", languages())
def test_every_language_says_the_same_things(language):
    english, other = words_in("en").strings, words_in(language).strings
    assert english.keys() == other.keys()
    for key, words in english.items():
        assert _places(words) == _places(other[key]), key
        assert other[key].strip()


def _places(words):
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


def test_every_key_that_pages_name_has_words():
    known = words_in("en").strings
    known = known.keys() | {key.removesuffix(".one").removesuffix(".other") for key in known}
    files = [
        *(SITE / "templates/organiser").rglob("*.html"),
        *(SITE / "pages_organiser").rglob("*.py"),
    ]
    named = [
        key
        for file in files
        for key in re.findall(r"""\bt\(\s*["']([\w.]+\w)["']""", file.read_text())
    ]
    assert len(named) > 200
    assert not [key for key in named if key not in known]
    for level in LEVELS:
        assert {f"forecast.level.{level}", f"forecast.divided.{level}"} <= known
    assert all(f"refused.{kind}" in known for kind in RefusalKind.__args__)


def test_public_results_are_the_same_on_the_page_and_as_json(on_collector):
    async def using(collector):
        id = await collector.open()
        await take_part(collector.service, id, 30)
        await collector.service.close(id)
        await collector.service.publish(id)
        told = json.loads((await collector.client.get(f"/v1/surveys/{id}/results")).content)
        page = (await collector.client.get(f"/r/{id}")).text
        places = [page.index(f'<th scope="row">{row["item"]}</th>') for row in told["order"]]
        assert places == sorted(places)
        assert told["privacy_statement"] in page
        assert told["private_model"] == "local"

    on_collector(using)
