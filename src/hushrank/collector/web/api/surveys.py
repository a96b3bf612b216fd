"""What devices ask of a survey: what it is, where it is, its documents, and an assignment."""

import asyncio
import gzip
import re
from collections import OrderedDict
from typing import Any
from weakref import finalize

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hushrank.collector.draft import picture_type
from hushrank.collector.refusals import Refusal
from hushrank.collector.results import public_document
from hushrank.collector.service import Assigned, Joining, NotAsked, Service
from hushrank.collector.web.api.json import decoded, require_media_type
from hushrank.collector.web.api.messages import JoiningBody, StateAnswer
from hushrank.collector.web.files import Document, takes_gzip
from hushrank.collector.web.guards.bodies import whole_body
from hushrank.collector.web.guards.gate import UNLIMITED
from hushrank.collector.web.guards.limits import Buckets
from hushrank.collector.web.problems import Rejected

JSON = "application/json"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_KEPT = 2**26
_SHORT = "public, max-age=60"
_FOREVER = "public, max-age=86400, immutable"
_JOINING = msgspec.json.Decoder(JoiningBody)


class Surveys:
    """What a device may ask of a survey before it reports."""

    def __init__(self, service: Service, links: Buckets) -> None:
        """Ask `service`; `links` has a bucket for each survey's link."""
        self._service, self._links = service, links
        self._packed = PackedDocuments()
        self._results: dict[str, Document] = {}

    async def announcement(self, request: Request) -> Response:
        """Return what people are shown before anything, byte for byte."""
        content = await self._service.announcement(survey_id(request))
        return (await self._packed.of(content)).answer(request, _SHORT)

    async def state(self, request: Request) -> Response:
        """Return where a survey is in its life."""
        life = await self._service.life(survey_id(request))
        is_open = life.state == "open"
        answer = StateAnswer(life.told, life.round if is_open else None, life.closes)
        return Response(msgspec.json.encode(answer), media_type=JSON)

    async def document(self, request: Request) -> Response:
        """Return all questions of a part of a round, for whoever checks them."""
        round, part = request.path_params["round"], request.path_params["part"]
        content = await self._service.document(survey_id(request), round, part)
        return (await self._packed.of(content)).answer(request, _FOREVER)

    async def picture(self, request: Request) -> Response:
        """Return the picture of an item, by its digest."""
        survey, digest = survey_id(request), request.path_params["digest"]
        await self._service.announcement(survey)  # who knows of no survey sees none of its pictures
        is_digest = _DIGEST.fullmatch(digest) is not None
        found = (
            await self._service.store.picture(survey, bytes.fromhex(digest)) if is_digest else None
        )
        if found is None:
            raise Rejected("no-page")
        return Document(found, picture_type(found)).answer(request, _FOREVER)

    async def results(self, request: Request) -> Response:
        """Return what a survey found, once its organiser shows it to everybody.

        The document is kept for as long as the service remembers what it is about: not beyond the
        survey's deletion.
        """
        survey = survey_id(request)
        if (await self._service.life(survey)).state != "published":
            raise Refusal("not-ready", "the organiser does not show the results")
        if survey not in self._results:
            collection = await self._service.results(survey)
            draft = (await self._service.survey(survey)).draft
            content = await asyncio.to_thread(public_document, collection, survey, draft)
            self._results[survey] = await _packed(content)
            finalize(collection, self._results.pop, survey, None).atexit = False
        return self._results[survey].answer(request, _SHORT)

    async def assign(self, request: Request) -> Response:
        """Give somebody an assignment, the same one when they ask again."""
        survey = survey_id(request)
        require_media_type(request.scope, JSON.encode())
        has_rate = UNLIMITED not in request.scope
        if has_rate and (wait := self._links.wait(survey)):
            raise Rejected("too-many", wait=wait)
        body = decoded(_JOINING, await whole_body(request.receive))
        key = _api_key(request)
        joining = Joining(body.person, body.lot, body.invitation, key, body.earlier)
        assigned = await self._service.join(survey, joining)
        announced = await self._packed.of(await self._service.announcement(survey))
        status = 201 if isinstance(assigned, Assigned) and assigned.is_new else 200
        return _packed_answer(request, status, _assignment(assigned, announced.tag))


class PackedDocuments:
    """Documents that were asked for lately, packed once, by what they say."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kept: OrderedDict[bytes, Document] = OrderedDict()

    async def of(self, content: bytes) -> Document:
        """Return the packed document of these bytes; a long one is packed beside other work."""
        document = self._kept.get(content)
        if document is None:
            self._kept[content] = document = await _packed(content)
            while sum(map(len, self._kept)) > _MOST_KEPT and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return document


async def _packed(content: bytes) -> Document:
    document = Document(content, JSON)
    await asyncio.to_thread(lambda: document.packed)
    return document


def survey_id(request: Request) -> str:
    """Return the id in the address; Rejected where no survey can be called so."""
    name: str = request.path_params["id"]
    if not _ID.fullmatch(name):
        raise Rejected("not-found")
    return name


def _api_key(request: Request) -> str | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip()[:200] if scheme.lower() == "bearer" else None


def _assignment(assigned: Assigned | NotAsked, announcement: str) -> bytes:
    told: dict[str, Any] = {"round": assigned.round, "announcement": announcement}
    if isinstance(assigned, NotAsked):
        return msgspec.json.encode({"asked": False, **told})
    handout = msgspec.Raw(assigned.handout)
    told |= {"assignment": assigned.assignment, "part": assigned.part, "handout": handout}
    return msgspec.json.encode({"asked": True, **told})


def _packed_answer(request: Request, status: int, content: bytes) -> Response:
    headers = {"vary": "Accept-Encoding"}
    if takes_gzip(request):
        content = gzip.compress(content, 5, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(content, status, headers, media_type=JSON)
