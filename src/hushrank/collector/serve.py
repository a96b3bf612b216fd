"""Run a collector: open its store, show its organiser the way in, answer until told to stop."""

import asyncio
import gc
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from secrets import token_hex

import uvicorn
from starlette.applications import Starlette

from hushrank.collector.service import Service
from hushrank.collector.store.opening import open_store
from hushrank.collector.web.app import make_app
from hushrank.collector.web.guards.connection import impatient
from hushrank.collector.web.operations.logs import log_incident, log_to
from hushrank.collector.web.sessions import Sessions
from hushrank.collector.web.settings import Limits, Settings, is_loopback
from hushrank.errors import HushrankError, require

TICK_SECONDS = 5.0
"""How late a closing time may be noticed."""
FORGET_SECONDS = 60.0
WARM_UP_SECONDS = 10.0
"""How long after the start results are prepared for."""
GRACE_SECONDS = 10
"""How long requests under way may take when the collector is told to stop."""
_LOOPBACK = ("127.0.0.1", "::1")
_MOST_FILES = 65_536


@dataclass(frozen=True, kw_only=True)
class Listening:
    """Where a collector listens, and where people reach it.

    public_url: what people's browsers open; needed where other machines can reach `host`, and then
    protected, unless `insecure` says that an unprotected connection is meant.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        """Check that people's connections are protected, or meant not to be."""
        require(0 <= self.port < 2**16, f"expected a port 0..65535, got {self.port}")
        is_protected = (self.public_url or "").startswith("https://")
        require(
            is_loopback(self.host) or is_protected or self.insecure,
            f"host {self.host}: other machines would reach the collector without protection, so "
            "that anybody between could read and change what phones are asked and send; give the "
            "public_url https://... of a proxy before it (docs/operating.md), or insecure where "
            "that is meant",
        )
        is_known = self.public_url is not None or self.host not in ("0.0.0.0", "::")
        require(is_known, "expected the public_url that phones open, as in http://192.168.1.5:8000")

    def bind(self) -> socket.socket:
        """Return a socket that listens. Raises HushrankError when that cannot be."""
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            family, _, _, _, address = found[0]
            listener = socket.create_server(address[:2], family=family, backlog=2_048)
        except OSError as error:
            is_name = isinstance(error, socket.gaierror)
            reason = error.strerror if is_name else os.strerror(error.errno or 0)
            words = f"cannot listen at {self.host} port {self.port}: {reason}"
            raise HushrankError(words) from None
        # asyncio does not, as of 3.13: each answer would wait 40 ms for the client's next packet
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener

    def public_address(self, port: int) -> str:
        """Return the public address, for the port that the socket got."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{port}"

    def proxies(self, named: tuple[str, ...]) -> tuple[str, ...]:
        """Return the proxies to trust: this machine, too, where only a proxy on it can connect."""
        is_behind = (self.public_url or "").startswith("https://") and is_loopback(self.host)
        return (*named, *_LOOPBACK) if is_behind else named

    def without_rate(self, named: tuple[str, ...]) -> tuple[str, ...]:
        """Return who has no rate: this machine, too, where nobody else can connect."""
        is_alone = self.public_url is None and is_loopback(self.host)
        return (*named, *_LOOPBACK) if is_alone else named


def serve(
    store: str,
    listening: Listening,
    *,
    trusted_proxies: tuple[str, ...] = (),
    unlimited: tuple[str, ...] = (),
    metrics_token: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    show: Callable[[str], None] = partial(print, flush=True),  # noqa: B008 (a function)
) -> None:
    """Run a collector over the store of an address until this process is told to stop.

    `show` gets the words for the person at the console, once: they hold a link that signs in.
    """
    with listening.bind() as listener:
        settings = Settings(
            public_url=listening.public_address(listener.getsockname()[1]),
            trusted_proxies=listening.proxies(trusted_proxies),
            unlimited=listening.without_rate(unlimited),
            metrics_token=metrics_token,
            limits=limits,
        )
        log_to()
        _allow_many_files()
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_serve(store, settings, listener, show))


def with_service(address: str, use: Callable[[Service], Awaitable[object]]) -> None:
    """Run `use` with a service over a store, beside a running collector or alone."""

    async def run() -> None:
        store = await open_store(address)
        try:
            await use(Service(store))
        finally:
            await store.close()

    asyncio.run(run())


async def _serve(
    address: str, settings: Settings, listener: socket.socket, show: Callable[[str], None]
) -> None:
    store = await open_store(address)
    try:
        service = Service(store)
        app = make_app(service, settings)
        server = Server(server_config(app, settings.limits), lambda: _welcome(app, settings, show))
        chores = [
            asyncio.create_task(every(TICK_SECONDS, "tick", service.tick)),
            asyncio.create_task(every(FORGET_SECONDS, "forget", lambda: _forget(app))),
            asyncio.create_task(warm_up(WARM_UP_SECONDS)),
        ]
        await server.serve(sockets=[listener])
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)
        app.state.requests.flush()
    finally:
        await store.close()


class Server(uvicorn.Server):
    """uvicorn's server, which says when it listens, and lets us end by ourselves."""

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], Awaitable[None]]) -> None:
        """Await `when_ready` once the server listens."""
        super().__init__(config)
        self._when_ready = when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        await self._when_ready()
        gc.collect()
        gc.freeze()  # what is loaded stays: looking through it again would hold answers up

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End when told to; uvicorn would then end the process, with the store still open."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def server_config(app: Starlette, limits: Limits) -> uvicorn.Config:
    """Return how uvicorn serves the application: without logs of its own, and within limits."""
    return uvicorn.Config(
        app,
        http=impatient(limits),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


async def _welcome(app: Starlette, settings: Settings, show: Callable[[str], None]) -> None:
    sessions: Sessions = app.state.sessions
    show(f"The collector answers at {settings.origin}")
    show(f"Sign in as its organiser, once and within an hour: {await sessions.link()}")
    usual = Listening().public_address(Listening.port)
    named = "" if settings.origin == usual else f" --public-url {settings.origin}"
    show(f"Another link: hushrank collector sign-in{named}. It stops with Ctrl+C.")


async def every(seconds: float, name: str, chore: Callable[[], Awaitable[None]]) -> None:
    """Do a chore again and again; one that fails is logged, and tried again."""
    while True:
        try:
            await chore()
        except Exception as error:
            log_incident(token_hex(8), name, error)
        await asyncio.sleep(seconds)


async def warm_up(seconds: float) -> None:
    """Let a process of its own compile what results need, that no organiser waits for it."""
    await asyncio.sleep(seconds)
    nothing = asyncio.subprocess.DEVNULL
    command = (sys.executable, "-P", "-m", "hushrank.collector.warming")
    try:
        warming = await asyncio.create_subprocess_exec(
            *command, stdin=nothing, stdout=nothing, stderr=nothing
        )
    except OSError as error:
        log_incident(token_hex(8), "warm up", error)
        return
    try:
        await warming.wait()
    finally:
        if warming.returncode is None:
            warming.kill()
            await warming.wait()


async def _forget(app: Starlette) -> None:
    for buckets in app.state.buckets:
        buckets.forget()


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return what makes the loop that serves people: libuv's, where there is one."""
    if sys.platform == "win32":  # there is no uvloop
        return asyncio.new_event_loop
    import uvloop

    return uvloop.new_event_loop


def _allow_many_files() -> None:
    """Let this process hold as many connections as the system lets it."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
