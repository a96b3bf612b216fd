"""Stores as version 1 of the schema left them, and what was done with them.

The two dumps are never made again: a store of today must open them for as long as there are stores.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hushrank.collector.store.store import (
    Bin,
    Counts,
    Joined,
    Kept,
    NewRound,
    Round,
    Secret,
    SigningKey,
    Store,
)
from tests.collector.store.running import kinds, person, upload

THEN = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SQLITE = Path(__file__).parent / "sqlite" / "version_1.sql"
POSTGRES = Path(__file__).parent / "postgres" / "version_1.sql"
LINK = Secret("link", person(50), b"expires", None, THEN + timedelta(days=1))
INVITATION = Secret("invitation", person(51), b"", "s")


async def fill(store: Store) -> None:
    """Do something of everything."""
    await store.create("deleted", b"")
    await store.delete("deleted")
    await store.create("s", b"first")
    await store.save("s", b"second", 1, opens=NewRound(0, b"round 0"))
    for n in range(3):
        await store.join("s", 0, n % 2, person(n))
    await store.accept([upload(1, b"a", b"b"), upload(2, b"a"), upload(2, b"c")], now=THEN)
    await store.close_round("s", 0)
    await store.keep_tallies("s", 0, b"tallies")
    await store.forget_people("s", 0)
    await store.save("s", b"second", 2, opens=NewRound(1, b"round 1"))
    await store.join("s", 1, 5, person(0))
    await store.accept([upload(4, b"\x00\xff", round=1)], now=THEN)
    await store.put_secrets([LINK, INVITATION])
    await store.put_picture("s", person(60), b"picture")
    await store.add_signing_key(7, b"key")


async def check(store: Store, version: int = 2) -> None:
    """Check that everything is as it was, and that work goes on."""
    assert await store.all() == (Kept("s", b"second", version),)
    assert await store.round("s", 0) == Round(b"round 0", False, b"tallies")
    assert await store.round("s", 1) == Round(b"round 1", True, None)
    assert await store.counts("s", 0) == Counts(3, 2)
    assert await store.conflicts("s") == 1
    assert await store.progress("s", 0) == (Bin(THEN, 2),)
    assert await kinds(store) == {(0, 0, b"a"): 2, (0, 1, b"b"): 1}
    assert await kinds(store, round=1) == {(0, 0, b"\x00\xff"): 1}
    assert await store.secret("link", LINK.digest, now=THEN) == LINK
    assert await store.secret("invitation", INVITATION.digest, now=THEN) == INVITATION
    assert await store.picture("s", person(60)) == b"picture"
    assert await store.signing_keys() == (SigningKey(7, b"key"),)
    again = await store.join("s", 1, 0, person(0))
    assert again == Joined(again.number, 0, 5, False, again.number == 4)
    assert again.number == 4 or version > 2  # as it was given then
    new = await store.join("s", 1, 5, person(1))
    assert new == Joined(new.number, 1, 5, True)
    sent = [upload(new.number, b"b", b"c", round=1)] * 2
    assert await store.accept(sent, now=THEN) == ["new", "same"]
    guesses = [upload(4, report, round=1, key=b"g" * 16) for report in (b"\x00\xff", b"a")]
    assert await store.accept(guesses, now=THEN) == ["other"] * 2  # it came before there were keys
