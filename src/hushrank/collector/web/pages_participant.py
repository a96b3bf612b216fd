"""The participant's page: the frame in which the browser's modules show a survey.

The page knows the survey's title and language; all else its modules fetch as any device does.
"""

from functools import cached_property
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hushrank.collector.announcement import read_announcement
from hushrank.collector.client_files import client_folder
from hushrank.collector.refusals import Refusal
from hushrank.collector.service import Service
from hushrank.collector.web.api.surveys import survey_id
from hushrank.collector.web.problems import KINDS
from hushrank.collector.web.templates import page

DEFAULT = "en"
MODULES = (
    *("participate.js", "ranking-list.js", "order.js", "words.js", "device.js", "storage.js"),
    *("survey.js", "questions.js", "mechanisms.js", "randomness.js", "ledger.js"),
    *("coding.js", "exact.js", "forms.js", "errors.js"),
    *(f"participant/{name}.js" for name in ("person", "page", "views", "blocks", "elements")),
    *(f"participant/{name}.js" for name in ("strings", "odds", "notes")),
    "vendor/sha256-uint8array/sha256-uint8array.js",
)
"""What the page runs, told at once, so that a browser does not find them one after the other."""


class Languages:
    """The languages that pages speak: one file of words each."""

    def __init__(self, folder: Path) -> None:
        """Read files of `folder` when they are first needed."""
        self._folder = folder

    @cached_property
    def words(self) -> dict[str, dict[str, str]]:
        """The words of each language, by its code."""
        files = sorted(self._folder.glob("*.json"))
        return {
            path.stem: msgspec.json.decode(path.read_bytes(), type=dict[str, str]) for path in files
        }

    @property
    def names(self) -> list[tuple[str, str]]:
        """The code of each language and what it calls itself."""
        return [(code, words["language.name"]) for code, words in self.words.items()]

    def best(self, *wanted: str) -> str:
        """Return the first language that we have of those wanted, else English."""
        for tag in wanted:
            for code in (tag.lower(), tag.lower().partition("-")[0]):
                if code in self.words:
                    return code
        return DEFAULT


LANGUAGES = Languages(client_folder() / "strings")


async def show(request: Request) -> Response:
    """Show the page of a survey, in the language asked for, or else in its own."""
    title, own, status = await _survey(request, survey_id(request))
    accepted = [
        one.partition(";")[0].strip()
        for one in request.headers.get("accept-language", "").split(",")
    ]
    language = LANGUAGES.best(request.query_params.get("lang", ""), own, *accepted)
    return page(
        request,
        "participant/participant.html",
        status,
        survey=request.path_params["id"],
        preview=None,
        title=title,
        language=language,
        direction=LANGUAGES.words[language]["language.direction"],
        words=LANGUAGES.words[language],
        languages=LANGUAGES.names,
        modules=MODULES,
    )


async def _survey(request: Request, id: str) -> tuple[str, str, int]:
    """Return title, language and status; where there is none, the page itself says why."""
    service: Service = request.app.state.service
    try:
        announcement = read_announcement(await service.announcement(id))
    except Refusal as error:
        return "hushrank", "", KINDS[error.kind].status
    return announcement.title, announcement.language, 200


routes = [Route("/s/{id}", show, name="participant")]
