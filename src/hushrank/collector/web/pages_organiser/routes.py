"""All addresses of the organiser's pages, and of published results."""

from starlette.routing import BaseRoute

from hushrank.collector.web.pages_organiser import (
    deciding,
    editing,
    overview,
    previewing,
    results,
    sharing,
)

routes: tuple[BaseRoute, ...] = (
    *overview.routes,
    *editing.routes,
    *deciding.routes,
    *sharing.routes,
    *previewing.routes,
    *results.routes,
)
