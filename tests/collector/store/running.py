"""Run a test's coroutine on a store, and what such tests say in few words."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from hushrank.collector.store.opening import open_store
from hushrank.collector.store.store import Answer, Incoming, NewRound, Store

KEY = b"k" * 16
NOW = datetime(2026, 11, 22, 12, 34, 56, 789, tzinfo=UTC)


def on_store(address: str, scenario: Callable[[Store], Awaitable[None]]) -> None:
    """Open the store, run the scenario, close the store."""

    async def run() -> None:
        store = await open_store(address)
        try:
            await scenario(store)
        finally:
            await store.close()

    asyncio.run(run())


def person(number: int) -> bytes:
    """Return what stands for a person."""
    return number.to_bytes(32, "big")


def upload(
    number: int, *reports: bytes, survey: str = "s", round: int = 0, key: bytes = KEY
) -> Incoming:
    """Return an upload whose answers are to questions 0, 1, ... of part 0."""
    answers = tuple(Answer(0, question, report) for question, report in enumerate(reports))
    return Incoming(survey, round, number, answers, key)


async def open_survey(store: Store, survey: str = "s", round: int = 0) -> None:
    """Keep a survey with one open round."""
    await store.create(survey, b"blob")
    await open_round(store, survey, round, b"asked")


async def open_round(store: Store, survey: str, round: int, blob: bytes = b"") -> bool:
    """Open a round of a survey that stays as it is, but for its version."""
    kept = await store.load(survey)
    assert kept
    return await store.save(survey, kept.blob, kept.version, opens=NewRound(round, blob))


async def kinds(store: Store, survey: str = "s", round: int = 0) -> Counter[tuple[int, int, bytes]]:
    """Return how many times each report was given."""
    counted: Counter[tuple[int, int, bytes]] = Counter()
    async for part, question, found in store.kinds(survey, round):
        for report, times in found.items():
            counted[part, question, report] += times
    return counted
