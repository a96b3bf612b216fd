"""Connections that wait for nobody: a request must come, and its answer be taken, within a time.

uvicorn limits neither the time nor the size of a header, nor the time of a body: Slowloris lives on
the times, and memory on the size. Nor does it end a connection in stages (RFC 9112, 9.6): what is
closed while a body still comes is reset, and a client, or nginx, may lose the answer.
"""

from asyncio import TimerHandle, Transport
from typing import Any, Literal, TypeAlias, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hushrank.collector.web.settings import Limits

Phase: TypeAlias = Literal["header", "body", "nothing", "end"]
"""What a connection waits for: a header, the rest of a body, once a request came nothing, or that
the client, who has its answer, stops sending."""

LINGERING_SECONDS = 2.0
"""How long what a client still sends is thrown away."""

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class ImpatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 by httptools, within the limits that its class has."""

    limits = Limits()

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first header."""
        super().connection_made(transport)
        self._phase: Phase = "header"
        self._header_size = 0
        self._coming: TimerHandle | None = None
        self._reading: TimerHandle | None = None
        self._wait_for("header")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        self._wait_for("nothing")
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Read on; hang up where a header is too long."""
        before = self._phase
        super().data_received(data)
        in_header = self._phase == "header"
        self._header_size = self._header_size + len(data) if in_header else 0
        if self._phase != before or (self._coming is None and self._phase != "nothing"):
            self._wait_for(self._phase)
        if self._header_size > self.limits.header + self.limits.url:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Note that a header begins."""
        super().on_message_begin()
        self._phase = "header"

    def on_headers_complete(self) -> None:
        """Note that the header is there."""
        self._phase = "body"
        super().on_headers_complete()
        self.cycle.transport = cast(Transport, AnswerTransport(self))

    def on_message_complete(self) -> None:
        """Note that the request is there."""
        is_over = self._phase == "end"
        self._phase = "nothing"
        super().on_message_complete()
        if is_over:
            self.transport.close()

    def end(self) -> None:
        """Close after an answer; where a body still comes, let the client take the answer first."""
        if self._phase == "body" and not self.transport.is_closing():
            self.transport.write_eof()
            self._wait_for("end")
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        """Begin to wait until the client takes what it asked for."""
        super().pause_writing()
        wait = self.limits.reading_seconds
        self._reading = self._reading or self.loop.call_later(wait, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop waiting: the client reads."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _wait_for(self, phase: "Phase") -> None:
        self._phase = phase
        if self._coming is not None:
            self._coming.cancel()
        seconds = {
            "header": self.limits.header_seconds,
            "body": self.limits.body_seconds,
            "end": LINGERING_SECONDS,
        }.get(phase)
        self._coming = None if seconds is None else self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        if self._phase == "body" and not self.cycle.response_started:
            self.transport.write(_TOO_SLOW)
            self.cycle.response_started = self.cycle.response_complete = True
        self.transport.close()


class AnswerTransport:
    """What an answer is written to; `close` ends the connection in stages."""

    def __init__(self, protocol: ImpatientProtocol) -> None:
        """Write to the transport of the protocol."""
        self._protocol = protocol

    def __getattr__(self, name: str) -> Any:
        """Be the transport in all else."""
        return getattr(self._protocol.transport, name)

    def close(self) -> None:
        """End the connection."""
        self._protocol.end()


def impatient(limits: Limits) -> type[ImpatientProtocol]:
    """Return the protocol with these limits."""
    made = type("LimitedProtocol", (ImpatientProtocol,), {"limits": limits})
    return cast(type[ImpatientProtocol], made)
