"""Read and send JSON; what is wrong with it is said without a word of it."""

import re
from collections.abc import Iterable
from typing import TypeVar

import msgspec
from starlette.types import Scope, Send

from hushrank.collector.web.problems import Rejected
from hushrank.files.encodings import UNREADABLE

_PLACE = re.compile(r"at `(\$[.\[\]a-z0-9_]*)`$")
Decoded = TypeVar("Decoded")
RawHeader = tuple[bytes, bytes]


def require_media_type(scope: Scope, expected: bytes) -> None:
    """Reject a body that does not say that it is `expected`.

    A page of somebody else can send plain text or a form anywhere without being asked, JSON not.
    """
    for name, value in scope["headers"]:
        if name == b"content-type":
            if value.partition(b";")[0].strip().lower() == expected:
                return
            break
    raise Rejected("media-type", f"expected {expected.decode()}")


def decoded(decoder: msgspec.json.Decoder[Decoded], body: bytes) -> Decoded:
    """Decode a body; Rejected says where it is wrong, by names that are ours."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        detail = f"expected another value at {place[1]}" if place else "expected other fields"
        raise Rejected("malformed", detail) from None
    except UNREADABLE:
        raise Rejected("malformed", "expected JSON in UTF-8") from None


async def send_json(
    send: Send, status: int, body: bytes, headers: Iterable[RawHeader] = ()
) -> None:
    """Send a document."""
    all_headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body})
