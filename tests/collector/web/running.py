"""A collector for tests: the real server on a free port of this machine, over a fresh file."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import numpy as np
from starlette.applications import Starlette

from hushrank.collector.serve import Listening, Server, server_config
from hushrank.collector.service import Assigned, Joining, Service, Upload
from hushrank.collector.store.opening import open_store
from hushrank.collector.web.app import make_app
from hushrank.collector.web.sessions import Sessions
from hushrank.collector.web.settings import Settings
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import read_handout
from tests.collector.drafts import KEY, draft

LOT = 123_456_789
START = datetime(2027, 1, 31, 12, tzinfo=UTC)


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Collector:
    """A running collector, and a client that has no cookies yet."""

    service: Service
    app: Starlette
    client: httpx.AsyncClient
    port: int
    clock: Clock

    @property
    def origin(self) -> str:
        return self.app.state.settings.origin

    async def open(self, **fields: Any) -> str:
        """Open a survey and return its id."""
        survey = await self.service.create(draft(**fields))
        await self.service.open(survey)
        return survey

    async def sign_in(self) -> str:
        """Sign the client in as the organiser, and return the token for forms."""
        sessions: Sessions = self.app.state.sessions
        token = (await sessions.link()).partition("#t=")[2]
        headers = {"origin": self.origin}
        answer = await self.client.post("/o/sign-in", data={"token": token}, headers=headers)
        assert answer.status_code == 303
        return form_token(self.client.cookies[sessions.cookie])

    async def join(self, survey: str, person: str = "a" * 32, **more: Any) -> httpx.Response:
        """Ask for an assignment."""
        body = {"person": person, "lot": LOT, **more}
        return await self.client.post(f"/v1/surveys/{survey}/assignments", json=body)

    async def upload(self, survey: str, person: str = "a" * 32) -> dict[str, Any]:
        """Join, and return what a device would send."""
        return answered((await self.join(survey, person)).json())

    async def raw(self, sent: bytes, seconds: float = 5.0) -> bytes:
        """Send bytes as they are, and return what comes until the server hangs up.

        Nothing, where it hangs up on what it has not read: the system then drops what it had sent.
        """
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(sent)
            await writer.drain()
            async with asyncio.timeout(seconds):
                return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()


def answered(assignment: dict[str, Any], seed: int = 7, lot: int = LOT) -> dict[str, Any]:
    """Return the upload of a person of one ranking for an assignment."""
    handout = read_handout(msgspec.json.encode(assignment["handout"]), most_epsilon=8.0)
    n_items = len(handout.head.items)
    person = Rankings.from_orders(np.arange(n_items)[None, :], handout.head.items)
    rng = Randomness.seeded(seed)
    sent = handout.answer(person, lot=lot / 2**32, rng=rng, is_simulation=True)
    reports = [msgspec.json.decode(one) for one in sent]
    token = assignment["assignment"]
    return {"assignment": token, "idempotency_key": KEY, "reports": reports}


async def others_report(service: Service, survey: str, n_people: int) -> None:
    """Let people take part of whose answers nothing is asked, but that they are there."""
    for number in range(n_people):
        given = await service.join(survey, Joining(f"other {number}", 5))
        assert isinstance(given, Assigned)
        handout = msgspec.json.decode(given.handout)
        upload = answered({"assignment": given.assignment, "handout": handout}, lot=5)
        await service.accept([msgspec.convert(upload, Upload)])


def form_token(session: str) -> str:
    from hushrank.collector.web.sessions import Session

    return Session(session).form_token


@asynccontextmanager
async def running(folder: Path, **settings: Any) -> AsyncIterator[Collector]:
    """Run a collector on a port of its own while the block lasts."""
    listener = Listening(port=0).bind()
    port = listener.getsockname()[1]
    known = Settings(**{"public_url": f"http://127.0.0.1:{port}", **settings})
    async with _application(folder, known) as (service, app, clock):
        ready = asyncio.Event()
        server = Server(server_config(app, known.limits), _setting(ready))
        served = asyncio.create_task(server.serve(sockets=[listener]))
        await ready.wait()
        try:
            base, headers = f"http://127.0.0.1:{port}", {"host": known.host}
            async with httpx.AsyncClient(base_url=base, headers=headers) as client:
                yield Collector(service, app, client, port, clock)
        finally:
            server.should_exit = True
            await served


@asynccontextmanager
async def in_process(folder: Path, **settings: Any) -> AsyncIterator[Collector]:
    """Call a collector's application without a connection between: quicker."""
    known = Settings(**{"public_url": "http://127.0.0.1:8000", **settings})
    async with _application(folder, known) as (service, app, clock):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=known.origin) as client:
            yield Collector(service, app, client, 0, clock)


@asynccontextmanager
async def _application(
    folder: Path, settings: Settings
) -> AsyncIterator[tuple[Service, Starlette, Clock]]:
    clock = Clock()
    store = await open_store(str(folder / "collector.sqlite"))
    try:
        service = Service(store, clock=clock)
        app = make_app(service, settings, clock=clock)
        yield service, app, clock
        app.state.requests.flush()
    finally:
        await store.close()


def _setting(event: asyncio.Event) -> Callable[[], Any]:
    async def set_it() -> None:
        event.set()

    return set_it
