"""How a device reaches a collector: HTTP, and the three ways in which that can end."""

import re
from contextlib import closing
from datetime import datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Lock
from time import monotonic
from typing import Annotated, Protocol, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from hushrank.collector.device.patience import Patience
from hushrank.collector.device.terms import MOST_ROUNDS
from hushrank.collector.draft import in_utc
from hushrank.collector.life import State
from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE
from hushrank.redacted import Redacted

T = TypeVar("T")

MOST_BYTES = 2**20
"""Of an answer: what is longer is not read."""
MOST_OF_A_LINK = 1000
"""Letters: a host has at most 253, an id 64, an invitation 200."""
SECONDS = 30.0
ORDINARY_PORTS = {"http": 80, "https": 443}
JSON = {"Content-Type": "application/json"}
PAGE = re.compile(r"/s/([A-Za-z0-9_-]{1,64})/?")
INVITATION = re.compile(r"i=([A-Za-z0-9_-]{1,200})")
NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class Offline(HushrankError):  # noqa: N818 (not a mistake of anybody)
    """The collector cannot be reached now. What was drawn is kept, and can be sent later."""


class Problem(HushrankError):  # noqa: N818 (an answer that is part of the protocol)
    """The collector refuses: `kind` as in its problem document (RFC 9457), `status` of HTTP."""

    def __init__(self, kind: str, status: int) -> None:
        """Keep both."""
        super().__init__(f"the collector refuses: {PROBLEMS.get(kind, kind)}")
        self.kind, self.status = kind, status


PROBLEMS = {
    "not-found": "there is no such survey",
    "not-open": "the survey is not open now",
    "closed": "the survey, or the round, is closed",
    "not-invited": "this survey needs an invitation",
    "forged": "it does not know the assignment of this device",
    "conflict": "another device was asked, or another answer came, for the same place before",
    "malformed": "it does not understand this version of hushrank",
    "too-many": "too many requests; try again in a minute",
}


class Where(msgspec.Struct, frozen=True):
    """Where a survey stands: its state, the open round if there is one, and when that ends.

    A device looks in its memory for each round up to the open one.
    """

    state: State
    round: int | None
    closes: datetime | None

    def __post_init__(self) -> None:
        """Check the number of the round, and that the time can be shown."""
        known = self.round is None or 0 <= self.round < MOST_ROUNDS
        require(known, f"expected a round 0..{MOST_ROUNDS - 1}")
        in_utc(self.closes)


class Asking(Redacted, msgspec.Struct, frozen=True):
    """Who asks for an assignment, as it is sent."""

    person: str
    invitation: str | None
    lot: int
    earlier: str | None


class Connection(Protocol):
    """What a device asks of one collector; `origin` names it: https://example.org.

    Each raises Offline where the collector cannot be reached, and Problem where it refuses.
    """

    @property
    def origin(self) -> str:
        """The collector's address: scheme, host and port."""

    def announcement(self, survey: str) -> bytes:
        """Return the announcement of a survey."""

    def where(self, survey: str) -> Where:
        """Return where a survey stands."""

    def join(self, survey: str, asking: Asking) -> bytes:
        """Return the assignment of a person in the open round, as JSON."""

    def send(self, upload: bytes) -> str:
        """Send the reports of an assignment; return the receipt."""


class HttpConnection:
    """A collector over HTTP. `api_key`: of an organiser's own app, where people join by one.

    Use it in a `with`, or close it. Requests of several threads take turns: answers that shall be
    awaited at the same time need a connection each.
    """

    def __init__(
        self, origin: str, *, client: httpx.Client | None = None, api_key: str | None = None
    ) -> None:
        """Speak to the collector at `origin`, through a client of one's own if there is one."""
        require(origin == origin_of(origin), "expected an origin such as https://example.org")
        self.origin = origin
        self._client = client or httpx.Client(timeout=SECONDS, cookies=_no_cookies())
        named = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._headers = {"Accept-Encoding": "identity", **named}
        self._patience = Patience(SECONDS)
        self._turn = Lock()

    def __enter__(self) -> Self:
        """Return the connection itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the connection, and the client that it has."""
        self._client.close()
        self._patience.forget()

    def announcement(self, survey: str) -> bytes:
        """Return the announcement of a survey."""
        return self._request("GET", f"surveys/{quote(survey, safe='')}")

    def where(self, survey: str) -> Where:
        """Return where a survey stands."""
        told = self._request("GET", f"surveys/{quote(survey, safe='')}/state")
        return _decoded(told, Where)

    def join(self, survey: str, asking: Asking) -> bytes:
        """Return the assignment of a person in the open round, as JSON."""
        path = f"surveys/{quote(survey, safe='')}/assignments"
        return self._request("POST", path, msgspec.json.encode(asking))

    def send(self, upload: bytes) -> str:
        """Send the reports of an assignment; return the receipt."""
        return _decoded(self._request("POST", "reports", upload), _Receipt).receipt

    def _request(self, method: str, path: str, body: bytes | None = None) -> bytes:
        headers = self._headers if body is None else {**self._headers, **JSON}
        url = f"{self.origin}/v1/{path}"
        request = self._client.build_request(
            method, url, content=body, headers=headers, extensions={"trace": self._patience.trace}
        )
        try:
            with self._turn, self._patience.limited():
                answer = self._client.send(request, stream=True, follow_redirects=False)
                with closing(answer):
                    content = _read(answer)
        except httpx.RequestError:
            raise Offline("the collector cannot be reached") from None
        if not answer.is_success:
            raise Problem(_kind_of(content), answer.status_code)
        return content


class _Receipt(msgspec.Struct, frozen=True):
    receipt: Annotated[str, msgspec.Meta(min_length=1)]


class _ProblemDocument(msgspec.Struct, frozen=True):
    type: str = ""


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an address, as browsers write them.

    Raises HushrankError where it has none.
    """
    require(len(url) <= MOST_OF_A_LINK, f"expected at most {MOST_OF_A_LINK} letters of an address")
    try:
        parts = urlsplit(url)
        known = parts.scheme in ORDINARY_PORTS and "@" not in parts.netloc and parts.port != 0
        port = "" if parts.port in (None, ORDINARY_PORTS.get(parts.scheme)) else f":{parts.port}"
        host = _host(parts.hostname or "")
    except (ValueError, httpx.InvalidURL):
        known = False
    require(known, "expected an address such as https://example.org")
    return f"{parts.scheme}://{host}{port}"


def _host(name: str) -> str:
    """Return a host as browsers write it: by another spelling it would have another account.

    Raises ValueError, or InvalidURL, where it is none.
    """
    if ":" in name:
        return f"[{_plainly(IPv6Address(name))}]"
    host = httpx.URL(scheme="https", host=name).raw_host.decode()
    if not NAME.fullmatch(host):
        raise ValueError("expected letters, digits and dots between them")
    return str(IPv4Address(host)) if NUMBER.fullmatch(host.rpartition(".")[2]) else host


def _plainly(address: IPv6Address) -> IPv6Address:
    """Return an address that has one spelling; raise ValueError otherwise."""
    if address.scope_id is not None or address.ipv4_mapped is not None:
        raise ValueError("expected an address without a zone, or another one in it")
    return address


def survey_at(url: str) -> tuple[str, str, str | None]:
    """Return the origin, the survey's id and the invitation of a link such as participants get.

    https://example.org/s/ID, by invitation https://example.org/s/ID#i=TOKEN
    """
    origin, parts = origin_of(url), urlsplit(url)
    page = PAGE.fullmatch(parts.path)
    invitation = INVITATION.fullmatch(parts.fragment)
    fits = page is not None and not parts.query and (invitation or not parts.fragment)
    require(fits, "expected the link of a survey, such as https://example.org/s/A1b2C3d4E5f6")
    return origin, page[1] if page else "", invitation[1] if invitation else None


def is_unprotected(origin: str) -> bool:
    """Whether whoever is between can read and change what is sent: http to another machine."""
    parts = urlsplit(origin)
    try:
        is_here = ip_address(parts.hostname or "").is_loopback
    except ValueError:
        is_here = parts.hostname == "localhost"
    return parts.scheme == "http" and not is_here


def _no_cookies() -> CookieJar:
    """Return what keeps no cookie: by one a collector would know a person, or a device, again."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


def _read(answer: httpx.Response) -> bytes:
    """Read an answer that is not packed: few bytes may unpack to more than there is memory."""
    packed = answer.headers.get("Content-Encoding", "identity") != "identity"
    require(not packed, "the collector answered in an encoding that was not asked for")
    content, late = bytearray(), monotonic() + SECONDS
    for piece in answer.iter_bytes():
        content += piece
        require(len(content) <= MOST_BYTES, f"the collector answered over {MOST_BYTES:,} bytes")
        if monotonic() > late:
            raise Offline("the collector answers too slowly")
    return bytes(content)


def _kind_of(content: bytes) -> str:
    """Return the kind of a problem, in letters that a terminal may show."""
    try:
        told = msgspec.json.decode(content, type=_ProblemDocument).type
    except UNREADABLE:
        told = ""
    kind = told.rpartition("/")[2]
    return kind if re.fullmatch("[a-z-]{1,40}", kind) else "unavailable"


def _decoded(content: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except UNREADABLE:
        raise HushrankError("the collector answered what this version does not know") from None
