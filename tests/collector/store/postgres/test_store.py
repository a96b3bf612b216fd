import asyncio

import pytest

from hushrank.collector.store.batches import ServerAway
from hushrank.collector.store.migrations import steps
from hushrank.collector.store.opening import open_store
from hushrank.collector.store.postgres import answers, connections, deletion, people
from hushrank.collector.store.postgres.connections import transaction
from hushrank.collector.store.store import Answer, Counts, Incoming, Secret, StoreFailure
from hushrank.errors import HushrankError
from tests.collector.store import version_1
from tests.collector.store.running import KEY, NOW, kinds, on_store, open_survey, person, upload

pytestmark = pytest.mark.end_to_end  # it starts a server

TABLES = "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'hushrank'"
KEPT = {"schema_version", "signing_keys"}


def test_no_row_of_a_deleted_survey_is_left_in_any_table(database):
    async def scenario(store):
        await version_1.fill(store)
        await store.take_secret(version_1.LINK.kind, version_1.LINK.digest, now=NOW)
        tables = {name for (name,) in await store._pool.fetch(TABLES)}
        assert len(tables) == 11
        assert await rows_of(store, tables - KEPT)
        await store.delete("s")
        assert await rows_of(store, tables - KEPT) == 0

    on_store(database, scenario)


def test_no_answer_is_left_where_several_deletions_were_cut_off(database):
    """Nobody would find it again: answers are of a round that is no more."""

    async def scenario(store):
        for survey in (f"s{n}" for n in range(24)):
            await open_survey(store, survey)
            await store.accept([upload(1, b"0", survey=survey)], now=NOW)
            async with connections.transaction(store._pool) as lent:
                assert await deletion.hide(lent, survey)
        assert await rows_of(store, ["answers"]) > 0
        await store.sweep(NOW)
        assert await rows_of(store, ["answers", "surveys", "rounds"]) == 0

    on_store(database, scenario)


def test_what_several_processes_count_is_added_up(database):
    async def scenario(store):
        await open_survey(store)
        other = await open_store(database)
        for number, each in enumerate((store, other)):
            for report in (b"a", b"b"):
                await each.accept([upload(number, report)], now=NOW)
        await other.close()
        assert await store.counts("s", 0) == Counts(0, 2)
        assert [each.reports for each in await store.progress("s", 0)] == [2]
        assert await store.conflicts("s") == 2

    on_store(database, scenario)


def test_who_was_asked_is_in_no_order_when_the_round_has_ended(database):
    """Beside reports, which are there as they came, it would tell whose each is."""
    lies = "SELECT digest FROM hushrank.secrets WHERE survey IS NOT NULL ORDER BY ctid"

    async def scenario(store):
        await open_survey(store)
        digests = [person(n * 7 % 20) for n in range(20)]
        for digest in digests:
            await store.put_secrets([Secret("asked", digest, b"0", "s")])
        elsewhere = Secret("session", person(99), b"")
        await store.put_secrets([elsewhere])
        await store.close_round("s", 0)
        assert [row["digest"] for row in await store._pool.fetch(lies)] == digests
        await store.forget_people("s", 0)
        assert [row["digest"] for row in await store._pool.fetch(lies)] == sorted(digests)
        assert await store.secret("asked", digests[3], now=NOW) is not None
        assert await store.secret("session", person(99), now=NOW) == elsewhere

    on_store(database, scenario)


def test_reports_are_in_no_order_when_the_round_has_ended(database):
    """Their transactions would tell it, too; a dump of the tables lists rows as they lie."""
    lies = "SELECT number, nth FROM hushrank.answers WHERE round = 1 ORDER BY ctid"
    came = "SELECT count(DISTINCT xmin::text) FROM hushrank.answers"

    async def scenario(store):
        await open_survey(store)
        await open_survey(store, "t")
        for number in range(20):
            await store.accept([upload(number * 7 % 20 + 1, b"a", b"b")], now=NOW)
        await store.accept([upload(3, b"c", survey="t")], now=NOW)
        await store.close_round("s", 0)
        assert await store._pool.fetchval(came) == 21
        before = await kinds(store)
        await store.forget_people("s", 0)
        assert await store._pool.fetchval(came) == 2
        found = [tuple(row) for row in await store._pool.fetch(lies)]
        assert found == [(number, nth) for number in range(1, 21) for nth in (0, 1)]
        assert await kinds(store) == before == {(0, 0, b"a"): 20, (0, 1, b"b"): 20}
        assert await kinds(store, "t") == {(0, 0, b"c"): 1}
        again = [upload(5, b"a", b"b"), upload(21, b"a")]
        assert await store.accept(again, now=NOW) == ["same", "closed"]

    on_store(database, scenario)


@pytest.mark.parametrize("what", ["forget", "delete"])
def test_what_many_rows_need_may_take_as_long_as_it_takes(database, monkeypatch, what):
    monkeypatch.setattr(connections, "_LONGEST", 2.0)

    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a")], now=NOW)
        await store.close_round("s", 0)
        async with transaction(store._pool) as lent:
            await lent.execute("SELECT FROM hushrank.answers FOR UPDATE")
            asked = store.forget_people("s", 0) if what == "forget" else store.delete("s")
            waiting = asyncio.create_task(asked)
            await asyncio.sleep(3)
        await waiting
        assert await rows_of(store, ["answers"]) == (what == "forget")

    on_store(database, scenario)


def test_a_survey_is_deleted_with_reports_that_were_just_written_anew(database):
    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a")], now=NOW)
        await store.close_round("s", 0)
        async with transaction(store._pool) as lent:
            await people.forget(lent, "s", 0)
            deleting = asyncio.create_task(store.delete("s"))
            await asyncio.sleep(0.2)
            assert not deleting.done()
        assert await deleting
        assert await rows_of(store, ["answers"]) == 0

    on_store(database, scenario)


def test_who_was_asked_is_dropped_though_it_was_just_written_anew(database):
    async def scenario(store):
        await open_survey(store)
        for number in range(3):
            await store.join("s", 0, 0, person(number), once=True)
        await store.close_round("s", 0)
        async with transaction(store._pool) as lent:
            await people.forget(lent, "s", 0)
            dropping = asyncio.create_task(store.drop_secrets("asked", "s"))
            await asyncio.sleep(0.2)
            assert not dropping.done()
        assert await dropping == 3
        assert await rows_of(store, ["secrets"]) == 0

    on_store(database, scenario)


def test_no_row_of_forgotten_people_is_left(database):
    async def scenario(store):
        await open_survey(store)
        await store.join("s", 0, 0, person(1))
        await store.close_round("s", 0)
        assert await rows_of(store, ["people"]) == 1
        await store.forget_people("s", 0)
        assert await rows_of(store, ["people"]) == 0

    on_store(database, scenario)


STATISTICS = (
    "SELECT tablename, attname, concat(most_common_vals, histogram_bounds, most_common_elems)"
    " FROM pg_stats WHERE schemaname = 'hushrank'"
)
NUMBERS_OF_ROWS = {"key", "survey", "round", "nth", "slot", "kind", "version", "is_open"}
"""Of these columns, and `expires`, the server may keep what ANALYZE found; not of `answers.key`."""


def test_no_survey_that_asks_somebody_once_is_deleted_meanwhile(database):
    """Of many who join at one moment, those that come last, too."""
    surveys = [f"s{n:02}" for n in range(60)]
    joining = [people.Joining((name, 0), 0, person(1), n > 30) for n, name in enumerate(surveys)]
    free = "SELECT id FROM hushrank.surveys ORDER BY id FOR UPDATE SKIP LOCKED"

    async def scenario(store):
        for name in surveys:
            await open_survey(store, name)
        await store.put_secrets([Secret("asked", person(1), b"")])
        async with transaction(store._pool) as lent, transaction(store._pool) as other:
            await people.join(lent, joining)
            assert [id for (id,) in await other.fetch(free)] == surveys[:31]

    on_store(database, scenario)


async def fill_and_end(store):
    """Let thirty people join and report, and everything be deleted that can be."""
    await version_1.fill(store)
    await open_survey(store, "u")
    for number in range(30):
        await store.join("u", 0, number, person(number), once=True)
        await store.accept([upload(number, b"%d" % (number % 3), survey="u")], now=NOW)
        await store.put_secrets([Secret("asked", person(100 + number), b"0", "u")])
    await store._pool.execute("ANALYZE")
    await store.close_round("u", 0)
    await store.forget_people("u", 0)
    for survey in ("s", "u"):
        await store.delete(survey)
    await store._pool.execute("ANALYZE")


def test_the_servers_statistics_keep_nothing_of_people_or_surveys(database):
    """They outlive the rows, and VACUUM: by an invitation list they would tell who had joined."""

    async def scenario(store):
        await fill_and_end(store)
        kept = await store._pool.fetch(STATISTICS)
        told = {(table, column) for table, column, _ in kept} - {("schema_version", "version")}
        assert {column for _, column in told} <= {*NUMBERS_OF_ROWS, "expires"}
        assert ("answers", "key") not in told
        assert ("answers", "round") in told  # else ANALYZE has kept nothing at all

    on_store(database, scenario)


def test_what_the_statistics_held_of_people_is_dropped_by_the_newest_schema(database):
    """They were analysed before it: as in an older database."""
    (sql,) = [each for each in steps("postgres") if "SET STATISTICS 0" in each]

    async def scenario(store):
        for column in ("people.person", "secrets.digest", "answers.report"):
            table, _, name = column.partition(".")
            alter = f"ALTER TABLE hushrank.{table} ALTER COLUMN {name} SET STATISTICS"
            await store._pool.execute(f"{alter} -1")
        await fill_and_end(store)
        held = [tuple(row) for row in await store._pool.fetch(STATISTICS)]
        digests = [person(n).hex() for n in range(30)]
        assert any(digest in values for *_, values in held for digest in digests)
        assert {("people", "person"), ("secrets", "digest"), ("answers", "report")} <= {
            row[:2] for row in held
        }
        await store._pool.execute(sql)
        left = {(table, column) for table, column, _ in await store._pool.fetch(STATISTICS)}
        assert not left & {("people", "person"), ("secrets", "digest"), ("answers", "report")}

    on_store(database, scenario)


async def rows_of(store, tables):
    counted = [
        await store._pool.fetchval(f"SELECT count(*) FROM hushrank.{name}") for name in tables
    ]
    return sum(counted)


def test_a_deletion_that_was_cut_off_is_finished_by_the_next_sweep(database):
    async def scenario(store):
        await version_1.fill(store)
        await store._pool.execute("UPDATE hushrank.surveys SET id = NULL")
        assert await store.all() == ()
        await store.sweep(NOW)
        assert await rows_of(store, ["surveys", "rounds", "answers"]) == 0

    on_store(database, scenario)


def test_what_is_known_of_a_survey_is_gone_before_its_rows_are(database):
    async def scenario(store):
        await version_1.fill(store)
        async with connections.transaction(store._pool) as lent:
            await deletion.hide(lent, "s")
        invitation = version_1.INVITATION
        assert await store.secret(invitation.kind, invitation.digest, now=NOW) is None
        left = await store._pool.fetch("SELECT id, blob FROM hushrank.surveys")
        assert [tuple(row) for row in left] == [(None, b"")]

    on_store(database, scenario)


def test_answers_that_come_in_while_a_survey_is_deleted_are_deleted_with_it(database):
    async def scenario(store):
        await open_survey(store)
        sent = answers._Sent((("s", 0), 1), (KEY, upload(1, b"a").answers), 0)
        async with connections.transaction(store._pool) as lent:
            assert await answers._add_first(lent, [sent])
            deleting = asyncio.create_task(store.delete("s"))
            await asyncio.sleep(0.3)
        assert await deleting
        assert await rows_of(store, ["answers"]) == 0

    on_store(database, scenario)


def test_of_several_processes_one_wins_an_assignment_with_all_its_answers(database):
    async def scenario(store):
        others = [await open_store(database) for _ in range(3)]
        stores = [store, *others]
        await open_survey(store)
        for number in range(100):
            told = await asyncio.gather(
                *(
                    each.accept([upload(number, *[b"%d" % n] * (n + 1))], now=NOW)
                    for n, each in enumerate(stores)
                )
            )
            assert sorted(told) == [["new"], ["other"], ["other"], ["other"]]
        answered = await kinds(store)
        for n in range(4):
            of_process = {
                times for (_, _, report), times in answered.items() if report == b"%d" % n
            }
            assert len(of_process) <= 1  # each of its answers as often as the others
        assert await store.counts("s", 0) == Counts(0, 100)
        assert await store.conflicts("s") == 300
        for each in others:
            await each.close()

    on_store(database, scenario)


def test_people_who_join_by_several_processes_get_places_without_gaps(database):
    async def scenario(store):
        other = await open_store(database)
        await open_survey(store)
        places = await asyncio.gather(
            *((store, other)[n % 2].join("s", 0, n // 2 % 3, person(n // 3)) for n in range(300))
        )
        new = [place for place in places if place.is_new]
        assert len({place.number for place in new}) == len(new) == 100
        assert len({place.number for place in places}) == 100
        for deck in range(3):
            positions = sorted(place.position for place in new if place.deck == deck)
            assert positions == list(range(len(positions)))
        await other.close()

    on_store(database, scenario)


def test_people_who_join_at_one_moment_by_several_processes_get_different_places(database):
    async def scenario(store):
        stores = [store, *[await open_store(database) for _ in range(3)]]
        await open_survey(store)
        positions = []
        for first in range(0, 160, 4):
            joining = (each.join("s", 0, 0, person(first + n)) for n, each in enumerate(stores))
            positions += [place.position for place in await asyncio.gather(*joining)]
        assert sorted(positions) == list(range(160))
        await asyncio.gather(*(each.close() for each in stores[1:]))

    on_store(database, scenario)


def test_nothing_is_added_to_a_round_after_it_was_closed(database):
    async def scenario(store):
        other = await open_store(database)
        for round in range(10):
            await open_survey(store, f"s{round}")
            sending = asyncio.gather(
                *(
                    (store, other)[number % 2].accept(
                        [upload(number, b"a", survey=f"s{round}")], now=NOW
                    )
                    for number in range(200)
                ),
            )
            await asyncio.sleep(0.003 * round)
            await store.close_round(f"s{round}", 0)
            counts = await store.counts(f"s{round}", 0)
            assert (await sending).count(["new"]) == counts.reported
            assert await store.counts(f"s{round}", 0) == counts
        await other.close()

    on_store(database, scenario)


def test_a_round_ends_after_those_who_are_joining_it(database):
    """Who is written down after all were forgotten would never be forgotten."""

    async def scenario(store):
        await open_survey(store)
        async with transaction(store._pool) as lent:
            (place,) = await people.join(lent, [people.Joining(("s", 0), 0, person(1))])
            closing = asyncio.create_task(store.close_round("s", 0))
            done, _ = await asyncio.wait([closing], timeout=0.5)
            assert place.is_new
            assert not done
        assert await closing
        await store.forget_people("s", 0)
        assert await rows_of(store, ["people"]) == 0

    on_store(database, scenario)


def test_a_connection_that_is_cut_is_told_and_replaced(database):
    async def scenario(store):
        await open_survey(store)
        cut = (
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        other = await open_store(database)
        sending = [asyncio.create_task(store.accept([upload(n, b"a")], now=NOW)) for n in range(20)]
        while not await other._pool.fetchval(cut):
            continue
        told = await asyncio.gather(*sending, return_exceptions=True)
        assert all(each == ["new"] or isinstance(each, ServerAway) for each in told)
        again = await store.accept([upload(n, b"a") for n in range(20)], now=NOW)
        assert set(again) <= {"new", "same"}
        assert await store.counts("s", 0) == Counts(0, 20)
        await other.close()

    on_store(database, scenario)


def test_an_upload_that_the_server_refuses_fails_alone(database):
    async def scenario(store):
        await open_survey(store)
        await store._pool.execute("ALTER TABLE hushrank.answers ADD CHECK (report <> 'unforeseen')")
        told = await asyncio.gather(
            *(
                store.accept([upload(n, b"unforeseen" if n == 3 else b"a")], now=NOW)
                for n in range(8)
            ),
            return_exceptions=True,
        )
        assert [n for n, each in enumerate(told) if each != ["new"]] == [3]
        assert str(told[3]) == "the store failed: CheckViolationError"

    on_store(database, scenario)


def test_a_backup_is_refused_by_naming_what_makes_one(database, tmp_path):
    async def scenario(store):
        with pytest.raises(HushrankError) as refused:
            await store.backup(tmp_path / "backup")
        assert " ".join(DUMP) in str(refused.value)
        assert " ".join(RESTORE) in str(refused.value)

    on_store(database, scenario)


DUMP = ("pg_dump", "--schema=hushrank", "--format=custom")
RESTORE = ("pg_restore", "--clean", "--if-exists", "--single-transaction")


@pytest.fixture
def backup(server, database, tmp_path):
    """A backup of a filled store, by the words that `backup` says."""
    on_store(database, version_1.fill)
    server.run(*DUMP, f"--file={tmp_path / 'backup'}", name_of(database))
    return str(tmp_path / "backup")


def name_of(database):
    return database.partition("@/")[2].partition("?")[0]


def test_what_pg_dump_wrote_is_restored(server, database, backup):
    name = f"{name_of(database)}_restored"
    restored = server.new_database(name)
    server.run(*RESTORE, f"--dbname={name}", backup)
    on_store(restored, lambda store: version_1.check(store, version=3))


def test_what_is_restored_where_the_store_is_takes_the_place_of_all_of_it(server, database, backup):
    """Else who joined would be back beside their reports, and reports of what was deleted."""

    async def scenario(store):
        await store.delete("s")
        await open_survey(store, "later")
        await store.accept([upload(1, b"0", survey="later")], now=NOW)

    on_store(database, scenario)
    server.run(*RESTORE, f"--dbname={name_of(database)}", backup)
    on_store(database, lambda store: version_1.check(store, version=3))
    on_store(database, only_the_backup)


async def only_the_backup(store):
    assert await store.load("later") is None
    strays = (
        "SELECT count(*) FROM hushrank.answers WHERE round NOT IN (SELECT key FROM hushrank.rounds)"
    )
    assert await store._pool.fetchval(strays) == 0


def test_kinds_can_be_left_before_their_end(database):
    async def scenario(store):
        await open_survey(store)
        answers = tuple(Answer(0, n, b"%d" % n) for n in range(1000))
        await store.accept([Incoming("s", 0, 1, answers, KEY)], now=NOW)
        for _ in range(20):  # more often than there are connections
            reading = store.kinds("s", 0)
            await anext(reading)
            await reading.aclose()
        assert len(await kinds(store)) == 1000

    on_store(database, scenario)


def test_a_store_is_closed_though_somebody_still_reads(database, monkeypatch):
    monkeypatch.setattr(connections, "_PATIENCE", 0.2)

    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a")], now=NOW)
        reading = store.kinds("s", 0)
        await anext(reading)
        await store.close()
        with pytest.raises(StoreFailure):
            await store.counts("s", 0)
        await reading.aclose()

    on_store(database, scenario)
