import asyncio
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from hushrank.collector.store import numbers
from hushrank.collector.store.batches import LARGEST_BATCH
from hushrank.collector.store.checks import (
    microseconds,
    require_blob,
    require_deck,
    require_digest,
    require_id,
    require_incoming,
    require_round,
    require_small,
)
from hushrank.collector.store.numbers import NEARBY_BITS, RANDOM_BITS
from hushrank.collector.store.postgres import people as postgres_people
from hushrank.collector.store.postgres.answers import _Sent
from hushrank.collector.store.sqlite import people as sqlite_people
from hushrank.collector.store.sqlite.store import SqliteStore
from hushrank.collector.store.sqlite.surveys import Entry
from hushrank.collector.store.sqlite.writer import _Order
from hushrank.collector.store.store import (
    ASKED,
    Answer,
    Bin,
    Counts,
    Incoming,
    Joined,
    Kept,
    Kinds,
    NewRound,
    Round,
    Secret,
    SigningKey,
    StoreFailure,
    round_mark,
)
from hushrank.errors import HushrankError
from tests.collector.store.running import (
    KEY,
    NOW,
    kinds,
    on_store,
    open_round,
    open_survey,
    person,
    upload,
)

DIGEST = bytes(range(32))


def test_a_survey_is_saved_only_over_the_version_that_was_loaded(address):
    async def scenario(store):
        await store.create("s", b"first")
        assert await store.load("s") == Kept("s", b"first", 1)
        assert await store.save("s", b"second", 1)
        assert not await store.save("s", b"late", 1)
        assert await store.load("s") == Kept("s", b"second", 2)
        assert await store.all() == (Kept("s", b"second", 2),)
        with pytest.raises(HushrankError, match="expected a new id"):
            await store.create("s", b"again")

    on_store(address, scenario)


def test_a_round_is_opened_once_and_closed_once(address):
    async def scenario(store):
        await open_survey(store)
        assert await open_round(store, "s", 0, b"other")  # which stays as it is
        assert await store.round("s", 0) == Round(b"asked", True, None)
        with pytest.raises(HushrankError, match="it is open"):
            await store.keep_tallies("s", 0, b"early")
        assert await store.close_round("s", 0)
        assert not await store.close_round("s", 0)
        for tallies in (b"tallies", b"others"):  # what was kept stays
            await store.keep_tallies("s", 0, tallies)
            assert await store.round("s", 0) == Round(b"asked", False, b"tallies")
        assert await store.round("s", 1) is None
        assert not await store.close_round("s", 1)
        assert await store.counts("s", 1) == Counts(0, 0)
        assert await store.join("s", 1, 0, person(1)) is None

    on_store(address, scenario)


def test_a_round_is_opened_in_one_commit_with_what_its_survey_becomes(address):
    async def scenario(store):
        await store.create("s", b"first")
        assert await store.save("s", b"second", 1, opens=NewRound(0, b"asked"))
        assert await store.round("s", 0) == Round(b"asked", True, None)
        assert not await store.save("s", b"late", 1, opens=NewRound(1, b""))
        assert not await store.save("no", b"", 1, opens=NewRound(0, b""))
        assert await store.round("s", 1) is None
        assert await store.load("s") == Kept("s", b"second", 2)

    on_store(address, scenario)


def test_a_person_keeps_the_first_place_that_they_got(address):
    async def scenario(store):
        await open_survey(store)
        first = await store.join("s", 0, 7, person(1))
        again = await store.join("s", 0, 8, person(1))
        assert first == Joined(again.number, 0, 7, True)
        assert again == Joined(first.number, 0, 7, False)
        other = await store.join("s", 0, 7, person(2))
        assert (other.position, other.number != first.number) == (1, True)
        assert await store.accept([upload(first.number, b"a", b"b")], now=NOW) == ["new"]
        later = [await store.join("s", 0, 7, person(n)) for n in (1, 2)]
        assert [each.has_reported for each in later] == [True, False]
        await store.close_round("s", 0)
        assert await store.join("s", 0, 7, person(1)) is None

    on_store(address, scenario)


def test_numbers_go_on_where_people_join_one_after_the_other(address, monkeypatch):
    """Of the same part of all numbers, two people would soon have one."""
    monkeypatch.setattr(numbers, "randbits", lambda _: 0)

    async def scenario(store):
        await open_survey(store)
        places = [await store.join("s", 0, 0, person(n)) for n in range(4)]
        assert len({place.number for place in places}) == 4

    on_store(address, scenario)


def test_people_who_join_at_once_get_places_without_gaps(address):
    async def scenario(store):
        await open_survey(store)
        decks = (0, 1, 2**63 - 1)
        places = await asyncio.gather(
            *(store.join("s", 0, decks[n % 3], person(n // 2)) for n in range(400))
        )
        assert len({place.number for place in places}) == 200
        assert sum(place.is_new for place in places) == 200
        for deck in decks:
            of_deck = {place.position for place in places if place.deck == deck}
            assert of_deck == set(range(len(of_deck)))
        assert await store.counts("s", 0) == Counts(200, 0)

    on_store(address, scenario)


def test_a_report_counts_once_and_no_other_takes_its_place(address):
    async def scenario(store):
        await open_survey(store)
        sent = [upload(1, b"a", b"b"), upload(1, b"a", b"b"), upload(1, b"a"), upload(2, b"a")]
        assert await store.accept(sent, now=NOW) == ["new", "same", "other", "new"]
        assert await store.accept(sent[2:], now=NOW) == ["other", "same"]
        assert await store.conflicts("s") == 2
        assert await store.counts("s", 0) == Counts(0, 2)
        assert await kinds(store) == {(0, 0, b"a"): 2, (0, 1, b"b"): 1}

    on_store(address, scenario)


def test_a_report_counts_once_in_as_large_a_batch_as_there_is(address):
    """Sent again in the same batch, in a later one, and with what is new."""

    async def scenario(store):
        await open_survey(store)
        sent = [upload(n, b"a", b"b") for n in range(LARGEST_BATCH // 2)]
        new = [upload(n, b"c") for n in range(len(sent), 2 * len(sent))]
        assert await store.accept(sent + sent, now=NOW) == ["new"] * len(sent) + ["same"] * len(
            sent
        )
        assert await store.accept(sent + new, now=NOW) == ["same"] * len(sent) + ["new"] * len(new)
        others = [upload(each.number, b"d") for each in sent + new]
        assert await store.accept(others, now=NOW) == ["other"] * len(others)
        assert await store.counts("s", 0) == Counts(0, len(sent + new))
        assert await kinds(store) == {
            (0, 0, b"a"): len(sent),
            (0, 1, b"b"): len(sent),
            (0, 0, b"c"): len(new),
        }

    on_store(address, scenario)


def test_nobody_learns_by_guesses_what_somebody_else_sent(address):
    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a", b"b")], now=NOW)
        guesses = [upload(1, *guess, key=b"g" * 16) for guess in ((b"a", b"b"), (b"a", b"c"))]
        assert await store.accept(guesses, now=NOW) == ["other", "other"]
        assert await store.conflicts("s") == 2
        assert await store.accept([upload(1, b"a", b"b")], now=NOW) == ["same"]
        await store.close_round("s", 0)
        assert await store.accept(guesses, now=NOW) == ["closed", "closed"]
        assert await store.accept([upload(1, b"a", b"b")], now=NOW) == ["same"]

    on_store(address, scenario)


def test_a_closed_round_takes_no_report_but_knows_those_it_has(address):
    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a")], now=NOW)
        await store.close_round("s", 0)
        sent = [upload(1, b"a"), upload(1, b"b"), upload(2, b"a"), upload(1, b"a", round=1)]
        assert await store.accept(sent, now=NOW) == ["same", "closed", "closed", "closed"]
        assert await store.conflicts("s") == 0
        assert await kinds(store) == {(0, 0, b"a"): 1}

    on_store(address, scenario)


def test_what_comes_after_the_end_of_a_round_is_not_counted(address):
    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a")], now=NOW)
        await store.close_round("s", 0)
        for late in (upload(1, b"a"), upload(1, b"b"), upload(2, b"a")):
            await store.accept([late], now=NOW + timedelta(hours=1))
        assert await store.counts("s", 0) == Counts(0, 1)
        assert len(await store.progress("s", 0)) == 1
        assert await store.conflicts("s") == 0

    on_store(address, scenario)


def test_conflicts_of_all_rounds_are_added_up_and_of_no_other_survey(address):
    async def scenario(store):
        for survey in "st":
            await open_survey(store, survey)
            await open_round(store, survey, 1)
        for survey, round, n in (("s", 0, 1), ("s", 1, 2), ("t", 0, 4)):
            for report in (b"a", *[b"b"] * n):
                await store.accept([upload(1, report, survey=survey, round=round)], now=NOW)
        assert [await store.conflicts(survey) for survey in "st"] == [3, 4]

    on_store(address, scenario)


def test_who_waits_together_is_served_together(address, served):
    """Where a batch fails each is served alone: told the same, after as many commits."""

    async def scenario(store):
        surveys = [("s", n) for n in range(40)] + [("t", n) for n in range(40)]
        for survey in "st":
            await open_survey(store, survey)
            for n in (7, 30):
                await store.join(survey, 0, n % 2, person(n))
                await store.accept([upload(n, b"a", b"b", survey=survey)], now=NOW)
        served.clear()
        places = await asyncio.gather(*(store.join(s, 0, n % 2, person(n)) for s, n in surveys))
        sent = ([upload(n, b"a", b"b", survey=survey)] for survey, n in surveys)
        told = await asyncio.gather(*(store.accept(each, now=NOW) for each in sent))
        kept = await asyncio.gather(*(store.load(survey) for survey in ("t", "none", "s")))
        assert [place.is_new for place in places] == [n not in (7, 30) for _, n in surveys]
        dealt = {
            (s, each.deck, each.position) for (s, _), each in zip(surveys, places, strict=True)
        }
        assert len(dealt) == len(places)
        assert told == [["same" if n in (7, 30) else "new"] for _, n in surveys]
        assert [each and each.survey for each in kept] == ["t", None, "s"]
        assert sum(served) == len(places) + len(told) + len(kept)

    on_store(address, scenario)


def test_who_sends_at_the_same_time_shares_nothing_but_a_commit(address):
    """New and old, of one answer and of several, of other rounds, bins and none, all at once."""

    async def scenario(store):
        await open_survey(store)
        await open_survey(store, "t")
        await open_survey(store, "closed")
        await store.accept([upload(1, b"a")], now=NOW)
        await store.close_round("closed", 0)
        sent = [
            [upload(1, b"a"), upload(2, b"b", b"c"), upload(2, b"b", b"d")],
            [upload(1, b"b"), upload(3, b"a")],
            [upload(3, b"a", survey="t"), upload(4, b"b", b"c", survey="t")],
            [upload(5, b"a", survey="closed"), upload(6, b"a", survey="none")],
        ]
        later = NOW + timedelta(minutes=10)
        at = [NOW, later, later, NOW]
        told = await asyncio.gather(
            *(store.accept(each, now=now) for each, now in zip(sent, at, strict=True))
        )
        assert told == [["same", "new", "other"], ["other", "new"], ["new"] * 2, ["closed"] * 2]
        assert await kinds(store) == {(0, 0, b"a"): 2, (0, 0, b"b"): 1, (0, 1, b"c"): 1}
        assert await kinds(store, "t") == {(0, 0, b"a"): 1, (0, 0, b"b"): 1, (0, 1, b"c"): 1}
        assert [each.reports for each in await store.progress("s", 0)] == [2, 1]
        assert [each.reports for each in await store.progress("t", 0)] == [2]
        assert await store.conflicts("s") == 2

    on_store(address, scenario)


def test_progress_is_counted_by_ten_minutes(address):
    async def scenario(store):
        await open_survey(store)
        for number, minutes in enumerate((0, 3, 6, 30)):
            later = NOW + timedelta(minutes=minutes)
            await store.accept([upload(number, b"a")], now=later)
        at = [datetime(2026, 11, 22, *time, tzinfo=UTC) for time in ((12, 30), (12, 40), (13, 0))]
        assert await store.progress("s", 0) == (Bin(at[0], 2), Bin(at[1], 1), Bin(at[2], 1))

    on_store(address, scenario)


def test_each_ten_minutes_of_a_day_are_told(address):
    async def scenario(store):
        await open_survey(store)
        for number in range(144):
            later = NOW + timedelta(minutes=10 * number)
            await store.accept([upload(number, b"a")], now=later)
        told = await store.progress("s", 0)
        first = NOW.replace(minute=30, second=0, microsecond=0)
        assert told == tuple(Bin(first + timedelta(minutes=10 * n), 1) for n in range(144))

    on_store(address, scenario)


def test_people_are_forgotten_and_their_reports_stay(address):
    async def scenario(store):
        await open_survey(store)
        place = await store.join("s", 0, 0, person(1))
        await store.accept([upload(place.number, b"a")], now=NOW)
        with pytest.raises(HushrankError, match="it is open"):
            await store.forget_people("s", 0)
        await store.close_round("s", 0)
        await store.forget_people("s", 0)
        assert await store.counts("s", 0) == Counts(1, 1)
        assert await kinds(store) == {(0, 0, b"a"): 1}

    on_store(address, scenario)


def test_what_a_repeated_survey_knew_an_assignment_by_is_forgotten_too(address):
    """The number of a deck has that of an assignment of the survey before."""

    async def scenario(store):
        await open_survey(store)
        for n, deck in enumerate((0, 0, 1, 1, 10**12)):
            await store.join("s", 0, deck, person(n))
        await store.close_round("s", 0)
        for _ in range(2):
            await store.forget_people("s", 0)
            assert await store.counts("s", 0) == Counts(5, 0)
            assert await decks_of(store) == [(0, 5)]

    on_store(address, scenario)


async def decks_of(store):
    """Return the numbers of decks and how many have places in them."""
    rows = "SELECT deck, joined FROM {}decks ORDER BY deck"
    if isinstance(store, SqliteStore):
        return await store._readers.read(lambda it, _: it.execute(rows.format("")).fetchall(), None)
    return [tuple(row) for row in await store._pool.fetch(rows.format("hushrank."))]


def test_numbers_hide_when_somebody_joined(address):
    """Reports bear them for ever: those that rise say which is whose of people seen to join."""

    async def scenario(store):
        await open_survey(store)
        places = [await store.join("s", 0, 0, person(n)) for n in range(200)]
        await store.delete("s")
        await open_survey(store)
        places += [await store.join("s", 0, 0, person(n)) for n in range(200)]
        numbers = np.array([place.number for place in places], dtype=np.int64)
        assert len(np.unique(numbers)) == 400
        assert all(0 <= number < 2**63 for number in numbers.tolist())
        assert abs(np.corrcoef(np.arange(400), numbers)[0, 1]) < 0.3  # beyond 6 standard errors
        assert np.ptp(numbers >> RANDOM_BITS) < 2**NEARBY_BITS + 400
        bits = numbers[:, None] >> np.arange(RANDOM_BITS) & 1
        assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.15

    on_store(address, scenario)


def test_who_is_asked_once_is_asked_by_one_round_as_long_as_it_is_remembered(address):
    def marks(store, *people):
        return asyncio.gather(*(store.secret(ASKED, person(n), now=NOW) for n in people))

    async def scenario(store):
        for survey in "st":
            await open_survey(store, survey)
        joins = [store.join("s", 0, 0, person(n), once=n < 5) for n in (1, 2, 1, 6)]
        first, second, again, other = await asyncio.gather(*joins)
        assert (first.number, first.is_new, again.is_new) == (again.number, True, False)
        assert len({first.position, second.position, other.position}) == 3
        assert [each and (each.blob, each.survey) for each in await marks(store, 1, 2, 6)] == [
            *[(round_mark(0), "s")] * 2,
            None,
        ]
        await store.close_round("s", 0)
        assert await store.join("s", 0, 0, person(3), once=True) is None
        assert await marks(store, 3) == [None]
        assert await open_round(store, "s", 1)
        joins = [store.join("s", 1, 0, person(n), once=True) for n in (1, 3, 2, 3)]
        places = await asyncio.gather(*joins)
        assert [place if isinstance(place, str) else place.is_new for place in places] == [
            *("asked", True, "asked", False)
        ]
        assert places[1].position == places[3].position == 0
        assert await store.join("s", 1, 0, person(1), once=True) == "asked"
        assert (await store.join("s", 1, 0, person(6))).is_new
        assert await store.drop_secrets(ASKED, "s") == 3
        assert (await store.join("s", 1, 0, person(1), once=True)).is_new

    on_store(address, scenario)


@pytest.mark.parametrize("n_people", [1, 65, 500, LARGEST_BATCH])
def test_who_is_asked_once_is_so_in_as_large_a_batch_as_there_is(address, n_people):
    def all_join(store, round):
        joins = (store.join("s", round, 0, person(n), once=True) for n in range(n_people))
        return asyncio.gather(*joins)

    async def scenario(store):
        await open_survey(store)
        places = await all_join(store, 0)
        assert sorted(place.position for place in places) == list(range(n_people))
        await store.close_round("s", 0)
        await open_round(store, "s", 1)
        assert await all_join(store, 1) == ["asked"] * n_people

    on_store(address, scenario)


@pytest.mark.parametrize("n_people", [1, 65, 500, LARGEST_BATCH // 2])
def test_who_joins_twice_has_one_place_in_as_large_a_batch_as_there_is(address, n_people):
    """By two, one person would answer two questions at the price of one."""

    async def scenario(store):
        await open_survey(store)
        joins = (store.join("s", 0, 0, person(n)) for _ in range(2) for n in range(n_people))
        places = await asyncio.gather(*joins)
        first, again = places[:n_people], places[n_people:]
        assert [place.number for place in first] == [place.number for place in again]
        assert sorted(place.position for place in again) == list(range(n_people))
        assert len({place.number for place in again}) == n_people

    on_store(address, scenario)


def test_all_of_a_survey_is_deleted_and_nothing_of_others(address):
    async def scenario(store):
        for survey in ("s", "t"):
            await open_survey(store, survey)
            await store.put_picture(survey, DIGEST, b"picture")
            await store.put_secrets([Secret("invitation", survey.encode() * 32, b"", survey)])
            place = await store.join(survey, 0, 0, person(1))
            await store.accept([upload(place.number, b"a", survey=survey)], now=NOW)
        assert [kept.survey for kept in await store.all()] == ["s", "t"]
        assert await store.delete("s")
        assert not await store.delete("s")
        assert [kept.survey for kept in await store.all()] == ["t"]
        assert await store.round("s", 0) is None
        assert await store.picture("s", DIGEST) is None
        assert await store.secret("invitation", b"s" * 32, now=NOW) is None
        assert await store.accept([upload(place.number, b"a")], now=NOW) == ["closed"]
        assert await store.counts("s", 0) == Counts(0, 0)
        assert await store.progress("s", 0) == ()
        assert not await kinds(store)
        assert await store.picture("t", DIGEST) == b"picture"
        assert await store.secret("invitation", b"t" * 32, now=NOW)
        assert await kinds(store, "t") == {(0, 0, b"a"): 1}

    on_store(address, scenario)


def test_a_secret_lasts_until_it_expires_or_is_taken(address):
    soon = NOW + timedelta(seconds=10)
    lasting, short = Secret("link", DIGEST, b"x"), Secret("link", b"0" * 32, b"y", None, soon)

    async def scenario(store):
        await store.put_secrets([lasting, short])
        assert await store.secret("link", short.digest, now=NOW) == short
        assert await store.secret("link", short.digest, now=soon) is None
        assert await store.secret("session", DIGEST, now=NOW) is None
        taken = await asyncio.gather(
            *(store.take_secret("link", DIGEST, now=NOW) for _ in range(20))
        )
        assert [secret for secret in taken if secret] == [lasting]
        assert await store.sweep(NOW) == 0
        assert await store.sweep(soon) == 1
        assert await store.secret("link", short.digest, now=NOW) is None

    on_store(address, scenario)


def test_of_secrets_of_one_name_the_last_one_lasts_for_as_long_as_it_says(address):
    async def scenario(store):
        soon, later = NOW + timedelta(minutes=1), NOW + timedelta(hours=1)
        await store.put_secrets([Secret("k", DIGEST, b"0", expires=soon)])
        two = [Secret("k", DIGEST, blob, expires=later) for blob in (b"1", b"2")]
        await store.put_secrets(two)
        assert await store.secret("k", DIGEST, now=soon) == two[1]
        assert await store.secret("k", DIGEST, now=later) is None

    on_store(address, scenario)


def test_a_secret_that_has_expired_is_not_taken_either(address):
    short = Secret("link", DIGEST, b"x", None, NOW + timedelta(seconds=10))

    async def scenario(store):
        await store.put_secrets([short])
        assert await store.take_secret("link", DIGEST, now=NOW) == short
        await store.put_secrets([short])
        assert await store.take_secret("link", DIGEST, now=short.expires) is None

    on_store(address, scenario)


def test_a_secret_that_will_expire_is_taken_once_too(address):
    """Such as a link that signs in."""
    short = Secret("link", DIGEST, b"x", None, NOW + timedelta(seconds=10))

    async def scenario(store):
        await store.put_secrets([short])
        assert await store.take_secret("link", DIGEST, now=NOW) == short
        assert await store.take_secret("link", DIGEST, now=NOW) is None

    on_store(address, scenario)


def test_secrets_are_dropped_by_kind_and_survey(address):
    async def scenario(store):
        for survey in ("s", "other"):
            await store.create(survey, b"")
        rows = [("a", "s"), ("a", "s"), ("a", None), ("b", "s"), ("a", "other")]
        await store.put_secrets(
            [Secret(kind, person(n), b"", survey) for n, (kind, survey) in enumerate(rows)]
        )
        assert await store.drop_secrets("a", "t") == 0
        assert await store.drop_secrets("a", "s") == 2
        assert await store.drop_secrets("a", None) == 1
        assert await store.secret("b", person(3), now=NOW)
        with pytest.raises(HushrankError, match="there is none"):
            await store.put_secrets([Secret("c", person(4), b""), Secret("c", person(5), b"", "t")])
        assert await store.secret("c", person(4), now=NOW) is None

    on_store(address, scenario)


def test_many_signing_keys_are_all_known(address):
    keys = tuple(SigningKey(n, person(n)) for n in range(1, 61))

    async def scenario(store):
        for key in reversed(keys):
            assert await store.add_signing_key(key.number, key.key)
        assert await store.signing_keys() == keys

    on_store(address, scenario)


def test_secrets_of_many_surveys_are_kept_and_go_with_them(address):
    surveys = [f"s{n:02}" for n in range(40)]
    secrets = [Secret("invitation", person(n), b"", name) for n, name in enumerate(surveys)]

    async def scenario(store):
        for name in surveys:
            await store.create(name, b"blob of " + name.encode())
        await store.put_secrets(secrets)
        assert [await store.secret("invitation", person(n), now=NOW) for n in range(40)] == secrets
        assert [each.survey for each in await store.all()] == surveys
        for n, name in enumerate(surveys):
            assert (await store.load(name)).blob == b"blob of " + name.encode()
            assert await store.delete(name)
            assert await store.secret("invitation", person(n), now=NOW) is None

    on_store(address, scenario)


def test_all_of_many_rounds_are_deleted(address):
    """Each with people and reports, whose storage a later round of the name would find."""

    async def scenario(store):
        await open_survey(store)
        for round in range(30):
            assert round == 0 or await open_round(store, "s", round)
            place = await store.join("s", round, 0, person(round))
            sent = [upload(place.number, b"a", round=round)]
            assert await store.accept(sent, now=NOW) == ["new"]
            assert await store.close_round("s", round)
        assert await store.delete("s")
        await store.create("s", b"again")
        for round in range(30):
            assert await store.round("s", round) is None
            assert await open_round(store, "s", round)
            assert await store.counts("s", round) == Counts(0, 0)
            assert not await kinds(store, "s", round)
            assert await store.progress("s", round) == ()
            assert await store.close_round("s", round)

    on_store(address, scenario)


def test_who_joins_and_reports_to_many_rounds_at_once_is_counted_in_each(address):
    """Of 40 surveys, in 40 decks each: of one batch, or of as many as there are."""
    surveys = [f"s{n:02}" for n in range(40)]

    async def scenario(store):
        for name in surveys:
            await open_survey(store, name)
        joining = [(name, deck, person(deck)) for name in surveys for deck in range(40)]
        places = await asyncio.gather(*(store.join(name, 0, *who) for name, *who in joining))
        assert all(place.is_new and place.position == 0 for place in places)
        sent = [
            upload(place.number, b"%d" % deck, survey=name)
            for place, (name, deck, _) in zip(places, joining, strict=True)
        ]
        assert await store.accept(sent, now=NOW) == ["new"] * len(sent)
        again = await asyncio.gather(*(store.join(name, 0, *who) for name, *who in joining))
        assert [each.number for each in again] == [each.number for each in places]
        for name in surveys:
            assert await store.counts(name, 0) == Counts(40, 40)
            assert await kinds(store, name) == {(0, 0, b"%d" % deck): 1 for deck in range(40)}

    on_store(address, scenario)


def test_of_two_signing_keys_of_one_number_the_first_stays(address):
    async def scenario(store):
        assert await store.signing_keys() == ()
        assert await store.add_signing_key(2, b"new")
        assert await store.add_signing_key(1, b"old")
        assert not await store.add_signing_key(2, b"late")
        assert await store.signing_keys() == (SigningKey(1, b"old"), SigningKey(2, b"new"))
        assert await store.drop_signing_key(1)
        assert not await store.drop_signing_key(1)
        assert await store.signing_keys() == (SigningKey(2, b"new"),)

    on_store(address, scenario)


WRONG = {
    "an id with a slash": lambda store: store.create("a/b", b""),
    "an id with a newline": lambda store: store.create("a\n", b""),
    "an id that is too long": lambda store: store.load("a" * 65),
    "a blob that is text": lambda store: store.create("s", "blob"),
    "a blob that is too long": lambda store: store.create("s", bytes(64 * 2**20 + 1)),
    "a round below 0": lambda store: store.save("t", b"", 2, opens=NewRound(-1, b"")),
    "a round that is a bool": lambda store: store.save("t", b"", 2, opens=NewRound(True, b"")),
    "a round that is text": lambda store: store.save("t", b"", 2, opens=NewRound(1, "")),
    "a picture of no survey": lambda store: store.put_picture("no", DIGEST, b""),
    "tallies of no round": lambda store: store.keep_tallies("t", 5, b""),
    "people of no round": lambda store: store.forget_people("t", 5),
    "a person who is no digest": lambda store: store.join("t", 0, 0, b"short"),
    "a deck that is too large": lambda store: store.join("t", 0, 2**63, DIGEST),
    "no answers": lambda store: store.accept([upload(1, survey="t")], now=NOW),
    "too many answers": lambda store: store.accept([upload(1, *[b""] * 10_001)], now=NOW),
    "a report that is too long": lambda store: store.accept([upload(1, bytes(2**16 + 1))], now=NOW),
    "a later report that is too long": lambda store: store.accept(
        [upload(1, b"a", bytes(2**16 + 1), survey="t")], now=NOW
    ),
    "a report that is text": lambda store: store.accept([upload(1, "a")], now=NOW),
    "a number below 0": lambda store: store.accept([upload(-1, b"a")], now=NOW),
    "a number that is too large": lambda store: store.accept([upload(2**63, b"a")], now=NOW),
    "a survey with a slash": lambda store: store.accept([upload(1, b"a", survey="t/")], now=NOW),
    "a round that is a bool beside one that is none": lambda store: store.accept(
        [
            Incoming("t", round, number, (Answer(0, 0, b"a"),), KEY)
            for number, round in enumerate((0, False))
        ],
        now=NOW,
    ),
    "a question that is a bool": lambda store: store.accept(
        [Incoming("t", 0, 1, (Answer(0, True, b"a"),), KEY)], now=NOW
    ),
    "a part below 0": lambda store: store.accept(
        [Incoming("t", 0, 1, (Answer(-1, 0, b"a"),), KEY)], now=NOW
    ),
    "a key that is too short": lambda store: store.accept(
        [upload(1, b"a", survey="t", key=KEY[1:])], now=NOW
    ),
    "a key that is text": lambda store: store.accept(
        [upload(1, b"a", survey="t", key="k" * 16)], now=NOW
    ),
    "a good report beside a bad one": lambda store: store.accept(
        [upload(1, b"a", survey="t"), upload(2, bytes(2**16 + 1), survey="t")], now=NOW
    ),
    "a time without a zone": lambda store: store.accept(
        [upload(1, b"a", survey="t")], now=datetime(2026, 1, 1)
    ),
    "a short digest": lambda store: store.put_secrets([Secret("a", b"short", b"")]),
    "a short digest after a right one": lambda store: store.put_secrets(
        [Secret("a", DIGEST, b""), Secret("b", b"short", b"")]
    ),
    "a short digest after many right ones": lambda store: store.put_secrets(
        [*(Secret("a", person(n), b"") for n in range(40)), Secret("a", b"short", b"")]
    ),
    "a bad report after many good ones": lambda store: store.accept(
        [*(upload(n, b"a", survey="t") for n in range(40)), upload(99, b"a" * 2**17, survey="t")],
        now=NOW,
    ),
    "a long report after many short ones": lambda store: store.accept(
        [upload(1, *[b"a"] * 40, bytes(2**16 + 1), survey="t")], now=NOW
    ),
    "a secret of no survey": lambda store: store.put_secrets([Secret("a", DIGEST, b"", "no")]),
}


def test_a_round_is_looked_at_though_another_of_its_survey_came_before():
    with pytest.raises(HushrankError, match="round: expected a whole number"):
        require_incoming([upload(1, b"a"), upload(2, b"a", round=-1)])


def test_a_moment_is_the_same_in_whichever_zone_it_is_told():
    told = NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert microseconds(told, "now") == microseconds(NOW, "now")


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_refused_before_anything_is_written(address, wrong):
    async def scenario(store):
        await open_survey(store, "t")
        with pytest.raises(HushrankError):
            await wrong(store)
        assert await store.all() == (Kept("t", b"blob", 2),)
        assert await store.counts("t", 0) == Counts(0, 0)
        assert not await kinds(store, "t")
        assert await store.sweep(NOW + timedelta(days=1000)) == 0

    on_store(address, scenario)


def test_who_fails_does_not_fail_those_who_wait_with_them(address):
    async def scenario(store):
        await open_survey(store)
        outcomes = await asyncio.gather(
            store.accept([upload(1, b"a")], now=NOW),
            store.create("s", b"taken"),
            store.join("s", 0, 0, person(1)),
            store.keep_tallies("no", 0, b""),
            store.accept([upload(2, b"a")], now=NOW),
            return_exceptions=True,
        )
        assert [type(each) for each in outcomes] == [
            list,
            HushrankError,
            Joined,
            HushrankError,
            list,
        ]
        assert await store.counts("s", 0) == Counts(1, 2)

    on_store(address, scenario)


def test_no_record_shows_what_somebody_sent():
    records = [
        Kept("s", b"secret", 1),
        Round(b"secret", True, b"secret"),
        Answer(1, 2, b"secret"),
        upload(1, b"secret"),
        Kinds(1, 2, {b"secret": 3}),
        Secret("link", b"secret", b"secret"),
        SigningKey(1, b"secret"),
        Entry("s", b"secret"),
        *(each.Joining(("s", 0), 0, b"secret") for each in (sqlite_people, postgres_people)),
        _Sent((("secret", 0), 1), (b"secret", (Answer(1, 2, b"secret"),)), 0),
        _Order(print, b"secret", None, 1, False),
    ]
    for record in records:
        assert "secret" not in repr(record).replace("Secret", "")
        assert "secret" not in str([record])


NOT_SAID = {
    "an id": lambda: require_id("Mallory 8273", "survey"),
    "an id that is a number": lambda: require_id(8273, "survey"),
    "an id of a round": lambda: require_round("Mallory 8273", 0),
    "a round": lambda: require_small(-8273, "round"),
    "a deck": lambda: require_deck(-8273),
    "a blob": lambda: require_blob("Mallory 8273", "blob"),
    "a digest": lambda: require_digest(b"Mallory 8273", "digest"),
    "a number": lambda: require_incoming([upload(-8273, b"a")]),
    "a question": lambda: require_incoming([Incoming("s", 0, 1, (Answer(0, -8273, b"a"),), KEY)]),
    "a report": lambda: require_incoming([upload(1, "Mallory 8273")]),
    "a key": lambda: require_incoming([upload(1, b"a", key=b"Mallory 8273")]),
    "a key of as many letters": lambda: require_incoming([upload(1, b"a", key="Mallory 8273 abc")]),
    "a time": lambda: microseconds(datetime(8273, 1, 1), "expires"),
}


@pytest.mark.parametrize("wrong", NOT_SAID.values(), ids=NOT_SAID.keys())
def test_what_is_refused_is_not_said_again(wrong):
    """It may be somebody's: words say what was expected, never what came."""
    with pytest.raises(HushrankError, match="expected") as refused:
        wrong()
    assert "Mallory" not in str(refused.value)
    assert "8273" not in str(refused.value)


def test_to_close_a_store_twice_is_once_enough(address):
    async def scenario(store):
        await store.close()
        await store.close()
        with pytest.raises(StoreFailure):
            await store.load("s")

    on_store(address, scenario)
