"""A draft as its participants will see it: the real page, which sends nothing."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.collector.web.pages_organiser.showing import service_of
from hushrank.collector.web.pages_participant import LANGUAGES, MODULES
from hushrank.collector.web.sessions import needs_organiser
from hushrank.collector.web.templates import page


@needs_organiser
async def preview(request: Request) -> Response:
    """Show the participant's page of a survey, in its language."""
    found = await service_of(request).survey(request.path_params["id"])
    language = LANGUAGES.best(request.query_params.get("lang", ""), found.draft.language)
    return page(
        request,
        "participant/participant.html",
        survey=found.id,
        preview=f"/o/surveys/{found.id}/preview.json",
        title=found.draft.title,
        language=language,
        direction=LANGUAGES.words[language]["language.direction"],
        words=LANGUAGES.words[language],
        languages=LANGUAGES.names,
        modules=MODULES,
    )


@needs_organiser
async def announcement(request: Request) -> Response:
    """Return what a draft would announce."""
    content = await service_of(request).preview(request.path_params["id"])
    return Response(content, media_type="application/json")


routes = [
    Route("/o/surveys/{id}/preview", preview),
    Route("/o/surveys/{id}/preview.json", announcement),
]
