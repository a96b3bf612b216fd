"""The collector behind a real nginx, by the configuration that docs/operating.md gives."""

from pathlib import Path

import httpx
import pytest

from tests.collector.web.api.test_reports import kind_of
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

NGINX = program("nginx", "nginx-light")


def configuration(folder: Path, https: int, http: int, collector: int) -> str:
    """Return the documented configuration for the ports and the certificate of this test."""
    server = documented("nginx")
    for there, here in {
        "listen 443 ssl": f"listen 127.0.0.1:{https} ssl",
        "listen 80;": f"listen 127.0.0.1:{http};",
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{collector};",
        f"/etc/letsencrypt/live/{NAME}": str(folder),
        "/var/log/nginx": str(folder),
        f"https://{NAME}$request_uri": f"https://{NAME}:{https}$request_uri",
    }.items():
        assert server.count(there) >= 1, there
        server = server.replace(there, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    return f"""
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{ {places} {server} }}
"""


def command(folder: Path, https: int, http: int, collector: int) -> tuple[str | Path, ...]:
    written = folder / "nginx.conf"
    written.write_text(configuration(folder, https, http, collector))
    return (NGINX, "-c", written, "-p", folder)


@pytest.fixture
def on_nginx(tmp_path):
    return behind(command, tmp_path)


def test_a_person_takes_part_through_nginx(on_nginx):
    async def use(front):
        survey = await front.collector.open()
        async with front.client() as client:
            shown = await client.get(f"/v1/surveys/{survey}")
            assert shown.headers["strict-transport-security"] == "max-age=31536000"
            assert shown.headers["content-encoding"] == "gzip"
            known = {"if-none-match": shown.headers["etag"]}
            assert (await client.get(f"/v1/surveys/{survey}", headers=known)).status_code == 304
            body = {"person": "a" * 32, "lot": 123_456_789}
            headers = {"origin": front.origin}
            path = f"/v1/surveys/{survey}/assignments"
            joined = await client.post(path, json=body, headers=headers)
            upload = answered(joined.json())
            sent = await client.post("/v1/reports", json=upload, headers=headers)
            assert (joined.status_code, sent.status_code) == (201, 201)
            refused = await client.post("/v1/reports", json=upload, headers={"origin": "https://x"})
            assert (refused.status_code, kind_of(refused)) == (403, "cross-origin")

    on_nginx(use)


def test_an_organiser_signs_in_through_nginx(on_nginx):
    async def use(front):
        link = await front.collector.app.state.sessions.link()
        address, _, token = link.partition("#t=")
        assert address == f"{front.origin}/o/sign-in"
        async with front.client() as client:
            headers = {"origin": front.origin, "sec-fetch-site": "same-origin"}
            answer = await client.post("/o/sign-in", data={"token": token}, headers=headers)
            assert answer.status_code == 303
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith("__Host-hushrank=")
            assert "Secure" in cookie

    on_nginx(use)


def test_each_address_behind_nginx_has_its_own_rate_and_cannot_invent_another(on_nginx):
    on_nginx(each_address_has_its_own_rate, limits=FEW)


def test_nginx_keeps_numbers_to_itself_and_sends_everybody_to_https(on_nginx):
    async def use(front):
        async with front.client() as client:
            assert (await client.get("/metrics")).status_code == 404
            assert (await client.get("/healthz")).status_code == 200
        async with httpx.AsyncClient(timeout=LONG) as plain:
            address = f"http://127.0.0.1:{front.http}/s/x"
            answer = await plain.get(address, headers={"host": NAME})
            location = answer.headers["location"]
            assert (answer.status_code, location) == (301, f"{front.origin}/s/x")

    on_nginx(use)


def test_bodies_are_limited_through_nginx_too(on_nginx):
    async def use(front):
        async with front.client() as client:
            headers = {"content-type": "application/json"}
            for size, status in ((100_000, 413), (17_000_000, 413)):
                answer = await client.post("/v1/reports", content=b" " * size, headers=headers)
                assert answer.status_code == status

    on_nginx(use)


def test_nobody_is_in_the_files_that_nginx_writes(on_nginx, tmp_path):
    async def use(front):
        async with front.client("127.0.0.9") as client:
            await client.get("/v1/surveys/x", headers={"user-agent": "an agent"})

    on_nginx(use)
    for written in (tmp_path / "survey.log", tmp_path / "error.log"):
        assert "127.0.0.9" not in written.read_text()
