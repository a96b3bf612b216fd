import asyncio
import threading

import pytest

from hushrank.collector.service import Service
from hushrank.collector.use_cases import lately, shelf
from hushrank.collector.use_cases.lately import Lately
from tests.collector.drafts import draft
from tests.collector.web.running import others_report


def kept_of(known: Lately[str], keys: str) -> str:
    """Return which keys are known, without making any of them the latest."""
    return "".join(key for key in keys if key in known._kept)


def test_of_many_small_things_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr(lately, "MOST_KEPT", 3)
    known = Lately()
    for key in "abc":
        assert known.keep(key, key.upper(), 1) == key.upper()
    assert known.get("a") == "A"
    known.keep("d", "D", 1)
    assert kept_of(known, "abcd") == "acd"
    assert known.get("b") is None
    known.clear()
    assert kept_of(known, "abcd") == ""


def test_fewer_large_things_are_kept_and_one_however_large(monkeypatch):
    monkeypatch.setattr(lately, "MOST_SIZE", 10)
    known = Lately()
    for key in "abcde":
        known.keep(key, key, 2)
    known.keep("a", "a", 4)  # it turned out to be larger
    assert kept_of(known, "abcde") == "acde"
    known.keep("f", "f", 5)
    assert kept_of(known, "abcdef") == "af"
    known.keep("g", "g", 1_000)
    assert kept_of(known, "abcdefg") == "g"


def test_sizes_of_all_of_many_things_count(monkeypatch):
    monkeypatch.setattr(lately, "MOST_SIZE", 30)
    known = Lately()
    for number in range(40):
        known.keep(number, str(number), 1)
    assert [*known._kept] == [*range(10, 40)]


@pytest.mark.parametrize(("most", "n_replays"), [(12, 2), (11, 6)])
def test_rounds_are_remembered_as_far_as_their_questions_have_room(
    in_service, monkeypatch, most, n_replays
):
    """Two surveys of 6 pairs: a remembered round is not worked out again."""
    replayed = []

    async def using(service):
        ids = [await service.create(draft(protocol="pairs")) for _ in range(2)]
        for id in ids:
            await service.open(id)
        service._forget()
        replay = shelf.replay
        monkeypatch.setattr(shelf, "replay", lambda *given: replayed.append(0) or replay(*given))
        monkeypatch.setattr(lately, "MOST_SIZE", most)
        for _ in range(3):
            for id in ids:
                await service.document(id, 0, 0)

    in_service(using)
    assert len(replayed) == n_replays


def test_a_round_that_is_forgotten_while_it_is_made_stays_forgotten(in_service, monkeypatch):
    """Its survey was deleted."""

    async def using(service: Service):
        id = await service.create(draft())
        await service.open(id)
        service._forget()
        replay = shelf.replay

        def deleting(*given):
            service._forget()
            return replay(*given)

        monkeypatch.setattr(shelf, "replay", deleting)
        await asyncio.gather(*(service.document(id, 0, 0) for _ in range(3)))
        assert not service._published._kept

    in_service(using)


def test_tallies_are_read_once_for_results_and_beside_other_work(in_service, monkeypatch):
    """Of a thousand items they take seconds, and who opens a public page would stop the rest."""
    read_by, decode = [], shelf.decode_tallies

    def counted(document):
        read_by.append(threading.current_thread())
        return decode(document)

    async def using(service: Service):
        id = await service.create(draft(protocol="pairs", smallest_group=5))
        await service.open(id)
        await others_report(service, id, 6)
        await service.close(id)
        monkeypatch.setattr(shelf, "decode_tallies", counted)
        found = [await service.results(id) for _ in range(3)]
        assert all(each is found[0] for each in found)
        service._forget()
        assert await service.results(id) is not found[0]

    in_service(using)
    assert len(read_by) == 2
    assert threading.main_thread() not in read_by
