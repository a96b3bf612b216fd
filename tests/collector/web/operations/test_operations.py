import io
import json
import logging
import re
import warnings

import httpx
import pytest

from hushrank.collector.store.store import StoreFailure
from hushrank.collector.web.operations.logs import _MOST_FRAMES, JsonLines, _frames, log, log_to
from tests.collector.web.api.test_reports import kind_of, lines, send_lines

AGENT = "an agent that nobody else has"


@pytest.fixture
def logged(request):
    """All that this process logs, at any level."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    loggers = [logging.getLogger(name) for name in ("", "hushrank.collector", "uvicorn.error")]
    levels = [logger.level for logger in loggers]
    loggers[0].addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    yield stream
    loggers[0].removeHandler(handler)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def test_nothing_of_anybody_is_logged_in_a_whole_session(on_collector, logged):
    async def use(collector):
        client = collector.client
        client.headers["user-agent"] = AGENT
        client.headers["x-forwarded-for"] = "192.0.2.99"
        survey = await collector.open()
        upload = await collector.upload(survey)
        invited = await collector.open(joining="invitations")
        [invitation] = await collector.service.invite(invited, 1)
        link = (await collector.app.state.sessions.link()).partition("#t=")[2]
        await collector.join(invited, "b" * 32, invitation=invitation)
        sent = await client.post("/v1/reports", json=upload)
        await client.post("/v1/reports", json=upload | {"reports": [{"version": 2}]})
        headers = {"content-type": "application/x-ndjson"}
        await client.post("/v1/reports/batch", content=lines([upload]), headers=headers)
        form = await collector.sign_in()
        await client.post("/o/sign-in", data={"token": link}, headers={"origin": collector.origin})
        await client.get(f"/{link}?q={link}", headers={"referer": link, "x": "y" * 99})
        await collector.raw(b"NONSENSE " + link.encode() + b"\r\n\r\n")
        await collector.raw(link.encode() + b" / HTTP/1.1\r\nHost: x\r\n\r\n")
        await collector.service.close(survey)
        report = upload["reports"][0]
        return {
            *(survey, invited, upload["assignment"], invitation, link, form),
            *(sent.json()["receipt"], report["survey"], client.cookies["hushrank"]),
            *("a" * 32, "b" * 32, AGENT, "192.0.2.99", "127.0.0.1", "tea", "drink"),
        }

    private = on_collector(use, on_a_port=True)
    log = logged.getvalue()
    assert log.count("\n") > 10
    assert [word for word in private if word in log] == []


def test_a_line_is_one_json_object_of_a_request(on_collector, logged):
    async def use(collector):
        await collector.client.get(f"/v1/surveys/{await collector.open()}")
        await collector.client.request("PROPFIND", "/nothing")

    on_collector(use)
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    assert [(one["method"], one["route"], one["status"]) for one in requests] == [
        ("GET", "/v1/surveys/{id}", 200),
        ("other", "-", 404),
    ]
    assert set(requests[0]) == {
        *("time", "level", "event", "method", "route", "status", "milliseconds")
    }


def test_an_error_is_told_by_a_number_that_is_in_the_log_and_by_no_words(
    on_collector, logged, monkeypatch
):
    async def use(collector):
        survey = await collector.open()

        async def broken(*_):
            try:
                raise KeyError("secret of a person")
            except KeyError as cause:
                raise ValueError("secret of a person") from cause

        monkeypatch.setattr(collector.service, "join", broken)
        return await collector.join(survey)

    answer = on_collector(use)
    assert (answer.status_code, kind_of(answer)) == (500, "broken")
    [incident] = [line for line in logged.getvalue().splitlines() if '"incident"' in line]
    told = json.loads(incident)
    assert answer.json()["instance"] == f"/incidents/{told['incident']}"
    assert (told["error"], told["causes"]) == ("ValueError", ["KeyError"])
    assert told["route"] == "/v1/surveys/{id}/assignments"
    assert any("test_operations.py" in frame for frame in told["where"])
    assert "secret" not in answer.text + logged.getvalue()


def test_what_a_library_logs_is_logged_without_its_words(logged):
    secret = "secret"
    try:
        raise RuntimeError(secret)
    except RuntimeError as error:
        logging.getLogger("asyncio").error("Task failed: %r", error, exc_info=True)
        logging.getLogger("x").error(f"failed for {error}")
        logging.getLogger("uvicorn.error").error("Exception\n%r", error)
        logging.getLogger("uvicorn.error").error("%s is gone", error)
    told = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert [one.get("words") for one in told] == [None, None, "Exception", "%s is gone"]
    assert [one.get("error") for one in told] == ["RuntimeError", None, None, None]
    assert secret not in logged.getvalue()


def test_of_a_deep_error_the_innermost_places_are_logged():
    def fail(depth):
        return 1 / depth and fail(depth - 1)

    with pytest.raises(ZeroDivisionError) as error:
        fail(40)
    places = _frames(error.value.__traceback__)
    assert [place.rpartition(" ")[2] for place in places] == ["fail"] * _MOST_FRAMES


def test_a_warning_is_a_line_too_without_its_words():
    stream, root = io.StringIO(), logging.getLogger()
    kept = (root.handlers[:], root.level)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            logging.captureWarnings(False)  # another test left it on, for warnings of its own
            log_to(stream)
            warnings.warn("secret", UserWarning, stacklevel=1)
    finally:
        logging.captureWarnings(False)
        root.handlers[:] = kept[0]
        root.setLevel(kept[1])
        logging.getLogger("uvicorn.access").disabled = False
    [line] = stream.getvalue().splitlines()
    assert json.loads(line)["logger"] == "py.warnings"
    assert "secret" not in line


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize("is_terminal", [False, True])
def test_logs_go_to_one_place_and_those_of_requests_only_from_us(is_terminal, is_told, monkeypatch):
    """None of who asks for what; on a terminal only what went wrong."""
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stderr", stream)
    root = logging.getLogger()
    kept = (root.handlers[:], root.level)
    access = logging.getLogger("uvicorn.access")
    try:
        log_to(stream if is_told else None)
        log("event", number=1)
        assert access.disabled
        access.warning("127.0.0.1 GET /secret")
        logging.getLogger("httpx").info("GET http://secret")
    finally:
        root.handlers[:], access.disabled = kept[0], False
        root.setLevel(kept[1])
    lines = [json.loads(line) | {"time": 0} for line in stream.getvalue().splitlines()]
    event = {"time": 0, "level": "info", "event": "event", "number": 1}
    assert lines == ([] if is_terminal else [event])


def test_on_a_terminal_only_what_went_wrong_is_shown():
    stream = io.StringIO()
    stream.isatty = lambda: True
    root, ours = logging.getLogger(), logging.getLogger("hushrank.collector")
    kept = (root.handlers[:], root.level, ours.level)
    try:
        log_to(stream)
        log("event")
        log("worse", logging.WARNING)
    finally:
        root.handlers[:] = kept[0]
        root.setLevel(kept[1])
        ours.setLevel(kept[2])
        logging.getLogger("uvicorn.access").disabled = False
    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["worse"]


def test_the_numbers_tell_requests_and_uploads_and_nobody(on_collector):
    async def use(collector):
        survey = await collector.open()
        upload = await collector.upload(survey)
        for _ in range(2):
            await collector.client.post("/v1/reports", json=upload)
        await collector.client.post("/v1/reports", json=upload | {"assignment": "x"})
        await send_lines(collector, lines([upload, upload | {"assignment": "x"}, {}]))
        return survey, upload, (await collector.client.get("/metrics")).text

    survey, upload, numbers = on_collector(use)
    assert 'hushrank_uploads_total{outcome="new"} 1.0' in numbers
    assert 'hushrank_uploads_total{outcome="same"} 2.0' in numbers
    assert 'hushrank_uploads_total{outcome="forged"} 2.0' in numbers
    assert 'hushrank_uploads_total{outcome="malformed"} 1.0' in numbers
    assert 'hushrank_requests_total{method="POST",route="/v1/reports",status="201"} 1.0' in numbers
    assert 'hushrank_request_seconds_count{route="/v1/reports"} 3.0' in numbers
    counted = {*re.findall(r'hushrank_requests_total{.*route="([^"]+)"', numbers)}
    assert counted == {*re.findall(r'hushrank_request_seconds_count{route="([^"]+)"', numbers)}
    assert len(counted) > 2
    assert "hushrank_requests_under_way 1.0" in numbers
    assert "process_cpu_seconds_total" in numbers
    for private in (survey, upload["assignment"], "127.0.0.1", "a" * 32):
        assert private not in numbers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"x-forwarded-for": "192.0.2.1"}, 403),
        ({"forwarded": "for=192.0.2.1"}, 403),
        ({"x-real-ip": "192.0.2.1"}, 403),
        ({"via": "1.1 proxy"}, 403),
        ({"host": "survey.example.org"}, 403),
    ],
)
def test_without_a_token_the_numbers_are_for_this_machine(on_collector, headers, status):
    async def use(collector):
        return (await collector.client.get("/metrics", headers=headers)).status_code

    assert on_collector(use) == status


def test_another_machine_does_not_get_the_numbers_by_the_name_of_this_one(on_collector):
    async def use(collector):
        afar = httpx.ASGITransport(collector.app, client=("192.0.2.1", 4711))
        async with httpx.AsyncClient(transport=afar, base_url="http://localhost") as client:
            return (await client.get("/metrics")).status_code

    assert on_collector(use) == 403


def test_with_a_token_the_numbers_are_for_who_has_it(on_collector):
    async def use(collector):
        given = ("", "Bearer", "Bearer x", "Bearer secret2", "secret", "Bearer secret")
        return [
            (await collector.client.get("/metrics", headers={"authorization": one})).status_code
            for one in given
        ]

    assert on_collector(use, metrics_token="secret") == [403] * 5 + [200]


def test_readiness_needs_the_store(on_collector, monkeypatch):
    async def use(collector):
        before = await collector.client.get("/readyz")

        async def away():
            raise StoreFailure("the server at secret is away")

        monkeypatch.setattr(collector.service.store, "ready", away)
        return before, await collector.client.get("/readyz"), await collector.client.get("/healthz")

    before, after, alive = on_collector(use)
    assert (before.status_code, after.status_code, alive.status_code) == (200, 503, 200)
    assert kind_of(after) == "unavailable"
    assert after.headers["retry-after"]
    assert "secret" not in after.text
