"""Show an organiser's page: a template, in their language."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hushrank.collector.service import Service
from hushrank.collector.web.pages_organiser.words import (
    COOKIE,
    Words,
    language_of,
    languages,
    words_in,
)
from hushrank.collector.web.settings import Settings
from hushrank.collector.web.templates import page

_YEAR = 31_536_000


def show(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    """Return a page of `templates/organiser/`.

    Every template has `t` (words), `languages`, `path` (of this page) and `csrf` beside `context`.
    """
    chosen = language_of(request)
    said = {"t": words_in(chosen), "languages": languages(), "path": request.url.path}
    answer = page(request, f"organiser/{template}", status, **(_NOBODY | said | context))
    answer.headers["vary"] = "Accept-Language, Cookie"
    if request.query_params.get("lang") == chosen:
        _remember(answer, chosen, settings_of(request))
    return answer


_NOBODY = {"csrf": None, "done": None}


def words_of(request: Request) -> Words:
    """Return the words of whoever asks."""
    return words_in(language_of(request))


def service_of(request: Request) -> Service:
    """Return the collector's service."""
    service: Service = request.app.state.service
    return service


def settings_of(request: Request) -> Settings:
    """Return the collector's settings."""
    settings: Settings = request.app.state.settings
    return settings


def clock_of(request: Request) -> Callable[[], datetime]:
    """Return the collector's clock."""
    clock: Callable[[], datetime] = request.app.state.clock
    return clock


def go(path: str, **query: str) -> Response:
    """Send the browser on after a form, so that a reload does not send it again."""
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return RedirectResponse(f"{path}?{asked}" if asked else path, 303)


def download(content: bytes, name: str, media_type: str) -> Response:
    """Return a file for the browser to keep."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media_type)


def _remember(answer: Response, language: str, settings: Settings) -> None:
    answer.set_cookie(
        COOKIE,
        language,
        max_age=_YEAR,
        path="/",
        secure=settings.is_https,
        httponly=True,
        samesite="lax",
    )
