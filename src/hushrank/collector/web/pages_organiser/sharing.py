"""How people get to a survey: a link with its picture, invitations, a key for an app."""

import csv
from io import BytesIO, StringIO

import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.collector.draft import picture_type
from hushrank.collector.use_cases.answering import MOST_INVITATIONS
from hushrank.collector.web.pages_organiser.deciding import refused_page
from hushrank.collector.web.pages_organiser.overview import (
    link_of,
    survey_page,
)
from hushrank.collector.web.pages_organiser.showing import (
    download,
    service_of,
    settings_of,
    show,
)
from hushrank.collector.web.problems import Rejected
from hushrank.collector.web.sessions import form, needs_organiser
from hushrank.errors import HushrankError

_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
_ROWS_SHOWN = 12


@needs_organiser
async def qr(request: Request) -> Response:
    """Return the link as a QR code, dark on light in both colour schemes: readers need that."""
    id, kind = request.path_params["id"], request.path_params["form"]
    if kind not in _TYPES:
        raise Rejected("no-page")
    await service_of(request).survey(id)
    picture = BytesIO()
    code = segno.make(link_of(request, id), error="m", micro=False)
    code.save(picture, kind=kind, scale=10, border=4, dark="#000", light="#fff")
    return Response(picture.getvalue(), media_type=_TYPES[kind])


@needs_organiser
async def poster(request: Request) -> Response:
    """Show a page to be printed, with the link and its QR code."""
    found = await service_of(request).survey(request.path_params["id"])
    return show(request, "poster.html", survey=found, link=link_of(request, found.id))


@needs_organiser
async def invitations(request: Request) -> Response:
    """Make invitations and show their links, once: as CSV or on a page."""
    id, fields = request.path_params["id"], await form(request)
    typed = str(fields.get("n", ""))
    n = int(typed) if typed.isascii() and typed.strip().isdigit() and len(typed) < 10 else 0
    if not 1 <= n <= MOST_INVITATIONS:
        return await survey_page(request, 422, typed_n=typed, wrong_n=True)
    try:
        tokens = await service_of(request).invite(id, n)
    except HushrankError as error:
        return await refused_page(request, error)
    links = [f"{link_of(request, id)}#i={token}" for token in tokens]
    if fields.get("as") != "page":
        return download(_as_csv(links), f"invitations-{id}.csv", "text/csv; charset=utf-8")
    text = "\n".join(links)
    rows = min(len(links), _ROWS_SHOWN)
    return _shown_once(request, "invitations", text, rows=rows)


@needs_organiser
async def api_key(request: Request) -> Response:
    """Make the key of an app and show it, once."""
    id = request.path_params["id"]
    try:
        key = await service_of(request).make_api_key(id)
    except HushrankError as error:
        return await refused_page(request, error)
    example = (
        f"curl -X POST {settings_of(request).origin}/v1/surveys/{id}/assignments \\\n"
        "  -H 'Authorization: Bearer YOUR-KEY' -H 'Content-Type: application/json' \\\n"
        '  -d \'{"person": "your-own-id", "lot": 123456789}\''
    )
    return _shown_once(request, "key", key, rows=2, example=example)


@needs_organiser
async def picture(request: Request) -> Response:
    """Return a picture of an item, to the organiser, also of a draft."""
    pictures = await service_of(request).pictures(request.path_params["id"])
    found = pictures.get(request.path_params["digest"])
    if found is None:
        raise Rejected("no-page")
    return Response(found, media_type=picture_type(found))


def _shown_once(
    request: Request, what: str, text: str, *, rows: int, example: str | None = None
) -> Response:
    """Return a page with what the server cannot show again: no address leads to it."""
    said = {"what": what, "text": text, "rows": rows, "example": example}
    return show(request, "shown_once.html", 200, id=request.path_params["id"], **said)


def _as_csv(links: list[str]) -> bytes:
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "link"])
    writer.writerows(enumerate(links, start=1))
    return text.getvalue().encode()


routes = [
    Route("/o/surveys/{id}/qr.{form}", qr),
    Route("/o/surveys/{id}/poster", poster),
    Route("/o/surveys/{id}/invitations", invitations, methods=["POST"]),
    Route("/o/surveys/{id}/api-key", api_key, methods=["POST"]),
    Route("/o/surveys/{id}/pictures/{digest}", picture),
]
