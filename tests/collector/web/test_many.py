"""Of what a request names, and of pages: more than a few."""

import re

import pytest
from starlette.requests import Request
from starlette.routing import Route

from hushrank.collector.web.app import RouteNames
from hushrank.collector.web.files import takes_gzip
from hushrank.collector.web.guards.headers import SafeHeaders
from hushrank.collector.web.operations.metrics import Metrics
from hushrank.collector.web.settings import Settings
from hushrank.errors import HushrankError

OTHERS = [f"x-{number}" for number in range(40)]


def routes_of(collector):
    return [route for route in collector.app.routes if isinstance(route, Route)]


def test_each_address_says_the_methods_that_it_takes(on_collector):
    async def use(collector):
        routes = routes_of(collector)
        assert len(routes) > 40
        for route in routes:
            path = re.sub(r"{\w+(:\w+)?}", "1", route.path)
            answer = await collector.client.request("OPTIONS", path)
            assert {*(route.methods or {"POST"})} <= {*answer.headers["allow"].split(", ")}

    on_collector(use)


def test_each_address_has_a_name_of_its_own_in_the_log(on_collector):
    async def use(collector):
        routes = routes_of(collector)
        name_of = RouteNames(routes)
        shared = {f"/{folder}/{{path:path}}" for folder in ("client", "static")}
        for route in routes:
            names = shared if route.path in shared else {route.path}
            assert name_of({"endpoint": route.endpoint}) in names

    on_collector(use)


def test_of_many_codings_gzip_is_found():
    accepted = ", ".join([*OTHERS, "gzip"]).encode()
    assert takes_gzip(Request({"type": "http", "headers": [(b"accept-encoding", accepted)]}))


def test_of_many_versions_that_a_client_has_the_last_is_known(on_collector):
    async def use(collector):
        path = "/client/styles/tokens.css"
        tag = (await collector.client.get(path)).headers["etag"]
        known = ", ".join([*(f'"{other}"' for other in OTHERS), tag])
        return await collector.client.get(path, headers={"if-none-match": known})

    assert on_collector(use).status_code == 304


def test_of_many_languages_the_first_that_we_speak_is_spoken(on_collector):
    async def use(collector):
        survey = await collector.open(language="nl")
        accepted = ", ".join([*OTHERS, "de", "en"])
        return await collector.client.get(f"/s/{survey}", headers={"accept-language": accepted})

    assert '<html lang="de"' in on_collector(use).text


def test_after_many_headers_a_page_is_shown_to_who_reads_pages(on_collector):
    async def use(collector):
        headers = dict.fromkeys(OTHERS, "1") | {"Accept": "text/html"}
        collector.client.headers.pop("accept")
        return await collector.client.get("/nothing", headers=headers)

    assert on_collector(use).headers["content-type"].startswith("text/html")


def test_after_many_headers_an_answer_says_once_who_may_keep_it():
    given = [*((name.encode(), b"1") for name in OTHERS), (b"cache-control", b"public")]
    added = SafeHeaders(Settings(public_url="https://a")).added("/", given)
    assert [value for name, value in added if name == b"cache-control"] == [b"public"]


@pytest.mark.parametrize("field", ["trusted_proxies", "unlimited"])
def test_the_last_of_many_networks_is_checked(field):
    right = [f"10.{number}.0.0/16" for number in range(40)]
    Settings(public_url="https://a", **{field: tuple(right)})
    with pytest.raises(HushrankError, match="network"):
        Settings(public_url="https://a", **{field: (*right, "10.0.0.0/99")})


def test_each_of_many_addresses_is_in_the_numbers():
    numbers = Metrics()
    for number in range(60):
        numbers.count_request("GET", f"/{number}", 200, 0.01)
    text = numbers.text().decode()
    for number in range(60):
        named = f'route="/{number}"'
        assert f'hushrank_requests_total{{method="GET",{named},status="200"}} 1.0' in text
        assert f"hushrank_request_seconds_count{{{named}}} 1.0" in text
