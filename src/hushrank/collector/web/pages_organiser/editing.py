"""Make a survey, change it, read it from a file and write it to one."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.collector.draft import MOST_PEOPLE, Draft, Form, mark_of, read_draft, write_draft
from hushrank.collector.web.pages_organiser.forecast_words import (
    ForecastWords,
    forecast_words,
    lies_of,
)
from hushrank.collector.web.pages_organiser.form.checks import Checked, Wrong, check
from hushrank.collector.web.pages_organiser.form.options import FIELDS
from hushrank.collector.web.pages_organiser.form.typed import (
    EPSILONS,
    MOST_ROWS,
    Typed,
    blank,
    typed_in,
    typed_of,
)
from hushrank.collector.web.pages_organiser.showing import (
    clock_of,
    download,
    go,
    service_of,
    show,
    words_of,
)
from hushrank.collector.web.pages_organiser.words import Words
from hushrank.collector.web.pages_participant import LANGUAGES
from hushrank.collector.web.problems import Rejected
from hushrank.collector.web.sessions import form, needs_organiser
from hushrank.errors import HushrankError
from hushrank.protocols.registry import DEFAULT


@needs_organiser
async def new(request: Request) -> Response:
    """Show the form of a new survey, or make one of it."""
    t = words_of(request)
    if request.method != "POST":
        begun = blank({"privacy_notice": t("notice.default"), "language": t.language})
        return _form(request, t, begun)
    return await _sent(request, None, None)


@needs_organiser
async def edit(request: Request) -> Response:
    """Show the form of a draft, or change it."""
    id = request.path_params["id"]
    survey = await service_of(request).survey(id)
    survey.life.require_editable()
    if request.method != "POST":
        return _form(request, words_of(request), typed_of(survey.draft), id, survey.draft)
    return await _sent(request, id, survey.draft)


@needs_organiser
async def read_file(request: Request) -> Response:
    """Show where a file is put, or make a survey of it."""
    if request.method != "POST":
        return show(request, "import.html", refused=None, text="")
    fields = await form(request)
    text = str(fields.get("text", ""))
    form_of_it = _form_of(text)
    upload = fields.get("file")
    if isinstance(upload, UploadFile) and upload.filename:
        text = (await upload.read()).decode("utf-8", "replace")
        form_of_it = "json" if upload.filename.lower().endswith(".json") else "toml"
    try:
        draft, pictures = await asyncio.to_thread(read_draft, text, form=form_of_it)
        id = await service_of(request).create(draft, pictures)
    except HushrankError as error:
        return show(request, "import.html", 422, refused=str(error), text=text)
    return go(f"/o/surveys/{id}", done="imported")


@needs_organiser
async def written(request: Request) -> Response:
    """Return a survey as a file."""
    id, name = request.path_params["id"], request.path_params["form"]
    forms: dict[str, Form] = {"toml": "toml", "json": "json"}
    if name not in forms:
        raise Rejected("no-page")
    service = service_of(request)
    survey, pictures = await service.survey(id), await service.pictures(id)
    content = await asyncio.to_thread(write_draft, survey.draft, pictures, form=forms[name])
    types = {"toml": "application/toml", "json": "application/json"}
    return download(content, f"survey-{id}.{name}", types[name])


@needs_organiser
async def forecast(request: Request) -> Response:
    """Return what the planner foretells for what stands in the form, as JSON."""
    asked = request.query_params
    typed = Typed({name: asked.get(name, "") for name in ("protocol", "epsilon", "people")})
    try:
        n_items = int(asked.get("items", ""))
    except ValueError:
        n_items = 0
    t = words_of(request)
    told = _forecast(t, typed, n_items, people=typed["people"])
    lies = lies_of(float(typed.epsilon)) if _is_epsilon(typed.epsilon) else None
    body = msgspec.json.encode({**msgspec.to_builtins(told), "lies": lies})
    return Response(body, media_type="application/json")


async def _sent(request: Request, id: str | None, earlier: Draft | None) -> Response:
    """Keep what was typed if it is right; else show the form again, with all that was typed."""
    t, fields = words_of(request), await form(request)
    typed = await typed_in(fields)
    if fields.get("action") == "forecast":
        return _form(request, t, typed, id, earlier)
    checked = await check(typed, earlier=earlier, now=clock_of(request)())
    if checked.draft is None:
        return _form(request, t, typed, id, earlier, checked)
    service, pictures = service_of(request), dict(checked.pictures)
    if id is None or earlier is None:
        id = await service.create(checked.draft, pictures)
        return go(f"/o/surveys/{id}", done="created")
    await service.edit(id, checked.draft, pictures, mark=mark_of(earlier))
    return go(f"/o/surveys/{id}", done="saved")


def _form(
    request: Request,
    t: Words,
    typed: Typed,
    id: str | None = None,
    earlier: Draft | None = None,
    checked: Checked | None = None,
) -> Response:
    wrong: Mapping[str, Wrong] = checked.wrong if checked else {}
    n_items = len(earlier.items) if earlier and typed.keeps_items else len(typed.items)
    return show(
        request,
        "form.html",
        422 if wrong else 200,
        id=id,
        mark=_mark(typed, earlier, is_told=checked is not None),
        typed=typed,
        wrong=wrong,
        problems=[(name, _label(t, name)) for name in wrong if name != "items" or len(wrong) == 1],
        n_items=n_items,
        most_rows=MOST_ROWS,
        epsilons=[(f"{each:g}", lies_of(each)) for each in EPSILONS],
        survey_languages={typed["language"]: typed["language"]} | dict(LANGUAGES.names),
        options=FIELDS,
        is_advanced=_is_advanced(typed, wrong),
        closes_utc=_closes_utc(typed),
        forecast=_forecast(t, typed, n_items, people=typed["expected_people"]),
    )


def _mark(typed: Typed, earlier: Draft | None, *, is_told: bool) -> str:
    """Return the mark of the draft that the form replaces; empty for a new survey.

    It is the one that the form was opened with, until its reader is told of a newer one.
    """
    if earlier is None:
        return ""
    return mark_of(earlier) if is_told or not typed["draft"] else typed["draft"]


def _forecast(t: Words, typed: Typed, n_items: int, *, people: str) -> ForecastWords:
    try:
        n_people = int("".join(people.split()))
    except ValueError:
        n_people = 0
    if n_people > MOST_PEOPLE or not _is_epsilon(typed.epsilon):
        n_people = 0
    epsilon = float(typed.epsilon) if n_people else 1.0
    protocol = typed["protocol"] if typed["protocol"] in FIELDS else DEFAULT
    return forecast_words(t, protocol=protocol, items=n_items, people=n_people, epsilon=epsilon)


def _is_epsilon(text: str) -> bool:
    try:
        return 0 < float(text) <= 8
    except ValueError:
        return False


def _label(t: Words, name: str) -> str:
    """Return what a field is called on the page."""
    if name.startswith("item."):
        _, number, part = name.split(".")
        return t(f"form.wrong_item.{part}", number=int(number) + 1)
    if name.startswith("option."):
        return t(f"option.{name.rpartition('.')[2]}")
    return t(f"form.{name}")


def _is_advanced(typed: Typed, wrong: Mapping[str, Any]) -> bool:
    """Whether the advanced part has something to show."""
    is_wrong = any(name.startswith(("protocol", "option", "allowed")) for name in wrong)
    return is_wrong or typed["protocol"] != DEFAULT or bool(typed["allowed_origins"])


def _closes_utc(typed: Typed) -> str:
    """Return the closing time for the page's module, empty where there is none."""
    try:
        closes = typed.closes
    except (ValueError, OverflowError):
        return ""
    return "" if closes is None else closes.strftime("%Y-%m-%dT%H:%M:%SZ")


def _form_of(text: str) -> Form:
    return "json" if text.lstrip().startswith("{") else "toml"


routes = [
    Route("/o/new", new, methods=["GET", "POST"]),
    Route("/o/import", read_file, methods=["GET", "POST"]),
    Route("/o/forecast", forecast),
    Route("/o/surveys/{id}/edit", edit, methods=["GET", "POST"]),
    Route("/o/surveys/{id}/survey.{form}", written),
]
