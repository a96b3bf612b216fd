"""A whole survey in one process, for real: a collector, and phones that answer it over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hushrank.collector.device.connection import HttpConnection
from hushrank.collector.device.device import Device
from hushrank.collector.device.memory import SimulatedMemory
from hushrank.collector.draft import Draft, make_draft
from hushrank.collector.serve import Listening, Server, loop_factory, server_config
from hushrank.collector.service import Service
from hushrank.collector.store.opening import open_store
from hushrank.collector.web.app import make_app
from hushrank.collector.web.settings import Settings
from hushrank.errors import require
from hushrank.rankings.profile import Rankings
from hushrank.workflows.progress import Progress, silent
from hushrank.workflows.results.collection import Collection

HOST = "127.0.0.1"
N_HANDS = 4
"""Phones that answer at the same time."""


def rehearsal_of(people: Rankings, epsilon: float) -> Draft:
    """Return the draft of a survey of such people, by the default protocol."""
    return make_draft(
        {
            "title": "Rehearsal",
            "items": [{"name": name} for name in people.names],
            "asked_by": "hushrank",
            "purpose": "To see a whole survey at work.",
            "contact": "whoever runs this",
            "privacy_notice": "These people are made up.",
            "epsilon": epsilon,
            "expected_people": people.n_people,
        }
    )


def rehearse(draft: Draft, people: Rankings, *, progress: Progress = silent) -> Collection:
    """Open the survey of `draft` here, let each of `people` answer on a device, and close it.

    The collector keeps its reports in a SQLite file, which is deleted at the end. Every device
    checks what it is asked, draws its noise from the operating system, and sends it by a socket.
    Privacy: that of the survey, for each person whose ranking is in `people`.
    Raises HushrankError where the survey is not one round of everybody, joined by its link.
    """
    require(draft.joining == "open", "a rehearsal joins by the survey's link")
    require(people.names == draft.names, "people: expected rankings of the survey's items")
    with (
        TemporaryDirectory(prefix="hushrank-") as folder,
        asyncio.Runner(loop_factory=loop_factory()) as runner,
    ):
        return runner.run(_rehearsed(draft, people, Path(folder) / "survey.sqlite", progress))


async def _rehearsed(draft: Draft, people: Rankings, path: Path, progress: Progress) -> Collection:
    async with _serving(path) as (service, origin):
        id = await service.create(draft)
        await service.open(id)
        progress(f"{people.n_people:,} phones answer {origin}/s/{id}")
        await asyncio.to_thread(_answer_all, origin, id, people)
        progress("closing the survey")
        await service.close(id)
        return await service.results(id)


@asynccontextmanager
async def _serving(path: Path) -> AsyncIterator[tuple[Service, str]]:
    """Serve a new store on a free port of this machine; yield the service and its origin."""
    store, listens = await open_store(str(path)), asyncio.Event()
    service = Service(store)

    async def tell() -> None:
        listens.set()

    with Listening(host=HOST, port=0).bind() as listener:
        origin = f"http://{HOST}:{listener.getsockname()[1]}"
        settings = Settings(public_url=origin, unlimited=(HOST,))
        server = Server(server_config(make_app(service, settings), settings.limits), tell)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await listens.wait()
            yield service, origin
        finally:
            server.should_exit = True
            await running
            await store.close()


def _answer_all(origin: str, survey: str, people: Rankings) -> None:
    """Let everybody answer, a few at a time; raise what went wrong for one of them."""
    orders = people.expanded().orders().tolist()
    shares = [orders[hand::N_HANDS] for hand in range(N_HANDS)]
    with ThreadPoolExecutor(N_HANDS) as hands:
        for _ in hands.map(partial(_answer, origin, survey, people.names), shares):
            pass


def _answer(origin: str, survey: str, names: tuple[str, ...], orders: list[list[int]]) -> None:
    """Let people answer one after the other, on a phone each."""
    with HttpConnection(origin) as connection:
        for order in orders:
            phone = Device(connection, SimulatedMemory())
            phone.join(survey)
            phone.answer(survey, [names[item] for item in order])
            phone.send(survey)
