"""The OpenAPI 3.1 document, from the table of endpoints and the types of their messages."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

import hushrank
from hushrank.collector.web.api.endpoints import Endpoint
from hushrank.collector.web.files import Document
from hushrank.collector.web.problems import KINDS, MEDIA_TYPE, Problem

_EVERYWHERE = ("malformed", "too-many", "misdirected", "cross-origin", "broken")
_PARAMETER = re.compile(r"\{(\w+)(?::(\w+))?\}")
_VALUES: Mapping[str, dict[str, Any]] = {
    "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
    "int": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
_SECURITY = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "The key of an organiser's own backend, where a survey is joined by it.",
    },
    "metrics": {"type": "http", "scheme": "bearer", "description": "The operator's token."},
}
_ABOUT = "Rankings are randomised on the device: no raw answer is ever sent."


class OpenApi:
    """The document of a table of endpoints, made once."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        """Describe `endpoints`."""
        self._document = Document(msgspec.json.encode(describe(endpoints)), "application/json")

    async def serve(self, request: Request) -> Response:
        """Return the document."""
        return self._document.answer(request, "public, max-age=60")


def describe(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the document."""
    types = list(dict.fromkeys(_types(endpoints)))
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    by_type = dict(zip(types, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = _PARAMETER.sub(r"{\1}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "hushrank", "version": hushrank.__version__, "description": _ABOUT},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": _SECURITY},
    }


def _types(endpoints: Iterable[Endpoint]) -> Iterator[Any]:
    yield Problem
    for endpoint in endpoints:
        if endpoint.body is not None and endpoint.body_type == "application/json":
            yield endpoint.body
        for kind in endpoint.answers.values():
            yield from () if isinstance(kind, str) else _each(kind)


def _operation(endpoint: Endpoint, schemas: Mapping[Any, dict[str, Any]]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": _VALUES[kind or name]}
            for name, kind in _PARAMETER.findall(endpoint.path)
        ],
        "responses": _responses(endpoint, schemas),
    }
    if endpoint.body is not None:
        # a batch is lines, which no schema describes: each is what `/v1/reports` takes
        schema = schemas.get(endpoint.body) if endpoint.body_type == "application/json" else {}
        content = {endpoint.body_type: {"schema": schema or {"type": "string"}}}
        operation["requestBody"] = {"required": True, "content": content}
    if endpoint.secured_by:
        operation["security"] = [{}, {endpoint.secured_by: []}]
    return operation


def _responses(endpoint: Endpoint, schemas: Mapping[Any, dict[str, Any]]) -> dict[str, Any]:
    responses = {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "content": _content(kind, schemas),
        }
        for status, kind in endpoint.answers.items()
    }
    by_status: dict[int, list[str]] = {}
    for kind in dict.fromkeys((*endpoint.problems, *_EVERYWHERE)):
        by_status.setdefault(KINDS[kind].status, []).append(kind)
    for status, kinds in sorted(by_status.items()):
        responses[str(status)] = {
            "description": "; ".join(KINDS[kind].title for kind in kinds),
            "content": {MEDIA_TYPE: {"schema": schemas[Problem]}},
        }
    return responses


def _content(kind: Any, schemas: Mapping[Any, dict[str, Any]]) -> dict[str, Any]:
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    each = [schemas[one] for one in _each(kind)]
    return {"application/json": {"schema": each[0] if len(each) == 1 else {"oneOf": each}}}


def _each(kind: Any) -> tuple[Any, ...]:
    return kind if isinstance(kind, tuple) else (kind,)
