"""The collector as one web application: the interface, the pages and the files behind the gate."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from hushrank.collector.client_files import client_folder
from hushrank.collector.service import Service
from hushrank.collector.web import pages_participant, sign_in
from hushrank.collector.web.api.cross_origin import PREFLIGHT, CrossOrigin
from hushrank.collector.web.api.endpoints import Endpoint, endpoints
from hushrank.collector.web.api.openapi import OpenApi
from hushrank.collector.web.api.reports import ManyUploads, OneUpload
from hushrank.collector.web.files import STATIC_FOLDER, FileTable
from hushrank.collector.web.guards.gate import Gate
from hushrank.collector.web.guards.limits import Buckets
from hushrank.collector.web.operations.health import Health
from hushrank.collector.web.operations.logs import RequestLog
from hushrank.collector.web.operations.metrics import Metrics
from hushrank.collector.web.pages_organiser.routes import routes as organiser_routes
from hushrank.collector.web.pages_organiser.words import language_of, words_in
from hushrank.collector.web.problems import KINDS, Rejected, Told
from hushrank.collector.web.sessions import Sessions
from hushrank.collector.web.settings import Settings
from hushrank.collector.web.templates import Templates

PAGES: tuple[BaseRoute, ...] = (
    *sign_in.routes,
    *pages_participant.routes,
    *organiser_routes,
)


def make_app(
    service: Service,
    settings: Settings,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Starlette:
    """Return the application of a collector.

    `app.state` has `service`, `settings`, `sessions`, `metrics` and `templates` for its pages, and
    `buckets`, who asked lately, which whoever runs it empties every minute.
    """
    files = FileTable({"/client": client_folder(), "/static": STATIC_FOLDER})
    state = _state(service, settings, clock, Templates(files))
    health = Health(service.store, settings, state["metrics"])
    _, links, _ = state["buckets"]
    table = endpoints(service, health, state["metrics"], links)
    routes = _routes(table, files)
    behind = [_gate(state, RouteNames(routes)), Middleware(ShortCut, endpoints=table)]
    handlers = {HTTPException: _explain_status}
    app = Starlette(routes=routes, middleware=behind, exception_handlers=handlers)
    app.router.redirect_slashes = False  # it would say where to by the host that the client named
    for name, each in state.items():
        setattr(app.state, name, each)
    return app


def _state(
    service: Service, settings: Settings, clock: Callable[[], datetime], templates: Templates
) -> dict[str, Any]:
    """Return what pages and gate find in `app.state`."""
    limits = settings.limits
    asked_lately = (limits.per_address, limits.per_link, limits.sign_ins)
    addresses, links, attempts = map(Buckets, asked_lately)
    return {
        "service": service,
        "settings": settings,
        "clock": clock,
        "metrics": Metrics(),
        "requests": RequestLog(),
        "templates": templates,
        "problems": ProblemPages(templates),
        "sessions": Sessions(service.store, settings, attempts, clock),
        "buckets": (addresses, links, attempts),
    }


class ShortCut:
    """Lead to endpoints that are plain ASGI applications at fixed addresses, past all routing."""

    def __init__(self, app: ASGIApp, endpoints: Iterable[Endpoint]) -> None:
        """Lead everything else to `app`."""
        self._app = app
        self._direct = {
            (one.method, one.path): one.handler
            for one in endpoints
            if isinstance(one.handler, OneUpload | ManyUploads)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lead a request on."""
        direct = None if scope["type"] != "http" else (scope["method"], scope["path"])
        endpoint = self._direct.get(direct) if direct else None
        if endpoint is None:
            await self._app(scope, receive, send)
        else:
            scope["endpoint"] = endpoint
            await endpoint(scope, receive, send)


class RouteNames:
    """What a request is called in logs and metrics: the template of its address."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        """Name the endpoints of `routes`."""
        self._names = {one.endpoint: one.path for one in routes if isinstance(one, Route)}

    def __call__(self, scope: Scope) -> str:
        """Return the template, '-' where a request reached no route."""
        endpoint = scope.get("endpoint")
        return "-" if endpoint is None else self._names.get(endpoint, "-")


class ProblemPages:
    """Problems as documents for programs, and as pages for people."""

    def __init__(self, templates: Templates) -> None:
        """Show pages by a template."""
        self._templates = templates

    def __call__(self, scope: Scope, problem: Told) -> Response:
        """Return the answer for a request that met a problem."""
        accepted = [value for name, value in scope["headers"] if name == b"accept"]
        if scope["path"].startswith("/v1/") or b"text/html" not in b",".join(accepted):
            return problem.answer()
        page = self.show(Request(scope), problem)
        page.headers.update(problem.headers)
        return page

    def show(self, request: Request, problem: Told, status: int | None = None) -> Response:
        """Return the page of a problem, in a language that its reader prefers."""
        language, document = language_of(request), problem.document
        t = words_in(language)
        return self._templates.show(
            "problem.html",
            status or document.status,
            language=language,
            title=t(f"problem.{problem.kind}"),
            incident=t("problem.incident"),
            detail=document.detail,
            instance=document.instance,
        )


def _routes(table: Sequence[Endpoint], files: FileTable) -> list[BaseRoute]:
    return [
        *(endpoint.route for endpoint in table),
        Route("/openapi.json", OpenApi(table).serve),
        Route("/client/{path:path}", files.serve),
        Route("/static/{path:path}", files.serve),
        Route("/problems/{kind}", _show_kind),
        Route("/", _go_home),
        *PAGES,
    ]


def _gate(state: Mapping[str, Any], names: RouteNames) -> Middleware:
    return Middleware(
        Gate,
        settings=state["settings"],
        metrics=state["metrics"],
        requests=state["requests"],
        addresses=state["buckets"][0],
        allows_origin=CrossOrigin(state["service"]).allows,
        shows_problem=state["problems"],
        names_route=names,
    )


async def _go_home(request: Request) -> Response:
    return RedirectResponse("/o/", 303)


async def _show_kind(request: Request) -> Response:
    kind = request.path_params["kind"]
    if kind not in KINDS:
        raise Rejected("no-page")
    problems: ProblemPages = request.app.state.problems
    return problems.show(request, Told(kind), HTTPStatus.OK)


def _explain_status(request: Request, error: Exception) -> Response:
    """Answer what routing refused: an unknown address, or a method that it does not take."""
    status = cast(HTTPException, error).status_code
    if status != HTTPStatus.METHOD_NOT_ALLOWED:
        raise Rejected("no-page" if status == HTTPStatus.NOT_FOUND else "malformed") from None
    allow = {"allow": ", ".join(sorted(_methods(request)))}
    if request.method != "OPTIONS":
        problems: ProblemPages = request.app.state.problems
        return problems(request.scope, Told("method", headers=allow))
    preflight = PREFLIGHT if request.url.path.startswith("/v1/") else {}
    return Response(status_code=204, headers={**allow, **preflight})


def _methods(request: Request) -> set[str]:
    routes = cast(list[BaseRoute], request.app.routes)
    fitting = [one for one in routes if one.matches(request.scope)[0] is not Match.NONE]
    known = [one.methods or {"POST"} for one in fitting if isinstance(one, Route)]
    return {"OPTIONS"}.union(*known)
