"""Files that never change while a collector runs: one table, made at its start.

An address is looked up in the table, and never joined to a path of the disk.
"""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from hushrank.collector.web.problems import Rejected
from hushrank.collector.web.scripts import compact

STATIC_FOLDER = Path(__file__).parent / "static"
_NOT_SERVED = {"node_modules", "tests"}
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "public, no-cache"


@dataclass(frozen=True, repr=False)
class Document:
    """Bytes that stay as they are: sent packed where that pays, and only once to a cache."""

    content: bytes
    media_type: str

    @cached_property
    def tag(self) -> str:
        """What changes when the bytes change."""
        return sha256(self.content).hexdigest()

    @cached_property
    def packed(self) -> bytes | None:
        """The bytes as gzip, where that is shorter."""
        packed = gzip.compress(self.content, 9, mtime=0)
        return packed if len(packed) < len(self.content) else None

    def answer(self, request: Request, cache_control: str) -> Response:
        """Answer a request for the document: 304 where the client has it already."""
        packed = self.packed if takes_gzip(request) else None
        weak = "W/" if packed else ""  # other bytes than those that the tag is of
        headers = {"etag": f'{weak}"{self.tag}"', "cache-control": cache_control}
        if self.packed:
            headers["vary"] = "Accept-Encoding"
        if _has(request, self.tag):
            return Response(status_code=304, headers=headers)
        if packed:
            headers["content-encoding"] = "gzip"
        body = self.content if packed is None else packed
        return Response(body, headers=headers, media_type=self.media_type)


class FileTable:
    """All files of some folders, by their address."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        """Read the files of `folders`, a prefix of addresses -> a folder, of the types we know."""
        self._documents = {
            f"{prefix}/{path.relative_to(folder).as_posix()}": Document(
                _sent(path), _TYPES[path.suffix]
            )
            for prefix, folder in folders.items()
            for path in sorted(folder.rglob("*"))
            if _is_served(path.relative_to(folder)) and path.is_file()
        }

    def address(self, path: str) -> str:
        """Return the address of a file that a browser may keep for ever."""
        return f"{path}?v={self._documents[path].tag[:16]}"

    async def serve(self, request: Request) -> Response:
        """Answer a request for a file."""
        document = self._documents.get(request.scope["path"])
        if document is None:
            raise Rejected("no-page")
        is_named = request.query_params.get("v") == document.tag[:16]
        return document.answer(request, _FOREVER if is_named else _ASK_AGAIN)


def takes_gzip(request: Request) -> bool:
    """Say whether the client reads gzip."""
    for one in request.headers.get("accept-encoding", "").lower().split(","):
        coding, _, quality = one.partition(";")
        if coding.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _sent(path: Path) -> bytes:
    content = path.read_bytes()
    return compact(content) if path.suffix == ".js" else content


def _is_served(path: Path) -> bool:
    return path.suffix in _TYPES and not _NOT_SERVED.intersection(path.parts)


def _has(request: Request, tag: str) -> bool:
    known = request.headers.get("if-none-match", "")
    return any(one.strip().removeprefix("W/") in (f'"{tag}"', "*") for one in known.split(","))
