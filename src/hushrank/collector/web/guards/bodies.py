"""Read what was sent, within a size."""

from collections.abc import Iterable

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from hushrank.collector.web.problems import Rejected

RawHeader = tuple[bytes, bytes]


class LimitedBody:
    """An ASGI `receive` that rejects a body past `most` bytes.

    What a header announces as too long is rejected before a byte of it is read; what comes in
    chunks, when it passes the limit. Nothing is ever unpacked: see `require_announced`. How long a
    body may take, the connection knows: see `connection.py`.
    """

    __slots__ = ("_is_whole", "_most", "_receive", "_size")

    def __init__(self, receive: Receive, most: int) -> None:
        """Limit what `receive` brings to `most` bytes."""
        self._receive, self._most = receive, most
        self._size, self._is_whole = 0, False

    async def __call__(self) -> Message:
        """Return the next message."""
        message = await self._receive()
        if self._is_whole:  # whether the client is still there
            return message
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            raise Rejected("too-large", f"expected at most {self._most} bytes")
        self._is_whole = not message.get("more_body", False)
        return message


async def whole_body(receive: Receive) -> bytes:
    """Return all that is sent; `receive` has the limits."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body", False):
        return bytes(message.get("body", b""))
    parts = [message.get("body", b"")]
    while message["type"] == "http.request" and message.get("more_body", False):
        message = await receive()
        parts.append(message.get("body", b""))
    if message["type"] != "http.request":
        raise ClientDisconnect
    return b"".join(parts)


def require_announced(headers: Iterable[RawHeader], most: int) -> None:
    """Reject a body that says that it is longer than `most` bytes, or that it is packed."""
    for name, value in headers:
        if name == b"content-length" and not (value.isdigit() and int(value) <= most):
            raise Rejected("too-large", f"expected at most {most} bytes")
        if name == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
            raise Rejected("media-type", "expected a body that is not compressed")
