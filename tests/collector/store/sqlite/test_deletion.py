import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copy

import pytest

from hushrank.collector.store import counting
from hushrank.collector.store.opening import open_store
from hushrank.collector.store.sqlite import answers, deletion
from hushrank.collector.store.sqlite import store as sqlite_store
from hushrank.collector.store.store import Counts, Secret, StoreFailure
from tests.collector.store.running import (
    NOW,
    kinds,
    on_store,
    open_round,
    open_survey,
    person,
    upload,
)

MARK = b"~a mark that is nowhere else~"
PERSON = b"~a person of thirty-two bytes!!~"
N_UPLOADS = 3000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


async def fill(store, survey):
    await open_survey(store, survey)
    await store.save(survey, MARK, 2)
    await open_round(store, survey, 1, MARK)
    await store.join(survey, 0, 0, PERSON)
    uploads = [upload(n, MARK + b"%d" % n, MARK, survey=survey) for n in range(N_UPLOADS)]
    await store.accept(uploads, now=NOW)
    await store.close_round(survey, 0)
    await store.keep_tallies(survey, 0, MARK)
    await store.put_secrets([Secret("link", PERSON, MARK, survey)])
    await store.put_picture(survey, PERSON, MARK * 1000)


def bytes_of(path):
    return b"".join(each.read_bytes() for each in path.parent.iterdir())


def test_no_byte_of_a_deleted_survey_is_left_in_the_files(path):
    async def scenario(store):
        await fill(store, "s")
        assert MARK in bytes_of(path)
        assert PERSON in bytes_of(path)
        await store.delete("s")
        assert MARK not in bytes_of(path)
        assert PERSON not in bytes_of(path)

    on_store(str(path), scenario)


def test_no_byte_of_a_deleted_survey_is_in_a_later_backup(path):
    async def scenario(store):
        await fill(store, "s")
        await open_survey(store, "t")
        await store.delete("s")
        backup = path.parent / "elsewhere" / "backup.sqlite"
        backup.parent.mkdir()
        await store.backup(backup)
        assert backup.stat().st_size > 0
        assert MARK not in backup.read_bytes()
        assert PERSON not in backup.read_bytes()

    on_store(str(path), scenario)


def test_no_byte_of_forgotten_people_is_left_in_the_files(path):
    async def scenario(store):
        await open_survey(store)
        await store.join("s", 0, 0, PERSON)
        await store.close_round("s", 0)
        assert PERSON in bytes_of(path)
        await store.forget_people("s", 0)
        assert PERSON not in bytes_of(path)

    on_store(str(path), scenario)


def test_all_people_of_a_large_round_are_forgotten(path, monkeypatch):
    monkeypatch.setattr(deletion, "_SLICE", 2)

    async def scenario(store):
        await open_survey(store)
        for number in range(7):
            await store.join("s", 0, 0, person(number))
        await store.close_round("s", 0)
        await store.forget_people("s", 0)
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("SELECT count(*) FROM people").fetchone() == (0,)

    on_store(str(path), scenario)


def test_rows_of_many_rounds_go_in_slices(path):
    """Else all but those of the first rounds went at once, while everybody waits."""

    async def scenario(store):
        await open_survey(store)
        for round in range(30):
            assert round == 0 or await open_round(store, "s", round)
            await store.join("s", round, 0, person(round))
            await store.accept([upload(round, b"a", round=round)], now=NOW)
        await store._writer.do(deletion.hide, "s")
        left = []
        while await store._writer.do(deletion.delete_some, None):
            with closing(sqlite3.connect(path)) as database:
                rows = "SELECT (SELECT count(*) FROM answers) + (SELECT count(*) FROM people)"
                left += database.execute(rows).fetchone()
        assert left == [*reversed(range(60)), 0]

    on_store(str(path), scenario)


def test_nothing_is_told_deleted_while_somebody_still_reads_it(path, monkeypatch):
    monkeypatch.setattr(answers, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(counting, "MOST_KINDS", 100)

    async def scenario(store):
        await fill(store, "s")
        reading = store.kinds("s", 0)
        first = await anext(reading)
        deleting = asyncio.create_task(store.delete("s"))
        await asyncio.sleep(0.2)
        assert not deleting.done()
        assert await store.all() == ()
        left = [sum(kinds.times.values()) async for kinds in reading]
        assert 0 < sum(left) == 2 * N_UPLOADS - sum(first.times.values())
        assert await deleting
        assert MARK not in bytes_of(path)

    on_store(str(path), scenario)


def test_reports_to_others_are_taken_while_a_survey_is_deleted(path, monkeypatch):
    monkeypatch.setattr(deletion, "_SLICE", 50)

    async def scenario(store):
        await fill(store, "s")
        await open_survey(store, "t")
        deleting = asyncio.create_task(store.delete("s"))
        n_taken = 0
        while not deleting.done():
            told = await store.accept([upload(n_taken, b"a", survey="t")], now=NOW)
            assert told == ["new"]
            n_taken += 1
        assert n_taken > 10
        assert await deleting
        assert await store.counts("t", 0) == Counts(0, n_taken)

    on_store(str(path), scenario)


def test_the_next_sweep_empties_the_log_that_a_crash_left_after_deleting(path):
    crashed = path.parent / "crashed" / path.name
    crashed.parent.mkdir()

    async def delete(store):
        await fill(store, "s")
        await store._writer.do(deletion.hide, "s")
        while await store._writer.do(deletion.delete_some, None):
            continue
        for name in (path.name, f"{path.name}-wal"):  # and here the process dies
            copy(path.with_name(name), crashed.with_name(name))

    async def go_on(store):
        assert MARK in bytes_of(crashed)
        await store.sweep(NOW)
        assert MARK not in bytes_of(crashed)
        assert PERSON not in bytes_of(crashed)

    on_store(str(path), delete)
    on_store(str(crashed), go_on)


def test_a_log_that_somebody_kept_from_being_emptied_is_emptied_by_a_later_sweep(path, monkeypatch):
    monkeypatch.setattr(answers, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(counting, "MOST_KINDS", 100)
    monkeypatch.setattr(sqlite_store, "_PATIENCE", 0.1)

    async def scenario(store):
        await fill(store, "s")
        await store.sweep(NOW)
        reading = store.kinds("s", 0)
        await anext(reading)
        with pytest.raises(StoreFailure):
            await store.delete("s")
        await reading.aclose()
        await store.sweep(NOW)
        assert MARK not in bytes_of(path)

    on_store(str(path), scenario)


def test_a_deletion_that_was_cut_off_is_finished_by_the_next_sweep(path):
    async def begin(store):
        await fill(store, "s")
        await store._writer.do(deletion.hide, "s")  # and here the process dies

    async def go_on(store):
        assert await store.all() == ()
        assert not await kinds(store)
        assert MARK in bytes_of(path)
        await store.create("s", b"another of this name")
        await store.sweep(NOW)
        assert MARK not in bytes_of(path)
        assert await store.load("s")

    on_store(str(path), begin)
    on_store(str(path), go_on)


def test_a_deletion_that_another_process_leaves_undone_is_finished_by_any_sweep(path):
    async def scenario(store):
        for _ in range(2):
            await store.sweep(NOW)
            await fill(store, "s")
            await store._writer.do(deletion.hide, "s")  # and here the other process dies
        await store.sweep(NOW)
        assert MARK not in bytes_of(path)
        assert PERSON not in bytes_of(path)

    on_store(str(path), scenario)


def test_what_is_known_of_a_survey_is_gone_before_its_rows_are(path):
    """Its secrets, too: a process may die before the last slice."""

    async def scenario(store):
        await fill(store, "s")
        await store._writer.do(deletion.hide, "s")
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("SELECT id, blob FROM surveys").fetchall() == [(None, b"")]
            assert database.execute("SELECT count(*) FROM secrets").fetchall() == [(0,)]

    on_store(str(path), scenario)


def test_nobody_is_let_in_by_a_secret_of_a_survey_that_is_being_deleted(path):
    async def scenario(store):
        await fill(store, "s")
        assert await store.secret("link", PERSON, now=NOW)
        await store._writer.do(deletion.hide, "s")  # its rows go in slices, which take a while
        assert await store.secret("link", PERSON, now=NOW) is None

    on_store(str(path), scenario)


def test_an_upload_without_answers_left_is_closed_for_good(path):
    async def scenario(store):
        await fill(store, "s")
        await store.delete("s")
        assert await store.accept([upload(1, MARK)], now=NOW) == ["closed"]
        other = await open_store(str(path))
        assert await other.accept([upload(1, MARK)], now=NOW) == ["closed"]
        await other.close()

    on_store(str(path), scenario)
