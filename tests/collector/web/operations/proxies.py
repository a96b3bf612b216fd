"""The collector behind a real proxy, by the configuration that docs/operating.md gives."""

import asyncio
import os
import re
import secrets
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from hushrank.collector.web.settings import Limits, Rate
from tests.collector.web.running import Collector, running

DOCUMENT = Path(__file__).parents[4] / "docs" / "operating.md"
NAME = "survey.example.org"
LONG = 60.0
"""Seconds that a busy machine may take to answer."""
FEW = Limits(per_address=Rate(0.01, 5))


def program(name: str, package: str) -> str:
    """Return where a program is; without it skip the module, and fail where all tests must run."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        why = f"{name} is not installed (Debian: apt-get install {package})"
        if os.environ.get("CI"):
            pytest.fail(why, pytrace=False)
        pytest.skip(why, allow_module_level=True)
    return found


def documented(language: str) -> str:
    """Return the configuration of the document that is marked as of this language."""
    text = DOCUMENT.read_text("utf-8")
    (found,) = re.findall(rf"^```{language}$(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found)


def free_port() -> int:
    """Return a port that nobody has, and none that a client is given before the proxy has it."""
    while True:
        port = secrets.choice(range(10_000, 32_768))
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def make_certificate(folder: Path) -> ssl.SSLContext:
    """Make a certificate for the name, and return what trusts it."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*command, *files], check=True, capture_output=True)
    return ssl.create_default_context(cafile=folder / "fullchain.pem")


class Front:
    """The collector as clients see it, through a proxy."""

    def __init__(
        self, collector: Collector, trusted: ssl.SSLContext, https: int, http: int
    ) -> None:
        self.collector, self.trusted, self.https, self.http = collector, trusted, https, http
        self.origin = f"https://{NAME}:{https}"

    def client(self, address: str = "127.0.0.1") -> httpx.AsyncClient:
        """Return a client that connects from an address of this machine."""
        transport = ByName(verify=self.trusted, local_address=address)
        return httpx.AsyncClient(transport=transport, base_url=self.origin, timeout=LONG)


class ByName(httpx.AsyncHTTPTransport):
    """Finds the survey's name on this machine."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["sni_hostname"] = NAME
        request.url = request.url.copy_with(host="127.0.0.1")
        return await super().handle_async_request(request)


Command = Callable[[Path, int, int, int], tuple[str | Path, ...]]
"""How to start a proxy: from a folder and the ports of https, of http and of the collector."""


def behind(command: Command, folder: Path) -> Callable[..., Any]:
    """Return what runs a function on the front of a collector, of these settings, in the folder."""

    def runs(using: Callable[[Front], Awaitable[Any]], **settings: Any) -> Any:
        async def whole() -> Any:
            async with in_front(command, folder, **settings) as found:
                return await using(found)

        return asyncio.run(whole())

    return runs


@asynccontextmanager
async def in_front(command: Command, folder: Path, **settings: Any) -> AsyncIterator[Front]:
    https, http = free_port(), free_port()
    public = {"public_url": f"https://{NAME}:{https}", "trusted_proxies": ("127.0.0.1",)}
    async with running(folder, **{**public, **settings}) as collector:
        trusted = make_certificate(folder)
        start = command(folder, https, http, collector.port)
        async with proxy(https, *start, HOME=str(folder), XDG_DATA_HOME=str(folder / "data")):
            yield Front(collector, trusted, https, http)


async def each_address_has_its_own_rate(front: Front) -> None:
    """Ask as two addresses, each of which invents others: FEW for each is enough for five."""
    for address in ("127.0.0.2", "127.0.0.3"):
        async with front.client(address) as client:
            headers = [
                {"x-forwarded-for": f"192.0.2.{number}, 10.0.0.{number}"} for number in range(7)
            ]
            answers = [await client.get("/v1/surveys/x", headers=each) for each in headers]
        assert [answer.status_code for answer in answers] == [404] * 5 + [429] * 2


@asynccontextmanager
async def proxy(https: int, *command: str | Path, **environment: str) -> AsyncIterator[None]:
    """Run a proxy while the block lasts."""
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, stdout=nothing, stderr=nothing, env=os.environ | environment
    )
    try:
        await listening(https)
        yield
    finally:
        process.terminate()
        await process.wait()


async def listening(port: int) -> None:
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise TimeoutError
