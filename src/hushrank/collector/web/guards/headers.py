"""The headers of every answer: what a browser may do with it, and who may keep it."""

from collections.abc import Iterable
from typing import TypeAlias

from hushrank.collector.web.settings import Settings

RawHeaders: TypeAlias = list[tuple[bytes, bytes]]

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
_NOTHING = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class SafeHeaders:
    """What is added to each answer, made once: one set for pages, one for data.

    Pages of the organiser send their own address to their own origin: a browser that may send no
    referrer calls the origin of a form "null", and the check of where a form comes from needs it.
    """

    def __init__(self, settings: Settings) -> None:
        """Make both sets for a public address."""
        self._data = _encoded(_common(settings) | {"content-security-policy": _DATA_POLICY})
        page = _common(settings) | {
            "content-security-policy": PAGE_POLICY,
            "permissions-policy": _NOTHING,
        }
        if settings.is_trustworthy:  # elsewhere browsers say that they ignore it
            page["cross-origin-opener-policy"] = "same-origin"
        self._page = _encoded(page)
        self._organiser = _encoded(page | {"referrer-policy": "same-origin"})

    def added(self, path: str, given: Iterable[tuple[bytes, bytes]]) -> RawHeaders:
        """Return the headers `given` for an answer to `path`, and those that it must have."""
        headers = list(given)
        if path.startswith("/v1/"):
            headers += self._data
        else:
            headers += self._organiser if path.startswith("/o/") else self._page
        if not any(name == b"cache-control" for name, _ in headers):
            headers.append((b"cache-control", b"no-store"))
        return headers


def _common(settings: Settings) -> dict[str, str]:
    headers = {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
    }
    if settings.is_https:
        headers["strict-transport-security"] = "max-age=31536000"
    return headers


def _encoded(headers: dict[str, str]) -> RawHeaders:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
