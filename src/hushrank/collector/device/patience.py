"""How long a collector may take: whatever it sends until then, and be it headers without end."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any


class Patience:
    """Ends the connection of a client whose answer is not there in time.

    httpx limits the time between two bytes alone. It tells `trace` of each connection that it
    makes, and may use one for several requests. Which of several connections waits is not told:
    requests are to be sent one after the other.
    """

    def __init__(self, seconds: float) -> None:
        """Wait so long for a whole answer."""
        self._seconds = seconds
        self._connected: socket.socket | None = None

    def trace(self, event: str, told: Mapping[str, Any]) -> None:
        """Note a connection that was made, by a handle that stays when it is protected by TLS."""
        if event.startswith("connection.connect_") and event.endswith(".complete"):
            made = told["return_value"].get_extra_info("socket")
            self.forget()
            self._connected = made.dup() if isinstance(made, socket.socket) else None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """End the connection unless the block ends in time; what reads from it fails then."""
        timer = Timer(self._seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def forget(self) -> None:
        """Let go of the connection that was made last."""
        if self._connected is not None:
            self._connected.close()
            self._connected = None

    def _end(self) -> None:
        if self._connected is not None:
            with suppress(OSError):  # it has ended by itself
                self._connected.shutdown(socket.SHUT_RDWR)
