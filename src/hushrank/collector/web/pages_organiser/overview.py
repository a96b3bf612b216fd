"""The list of surveys, and one survey as it stands."""

import re
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.accounting.words import loss_in_words
from hushrank.collector.draft import Draft, mark_of
from hushrank.collector.refusals import Refusal
from hushrank.collector.service import LiveSurvey
from hushrank.collector.use_cases.answering import MOST_INVITATIONS
from hushrank.collector.web.pages_organiser.forecast_words import forecast_words, lies_of
from hushrank.collector.web.pages_organiser.poisoning_words import (
    forgery_words,
    suspicion_words,
)
from hushrank.collector.web.pages_organiser.showing import (
    clock_of,
    go,
    service_of,
    settings_of,
    show,
    words_of,
)
from hushrank.collector.web.sessions import needs_organiser
from hushrank.collector.web.settings import Settings, is_loopback
from hushrank.errors import HushrankError

MOST_NAMES = 40
"""Of items, on the page of a survey."""
DONE = (
    *("created", "saved", "imported", "copied", "opened", "round_closed", "closed"),
    *("published", "unpublished", "deleted"),
)
"""What a page may say that was done."""
_BRACKETS = re.compile(r"\[[^\[\]\n]+\]")
"""What a privacy notice to begin with leaves open."""


@needs_organiser
async def surveys(request: Request) -> Response:
    """Show all surveys, the newest first."""
    found = await service_of(request).surveys()
    return show(request, "surveys.html", surveys=found, done=_done(request))


@needs_organiser
async def survey(request: Request) -> Response:
    """Show a survey."""
    return await survey_page(request)


@needs_organiser
async def progress(request: Request) -> Response:
    """Return how many people joined and reported, as JSON: never what they reported."""
    id = request.path_params["id"]
    service = service_of(request)
    found = await service.survey(id)
    bins = await service.progress(id, found.life.round) if found.life.round is not None else ()
    told = {
        "state": found.life.state,
        "round": found.life.round,
        "joined": found.counts[-1].joined if found.counts else 0,
        "reported": found.counts[-1].reported if found.counts else 0,
        "bins": [[each.start.strftime("%Y-%m-%dT%H:%M:%SZ"), each.reports] for each in bins],
    }
    return Response(msgspec.json.encode(told), media_type="application/json")


async def survey_page(request: Request, status: int = 200, **more: Any) -> Response:
    """Return the page of a survey; `more`: what was typed on it, and what was refused."""
    service, id = service_of(request), request.path_params["id"]
    found = await service.survey(id)
    ended = await _ended(request, found)
    has_results = found.life.has_ended and not ended["too_few"]
    seen: dict[str, Any] = {
        "survey": found,
        "done": _done(request),
        "most_names": MOST_NAMES,
        "link": link_of(request, id),
        "reach": _reach(settings_of(request)),
        "conflicts": await service.conflicts(id),
        "forgery": await _forgery(request, found),
        "cannot_open": await _cannot_open(request, found),
        **_planned(request, found.draft),
        **await _taken_part(request, found),
        **ended,
        **await _tested(request, found, in_detail=has_results),
    }
    return show(request, "survey.html", status, **(seen | more))


def _planned(request: Request, draft: Draft) -> dict[str, Any]:
    """Say what the draft foretells, and what its forms show before anything was typed."""
    asked: dict[str, Any] = {
        "protocol": draft.protocol,
        "items": len(draft.items),
        "people": draft.expected_people,
        "epsilon": draft.epsilon,
    }
    return {
        "mark": mark_of(draft),
        "epsilon": words_of(request).numeral(loss_in_words(draft.epsilon)),
        "lies": lies_of(draft.epsilon),
        "forecast": forecast_words(words_of(request), **asked),
        "has_brackets": _BRACKETS.search(draft.privacy_notice) is not None,
        "is_past": draft.closes_utc is not None and draft.closes_utc <= clock_of(request)(),
        "most_invitations": MOST_INVITATIONS,
        "refused": None,
        "typed_n": min(draft.expected_people, MOST_INVITATIONS),
        "wrong_n": False,
        "typed_closes": "",
        "wrong_closes": None,
    }


async def _taken_part(request: Request, found: LiveSurvey) -> dict[str, Any]:
    """Say how many people joined and reported: in the last round, or of all once it has ended."""
    life, counts = found.life, found.counts
    bins = () if life.round is None else await service_of(request).progress(found.id, life.round)
    reported = counts[-1].reported if counts else 0
    of_all = sum(each.reported for each in counts)
    return {
        "bins": bins,
        "joined": counts[-1].joined if counts else 0,
        "reported": of_all if life.has_ended else reported,
        "share": min(100.0, 100 * reported / found.draft.expected_people),
        "has_rounds": _has_more_rounds(found),
    }


def link_of(request: Request, id: str) -> str:
    """Return the address at which people take part."""
    return f"{settings_of(request).origin}/s/{id}"


def _done(request: Request) -> str | None:
    done = request.query_params.get("done")
    return done if done in DONE else None


def _reach(settings: Settings) -> str:
    """Say who can open the link: this computer alone, anybody, or anybody without protection."""
    if is_loopback(settings.host.rpartition(":")[0] or settings.host):
        return "here"
    return "all" if settings.is_https else "plain"


def _has_more_rounds(found: LiveSurvey) -> bool:
    """Whether another round can follow the one that is open: SAFARI asks twice."""
    return found.draft.protocol == "safari" and found.life.round == 0


async def _cannot_open(request: Request, found: LiveSurvey) -> str | None:
    """Say why a draft cannot be opened, if it cannot."""
    if found.life.state != "draft":
        return None
    try:
        await service_of(request).preview(found.id)
    except HushrankError as error:
        return str(error)
    return None


async def _forgery(request: Request, found: LiveSurvey) -> list[str]:
    """Say what forged reports can do, as long as the survey is a draft that could be opened."""
    if found.life.state != "draft":
        return []
    try:
        forgery = await service_of(request).forgery(found.id)
    except HushrankError:
        return []
    return forgery_words(words_of(request), found.draft, forgery)


async def _ended(request: Request, found: LiveSurvey) -> dict[str, Any]:
    """Say whether there are results."""
    refused = None
    if found.life.has_ended:
        try:
            await service_of(request).results(found.id)
        except Refusal as error:
            refused = {"kind": error.kind, "words": str(error)}
        except HushrankError as error:
            refused = {"kind": "not-ready", "words": str(error)}
    too_few = refused is not None and refused["kind"] == "too-few"
    return {"too_few": too_few, "results_refused": None if too_few else refused}


async def _tested(request: Request, found: LiveSurvey, *, in_detail: bool) -> dict[str, Any]:
    """Say whether reports of ended rounds look forged; `in_detail` where results can be seen."""
    tested = await service_of(request).suspicion(found.id)
    words = suspicion_words(words_of(request), found.draft.names, tested)
    return {
        "is_suspicious": bool(words),
        "suspicion": words if in_detail else [],
        "was_tested": any(each.n_tests for each in tested),
    }


@needs_organiser
async def home(request: Request) -> Response:
    """Lead to the list of surveys."""
    return go("/o/")


routes = [
    Route("/o/", surveys),
    Route("/o", home),
    Route("/o/surveys/{id}", survey),
    Route("/o/surveys/{id}/progress", progress),
]
