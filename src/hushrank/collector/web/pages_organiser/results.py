"""The results of a closed survey: a page, files, and a page for everybody."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.collector.refusals import Refusal
from hushrank.collector.results.files import file_names, make_file
from hushrank.collector.service import LiveSurvey, Service
from hushrank.collector.web.pages_organiser.deciding import refused_page
from hushrank.collector.web.pages_organiser.overview import DONE
from hushrank.collector.web.pages_organiser.results_view import results_view
from hushrank.collector.web.pages_organiser.showing import (
    download,
    service_of,
    settings_of,
    show,
    words_of,
)
from hushrank.collector.web.sessions import needs_organiser
from hushrank.errors import HushrankError
from hushrank.workflows.results.collection import Collection


@needs_organiser
async def results(request: Request) -> Response:
    """Show the organiser what was learnt."""
    id, service = request.path_params["id"], service_of(request)
    try:
        learnt = await service.results(id)
    except HushrankError as error:
        return await refused_page(request, error)
    view = await asyncio.to_thread(results_view, words_of(request), learnt)
    files = await asyncio.to_thread(file_names, learnt)
    done = request.query_params.get("done")
    return show(
        request,
        "results.html",
        survey=await service.survey(id),
        shown=view,
        files=files,
        public_link=f"{settings_of(request).origin}/r/{id}",
        done=done if done in DONE else None,
    )


@needs_organiser
async def file(request: Request) -> Response:
    """Return a file of the results."""
    id, service = request.path_params["id"], service_of(request)
    learnt, found = await service.results(id), await service.survey(id)
    name = request.path_params["name"]
    made = await asyncio.to_thread(make_file, learnt, id, found.draft, name)
    return download(made.content, f"{id}-{made.name}", made.media_type)


async def public(request: Request) -> Response:
    """Show everybody the results of a survey whose organiser published them."""
    found, learnt = await published(service_of(request), request.path_params["id"])
    view = await asyncio.to_thread(results_view, words_of(request), learnt)
    return show(request, "public_results.html", survey=found, shown=view)


async def published(service: Service, id: str) -> tuple[LiveSurvey, Collection]:
    """Return a survey whose results everybody may see, and what was learnt.

    Raises Refusal `not-found` where nothing is published: nobody learns that there is something.
    """
    found = await service.survey(id)
    if found.life.state != "published":
        raise Refusal("not-found", "no results are published here")
    return found, await service.results(id)


routes = [
    Route("/o/surveys/{id}/results", results),
    Route("/o/surveys/{id}/files/{name}", file),
    Route("/r/{id}", public),
]
