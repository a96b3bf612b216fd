import asyncio
import re
import threading
from contextlib import contextmanager

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks
from starlette.routing import Route

from hushrank.collector.web.problems import KINDS
from hushrank.collector.web.settings import Limits, Rate
from tests.collector.web.api.test_reports import lines
from tests.collector.web.running import running

WIDE = Limits(per_address=Rate(1e6, 1e6), per_link=Rate(1e6, 1e6), body_seconds=2)
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@schemathesis.serializer("application/x-ndjson")
def as_lines(_, value):
    """Send what schemathesis made as it is: no schema describes lines."""
    return value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")


async def document(collector):
    return (await collector.client.get("/openapi.json")).json()


def test_every_address_of_the_interface_is_described_with_its_methods(on_collector):
    async def use(collector):
        routes = [route for route in collector.app.routes if isinstance(route, Route)]
        served = {
            (route.path.replace(":int", ""), method.lower())
            for route in routes
            if route.path.startswith("/v1/") or route.path in ("/healthz", "/readyz", "/metrics")
            for method in (route.methods or {"POST"}) - {"HEAD"}
        }
        return served, await document(collector)

    served, described = on_collector(use)
    assert served == {
        (path, method) for path, methods in described["paths"].items() for method in methods
    }
    assert described["openapi"] == "3.1.0"
    names = [
        one["operationId"] for methods in described["paths"].values() for one in methods.values()
    ]
    assert len(set(names)) == len(names)


def test_all_parts_of_an_address_and_all_its_problems_are_described(on_collector):
    paths = on_collector(document)["paths"]
    for path, methods in paths.items():
        for operation in methods.values():
            named = [f"{{{one['name']}}}" for one in operation["parameters"]]
            assert named == re.findall(r"{\w+}", path)
    answers = paths["/v1/surveys/{id}/assignments"]["post"]["responses"]
    titles = [KINDS[kind].title for kind in ("not-open", "conflict")]
    assert answers["409"]["description"].split("; ") == titles
    statuses = "200 201 403 404 409 410 415 421 422 429 500"
    assert sorted(answers) == statuses.split()
    content = answers["200"]["content"]["application/json"]["schema"]
    assert len(content["oneOf"]) == 2  # an assignment, or that nobody asks them


def test_what_is_answered_is_what_is_described(on_collector):
    async def use(collector):
        schema = schemathesis.openapi.from_dict(await document(collector))
        survey = await collector.open(items=[{"name": "tea"}, {"name": "milk", "description": "d"}])
        base = f"/v1/surveys/{survey}"
        upload = await collector.upload(survey)
        seen = []

        async def check(path, method="GET", address=None, **sent):
            answer = await collector.client.request(method, address or path, **sent)
            schema[path][method].validate_response(answer)
            seen.append(answer.status_code)

        await check("/v1/surveys/{id}", address=base)
        await check("/v1/surveys/{id}", address=f"{base}x")
        await check("/v1/surveys/{id}/state", address=f"{base}/state")
        whole = "/v1/surveys/{id}/rounds/{round}/parts/{part}"
        await check(whole, address=f"{base}/rounds/0/parts/0")
        await check(whole, address=f"{base}/rounds/7/parts/0")
        joining = {"person": "b" * 32, "lot": 5}
        for body in (joining, joining, {}):
            path = "/v1/surveys/{id}/assignments"
            await check(path, "POST", f"{base}/assignments", json=body)
        for body in (upload, upload, {}, upload | {"assignment": "x"}):
            await check("/v1/reports", "POST", json=body)
        headers = {"content-type": "application/x-ndjson"}
        body = lines([upload]) + b"x\n"
        await check("/v1/reports/batch", "POST", content=body, headers=headers)
        await check("/v1/surveys/{id}/results", address=f"{base}/results")
        await check("/v1/surveys/{id}/pictures/{digest}", address=f"{base}/pictures/{'0' * 64}")
        for path in ("/healthz", "/readyz", "/metrics"):
            await check(path)
        return seen

    statuses = [200, 404, 200, 200, 404, 201, 200, 422, 201, 200, 422, 403, 200]
    assert on_collector(use) == [*statuses, 409, 404, 200, 200, 200]


@contextmanager
def serving(folder):
    """Run a collector with an open survey beside the test; yield its address and its document."""
    ready, found = threading.Event(), {}

    async def serve():
        async with running(folder, limits=WIDE) as collector:
            stop = asyncio.Event()
            found["stop"] = lambda: loop.call_soon_threadsafe(stop.set)
            loop = asyncio.get_running_loop()
            survey = await collector.open()
            found["address"] = f"http://127.0.0.1:{collector.port}"
            found["document"] = await document(collector)
            found["upload"] = await collector.upload(survey)
            found["survey"] = survey
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(30)
    try:
        yield found
    finally:
        found["stop"]()
        thread.join(30)


@pytest.mark.parametrize("good_parts", [False, True], ids=["anything", "a known survey"])
def test_no_input_breaks_an_endpoint_or_gets_an_answer_that_is_not_described(tmp_path, good_parts):
    with serving(tmp_path) as collector:
        schema = schemathesis.openapi.from_dict(collector["document"])
        for operation in schema.get_all_operations():
            fuzz(operation.ok(), collector, good_parts)


def fuzz(operation, collector, good_parts):
    cases = st.one_of(
        operation.as_strategy(generation_mode=mode)
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    )

    @settings(
        max_examples=40,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def run(case):
        if good_parts and "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = collector["survey"]
        if good_parts and isinstance(case.body, dict) and "assignment" in case.body:
            case.body["assignment"] = collector["upload"]["assignment"]
        answer = case.call(base_url=collector["address"], timeout=10)
        case.validate_response(answer, checks=CHECKS)

    run()
