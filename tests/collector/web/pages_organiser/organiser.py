"""An organiser in a test: signs in, fills in forms, and reads pages without a browser."""

from html.parser import HTMLParser
from typing import Any

import httpx
import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.collector.service import Joining, NotAsked, Service, Upload
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import read_handout
from hushrank.surveys.wire_documents import SentReport
from tests.collector.drafts import KEY
from tests.collector.web.running import Collector

ENGLISH = {"accept-language": "en"}
FILLED = {
    "title": "What to drink",
    "item_name": ["tea", "coffee", "water", "juice"],
    "unranked": "refused",
    "expected_people": "300",
    "epsilon": "2",
    "smallest_group": "5",
    "asked_by": "The kitchen",
    "purpose": "To buy the right things.",
    "contact": "kitchen@example.org",
    "privacy_notice": "Only noisy answers leave your device.",
    "language": "en",
    "joining": "open",
    "protocol": "max-entropy",
    "action": "save",
}


class Organiser:
    """Somebody who is signed in."""

    def __init__(self, collector: Collector, token: str) -> None:
        self._collector, self._token = collector, token

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self._collector.client.get(path, headers=ENGLISH | headers)

    async def post(self, path: str, fields: dict[str, Any], files: Any = None) -> httpx.Response:
        """Send a form of ours."""
        headers = ENGLISH | {"origin": self._collector.origin}
        data = {"csrf": self._token, **fields}
        send = self._collector.client.post
        return await send(path, data=data, files=files, headers=headers)

    async def made(self, **fields: Any) -> str:
        """Make a survey by its form and return its id."""
        answer = await self.post("/o/new", FILLED | fields)
        assert answer.status_code == 303, wrongs(answer.text)
        return answer.headers["location"].partition("?")[0].rpartition("/")[2]


async def signed_in(collector: Collector) -> Organiser:
    return Organiser(collector, await collector.sign_in())


async def take_part(
    service: Service,
    id: str,
    n_people: int,
    *,
    orders: NDArray[np.intp] | None = None,
    first: int = 0,
    **joining: Any,
) -> None:
    """Let people answer, by their orders, or who agree on the items' order."""
    rng = Randomness.seeded(n_people + first)
    uploads = []
    for number in range(first, first + n_people):
        lot = number * 2654435761 % 2**32
        assigned = await service.join(id, Joining(f"{number:032x}", lot, **joining))
        if isinstance(assigned, NotAsked):
            continue
        device = read_handout(assigned.handout, most_epsilon=8.0)
        order = np.arange(len(device.head.items)) if orders is None else orders[number]
        person = Rankings.from_orders(order[None, :], device.head.items)
        sent = device.answer(person, lot=lot / 2**32, rng=rng, is_simulation=True)
        reports = tuple(msgspec.json.decode(each, type=SentReport) for each in sent)
        uploads.append(Upload(assigned.assignment, KEY, reports))
    await service.accept(uploads)


class _Fields(HTMLParser):
    """Reads what stands in the fields of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: dict[str, list[str]] = {}
        self.scripts: list[str] = []
        self.wrong: list[str] = []
        self._area: str | None = None
        self._select: str | None = None
        self._is_wrong = False

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in pairs}
        name = held.get("name", "")
        if tag == "script":
            self.scripts.append(held.get("src", ""))
        if tag == "input" and name:
            is_choice = held.get("type") in ("radio", "checkbox")
            if not is_choice or "checked" in held:
                self.found.setdefault(name, []).append(held.get("value", ""))
        if tag == "textarea":
            self._area = name
            self.found.setdefault(name, []).append("")
        if tag == "select":
            self._select = name
        if tag == "option" and self._select and "selected" in held:
            self.found.setdefault(self._select, []).append(held.get("value", ""))
        if held.get("class") == "wrong":
            self._is_wrong = True
            self.wrong.append("")

    def handle_endtag(self, tag: str) -> None:
        self._area = None if tag == "textarea" else self._area
        self._select = None if tag == "select" else self._select
        self._is_wrong = self._is_wrong and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.found[self._area][-1] += data
        if self._is_wrong:
            self.wrong[-1] += data


def _read(page: str) -> _Fields:
    parser = _Fields()
    parser.feed(page)
    return parser


def fields(page: str) -> dict[str, list[str]]:
    """Return what stands in the fields of a page; a browser drops a text's first line break."""
    return {
        name: [each.removeprefix("\n") for each in values]
        for name, values in _read(page).found.items()
    }


def wrongs(page: str) -> list[str]:
    """Return what a page says is wrong, beside its fields."""
    return [each.strip() for each in _read(page).wrong]


def scripts(page: str) -> list[str]:
    """Return where the scripts of a page come from; empty for one that stands in it."""
    return _read(page).scripts
