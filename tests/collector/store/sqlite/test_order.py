"""Whoever reads the file of a store cannot tell from it in which order people came."""

import re
import sqlite3
from collections import defaultdict

import pytest

from hushrank.collector.store.sqlite import order
from hushrank.collector.store.store import ASKED, Secret
from tests.collector.store import version_1
from tests.collector.store.running import NOW, kinds, on_store, open_survey, upload

PEOPLE = [23 * n % 61 for n in range(1, 61)]
"""All of 1 to 60, as they come: few enough for one page."""
MARK = re.compile(rb"~person (\d{3})~{21}")
PAGE = 4096


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


def mark(number):
    """Return 32 bytes that name a person and are nowhere else."""
    return b"~person %03d%b" % (number, b"~" * 21)


def in_pages(path):
    """Return the people by whom there is something in each page, in the order of writing."""
    people = defaultdict(list)
    for found in MARK.finditer(path.read_bytes()):
        people[found.start() // PAGE].insert(0, int(found[1]))  # a page is filled from its end on
    return list(people.values())


async def come(store, numbers):
    for number in numbers:
        assert await store.accept([upload(number, mark(number))], now=NOW) == ["new"]


async def end(store):
    await store.close_round("s", 0)
    await store.forget_people("s", 0)


def test_who_came_at_one_moment_stands_in_no_order_of_coming(tmp_path):
    """Byte for byte, also while the round is open."""

    def file_of(numbers, name):
        async def scenario(store):
            await open_survey(store)
            sent = [upload(number, mark(number)) for number in numbers]
            assert await store.accept(sent, now=NOW) == ["new"] * len(sent)

        on_store(str(tmp_path / name), scenario)
        return (tmp_path / name).read_bytes()

    assert file_of(PEOPLE, "one.sqlite") == file_of(sorted(PEOPLE), "other.sqlite")


@pytest.mark.block_sizes
def test_reports_of_an_ended_round_do_not_stand_as_they_came(path):
    async def scenario(store):
        await open_survey(store)
        await come(store, PEOPLE)
        assert await kinds(store) == {(0, 0, mark(number)): 1 for number in PEOPLE}
        await end(store)
        assert in_pages(path) == [sorted(PEOPLE)]
        assert await kinds(store) == {(0, 0, mark(number)): 1 for number in PEOPLE}

    on_store(str(path), scenario)


def test_reports_of_many_slices_are_all_kept_and_known_again(path, monkeypatch):
    in_slices(monkeypatch, 7, 2)

    async def scenario(store):
        await open_survey(store)
        await open_survey(store, "t")
        await come(store, PEOPLE)
        await store.accept([upload(5, b"another", survey="t")], now=NOW)
        await end(store)
        assert [sorted(people) for people in in_pages(path)] == [sorted(PEOPLE)]
        assert await kinds(store) == {(0, 0, mark(number)): 1 for number in PEOPLE}
        assert await kinds(store, "t") == {(0, 0, b"another"): 1}
        again = [upload(5, mark(5)), upload(6, mark(5))]
        assert await store.accept(again, now=NOW) == ["same", "closed"]

    on_store(str(path), scenario)


def in_slices(monkeypatch, of_slice, of_both):
    monkeypatch.setattr(order, "_SLICE", of_slice)
    monkeypatch.setattr(order, "_AGAIN", of_both)


def test_where_slices_meet_nothing_stays_as_it_came(tmp_path, monkeypatch):
    """Pages of sixty: where rows of two slices kept places of their own, no two would be alike."""
    in_slices(monkeypatch, 170, 120)

    def left(factor):
        came = [factor * n % 307 for n in range(1, 307)]

        async def scenario(store):
            await open_survey(store)
            await come(store, came)
            await end(store)

        path = tmp_path / f"{factor}.sqlite"
        on_store(str(path), scenario)
        pages = [people for people in in_pages(path) if len(people) > 9]
        assert sum(map(len, pages)) >= 300  # but for those that part pages
        assert all(people != [n for n in came if n in people] for people in pages)
        return tuple(sorted(map(tuple, pages)))

    factors = (30, 45, 116, 200)
    assert len(set(map(left, factors))) < len(factors)


def test_answers_of_one_assignment_may_fill_a_slice(path, monkeypatch):
    in_slices(monkeypatch, 5, 2)

    async def scenario(store):
        await open_survey(store)
        for number in PEOPLE[:9]:
            assert await store.accept([upload(number, *[mark(number)] * 5)], now=NOW) == ["new"]
        await end(store)
        assert (await kinds(store)).total() == 45

    on_store(str(path), scenario)


@pytest.mark.block_sizes
def test_who_was_asked_does_not_stand_as_they_came(path):
    async def scenario(store):
        await store.create("another", b"")  # so that survey and round have numbers of their own
        await open_survey(store)
        for number in PEOPLE:
            await store.put_secrets([Secret(ASKED, mark(number), b"\1", "s")])
        await store.put_secrets([Secret("other", mark(99), b"\1", "s")])
        await end(store)
        in_table, in_index = in_pages(path)
        assert [n for n in in_table if n < 99] == [n for n in in_index if n < 99] == sorted(PEOPLE)
        for kind, number in ((ASKED, 1), (ASKED, 60), ("other", 99)):
            assert await store.secret(kind, mark(number), now=NOW)

    on_store(str(path), scenario)


def test_reports_of_rounds_that_ended_long_ago_are_sorted_when_the_store_is_opened(path):
    connection = sqlite3.connect(path)
    connection.executescript(version_1.SQLITE.read_text())
    rows = [(1, 1000 + number, 0, 0, 0, mark(number)) for number in PEOPLE]
    connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()

    async def scenario(store):
        assert len(await kinds(store)) == len(PEOPLE) + 2

    on_store(str(path), scenario)
    assert [people for people in in_pages(path) if len(people) > 1] == [sorted(PEOPLE)]
