from datetime import UTC, datetime, timedelta
from threading import current_thread

import pytest

from hushrank.collector.draft import digest_of, make_draft, mark_of
from hushrank.collector.web.pages_organiser import editing
from hushrank.collector.web.pages_organiser.forecast_words import forecast_words
from hushrank.collector.web.pages_organiser.form import checks
from hushrank.collector.web.pages_organiser.form.typed import typed_of
from hushrank.collector.web.pages_organiser.words import words_in
from tests.collector.drafts import draft
from tests.collector.web.pages_organiser.organiser import FILLED, fields, signed_in, wrongs
from tests.collector.web.running import START

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
WRONG = [
    ({"title": " "}, "Give the survey a title."),
    ({"title": "x" * 201}, "At most 200 characters, please."),
    ({"asked_by": ""}, "Say who asks."),
    ({"contact": ""}, "Say where people can ask back."),
    ({"purpose": ""}, "Say why you ask."),
    ({"privacy_notice": ""}, "People need a privacy notice."),
    ({"item_name": ["tea"]}, "At least 2 items, and at most 1,000."),
    ({"item_name": ["tea", "tea"]}, "There are two items of this name."),
    ({"item_name": ["tea", "x" * 201]}, "At most 200 characters, please."),
    ({"expected_people": "many"}, "A whole number from 1 to 1,000,000,000, please."),
    ({"smallest_group": "1"}, "A whole number from 2 to 1,000,000, please."),
    ({"epsilon": "other", "epsilon_other": "9"}, "A number from 0.01 to 8, please."),
    ({"epsilon": "other", "epsilon_other": "nan"}, "A number from 0.01 to 8, please."),
    ({"epsilon": "other", "epsilon_other": "0_1"}, "A number from 0.01 to 8, please."),
    ({"expected_people": "1_0"}, "A whole number from 1 to 1,000,000,000, please."),
    ({"protocol": "safari", "option.safari.leaf_size": "1_0"}, "The protocol does not take this."),
    ({"closes": "soon"}, "This is no date and time."),
    ({"closes": "2020-01-01T10:00"}, "This time has passed already."),
    ({"joining": "by force"}, "Choose one, please."),
    ({"protocol": "magic"}, "Choose one, please."),
    ({"option.max-entropy.prior": "brave"}, "The protocol does not take this."),
    (
        {"protocol": "pairs", "unranked": "last"},
        "Only the protocol max-entropy takes rankings in which items are left out.",
    ),
    (
        {"allowed_origins": "https://a.example/path"},
        "“https://a.example/path” is no address of a web site, such as https://example.org.",
    ),
    (
        {"item_name": [f"item {n}" for n in range(51)]},
        "The protocol does not take this survey: max-entropy takes at most 50 items, got 51:"
        " protocol pairs learns one order of more, protocol safari a model.",
    ),
    (
        {"item_name": [f"item {n}" for n in range(17)], "unranked": "last"},
        "The protocol does not take this survey: more than 16 items must all be ranked, got 17:"
        " aggregate takes others.",
    ),
]


def test_what_is_foretold_of_people_who_agree_is_not_said_of_those_who_do_not():
    t = words_in("en")
    said = forecast_words(t, protocol="max-entropy", items=8, people=1000, epsilon=1.0)
    assert said.known > said.known_divided
    told = (said.known_words, said.known_divided_words)
    assert told == (t.percent(said.known), t.percent(said.known_divided))


def test_what_is_foretold_is_said_of_as_many_people_as_are_expected():
    """Of fewer people than were simulated, what is known is that of more: they are said beside."""
    t = words_in("en")
    few, many = (
        forecast_words(t, protocol="max-entropy", items=8, people=people, epsilon=1.0)
        for people in (10, 10**9)
    )
    assert few.headline.startswith("With 10 people")
    assert any("simulated" in line for line in few.lines)
    assert many.headline.startswith("With 1,000,000,000 people")
    assert not any("simulated" in line for line in many.lines)


@pytest.mark.parametrize("epsilon", [0.25, 0.5, 0.96, 1.0, 1.04, 4.0])
def test_the_form_of_a_draft_has_its_epsilon(epsilon):
    assert typed_of(draft(epsilon=epsilon)).epsilon == f"{epsilon:g}"


def test_what_was_typed_before_an_epsilon_was_chosen_does_not_count(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        await organiser.post("/o/new", FILLED | {"epsilon": "1", "epsilon_other": "8"})
        (made,) = await collector.service.surveys()
        assert made.draft.epsilon == 1.0

    on_collector(using)


@pytest.mark.parametrize(("changed", "said"), WRONG)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_typed_is_lost(
    on_collector, changed, said
):
    async def using(collector):
        organiser = await signed_in(collector)
        sent = FILLED | {"item_description": "hot"} | changed
        answer = await organiser.post("/o/new", sent)
        assert answer.status_code == 422
        assert said in wrongs(answer.text)
        shown = fields(answer.text)
        for name, typed in sent.items():
            known = {"by force", "magic", "brave", "save"}
            for each in typed if isinstance(typed, list) else [typed]:
                assert each in known or each.strip() in shown.get(name, []) or not each.strip()
        assert not await collector.service.surveys()

    on_collector(using)


def test_a_form_makes_the_draft_that_was_typed(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        closes = START + timedelta(days=3)
        id = await organiser.made(
            item_description=["black", "", "", ""],
            epsilon="other",
            epsilon_other="1,5",
            closes=(closes + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M"),
            closes_offset="-60",
            joining="invitations",
            unranked="last",
            allowed_origins="https://one.example\nhttps://two.example/",
            **{"option.max-entropy.prior": "typical", "option.pairs.queries": "3"},
        )
        draft = (await collector.service.survey(id)).draft
        assert draft.names == ("tea", "coffee", "water", "juice")
        assert [item.description for item in draft.items] == ["black", None, None, None]
        assert (draft.epsilon, draft.expected_people, draft.smallest_group) == (1.5, 300, 5)
        assert draft.closes_utc == closes
        assert draft.joining == "invitations"
        assert draft.options == {"prior": "typical", "unranked": "last"}
        assert draft.allowed_origins == ("https://one.example", "https://two.example")

    on_collector(using)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_draft_that_is_edited_without_a_change_stays_as_it_is(on_collector, language):
    """Whatever its language: there are pages in English and German, and surveys in any."""

    async def using(collector):
        organiser = await signed_in(collector)
        pictured = {"item_picture": ("tea.png", PNG, "image/png")}
        typed = {"epsilon": "0.5", "language": language, "unranked": "last"}
        answer = await organiser.post("/o/new", FILLED | typed, files=pictured)
        id = answer.headers["location"].partition("?")[0].rpartition("/")[2]
        before = (await collector.service.survey(id)).draft
        assert before.items[0].picture == digest_of(PNG)
        shown = fields((await organiser.get(f"/o/surveys/{id}/edit")).text)
        shown.pop("item_picture")
        answer = await organiser.post(f"/o/surveys/{id}/edit", shown | {"action": "save"})
        assert answer.status_code == 303, wrongs(answer.text)
        assert (await collector.service.survey(id)).draft == before
        picture = await organiser.get(f"/o/surveys/{id}/pictures/{digest_of(PNG)}")
        assert (picture.content, picture.headers["content-type"]) == (PNG, "image/png")
        without = shown | {"item_drop": "0", "draft": mark_of(before), "action": "save"}
        await organiser.post(f"/o/surveys/{id}/edit", without)
        assert (await collector.service.survey(id)).draft.items[0].picture is None

    on_collector(using)


def test_a_picture_stays_in_a_form_that_is_shown_again(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        files = {"item_picture": ("tea.png", PNG, "image/png")}
        answer = await organiser.post("/o/new", FILLED | {"title": ""}, files=files)
        assert answer.status_code == 422
        shown = fields(answer.text)
        shown.pop("item_picture")
        answer = await organiser.post("/o/new", shown | {"title": "Now", "action": "save"})
        id = answer.headers["location"].partition("?")[0].rpartition("/")[2]
        assert await collector.service.pictures(id) == {digest_of(PNG): PNG}

    on_collector(using)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "A picture has to be PNG, JPEG, WebP or GIF.",
        ),
        (PNG + bytes(300_000), "The picture is larger than 300 kB."),
    ],
)
def test_a_wrong_picture_is_said_beside_its_item(on_collector, content, said):
    async def using(collector):
        organiser = await signed_in(collector)
        files = {"item_picture": ("tea", content, "application/octet-stream")}
        answer = await organiser.post("/o/new", FILLED, files=files)
        assert answer.status_code == 422
        assert said in wrongs(answer.text)

    on_collector(using)


def test_a_pasted_list_becomes_items(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made(
            item_name=["tea", ""], pasted="coffee\tblack\r\n\r\nwater | still\nA|B"
        )
        items = (await collector.service.survey(id)).draft.items
        assert [(item.name, item.description) for item in items] == [
            ("tea", None),
            ("coffee", "black"),
            ("water", "still"),
            ("A|B", None),
        ]

    on_collector(using)


def test_a_long_list_is_kept_and_can_be_replaced(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        names = [f"item {n}" for n in range(200)]
        long = {"item_name": [], "pasted": "\n".join(names), "protocol": "pairs"}
        refused = await organiser.post("/o/new", FILLED | long | {"title": ""})
        assert fields(refused.text)["pasted"] == ["\n".join(names)]
        id = await organiser.made(**long)
        shown = fields((await organiser.get(f"/o/surveys/{id}/edit")).text)
        assert "item_name" not in shown
        answer = await organiser.post(f"/o/surveys/{id}/edit", shown | {"action": "save"})
        assert answer.status_code == 303, wrongs(answer.text)
        assert (await collector.service.survey(id)).draft.names == tuple(names)
        shown = fields((await organiser.get(f"/o/surveys/{id}/edit")).text)
        await organiser.post(f"/o/surveys/{id}/edit", shown | {"pasted": "a\nb", "action": "save"})
        assert (await collector.service.survey(id)).draft.names == ("a", "b")

    on_collector(using)


def test_of_far_too_much_in_a_form_only_some_is_looked_at(on_collector, monkeypatch):
    """A megabyte of origins was tried for half a minute, while nobody else was answered."""
    tried = []
    monkeypatch.setattr(
        checks, "make_draft", lambda plain: tried.append(plain) or make_draft(plain)
    )

    async def using(collector):
        organiser = await signed_in(collector)
        much = {"allowed_origins": "https://a.example\n" * 1000, "pasted": "a\n" * 30_000}
        answer = await organiser.post("/o/new", FILLED | much)
        assert answer.status_code == 422
        assert len(tried) <= 51
        assert fields(answer.text)["pasted"][0].count("\n") <= 10_010

    on_collector(using)


def test_a_closing_time_is_shown_in_utc_again(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made(closes="2027-02-03T18:00", closes_offset="-60")
        closes = (await collector.service.survey(id)).draft.closes_utc
        assert closes == datetime(2027, 2, 3, 17, tzinfo=UTC)
        shown = fields((await organiser.get(f"/o/surveys/{id}/edit")).text)
        assert (shown["closes"], shown["closes_offset"]) == (["2027-02-03T17:00"], ["0"])
        elsewhere = draft(closes="2027-02-03T18:00:00+02:00")
        assert typed_of(elsewhere)["closes"] == "2027-02-03T16:00"
        assert "16:00 UTC" in words_in("en").time(elsewhere.closes).__html__()

    on_collector(using)


def test_the_form_of_an_old_page_replaces_a_newer_draft_only_when_sent_again(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made()
        here = f"/o/surveys/{id}/edit"
        old = fields((await organiser.get(here)).text) | {"title": "Old page", "action": "save"}
        newer = fields((await organiser.get(here)).text) | {"title": "Newer", "action": "save"}
        assert (await organiser.post(here, newer)).status_code == 303
        for sent in (old, FILLED | {"title": "Old page"}):
            refused = await organiser.post(here, sent)
            assert refused.status_code == 422
            assert "Somebody changed the draft" in refused.text
            assert (await collector.service.survey(id)).draft.title == "Newer"
        foretold = fields((await organiser.post(here, old | {"action": "forecast"})).text)
        assert foretold["draft"] == old["draft"]  # nobody was told
        again = fields(refused.text)
        assert again["title"] == ["Old page"]
        assert (await organiser.post(here, again | {"action": "save"})).status_code == 303
        assert (await collector.service.survey(id)).draft.title == "Old page"

    on_collector(using)


def test_of_two_who_save_at_once_one_is_refused(on_collector, monkeypatch):
    """The other saves while what the first has typed is looked at."""

    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made()
        here = f"/o/surveys/{id}/edit"
        shown = fields((await organiser.get(here)).text) | {"title": "First", "action": "save"}
        check = editing.check

        async def beside(typed, **known):
            checked = await check(typed, **known)
            await collector.service.edit(id, draft(title="Second"))
            return checked

        monkeypatch.setattr(editing, "check", beside)
        refused = await organiser.post(here, shown)
        assert refused.status_code == 403
        assert (await collector.service.survey(id)).draft.title == "Second"

    on_collector(using)


def test_a_survey_that_is_open_cannot_be_edited(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made()
        await collector.service.open(id)
        for answer in (
            await organiser.get(f"/o/surveys/{id}/edit"),
            await organiser.post(f"/o/surveys/{id}/edit", FILLED | {"title": "Other"}),
        ):
            assert answer.status_code == 403
        assert (await collector.service.survey(id)).draft.title == FILLED["title"]

    on_collector(using)


def test_a_file_and_the_form_make_the_same_survey(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        files = {"item_picture": ("tea.png", PNG, "image/png")}
        answer = await organiser.post("/o/new", FILLED | {"protocol": "safari"}, files=files)
        id = answer.headers["location"].partition("?")[0].rpartition("/")[2]
        before = (await collector.service.survey(id)).draft
        for form in ("toml", "json"):
            written = await organiser.get(f"/o/surveys/{id}/survey.{form}")
            assert "attachment" in written.headers["content-disposition"]
            as_file = {"file": (f"survey.{form}", written.content)}
            for sent in (({}, as_file), ({"text": written.text}, None)):
                answer = await organiser.post("/o/import", *sent)
                assert answer.status_code == 303, answer.text
                other = answer.headers["location"].partition("?")[0].rpartition("/")[2]
                assert (await collector.service.survey(other)).draft == before
                assert await collector.service.pictures(other) == {digest_of(PNG): PNG}

    on_collector(using)


def test_files_are_read_and_written_beside_what_else_the_collector_does(on_collector, monkeypatch):
    """A file of 15 MB takes seconds: nobody would be answered meanwhile."""
    threads = []

    def noting(work):
        def noted(*given, **more):
            threads.append(current_thread())
            return work(*given, **more)

        return noted

    for name in ("read_draft", "write_draft"):
        monkeypatch.setattr(editing, name, noting(getattr(editing, name)))

    async def using(collector):
        organiser = await signed_in(collector)
        id = await organiser.made()
        text = (await organiser.get(f"/o/surveys/{id}/survey.toml")).text
        assert (await organiser.post("/o/import", {"text": text})).status_code == 303
        assert len(threads) == 2
        assert current_thread() not in threads

    on_collector(using)


@pytest.mark.parametrize("people", ["9" * 309, "9" * 4_301, "1000000001"])
def test_nothing_is_foretold_of_more_people_than_a_survey_takes(on_collector, people):
    async def using(collector):
        organiser = await signed_in(collector)
        answer = await organiser.post("/o/new", FILLED | {"expected_people": people})
        assert answer.status_code == 422
        assert "A whole number from 1 to 1,000,000,000, please." in wrongs(answer.text)

    on_collector(using)


def test_a_file_that_is_no_survey_is_shown_again_with_the_reason(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        for text in ('title = "half"', "{", "<script>alert(1)</script>"):
            answer = await organiser.post("/o/import", {"text": text})
            assert answer.status_code == 422
            assert fields(answer.text)["text"] == [text]
        assert not await collector.service.surveys()

    on_collector(using)


def test_the_forecast_follows_what_is_typed(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        asked = "/o/forecast?protocol=max-entropy&items=8&people={}&epsilon={}"
        few = (await organiser.get(asked.format(300, 1))).json()
        many = (await organiser.get(asked.format(10_000, 4))).json()
        assert few["known"] < 0.9 < 0.99 < many["known"]
        assert "With 300 people" in few["headline"]
        assert (few["lies"], many["lies"]) == (26, 1)
        for nonsense in (asked.format("", "x"), "/o/forecast", asked.format(-5, 1e9)):
            assert (await organiser.get(nonsense)).json()["known"] is None

    on_collector(using)


def test_without_scripts_a_button_foretells_and_nothing_is_made(on_collector):
    async def using(collector):
        organiser = await signed_in(collector)
        answer = await organiser.post("/o/new", FILLED | {"action": "forecast", "title": ""})
        assert answer.status_code == 200
        assert "With 300 people" in answer.text
        assert not await collector.service.surveys()

    on_collector(using)
