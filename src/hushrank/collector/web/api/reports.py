"""Reports come in: the one path that must be fast, so both are plain ASGI applications.

An answer is sent when the reports are durable, not before.
"""

from collections.abc import Sequence

import msgspec
from starlette.types import Receive, Scope, Send

from hushrank.collector.refusals import Refusal
from hushrank.collector.service import Accepted, Service, Upload
from hushrank.collector.web.api.json import decoded, require_media_type, send_json
from hushrank.collector.web.api.messages import MOST_LINES, BatchAnswer, LineAnswer
from hushrank.collector.web.guards.bodies import whole_body
from hushrank.collector.web.operations.metrics import Metrics
from hushrank.collector.web.problems import KINDS, Rejected
from hushrank.files.encodings import UNREADABLE

JSON, NDJSON = b"application/json", b"application/x-ndjson"
_WORDS = {True: "new", False: "same"}
_UPLOAD = msgspec.json.Decoder(Upload)


class OneUpload:
    """Take the reports of one assignment."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        """Hand uploads to `service`."""
        self._service, self._metrics = service, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 201 for new reports, 200 for the same again; raise the Refusal otherwise."""
        require_media_type(scope, JSON)
        upload = decoded(_UPLOAD, await whole_body(receive))
        [accepted] = await self._service.accept([upload])
        _count(self._metrics, [accepted])
        if isinstance(accepted, Refusal):
            raise accepted
        body = b'{"receipt":"%b"}' % accepted.receipt.encode()
        await send_json(send, 201 if accepted.is_new else 200, body)


class ManyUploads:
    """Take up to 1,000 uploads, a line each; a bad line does not harm the others."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        """Hand uploads to `service`."""
        self._service, self._metrics = service, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what became of each line."""
        require_media_type(scope, NDJSON)
        lines = read_lines(await whole_body(receive))
        uploads = [line for line in lines if isinstance(line, Upload)]
        accepted = iter(await self._service.accept(uploads))
        told = [next(accepted) if isinstance(line, Upload) else line for line in lines]
        _count(self._metrics, told)
        results = [_line_answer(one) for one in told]
        await send_json(send, 200, msgspec.json.encode(BatchAnswer(results)))


def read_lines(body: bytes) -> Sequence[Upload | Refusal]:
    """Return the upload of each line, or why it is none.

    Several that other space parts, in one line, are read as several: all of them count.
    """
    n_lines = body.count(b"\n") + (not body.endswith(b"\n"))
    _require_few(n_lines)
    try:
        read: Sequence[Upload | Refusal] = _UPLOAD.decode_lines(body)
    except UNREADABLE:
        return [_read_line(line) for line in body.split(b"\n") if line.strip()]
    _require_few(len(read))
    return read


def _require_few(n_lines: int) -> None:
    if n_lines > MOST_LINES:
        raise Rejected("too-large", f"expected at most {MOST_LINES} lines")


def _read_line(line: bytes) -> Upload | Refusal:
    try:
        return _UPLOAD.decode(line)
    except UNREADABLE:
        return Refusal("malformed", "expected an assignment and its reports")


def _line_answer(one: Accepted | Refusal) -> LineAnswer:
    if isinstance(one, Refusal):
        return LineAnswer(KINDS[one.kind].status, kind=one.kind)
    return LineAnswer(201 if one.is_new else 200, one.receipt)


def _count(metrics: Metrics, told: Sequence[Accepted | Refusal]) -> None:
    for one in told:
        metrics.count_upload(one.kind if isinstance(one, Refusal) else _WORDS[one.is_new])
