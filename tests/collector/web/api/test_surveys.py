import asyncio
import gc
import gzip
import hashlib

import msgspec

from hushrank.collector.announcement import read_announcement
from hushrank.collector.draft import digest_of
from hushrank.collector.web.api import surveys
from hushrank.collector.web.api.messages import JoiningBody
from hushrank.collector.web.api.surveys import PackedDocuments
from hushrank.collector.web.files import Document
from hushrank.surveys.wire import read_survey
from tests.collector.drafts import draft
from tests.collector.web.api.test_reports import kind_of

PERSON = "a" * 32


def test_who_joins_and_by_which_invitation_shows_in_no_repr():
    assert repr(JoiningBody(PERSON, 7, "letter", "token")) == "JoiningBody()"


def test_an_announcement_comes_byte_for_byte_with_its_fingerprint(on_collector):
    async def use(collector):
        survey = await collector.open()
        answer = await collector.client.get(f"/v1/surveys/{survey}")
        assert answer.content == await collector.service.announcement(survey)
        fingerprint = hashlib.sha256(answer.content).hexdigest()
        assert answer.headers["etag"].removeprefix("W/") == f'"{fingerprint}"'
        assert read_announcement(answer.content).id == survey
        assert (await collector.join(survey)).json()["announcement"] == fingerprint

    on_collector(use)


def test_who_has_a_document_already_does_not_get_it_again(on_collector):
    async def use(collector):
        path = f"/v1/surveys/{await collector.open()}"
        for coding in ("gzip", "identity"):
            headers = {"accept-encoding": coding}
            first = await collector.client.get(path, headers=headers)
            for known in (first.headers["etag"], f'"x", {first.headers["etag"]}', "*"):
                again = await collector.client.get(path, headers={"if-none-match": known})
                assert (again.status_code, again.content) == (304, b"")
            other = await collector.client.get(path, headers={"if-none-match": '"other"'})
            assert other.status_code == 200

    on_collector(use)


def test_documents_are_packed_for_who_reads_gzip_and_only_for_them(on_collector):
    async def use(collector):
        survey = await collector.open()
        for path in (f"/v1/surveys/{survey}", f"/v1/surveys/{survey}/rounds/0/parts/0"):
            seen = {}
            for coding in ("gzip", "gzip;q=0", "br", "br, gzip;q=0.5"):
                answer = await collector.client.get(path, headers={"accept-encoding": coding})
                seen[coding] = answer.headers.get("content-encoding")
                assert "Accept-Encoding" in answer.headers["vary"]
            assert seen == {
                "gzip": "gzip",
                "gzip;q=0": None,
                "br": None,
                "br, gzip;q=0.5": "gzip",
            }

    on_collector(use)


def test_documents_that_begin_alike_are_not_taken_for_one_another():
    async def use():
        packed = PackedDocuments()
        contents = [b"a" * 2**16 + end for end in (b"1", b"2")]
        found = [await packed.of(content) for content in contents]
        assert [document.content for document in found] == contents
        assert await packed.of(contents[0]) is found[0]

    asyncio.run(use())


def test_the_document_that_was_asked_for_first_is_forgotten_first(monkeypatch):
    monkeypatch.setattr(surveys, "_MOST_KEPT", 250)

    async def use():
        packed = PackedDocuments()
        first, second, third = [await packed.of(letter * 100) for letter in (b"1", b"2", b"3")]
        assert await packed.of(b"2" * 100) is second
        assert await packed.of(b"3" * 100) is third
        assert await packed.of(b"1" * 100) is not first

    asyncio.run(use())


def test_the_whole_document_of_a_part_is_what_handouts_prove_to_belong_to(on_collector):
    async def use(collector):
        survey = await collector.open()
        assigned = (await collector.join(survey)).json()
        path = f"/v1/surveys/{survey}/rounds/{assigned['round']}/parts/{assigned['part']}"
        published = read_survey((await collector.client.get(path)).content, most_epsilon=8.0)
        assert published.head.decode() == assigned["handout"]["head"]
        for missing in (path.replace("rounds/0", "rounds/1"), path[:-1] + "9", path + "9" * 40):
            assert (await collector.client.get(missing)).status_code == 404

    on_collector(use)


def test_joining_again_gives_the_same_assignment(on_collector):
    async def use(collector):
        survey = await collector.open()
        first, again = [await collector.join(survey) for _ in range(2)]
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        other = await collector.join(survey, "b" * 32)
        assert other.json()["assignment"] != first.json()["assignment"]

    on_collector(use)


def test_whom_the_round_does_not_ask_is_told_so_and_no_question(on_collector):
    async def use(collector):
        survey = await collector.open(protocol="safari", options={"split": "people"})
        answer = await collector.join(survey, lot=2**31 + 5)
        told = answer.json()
        assert (answer.status_code, told["asked"], told["round"]) == (200, False, 0)
        assert told.keys() == {"asked", "round", "announcement"}

    on_collector(use)


def test_an_assignment_is_nobodys_to_keep_on_the_way(on_collector):
    async def use(collector):
        answer = await collector.join(await collector.open())
        assert answer.headers["cache-control"] == "no-store"

    on_collector(use)


def test_what_a_device_downloads_for_16_items_is_below_5_kilobytes(on_collector):
    async def use(collector):
        items = [{"name": f"item number {number}"} for number in range(16)]
        survey = await collector.open(items=items)
        announced = await collector.client.get(f"/v1/surveys/{survey}")
        assigned = await collector.join(survey)
        assert assigned.headers["content-encoding"] == "gzip"
        packed = [len(gzip.compress(one.content, 5)) for one in (announced, assigned)]
        assert sum(packed) < 5_000

    on_collector(use)


def test_the_state_follows_the_life_of_a_survey(on_collector):
    async def use(collector):
        survey = await collector.open(closes="2027-01-31T18:00:00Z")
        path = f"/v1/surveys/{survey}/state"
        state = (await collector.client.get(path)).json()
        assert state == {"state": "open", "round": 0, "closes": "2027-01-31T18:00:00Z"}
        await collector.service.hand_over(survey)  # who counts is nobody else's business
        state = (await collector.client.get(path)).json()
        assert state == {"state": "between", "round": None, "closes": None}
        await collector.service.close(survey)
        closed = await collector.client.get(path)
        assert closed.json()["state"] == "closed"
        assert closed.json()["round"] is None
        assert closed.headers["cache-control"] == "no-store"

    on_collector(use)


def test_nobody_learns_of_a_draft(on_collector):
    async def use(collector):
        survey = await collector.service.create(draft())
        for path in ("", "/state", "/rounds/0/parts/0"):
            answer = await collector.client.get(f"/v1/surveys/{survey}{path}")
            assert answer.status_code in (404, 409)
            assert "drink" not in answer.text
        assert (await collector.join(survey)).status_code in (404, 409)

    on_collector(use)


def test_a_survey_by_invitation_takes_each_invitation_for_one_person(on_collector):
    async def use(collector):
        survey = await collector.open(joining="invitations")
        [token] = await collector.service.invite(survey, 1)
        for wrong in (None, "", "x", token + "x"):
            answer = await collector.join(survey, invitation=wrong)
            assert (answer.status_code, kind_of(answer)) == (403, "not-invited")
        first = await collector.join(survey, invitation=token)
        other_device = await collector.join(survey, "b" * 32, invitation=token)
        assert (first.status_code, other_device.status_code) == (201, 200)
        assert first.json() == other_device.json()

    on_collector(use)


def test_an_app_joins_its_users_by_its_key(on_collector):
    async def use(collector):
        survey = await collector.open(joining="api")
        path = f"/v1/surveys/{survey}/assignments"
        key = await collector.service.make_api_key(survey)
        body = {"person": "user 17", "lot": 5}
        for wrong in ("", "Bearer", "Bearer x", f"Basic {key}", f"Bearer {key}x"):
            headers = {"authorization": wrong}
            answer = await collector.client.post(path, json=body, headers=headers)
            assert (answer.status_code, kind_of(answer)) == (403, "not-invited")
        for each, kind in ((body, "Bearer"), (body | {"person": "user 18"}, "bearer")):
            headers = {"authorization": f"{kind} {key}"}
            answer = await collector.client.post(path, json=each, headers=headers)
            assert answer.status_code == 201

    on_collector(use)


def test_joining_takes_only_what_it_describes(on_collector):
    async def use(collector):
        path = f"/v1/surveys/{await collector.open()}/assignments"
        good = {"person": PERSON, "lot": 0}
        for wrong in (
            {},
            good | {"lot": -1},
            good | {"lot": 2**32},
            good | {"lot": 0.5},
            good | {"lot": "0"},
            good | {"person": ""},
            good | {"person": "x" * 201},
            good | {"more": 1},
            good | {"earlier": "x" * 3_001},
        ):
            answer = await collector.client.post(path, json=wrong)
            assert (answer.status_code, kind_of(answer)) == (422, "malformed")
        body = msgspec.json.encode(good).replace(PERSON.encode(), b"secret\xff")
        headers = {"content-type": "application/json"}
        answer = await collector.client.post(path, content=body, headers=headers)
        assert (answer.status_code, kind_of(answer)) == (422, "malformed")
        assert "secret" not in answer.text

    on_collector(use)


def test_joining_is_json_by_its_type(on_collector):
    """Else any page could let its visitors join: browsers send plain text without asking."""

    async def use(collector):
        path = f"/v1/surveys/{await collector.open()}/assignments"
        body = msgspec.json.encode({"person": PERSON, "lot": 0})
        for media_type in ("text/plain", "application/x-www-form-urlencoded"):
            headers = {"content-type": media_type}
            answer = await collector.client.post(path, content=body, headers=headers)
            assert (answer.status_code, kind_of(answer)) == (415, "media-type")

    on_collector(use)


def test_a_survey_of_a_hundred_questions_a_person_can_be_repeated(on_collector):
    """Three bytes of an assignment are of each question."""

    async def use(collector):
        items = [{"name": f"drink {n}"} for n in range(16)]
        options = {"queries": 100}
        first = await collector.open(protocol="pairs", items=items, options=options)
        given = (await collector.join(first)).json()
        again = await collector.service.copy(first)
        await collector.service.open(again)
        answer = await collector.join(again, earlier=given["assignment"])
        assert answer.status_code == 201
        assert answer.json()["handout"] == given["handout"]

    on_collector(use)


def test_an_invented_earlier_assignment_is_refused(on_collector):
    async def use(collector):
        answer = await collector.join(await collector.open(), earlier="invented")
        assert (answer.status_code, kind_of(answer)) == (403, "forged")

    on_collector(use)


def test_no_survey_is_found_by_an_id_that_none_can_have(on_collector):
    async def use(collector):
        for name in ("x", "a" * 65, "..", "%2e%2e", "%00", "a%2Fb", "a b", "ä", "A" * 12):
            for path in ("", "/state", "/rounds/0/parts/0"):
                answer = await collector.client.get(f"/v1/surveys/{name}{path}")
                assert (answer.status_code, answer.json()["status"]) == (404, 404)

    on_collector(use)


def test_head_is_get_without_a_body_and_options_says_what_is_taken(on_collector):
    async def use(collector):
        survey = await collector.open()
        path = f"/v1/surveys/{survey}"
        get, head = [await collector.client.request(method, path) for method in ("GET", "HEAD")]
        assert head.content == b""
        assert head.headers["etag"] == get.headers["etag"]
        assert head.headers["content-length"] == get.headers["content-length"]
        taken = {path: "GET, HEAD, OPTIONS", f"{path}/assignments": "OPTIONS, POST"}
        for address, methods in {**taken, "/v1/reports": "OPTIONS, POST"}.items():
            options = await collector.client.options(address)
            assert (options.status_code, options.headers["allow"]) == (204, methods)
            refused = await collector.client.delete(address)
            assert (refused.status_code, kind_of(refused)) == (405, "method")
            assert refused.headers["allow"] == methods

    on_collector(use, on_a_port=True)


def test_results_are_shown_when_the_organiser_shows_them_and_not_before(on_collector):
    async def use(collector):
        survey = await collector.open(smallest_group=2)
        path = f"/v1/surveys/{survey}/results"
        uploads = [await collector.upload(survey, f"{number:032x}") for number in range(20)]
        for upload in uploads:
            await collector.client.post("/v1/reports", json=upload)
        open_still = await collector.client.get(path)
        assert (open_still.status_code, kind_of(open_still)) == (409, "not-ready")
        await collector.service.close(survey)
        assert (await collector.client.get(path)).status_code == 409
        await collector.service.publish(survey)
        shown = [await collector.client.get(path) for _ in range(2)]
        assert [one.json()["people"] for one in shown] == [20, 20]
        assert shown[1].headers["cache-control"] == "public, max-age=60"  # they may be taken back
        await collector.service.unpublish(survey)
        assert (await collector.client.get(path)).status_code == 409
        await collector.service.delete(survey)
        assert (await collector.client.get(path)).status_code == 404

    on_collector(use)


def test_results_of_a_deleted_survey_are_in_no_answer_that_is_kept(on_collector):
    async def use(collector):
        survey = await collector.open(smallest_group=2)
        for number in range(20):
            upload = await collector.upload(survey, f"{number:032x}")
            await collector.client.post("/v1/reports", json=upload)
        await collector.service.close(survey)
        await collector.service.publish(survey)
        for _ in range(2):
            shown = await collector.client.get(f"/v1/surveys/{survey}/results")
        assert kept_documents(shown.content)
        await collector.service.delete(survey)
        assert not kept_documents(shown.content)

    on_collector(use)


def kept_documents(content):
    """Return the documents, kept anywhere in this process, that say this."""
    gc.collect()
    each = (one for one in gc.get_objects() if isinstance(one, Document))
    return [one for one in each if one.content == content]


def test_a_picture_is_shown_by_its_digest_as_what_it_is(on_collector):
    async def use(collector):
        picture = b"\x89PNG\r\n\x1a\n" + b"x" * 400
        digest = digest_of(picture)
        items = [{"name": "tea", "picture": digest}, {"name": "milk"}]
        survey = await collector.service.create(draft(items=items), {digest: picture})
        path = f"/v1/surveys/{survey}/pictures/{digest}"
        assert (await collector.client.get(path)).status_code == 409
        await collector.service.open(survey)
        shown = await collector.client.get(path)
        assert (shown.content, shown.headers["content-type"]) == (picture, "image/png")
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert "immutable" in shown.headers["cache-control"]
        for other in ("0" * 64, "x", digest.upper(), digest + "0"):
            missing = await collector.client.get(f"/v1/surveys/{survey}/pictures/{other}")
            assert missing.status_code == 404
        foreign = await collector.client.get(
            f"/v1/surveys/{await collector.open()}/pictures/{digest}"
        )
        assert foreign.status_code == 404

    on_collector(use)


EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"' {{7*7}}"


def test_script_in_the_words_of_a_survey_is_shown_and_never_run(on_collector):
    async def use(collector):
        fields = {"title": EVIL, "asked_by": EVIL, "purpose": EVIL, "privacy_notice": EVIL}
        items = [{"name": EVIL}, {"name": "tea", "description": EVIL}]
        survey = await collector.open(items=items, **fields)
        announced = await collector.client.get(f"/v1/surveys/{survey}")
        assert announced.headers["content-type"] == "application/json"
        assert announced.json()["title"] == EVIL
        shown = await collector.client.get(f"/s/{survey}", headers={"accept": "text/html"})
        assert shown.status_code == 200
        assert "{{7*7}}" in shown.text
        for live in ("<script>alert", "<img src=x", "</script><script>"):
            assert live not in shown.text
        assert "unsafe-inline" not in shown.headers["content-security-policy"]

    on_collector(use)
