import json

import pytest

from hushrank.collector.refusals import Refusal
from hushrank.collector.service import Accepted
from hushrank.collector.web.api.reports import _count
from hushrank.collector.web.operations.metrics import Metrics
from tests.collector.web.running import answered

PROBLEM = "application/problem+json"


async def send(collector, upload):
    return await collector.client.post("/v1/reports", json=upload)


def different_uploads(assigned):
    """Return two uploads for an assignment whose noise differs."""
    uploads = (answered(assigned, seed) for seed in range(100))
    first = next(uploads)
    return first, next(one for one in uploads if one != first)


def kind_of(answer) -> str:
    assert answer.headers["content-type"] == PROBLEM
    document = answer.json()
    assert document["status"] == answer.status_code
    return document["type"].removeprefix("/problems/")


def test_a_report_is_acknowledged_and_the_same_again_is_too(on_collector):
    async def use(collector):
        upload = await collector.upload(await collector.open())
        first, again = [await send(collector, upload) for _ in range(2)]
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        assert set(first.json()) == {"receipt"}

    on_collector(use)


def test_another_report_for_the_same_assignment_is_a_conflict_and_not_stored(on_collector):
    async def use(collector):
        survey = await collector.open()
        assigned = (await collector.join(survey)).json()
        first, other = different_uploads(assigned)
        assert (await send(collector, first)).status_code == 201
        refused = await send(collector, other)
        assert (refused.status_code, kind_of(refused)) == (409, "conflict")
        assert await collector.service.conflicts(survey) == 1
        assert (await send(collector, first)).status_code == 200

    on_collector(use)


@pytest.mark.parametrize("place", [0, 1, 5, 20, 30, -1])
def test_a_forged_assignment_is_refused(on_collector, place):
    async def use(collector):
        upload = await collector.upload(await collector.open())
        token = upload["assignment"]
        letter = "A" if token[place] != "A" else "B"
        letters = list(token)
        letters[place] = letter
        answer = await send(collector, upload | {"assignment": "".join(letters)})
        assert (answer.status_code, kind_of(answer)) == (403, "forged")

    on_collector(use)


def test_an_assignment_of_another_collector_is_refused(on_collector, tmp_path):
    async def of_other(collector):
        return await collector.upload(await collector.open())

    upload = on_collector(of_other)
    (tmp_path / "collector.sqlite").unlink()
    (tmp_path / "collector.sqlite-wal").unlink(missing_ok=True)
    (tmp_path / "collector.sqlite-shm").unlink(missing_ok=True)

    async def use(collector):
        await collector.open()
        answer = await send(collector, upload)
        assert (answer.status_code, kind_of(answer)) == (403, "forged")

    on_collector(use)


def test_reports_of_one_survey_do_not_fit_the_assignment_of_another(on_collector):
    async def use(collector):
        one, other = await collector.open(), await collector.open(epsilon=3.0)
        upload = await collector.upload(one)
        foreign = (await collector.upload(other, "b" * 32))["reports"]
        answer = await send(collector, upload | {"reports": foreign})
        assert (answer.status_code, kind_of(answer)) == (422, "malformed")

    on_collector(use)


def test_an_assignment_is_worth_nothing_after_its_round(on_collector):
    async def use(collector):
        survey = await collector.open()
        late = await collector.upload(survey)
        await collector.service.close(survey)
        answer = await send(collector, late)
        assert (answer.status_code, kind_of(answer)) == (410, "closed")

    on_collector(use)


def test_what_was_acknowledged_is_acknowledged_again_after_the_round(on_collector):
    async def use(collector):
        survey = await collector.open()
        upload = await collector.upload(survey)
        first = await send(collector, upload)
        await collector.service.close(survey)
        again = await send(collector, upload)
        assert (again.status_code, again.json()) == (200, first.json())

    on_collector(use)


def test_a_deleted_survey_takes_nothing(on_collector):
    async def use(collector):
        survey = await collector.open()
        upload = await collector.upload(survey)
        assert (await send(collector, upload)).status_code == 201
        await collector.service.delete(survey)
        answer = await send(collector, upload)
        assert answer.status_code in (404, 410)

    on_collector(use)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"{",
        b"\xff\xfe",
        b'{"assignment":1,"reports":[]}',
        b'{"assignment":"x","reports":[]}',
        b'{"assignment":"x","reports":[{}]}',
        b'{"assignment":"x","reports":[],"secret":1}',
        b'{"assignment":"x","reports":[{"secret":2,"version":"secret"}]}',
        b'{"assignment":"\\u0000","reports":[]}',
        b'{"assignment":"x","reports":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"assignment":"x","reports":[{"version":2,"survey":"' + b"0" * 64 + b'","question":1e400,'
        b'"report":0}]}',
        b"9" * 60_000,
    ],
)
def test_what_is_no_upload_is_malformed_and_not_repeated(on_collector, body):
    async def use(collector):
        headers = {"content-type": "application/json"}
        answer = await collector.client.post("/v1/reports", content=body, headers=headers)
        assert answer.status_code in (403, 422)
        assert kind_of(answer) in ("malformed", "forged")
        assert len(answer.content) < 300
        assert "secret" not in answer.text

    on_collector(use)


def test_an_upload_that_is_no_json_by_its_type_is_refused(on_collector):
    async def use(collector):
        upload = json.dumps(await collector.upload(await collector.open()))
        for media_type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx"):
            headers = {"content-type": media_type}
            answer = await collector.client.post("/v1/reports", content=upload, headers=headers)
            assert (answer.status_code, kind_of(answer)) == (415, "media-type")

    on_collector(use)


def test_a_report_takes_at_most_400_bytes(on_collector):
    async def use(collector):
        items = [{"name": f"item {number}"} for number in range(16)]
        upload = await collector.upload(await collector.open(items=items))
        sent = json.dumps(upload, separators=(",", ":"))
        assert len(sent) <= 400

    on_collector(use)


def lines(uploads) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in uploads)


async def send_lines(collector, body):
    headers = {"content-type": "application/x-ndjson"}
    return await collector.client.post("/v1/reports/batch", content=body, headers=headers)


def test_a_batch_answers_each_line(on_collector):
    async def use(collector):
        survey = await collector.open()
        uploads = [await collector.upload(survey, f"{i:032x}") for i in range(5)]
        forged = uploads[4] | {"assignment": uploads[4]["assignment"][:-1]}
        body = lines([*uploads[:3], uploads[0]]) + b"no json\n" + lines([forged])
        answer = await send_lines(collector, body)
        results = answer.json()["results"]
        assert [one["status"] for one in results] == [201, 201, 201, 200, 422, 403]
        assert results[0]["receipt"] == results[3]["receipt"]
        assert [one.get("kind") for one in results[4:]] == ["malformed", "forged"]

    on_collector(use)


def test_a_batch_answers_and_counts_each_of_many_lines(on_collector):
    async def use(collector):
        survey = await collector.open()
        uploads = [await collector.upload(survey, f"{i:032x}") for i in range(24)]
        for body, statuses in (
            (b"no json\n" * 24 + lines(uploads[:1]), [422] * 24 + [201]),
            (lines(uploads), [200] + [201] * 23),
        ):
            results = (await send_lines(collector, body)).json()["results"]
            assert [one["status"] for one in results] == statuses
        assert (await collector.service.survey(survey)).counts[0].reported == 24

    on_collector(use)


def test_each_of_many_uploads_is_told_to_the_metrics():
    told, metrics = [Accepted("", True)] * 24 + [Refusal("forged", "")], Metrics()
    _count(metrics, told)
    numbers = metrics.text().decode()
    assert 'hushrank_uploads_total{outcome="new"} 24' in numbers
    assert 'hushrank_uploads_total{outcome="forged"} 1' in numbers


def test_the_same_assignment_twice_in_one_batch_counts_once(on_collector):
    async def use(collector):
        survey = await collector.open()
        upload = await collector.upload(survey)
        answer = await send_lines(collector, lines([upload, upload]))
        assert sorted(one["status"] for one in answer.json()["results"]) == [200, 201]
        assert (await collector.service.survey(survey)).counts[0].reported == 1

    on_collector(use)


def test_a_batch_has_at_most_1000_lines(on_collector):
    async def use(collector):
        assert (await send_lines(collector, b"{}\n" * 1_000)).status_code == 200
        answer = await send_lines(collector, b"{}\n" * 1_001)
        assert (answer.status_code, kind_of(answer)) == (413, "too-large")
        assert len((await send_lines(collector, b"")).json()["results"]) == 0

    on_collector(use)


@pytest.mark.parametrize("space", [b"\r", b" ", b""])
def test_what_no_line_ends_is_no_way_around_that(space, on_collector):
    upload = json.dumps({"assignment": "", "idempotency_key": "0" * 32, "reports": []}).encode()

    async def use(collector):
        answer = await send_lines(collector, space.join([upload] * 1_001))
        results = answer.json().get("results", [])
        assert len(results) == 1 or kind_of(answer) == "too-large"
        answer = await send_lines(collector, b"no json" + b"\r{}" * 1_001)
        assert len(answer.json()["results"]) == 1

    on_collector(use)
