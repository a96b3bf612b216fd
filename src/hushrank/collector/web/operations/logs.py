"""Structured logs, one JSON object a line, that know requests and no people.

A line about a request has its method, the template of its route, its status and its time. No line
has an address, an agent, a path, an item, an answer, a report or a token: what an error says may
hold any of them, so an error is logged by its type and by where in the code it arose.
"""

import asyncio
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from time import time
from types import TracebackType
from typing import Any, TextIO

import msgspec

_LOGGER = logging.getLogger("hushrank.collector")
_FIELDS = "hushrank_fields"
_LINES = "hushrank_lines"
_MOST_FRAMES = 30
_MOST_WAITING = 200
_SECONDS = 0.25


def log(event: str, level: int = logging.INFO, /, **fields: Any) -> None:
    """Log an event with its fields, which the caller knows to be nobody's."""
    if _LOGGER.isEnabledFor(level):
        _LOGGER.log(level, event, extra={_FIELDS: fields})


class RequestLog:
    """A line for each request, handed to the log a few at once: a disk is slower than a request.

    A process that is killed loses the lines of its last quarter of a second.
    """

    def __init__(self) -> None:
        """Begin with no line."""
        self._waiting: list[bytes] = []
        self._second, self._time = 0, ""

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note an answer."""
        if not _LOGGER.isEnabledFor(logging.INFO):
            return
        line = {
            "time": self._now(),
            "level": "info",
            "event": "request",
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
        }
        self._waiting.append(msgspec.json.encode(line))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_later(_SECONDS, self.flush)
        elif len(self._waiting) >= _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Hand the lines to the log."""
        if self._waiting:
            lines, self._waiting = b"\n".join(self._waiting).decode(), []
            _LOGGER.info("requests", extra={_LINES: lines})

    def _now(self) -> str:
        second = int(time())
        if second != self._second:
            self._second, self._time = second, _moment(second)
        return self._time


def log_incident(incident: str, route: str, error: BaseException) -> None:
    """Log an error that nobody expected, under the number that the client was told."""
    fields = {"incident": incident, "route": route, **described(error)}
    log("incident", logging.ERROR, **fields)


def described(error: BaseException) -> dict[str, Any]:
    """Describe an error without its words: its type, its causes' types, and where it arose."""
    causes: list[str] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and len(causes) < _MOST_FRAMES:
        causes.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    return {"error": type(error).__name__, "causes": causes, "where": _frames(error.__traceback__)}


class JsonLines(logging.Formatter):
    """Write a record as one line of JSON; of a library's record, what cannot name anybody."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, or the lines of several requests."""
        lines: str | None = getattr(record, _LINES, None)
        if lines is not None:
            return lines
        line: dict[str, Any] = {
            "time": _moment(record.created),
            "level": record.levelname.lower(),
        }
        fields = getattr(record, _FIELDS, None)
        if fields is not None:
            line |= {"event": record.msg, **fields}
        else:
            line |= _foreign(record)
        return msgspec.json.encode(line).decode()


def log_to(stream: TextIO | None = None) -> None:
    """Send what this process logs to a stream (stderr unless told), and nowhere else.

    On a terminal only what went wrong is shown: somebody reads there what they were told.
    """
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    _LOGGER.setLevel(logging.WARNING if stream.isatty() else logging.INFO)
    logging.captureWarnings(True)  # as lines, too, and without their words
    logging.getLogger("uvicorn.access").disabled = True  # it would write addresses and paths


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _foreign(record: logging.LogRecord) -> dict[str, Any]:
    """Return what is known of a library's record; its words only where they are constants."""
    line: dict[str, Any] = {"event": "library", "logger": record.name}
    line["at"] = f"{record.filename}:{record.lineno}"
    if record.name.startswith("uvicorn") and isinstance(record.msg, str):
        line["words"] = record.msg.partition("\n")[0]
    error = record.exc_info[1] if record.exc_info else None
    return line if error is None else line | described(error)


def _frames(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace, limit=-_MOST_FRAMES)
    return [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames]
