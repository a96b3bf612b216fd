"""The collector behind a real Caddy, by the configuration that docs/operating.md gives."""

from pathlib import Path

import httpx
import pytest

from tests.collector.web.operations.proxies import (
    FEW,
    LONG,
    NAME,
    behind,
    documented,
    each_address_has_its_own_rate,
    program,
)
from tests.collector.web.running import answered

CADDY = program("caddy", "caddy")


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


def command(folder: Path, https: int, http: int, collector: int) -> tuple[str | Path, ...]:
    written = folder / "Caddyfile"
    written.write_text(configuration(folder, https, http, collector))
    return (CADDY, "run", "--config", written, "--adapter", "caddyfile")


@pytest.fixture
def on_caddy(tmp_path):
    return behind(command, tmp_path)


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
    on_caddy(each_address_has_its_own_rate, limits=FEW)


def test_caddy_sends_everybody_to_https(on_caddy):
    async def use(front):
        async with httpx.AsyncClient(timeout=LONG) as plain:
            answer = await plain.get(f"http://127.0.0.1:{front.http}/s/x", headers={"host": NAME})
            location = answer.headers["location"]
            assert (answer.status_code, location) == (308, f"https://{NAME}/s/x")

    on_caddy(use)
