"""What an organiser does with a survey by one button: each is a form, and then its page again."""

from collections.abc import Awaitable, Callable

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.collector.refusals import Refusal
from hushrank.collector.service import Service
from hushrank.collector.web.pages_organiser.form.typed import Typed
from hushrank.collector.web.pages_organiser.overview import survey_page
from hushrank.collector.web.pages_organiser.showing import clock_of, go, service_of, show
from hushrank.collector.web.problems import KINDS
from hushrank.collector.web.sessions import form, needs_organiser
from hushrank.errors import HushrankError

Deed = Callable[[Service, str], Awaitable[object]]
Ending = Callable[[Service, str, int], Awaitable[object]]

NO_ROUND = -1
"""Of a form that says none: whichever is open, it is not meant."""


def _button(deed: Deed, done: str, where: str = "") -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a button: it says on the survey's page what was refused."""

    @needs_organiser
    async def endpoint(request: Request) -> Response:
        id = request.path_params["id"]
        try:
            await deed(service_of(request), id)
        except HushrankError as error:
            return await refused_page(request, error)
        return go(f"/o/surveys/{id}{where}", done=done)

    return endpoint


async def refused_page(request: Request, error: HushrankError) -> Response:
    """Return the survey's page with what was refused; raise it where there is no survey."""
    kind = error.kind if isinstance(error, Refusal) else "not-ready"
    if kind == "not-found":
        raise error
    refused = {"kind": kind, "words": str(error)}
    return await survey_page(request, KINDS[kind].status, refused=refused)


@needs_organiser
async def open_draft(request: Request) -> Response:
    """Open the draft that the page showed; of a page that is old by now, no other one."""
    id, shown = request.path_params["id"], str((await form(request)).get("draft", ""))
    try:
        await service_of(request).open(id, shown)
    except HushrankError as error:
        return await refused_page(request, error)
    return go(f"/o/surveys/{id}", done="opened")


def _ending(deed: Ending, done: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint that ends the round that the page showed; of an old page, no other."""

    @needs_organiser
    async def endpoint(request: Request) -> Response:
        id, shown = request.path_params["id"], _shown_round(await form(request))
        try:
            await deed(service_of(request), id, shown)
        except HushrankError as error:
            return await refused_page(request, error)
        return go(f"/o/surveys/{id}", done=done)

    return endpoint


def _shown_round(fields: FormData) -> int:
    shown = str(fields.get("round", ""))
    is_number = shown.isascii() and shown.isdigit() and len(shown) < 10
    return int(shown) if is_number else NO_ROUND


@needs_organiser
async def open_round(request: Request) -> Response:
    """Open the round after the one that the page showed, until the time that was typed."""
    id = request.path_params["id"]
    fields = await form(request)
    typed = Typed({name: value for name, value in fields.items() if isinstance(value, str)})
    try:
        closes = typed.closes
    except (ValueError, OverflowError):
        said = {"typed_closes": typed["closes"], "wrong_closes": "wrong.time"}
        return await survey_page(request, 422, **said)
    if closes is not None and closes <= clock_of(request)():
        said = {"typed_closes": typed["closes"], "wrong_closes": "wrong.past"}
        return await survey_page(request, 422, **said)
    try:
        await service_of(request).open_round(id, closes, after=_shown_round(fields))
    except HushrankError as error:
        return await refused_page(request, error)
    return go(f"/o/surveys/{id}", done="opened")


@needs_organiser
async def copy(request: Request) -> Response:
    """Make a draft of the same survey, and show it."""
    id = await service_of(request).copy(request.path_params["id"])
    return go(f"/o/surveys/{id}", done="copied")


@needs_organiser
async def delete(request: Request) -> Response:
    """Ask whether a survey is to be deleted, and delete it."""
    id, service = request.path_params["id"], service_of(request)
    is_sent = request.method == "POST"
    if is_sent and (await form(request)).get("sure") == "yes":
        await service.delete(id)
        return go("/o/", done="deleted")
    found = await service.survey(id)
    return show(request, "delete.html", 422 if is_sent else 200, survey=found, unsure=is_sent)


def _post(name: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    return Route(f"/o/surveys/{{id}}/{name}", endpoint, methods=["POST"])


routes = [
    _post("open", open_draft),
    _post("close-round", _ending(Service.close_round, "round_closed")),
    _post("close", _ending(Service.close, "closed")),
    _post("publish", _button(Service.publish, "published", "/results")),
    _post("unpublish", _button(Service.unpublish, "unpublished", "/results")),
    _post("open-round", open_round),
    _post("copy", copy),
    Route("/o/surveys/{id}/delete", delete, methods=["GET", "POST"]),
]
