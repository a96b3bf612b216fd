"""What is answered when something is refused or went wrong: one document, RFC 9457.

Privacy: no word of it comes from the request; what broke is in the log, under a random number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from starlette.responses import Response

from hushrank.collector.refusals import Refusal
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Kind:
    """What a kind of problem is called, and its status."""

    status: int
    title: str


KINDS: dict[str, Kind] = {
    # what the service refuses
    "not-found": Kind(404, "There is no such survey, or it was deleted"),
    "not-open": Kind(409, "The survey is not open at the moment"),
    "closed": Kind(410, "The survey takes no more reports"),
    "not-invited": Kind(403, "This survey needs an invitation or a key that it knows"),
    "forged": Kind(403, "The assignment is none of this collector"),
    "conflict": Kind(409, "Something else was sent before, and that is what counts"),
    "malformed": Kind(422, "What was sent is not what this address takes"),
    "too-many": Kind(429, "Too many requests; wait a little"),
    "not-allowed": Kind(403, "This is not allowed"),
    "too-few": Kind(409, "Too few people answered to show a result"),
    "not-ready": Kind(409, "This is not ready yet"),
    # what the service never sees
    "no-page": Kind(404, "There is nothing at this address"),
    "method": Kind(405, "This address does not take this method"),
    "too-large": Kind(413, "The request is too large"),
    "long-address": Kind(414, "The address is too long"),
    "media-type": Kind(415, "The content type is not one that this address takes"),
    "misdirected": Kind(421, "This collector does not answer by that name"),
    "long-header": Kind(431, "The header is too long"),
    "cross-origin": Kind(403, "The request came from another page"),
    "stale-form": Kind(403, "The form is too old; load the page again"),
    "signed-out": Kind(401, "Sign in first, with a link of the collector's console"),
    "bad-link": Kind(401, "This sign-in link was used before, or is too old"),
    "unavailable": Kind(503, "The collector cannot keep anything at the moment; try again"),
    "broken": Kind(500, "Something went wrong here; the operator finds the incident in the log"),
}


class Problem(msgspec.Struct, omit_defaults=True, frozen=True):
    """The document that describes a problem."""

    type: str
    title: str
    status: int
    detail: str | None = None
    instance: str | None = None


class Rejected(HushrankError):  # noqa: N818 (an answer that is part of the protocol)
    """A request that does not reach the service, by the kind of its problem."""

    def __init__(self, kind: str, detail: str | None = None, *, wait: float = 0.0) -> None:
        """Reject with words of ours as detail; `wait` is in seconds, where that would help."""
        super().__init__(detail or KINDS[kind].title)
        self.kind, self.detail, self.wait = kind, detail, wait


@dataclass(frozen=True)
class Told:
    """What is told about a problem: its kind, more words of ours, and headers."""

    kind: str
    detail: str | None = None
    instance: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def document(self) -> Problem:
        """The problem as a document."""
        kind = KINDS[self.kind]
        return Problem(
            f"/problems/{self.kind}", kind.title, kind.status, self.detail, self.instance
        )

    def answer(self) -> Response:
        """The document as an answer."""
        body = msgspec.json.encode(self.document)
        status = KINDS[self.kind].status
        return Response(body, status, dict(self.headers), media_type=MEDIA_TYPE)


def told(error: HushrankError) -> Told:
    """Return what is told about what was refused: by its kind where it has one."""
    if isinstance(error, Rejected):
        return Told(error.kind, error.detail, headers=_headers(error.kind, error.wait))
    if isinstance(error, Refusal):
        return Told(error.kind, str(error), headers=_headers(error.kind))
    if isinstance(error, StoreFailure):
        return Told("unavailable", headers=_headers("unavailable", 1.0))
    return Told("malformed")  # its words are for programs, and may name what was sent


def _headers(kind: str, wait: float = 0.0) -> dict[str, str]:
    headers = {}
    if kind in ("too-large", "long-header"):
        headers["connection"] = "close"  # the rest of the request is not read
    if wait:
        headers["retry-after"] = str(int(wait) + 1)
    return headers
