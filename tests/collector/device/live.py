"""A collector for devices of tests: the real service over a fresh file, without HTTP between."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar

import msgspec

from hushrank.collector.device.connection import Asking, Offline, Problem, Where
from hushrank.collector.device.device import Device
from hushrank.collector.device.memory import Memory, SimulatedMemory
from hushrank.collector.refusals import Refusal
from hushrank.collector.serve import Listening, Server, server_config
from hushrank.collector.service import Accepted, Assigned, Joining, Service, Upload
from hushrank.collector.store.opening import open_store
from hushrank.collector.web.app import make_app
from hushrank.collector.web.settings import Settings
from hushrank.randomness import Randomness
from hushrank.surveys.handout import fingerprint_of
from tests.collector.drafts import draft

T = TypeVar("T")

ORIGIN = "https://survey.example.org"
START = datetime(2027, 1, 31, 12, tzinfo=UTC)


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: int) -> None:
        self.now += timedelta(days=days)


class Live:
    """A service in a thread of its own, whose methods devices and tests call from theirs."""

    def __init__(self, service: Service, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self.service, self.clock, self.loop = service, clock, loop

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(doing, self.loop).result()

    def open(self, **fields: Any) -> str:
        """Open a survey of four drinks and return its id."""
        survey = self.run(self.service.create(draft(**fields)))
        self.run(self.service.open(survey))
        return survey

    def repeat(self, survey: str) -> str:
        """Close a survey and open it again, as the next one of its series."""
        self.run(self.service.close(survey))
        again = self.run(self.service.copy(survey))
        self.run(self.service.open(again))
        return again

    def connection(self) -> "Direct":
        return Direct(self)

    def device(self, seed: int | None = None, memory: Memory | None = None, **more: Any) -> Device:
        """Return the device of a new person, whose draws repeat if there is a seed."""
        rng = Randomness.secure() if seed is None else Randomness.seeded(seed)
        settings = {"randomness": rng, "is_simulation": True, "clock": self.clock, **more}
        connection = settings.pop("connection", None) or self.connection()
        return Device(connection, memory or SimulatedMemory(), **settings)


class Direct:
    """A connection that calls the service itself. `sent`: all that left the device, in order."""

    origin = ORIGIN

    def __init__(self, live: Live) -> None:
        self._live, self.sent, self.is_online = live, [], True

    def announcement(self, survey: str) -> bytes:
        return self._asked(self._live.service.announcement(survey))

    def where(self, survey: str) -> Where:
        life = self._asked(self._live.service.life(survey))
        return Where(life.state, life.round if life.state == "open" else None, life.closes)

    def join(self, survey: str, asking: Asking) -> bytes:
        self.sent.append(msgspec.json.encode(asking))
        person = Joining(asking.person, asking.lot, asking.invitation, None, asking.earlier)
        given = self._asked(self._live.service.join(survey, person))
        told = {"round": given.round, "announcement": self.fingerprint(survey)}
        if not isinstance(given, Assigned):
            return msgspec.json.encode({"asked": False, **told})
        told |= {"assignment": given.assignment, "part": given.part}
        handout = msgspec.Raw(given.handout)
        return msgspec.json.encode({"asked": True, **told, "handout": handout})

    def fingerprint(self, survey: str) -> str:
        return fingerprint_of(self._asked(self._live.service.announcement(survey)))

    def send(self, upload: bytes) -> str:
        self.sent.append(upload)
        sent = msgspec.json.decode(upload, type=Upload)
        (became,) = self._asked(self._live.service.accept([sent]))
        if isinstance(became, Refusal):
            raise Problem(became.kind, 400)
        assert isinstance(became, Accepted)
        return became.receipt

    def _asked(self, doing: Coroutine[Any, Any, T]) -> T:
        if not self.is_online:
            doing.close()
            raise Offline("the collector cannot be reached")
        try:
            return self._live.run(doing)
        except Refusal as refusal:
            raise Problem(refusal.kind, 400) from None


@contextmanager
def serving(live: Live) -> Iterator[str]:
    """Serve the surveys over HTTP, on a port of this machine, while the block lasts; its origin."""
    with Listening(port=0).bind() as listener:
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        settings = Settings(public_url=origin, unlimited=("127.0.0.1",))
        app, ready = make_app(live.service, settings, clock=live.clock), Event()

        async def tell() -> None:
            ready.set()

        server = Server(server_config(app, settings.limits), tell)
        ended = asyncio.run_coroutine_threadsafe(server.serve(sockets=[listener]), live.loop)
        ready.wait()
        try:
            yield origin
        finally:
            server.should_exit = True
            ended.result()


@contextmanager
def running(folder: Path) -> Iterator[Live]:
    """Run a service over a fresh file while the block lasts."""
    loop, clock = asyncio.new_event_loop(), Clock()
    thread = Thread(target=loop.run_forever)
    thread.start()
    store = asyncio.run_coroutine_threadsafe(open_store(str(folder / "live.sqlite")), loop).result()
    try:
        yield Live(Service(store, clock=clock), loop, clock)
    finally:
        asyncio.run_coroutine_threadsafe(store.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
