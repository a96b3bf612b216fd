import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from hushrank.collector.web.sessions import LINK_LASTS, SESSION_LASTS, form, needs_organiser
from tests.collector.web.api.test_reports import kind_of
from tests.collector.web.running import form_token


@needs_organiser
async def secret_page(request):
    """A page that only an organiser may see, and change."""
    return PlainTextResponse(f"{request.method} {(await form(request)).get('word', '')}")


@pytest.fixture
def on_pages(on_collector):
    """A collector that has a page of the organiser's."""

    def runs(using, **settings):
        async def with_page(collector):
            route = Route("/o/secret", secret_page, methods=["GET", "POST", "DELETE"])
            collector.app.router.routes.append(route)
            return await using(collector)

        return on_collector(with_page, **settings)

    return runs


async def post(collector, token, *, path="/o/secret", **headers):
    fields = {"csrf": token, "word": "hello"}
    return await collector.client.post(path, data=fields, headers=headers)


async def link_token(collector) -> str:
    return (await collector.app.state.sessions.link()).partition("#t=")[2]


async def sign_in(collector, token, **headers):
    headers = {"origin": collector.origin, **headers}
    return await collector.client.post("/o/sign-in", data={"token": token}, headers=headers)


def test_who_is_not_signed_in_is_shown_the_way_in_and_changes_nothing(on_pages):
    async def use(collector):
        answer = await collector.client.get("/o/secret")
        assert (answer.status_code, answer.headers["location"]) == (303, "/o/sign-in")
        answer = await post(collector, "x", origin=collector.origin)
        assert (answer.status_code, kind_of(answer)) == (401, "signed-out")

    on_pages(use)


@pytest.mark.parametrize("method", ["PUT", "OPTIONS"])
def test_an_address_says_all_methods_that_it_takes(on_collector, method):
    async def use(collector):
        return await collector.client.request(method, "/o/sign-in")

    answer = on_collector(use)
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert answer.status_code == {"PUT": 405, "OPTIONS": 204}[method]


def test_a_link_signs_in_once(on_pages):
    async def use(collector):
        token = await link_token(collector)
        first = await sign_in(collector, token)
        assert (first.status_code, first.headers["location"]) == (303, "/o/")
        assert (await collector.client.get("/o/secret")).text == "GET "
        collector.client.cookies.clear()
        again = await sign_in(collector, token)
        assert again.status_code == 401
        assert "set-cookie" not in again.headers
        assert (await collector.client.get("/o/secret")).status_code == 303

    on_pages(use)


def test_of_many_who_use_a_link_at_once_one_is_signed_in(on_pages):
    async def use(collector):
        token = await link_token(collector)
        answers = await asyncio.gather(*(sign_in(collector, token) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [303] + [401] * 7

    on_pages(use)


def test_links_and_sessions_last_as_long_as_operators_are_told():
    hours = [each / timedelta(hours=1) for each in (LINK_LASTS, SESSION_LASTS)]
    assert hours == [1, 12]


def test_links_and_sessions_end(on_pages):
    async def use(collector):
        token = await link_token(collector)
        collector.clock.now += LINK_LASTS
        assert (await sign_in(collector, token)).status_code == 401
        assert (await sign_in(collector, await link_token(collector))).status_code == 303
        collector.clock.now += SESSION_LASTS - timedelta(seconds=1)
        assert (await collector.client.get("/o/secret")).status_code == 200
        collector.clock.now += timedelta(seconds=1)
        assert (await collector.client.get("/o/secret")).status_code == 303

    on_pages(use)


def test_a_link_is_no_session_and_a_session_no_link(on_pages):
    """A link works once: as a cookie its token would for an hour."""

    async def use(collector):
        token, cookie = await link_token(collector), collector.app.state.sessions.cookie
        collector.client.cookies.set(cookie, token)
        assert (await collector.client.get("/o/secret")).status_code == 303
        collector.client.cookies.clear()
        assert (await sign_in(collector, token)).status_code == 303
        assert (await sign_in(collector, collector.client.cookies[cookie])).status_code == 401

    on_pages(use)


@pytest.mark.parametrize("token", ["", "x", "a" * 43, "../..", "\u00e4\u00f6", "a\r\nb: c"])
def test_invented_tokens_sign_nobody_in(on_pages, token):
    async def use(collector):
        answer = await sign_in(collector, token)
        assert answer.status_code == 401
        collector.client.cookies.set(collector.app.state.sessions.cookie, "invented")
        assert (await collector.client.get("/o/secret")).status_code == 303

    on_pages(use)


@pytest.mark.parametrize("sent", [{"data": {"other": "x"}}, {"files": {"token": b"x"}}])
def test_a_form_without_a_token_is_told_what_it_lacks(on_pages, sent):
    async def use(collector):
        headers = {"origin": collector.origin}
        answer = await collector.client.post("/o/sign-in", headers=headers, **sent)
        assert (answer.status_code, kind_of(answer)) == (422, "malformed")

    on_pages(use)


def test_a_token_in_half_a_letter_is_no_token(on_pages):
    async def use(collector):
        coding = "multipart/form-data; boundary=x; charset=unicode_escape"
        body = '--x\r\ncontent-disposition: form-data; name="token"\r\n\r\n\\ud800\r\n--x--\r\n'
        headers = {"origin": collector.origin, "content-type": coding}
        answer = await collector.client.post("/o/sign-in", content=body, headers=headers)
        assert answer.status_code == 401

    on_pages(use)


@pytest.mark.parametrize("body", ["token=a" + "&a" * 3000, "token=" + "a" * 2**21])
def test_of_a_form_with_too_much_in_it_the_rest_is_not_read(on_pages, body):
    async def use(collector):
        headers = {
            "origin": collector.origin,
            "content-type": "application/x-www-form-urlencoded",
        }
        answer = await collector.client.post("/o/sign-in", content=body, headers=headers)
        assert (answer.status_code, kind_of(answer)) == (422, "malformed")

    on_pages(use)


def test_who_guesses_links_is_stopped_and_nobody_else(on_pages):
    async def use(collector):
        statuses = [(await sign_in(collector, f"guess {n}")).status_code for n in range(12)]
        assert statuses == [401] * 10 + [429] * 2
        assert (await sign_in(collector, await link_token(collector))).status_code == 429
        elsewhere = httpx.ASGITransport(collector.app, client=("192.0.2.1", 4711))
        async with httpx.AsyncClient(transport=elsewhere, base_url=collector.origin) as client:
            mine = replace(collector, client=client)
            assert (await sign_in(mine, await link_token(collector))).status_code == 303

    on_pages(use)


def test_who_guesses_from_many_addresses_of_one_home_is_stopped(on_pages):
    async def use(collector):
        statuses = []
        for n in range(12):
            home = httpx.ASGITransport(collector.app, client=(f"2001:db8::{n}", 4711))
            async with httpx.AsyncClient(transport=home, base_url=collector.origin) as client:
                guessed = await sign_in(replace(collector, client=client), f"guess {n}")
                statuses.append(guessed.status_code)
        assert statuses == [401] * 10 + [429] * 2

    on_pages(use)


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(on_pages):
    async def use(collector):
        answer = await sign_in(collector, await link_token(collector))
        name, _, attributes = answer.headers["set-cookie"].partition("=")
        flags = {one.strip().lower() for one in attributes.split(";")[1:]}
        assert {"httponly", "path=/", "samesite=strict"} <= flags
        assert not any(one.startswith("domain") for one in flags)
        return name, "secure" in flags

    assert on_pages(use) == ("hushrank", False)
    assert on_pages(use, public_url="https://survey.example.org") == ("__Host-hushrank", True)


def test_the_store_keeps_no_token(on_pages, tmp_path):
    async def use(collector):
        token = await link_token(collector)
        await collector.sign_in()
        return token, collector.client.cookies["hushrank"]

    tokens = on_pages(use)
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("collector.sqlite*"))
    assert kept
    assert not any(token.encode() in kept for token in tokens)


def test_forms_need_the_token_of_their_session(on_pages):
    async def use(collector):
        token = await collector.sign_in()
        ours = {"origin": collector.origin}
        assert (await post(collector, token, **ours)).text == "POST hello"
        for wrong in ("", "x", token[:-1], token.upper(), "ä", form_token("another session")):
            answer = await post(collector, wrong, **ours)
            assert (answer.status_code, kind_of(answer)) == (403, "stale-form")
        without = await collector.client.post("/o/secret", headers=ours)
        assert kind_of(without) == "stale-form"
        upload = await collector.client.post("/o/secret", files={"csrf": b"x"}, headers=ours)
        assert kind_of(upload) == "stale-form"
        by_header = {**ours, "x-csrf-token": token}
        assert (await collector.client.delete("/o/secret", headers=by_header)).status_code == 200

    on_pages(use)


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"origin": "OURS"}, True),
        ({"origin": "OURS", "sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({}, False),
        ({"origin": "null"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "OURS.evil.example"}, False),
        ({"origin": "OURS", "sec-fetch-site": "cross-site"}, False),
        ({"origin": "OURS", "sec-fetch-site": "same-site"}, False),
        ({"origin": "OURS", "sec-fetch-site": "none"}, False),
        ({"origin": "https://evil.example", "sec-fetch-site": "same-origin"}, False),
    ],
)
def test_forms_of_other_pages_change_nothing(on_pages, headers, passes):
    async def use(collector):
        token = await collector.sign_in()
        sent = {name: value.replace("OURS", collector.origin) for name, value in headers.items()}
        answer = await post(collector, token, **sent)
        assert (answer.status_code == 200) is passes
        if not passes:
            assert (answer.status_code, kind_of(answer)) == (403, "cross-origin")
        link = await link_token(collector)
        refused = await collector.client.post("/o/sign-in", data={"token": link}, headers=sent)
        assert (refused.status_code == 303) is passes

    on_pages(use)


def test_signing_out_ends_the_session_for_good(on_pages):
    async def use(collector):
        token = await collector.sign_in()
        session = collector.client.cookies["hushrank"]
        answer = await post(collector, token, path="/o/sign-out", origin=collector.origin)
        assert (answer.status_code, answer.headers["location"]) == (303, "/o/sign-in")
        assert "hushrank" not in collector.client.cookies
        collector.client.cookies.set("hushrank", session)
        assert (await collector.client.get("/o/secret")).status_code == 303

    on_pages(use)


def test_who_is_signed_in_reads_nothing_but_their_own_pages_from_a_cache(on_pages):
    async def use(collector):
        await collector.sign_in()
        assert (await collector.client.get("/o/secret")).headers["cache-control"] == "no-store"

    on_pages(use)
