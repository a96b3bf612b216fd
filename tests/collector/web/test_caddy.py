"""The collector behind a real Caddy, by the configuration that docs/operating.md gives."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from hushrank.collector.web.settings import Limits, Rate
from tests.collector.web.proxies import (
    NAME,
    Front,
    documented,
    free_port,
    make_certificate,
    program,
    proxy,
)
from tests.collector.web.running import answered, running

CADDY = program("caddy", "caddy")
FEW = Limits(per_address=Rate(0.01, 5))


def configuration(folder: Path, https: int, http: int, collector: int) -> str:
    """Return the documented configuration for the ports and the certificate of this test."""
    site = documented("caddyfile")
    certificate = f"tls {folder}/fullchain.pem {folder}/privkey.pem"
    for there, here in {
        f"{NAME} {{": f"{NAME} {{\nbind 127.0.0.1\n{certificate}",
        "127.0.0.1:8000": f"127.0.0.1:{collector}",
    }.items():
        assert site.count(there) == 1, there
        site = site.replace(there, here)
    return f"{{\nadmin off\nhttps_port {https}\nhttp_port {http}\n}}\n{site}"


@asynccontextmanager
async def behind_caddy(folder: Path, **settings):
    https, http = free_port(), free_port()
    public = {"public_url": f"https://{NAME}:{https}", "trusted_proxies": ("127.0.0.1",)}
    async with running(folder, **{**public, **settings}) as collector:
        trusted = make_certificate(folder)
        written = folder / "Caddyfile"
        written.write_text(configuration(folder, https, http, collector.port))
        run = (CADDY, "run", "--config", written, "--adapter", "caddyfile")
        async with proxy(https, *run, HOME=str(folder), XDG_DATA_HOME=str(folder / "data")):
            yield Front(collector, trusted, https, http)


@pytest.fixture
def on_caddy(tmp_path):
    def runs(using, **settings):
        async def whole():
            async with behind_caddy(tmp_path, **settings) as front:
                return await using(front)

        return asyncio.run(whole())

    return runs


def test_people_and_an_organiser_reach_the_collector_through_caddy(on_caddy):
    async def use(front):
        survey = await front.collector.open()
        headers = {"origin": front.origin, "sec-fetch-site": "same-origin"}
        async with front.client() as client:
            shown = await client.get(f"/v1/surveys/{survey}")
            assert shown.headers["content-encoding"] == "gzip"
            body = {"person": "a" * 32, "lot": 123_456_789}
            path = f"/v1/surveys/{survey}/assignments"
            joined = await client.post(path, json=body, headers=headers)
            sent = await client.post("/v1/reports", json=answered(joined.json()), headers=headers)
            assert (joined.status_code, sent.status_code) == (201, 201)
            token = (await front.collector.app.state.sessions.link()).partition("#t=")[2]
            signed = await client.post("/o/sign-in", data={"token": token}, headers=headers)
            assert signed.headers["set-cookie"].startswith("__Host-hushrank=")
            assert (await client.get("/metrics")).status_code == 404

    on_caddy(use)


def test_each_address_behind_caddy_has_its_own_rate_and_cannot_invent_another(on_caddy):
    async def use(front):
        seen = []
        for address in ("127.0.0.2", "127.0.0.3"):
            async with front.client(address) as client:
                for number in range(7):
                    headers = {"x-forwarded-for": f"192.0.2.{number}, 10.0.0.{number}"}
                    answer = await client.get("/v1/surveys/x", headers=headers)
                    seen.append(answer.status_code)
        return seen

    assert on_caddy(use, limits=FEW) == 2 * ([404] * 5 + [429] * 2)


def test_caddy_sends_everybody_to_https(on_caddy):
    async def use(front):
        async with httpx.AsyncClient() as plain:
            answer = await plain.get(f"http://127.0.0.1:{front.http}/s/x", headers={"host": NAME})
            location = answer.headers["location"]
            assert (answer.status_code, location) == (308, f"https://{NAME}/s/x")

    on_caddy(use)
