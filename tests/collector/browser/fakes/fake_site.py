"""The participant's page from files, under the policy of a collector, with a fake device."""

import html
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from tests.collector.browser.fakes.scenarios import ANNOUNCEMENT

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
CLIENT = ROOT / "client"
TEMPLATES = ROOT / "src/hushrank/collector/web/templates"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",  # a file may have changed since
}
PSEUDO = "ar"
"""A language for looking at pages from right to left: the words are English ones."""


async def show(request: Request) -> Response:
    language = request.query_params.get("lang", "en")
    words = strings("en" if language == PSEUDO else language)
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(autoescape=True, loader=loader)
    environment.globals["asset"] = lambda path: path
    text = environment.get_template("participant/participant.html").render(
        survey=request.path_params["id"],
        preview="/preview.json" if "preview" in request.query_params else None,
        title="",
        language=language,
        direction="rtl" if language == PSEUDO else "ltr",
        languages=[("de", "Deutsch"), ("en", "English")],
        words=words,
        modules=[],
    )
    return HTMLResponse(text, headers=HEADERS)


async def file(request: Request) -> Response:
    path = request.path_params["path"]
    if path == "participant/person.js":
        return FileResponse(HERE / "fake_device.js", headers=HEADERS)
    if path == f"strings/{PSEUDO}.json":
        words = strings("en") | {"language.direction": "rtl"}
        return Response(json.dumps(words), media_type="application/json")
    return FileResponse(CLIENT / path, headers=HEADERS)


async def embedding(request: Request) -> Response:
    """A page of somebody else, with a ranking list and none of our styles."""
    items = html.escape(json.dumps([{"name": name} for name in ("Tea", "Coffee", "Cocoa")]))
    text = (
        '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>A shop</title>'
        "<main><h1>A shop</h1><form>"
        f'<hushrank-ranking-list label="Drinks" name="drinks" items="{items}" incomplete>'
        "</hushrank-ranking-list></form></main>"
        '<script type="module" src="/client/ranking-list.js"></script>'
    )
    return HTMLResponse(text, headers=HEADERS)


async def preview(request: Request) -> Response:
    content = msgspec.json.encode(ANNOUNCEMENT)
    return Response(content, media_type="application/json")


def strings(language: str) -> dict[str, Any]:
    words: dict[str, Any] = json.loads((CLIENT / f"strings/{language}.json").read_text())
    return words


def fake_site() -> Starlette:
    routes = [
        Route("/s/{id}", show),
        Route("/client/{path:path}", file),
        Route("/preview.json", preview),
        Route("/shop", embedding),
    ]
    return Starlette(routes=routes)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve on a free port of this machine, and give the address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive(), "the server did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
