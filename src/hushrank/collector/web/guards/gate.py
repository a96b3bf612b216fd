"""What every request passes: its name and size, its rate, its headers, its line in the log."""

from collections.abc import Awaitable, Callable
from secrets import token_hex
from time import perf_counter

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hushrank.collector.web.guards.bodies import LimitedBody, require_announced
from hushrank.collector.web.guards.headers import RawHeaders, SafeHeaders
from hushrank.collector.web.guards.limits import Buckets, neighbourhood
from hushrank.collector.web.guards.networks import Networks, forwarded
from hushrank.collector.web.operations.logs import RequestLog, log_incident
from hushrank.collector.web.operations.metrics import Metrics
from hushrank.collector.web.problems import Rejected, Told, told
from hushrank.collector.web.settings import Settings, is_loopback
from hushrank.errors import HushrankError

OPEN_TO_MACHINES = ("/healthz", "/readyz", "/metrics")  # asked by address, and often
UNLIMITED = "hushrank.unlimited"
"""In the scope of a request whose sender has no rate."""
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_HUNG_UP = 499  # what nginx calls a client that did not wait for its answer

AllowsOrigin = Callable[[str, str], Awaitable[bool]]
ShowsProblem = Callable[[Scope, Told], Response]
NamesRoute = Callable[[Scope], str]


class Gate:
    """The one middleware of the collector.

    Whatever goes wrong behind it ends here, as a problem document without a word of the request.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: Settings,
        metrics: Metrics,
        requests: RequestLog,
        addresses: Buckets,
        allows_origin: AllowsOrigin,
        shows_problem: ShowsProblem,
        names_route: NamesRoute,
    ) -> None:
        """Stand before `app`."""
        self._app, self._settings = app, settings
        self._metrics, self._requests = metrics, requests
        self._allows_origin, self._shows_problem = allows_origin, shows_problem
        self._names_route = names_route
        self._headers = SafeHeaders(settings)
        self._addresses = addresses
        self._unlimited = Networks(settings.unlimited)
        self._proxies = Networks(settings.trusted_proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] != "http":
            await self._not_http(scope, receive, send)
            return
        begun = perf_counter()
        if self._proxies:
            scope = forwarded(scope, self._proxies)
        answer = Answer(scope["path"], send, self._headers)
        self._metrics.under_way += 1
        try:
            await self._pass(scope, receive, answer)
        finally:
            self._metrics.under_way -= 1
            self._note(scope, answer.status or _HUNG_UP, perf_counter() - begun)

    async def _not_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _pass(self, scope: Scope, receive: Receive, answer: "Answer") -> None:
        try:
            most = await self._admit(scope, answer)
            await self._app(scope, LimitedBody(receive, most), answer)
        except ClientDisconnect:
            return
        except HushrankError as error:
            await self._explain(scope, receive, answer, told(error))
        except Exception as error:
            incident = token_hex(8)
            log_incident(incident, self._names_route(scope), error)
            instance = f"/incidents/{incident}"
            await self._explain(scope, receive, answer, Told("broken", instance=instance))

    async def _explain(
        self, scope: Scope, receive: Receive, answer: "Answer", problem: Told
    ) -> None:
        if answer.status is None:  # else half an answer is out, and the server hangs up
            await self._shows_problem(scope, problem)(scope, receive, answer)

    async def _admit(self, scope: Scope, answer: "Answer") -> int:
        """Return the most bytes that this request may send, or raise Rejected."""
        limits, path = self._settings.limits, scope["path"]
        host, origin = self._read_headers(scope)
        if path in OPEN_TO_MACHINES:
            return limits.report
        if not self._knows(host):
            raise Rejected("misdirected")
        self._require_rate(scope)
        if origin is not None and path.startswith("/v1/"):
            await self._admit_origin(scope, answer, origin, host)
        most = limits.form if path.startswith("/o/") else limits.report
        most = limits.batch if path == "/v1/reports/batch" else most
        require_announced(scope["headers"], most)
        return most

    def _read_headers(self, scope: Scope) -> tuple[str, str | None]:
        limits = self._settings.limits
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > limits.url:
            raise Rejected("long-address")
        size, host, origin = 0, b"", None
        for name, value in scope["headers"]:
            size += len(name) + len(value)
            if name == b"host":
                host = value
            elif name == b"origin":
                origin = value.decode("latin-1")
        if size > limits.header:
            raise Rejected("long-header")
        return host.decode("latin-1").lower(), origin

    def _knows(self, host: str) -> bool:
        return host == self._settings.host or is_loopback(_without_port(host))

    def _require_rate(self, scope: Scope) -> None:
        client = scope.get("client")
        address = client[0] if client else ""
        if address in self._unlimited:
            scope[UNLIMITED] = True
            return
        wait = self._addresses.wait(neighbourhood(address))
        if wait:
            raise Rejected("too-many", wait=wait)

    async def _admit_origin(self, scope: Scope, answer: "Answer", origin: str, host: str) -> None:
        if origin in (self._settings.origin, f"{scope['scheme']}://{host}"):
            return
        if await self._allows_origin(scope["path"], origin):
            answer.share_with(origin)
        elif scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            raise Rejected("cross-origin")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = self._names_route(scope)
        self._metrics.count_request(method, route, status, seconds)
        self._requests.note(method, route, status, seconds)


class Answer:
    """An ASGI `send` that adds the headers of every answer, and remembers its status."""

    __slots__ = ("_headers", "_path", "_send", "_shared", "status")

    def __init__(self, path: str, send: Send, headers: SafeHeaders) -> None:
        """Begin an answer to a request for `path`."""
        self._path, self._send, self._headers = path, send, headers
        self._shared: RawHeaders = [(b"vary", b"Origin")] if path.startswith("/v1/") else []
        self.status: int | None = None

    def share_with(self, origin: str) -> None:
        """Let the pages of an origin read this answer, without any cookie."""
        self._shared += [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", b"ETag, Retry-After"),
        ]

    async def __call__(self, message: Message) -> None:
        """Send a message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = self._headers.added(self._path, message.get("headers", ()))
            message["headers"] = headers + self._shared
        await self._send(message)


def _without_port(host: str) -> str:
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
