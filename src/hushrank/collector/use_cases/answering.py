"""What people's devices ask of a survey, and who is let in."""

import asyncio
import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from hushrank.collector.decks import questions_at
from hushrank.collector.life import Life
from hushrank.collector.refusals import Refusal, allow, present
from hushrank.collector.rounds import Asked
from hushrank.collector.store.store import Acceptance, Incoming, Joined, Secret
from hushrank.collector.tokens import Assignment, key_of, receipt, sign, verify
from hushrank.collector.use_cases.desk import Desk
from hushrank.collector.use_cases.records import (
    LOTS,
    Accepted,
    Assigned,
    Joining,
    NotAsked,
    Past,
    Record,
    Upload,
)
from hushrank.collector.use_cases.shelf import Shelf, size_of
from hushrank.errors import HushrankError
from hushrank.surveys.survey import Survey

MOST_INVITATIONS = 10_000
MOST_PARTS = 256
MOST_KEPT_PLACES = 2**22
"""People with later places in a deck are asked anew in a repeated survey."""
_PLACES = MOST_PARTS * (MOST_KEPT_PLACES + 1)
_NUMBERS = 2**31

OTHER_DEVICE = "another device of this person was asked before"
ANSWERED = "this person has answered, from another device or one that forgot it"

_Round: TypeAlias = tuple[str, int]
_Desks: TypeAlias = tuple[Desk, ...] | Refusal


class Answering(Shelf):
    """What devices do, and how their people are let in."""

    async def invite(self, id: str, n_people: int) -> tuple[str, ...]:
        """Return the tokens of so many new invitations: only digests of them are kept.

        Raises Refusal unless the survey is by invitation.
        """
        record = await self._record(id)
        by_invitation = record.draft.joining == "invitations"
        allow(by_invitation, "not-allowed", "the survey is not by invitation")
        allow(not record.life.has_ended, "not-allowed", "the survey is closed")
        few = f"expected 1 to {MOST_INVITATIONS:,} invitations at once"
        allow(1 <= n_people <= MOST_INVITATIONS, "malformed", few)
        tokens = tuple(secrets.token_urlsafe(16) for _ in range(n_people))
        kept = [Secret("invitation", self._digest(id, token), b"", id) for token in tokens]
        await self.store.put_secrets(kept)
        return tokens

    async def make_api_key(self, id: str) -> str:
        """Return a key for the organiser's own app, in place of any before. Raises Refusal.

        Of several that are made at once, the last one to be kept is the only one.
        """
        record = await self._record(id)
        allow(record.draft.joining == "api", "not-allowed", "the survey is not asked by an app")
        key = secrets.token_urlsafe(32)
        await self.store.drop_secrets("api-key", id)  # of before there was a place for one, too
        await self.store.put_secrets([Secret("api-key", _only(id), self._digest(id, key), id)])
        return key

    async def announcement(self, id: str) -> bytes:
        """Return the document that everybody sees before anything else. Raises Refusal."""
        record = await self._record(id)
        allow(record.announcement is not None, "not-open", "the survey is not open yet")
        return (record.announcement or "").encode()

    async def life(self, id: str) -> Life:
        """Return where a survey stands. Raises Refusal, for drafts too: nobody knows of them."""
        record = await self._record(id)
        allow(record.life.state != "draft", "not-open", "the survey is not open yet")
        return record.life

    async def allowed_origins(self, id: str) -> tuple[str, ...]:
        """Return the web sites whose pages may read the participants' interface."""
        return (await self._record(id)).draft.allowed_origins

    async def document(self, id: str, round: int, part: int) -> bytes:
        """Return all that a part of a round may ask anybody, for whoever checks it."""
        record = await self._record(id)
        begun = record.life.round is not None and 0 <= round <= record.life.round
        allow(begun, "not-found", "there is no such round")
        asked = await self._asked(id, record, round)
        allow(0 <= part < len(asked.parts), "not-found", "the round has no such part")
        return await asyncio.to_thread(lambda: asked.parts[part].document)

    async def join(self, id: str, joining: Joining) -> Assigned | NotAsked:
        """Say what a person is asked in the open round: always the same person, the same question.

        Raises Refusal: not-open, closed, not-invited, malformed; conflict where another device of
        the person, whose lot is in another part of the people, was asked before, in an earlier
        round too, and where the person's reports are stored: a device that asks has forgotten them,
        and would hide the same answer a second time.
        """
        record = await self._record(id)
        number = self._open_round_of(record)
        person = await self._person(id, record, joining)
        allow(0 <= joining.lot < LOTS, "malformed", f"expected a lot 0..{LOTS - 1}")
        asked = await self._asked(id, record, number)
        part = asked.part_of(joining.lot / LOTS)
        if part is None:
            return NotAsked(number)
        once = record.draft.joining != "open" and not asked.asks_everybody
        kept = await self._earlier(id, record, joining.earlier, number, asked, part)
        place = await self.store.join(id, number, _deck(part, kept), person, once=once)
        if isinstance(place, str):
            raise Refusal("conflict", OTHER_DEVICE)
        joined = present(place, "closed", "the round has ended")
        before, position = _place(joined)
        allow(before == part, "conflict", OTHER_DEVICE)
        allow(not joined.has_reported, "conflict", ANSWERED)
        published = asked.parts[part]
        seed = self._deck_seed(record, number, part)
        questions = _dealt(seed, published.survey, position)
        assignment = Assignment(id, number, part, joined.number, position, questions)
        token = sign(assignment, await self._signing_keys())
        return Assigned(token, number, part, published.handout(questions), joined.is_new)

    async def accept(self, uploads: Sequence[Upload]) -> list[Accepted | Refusal]:
        """Store reports durably, each upload whole or not at all; one answer for each.

        An answer is only given when the store has committed. The same reports with the same key are
        accepted again, all others for the same assignment refused and counted.
        """
        beginnings = {upload.assignment[:4] for upload in uploads}
        keys = await self._signing_keys(map(key_of, beginnings))
        places = [_verified(upload.assignment, keys) for upload in uploads]
        desks = await self._desks(places)
        checked = [_checked(*each, desks) for each in zip(uploads, places, strict=True)]
        incoming = [each for each in checked if not isinstance(each, Refusal)]
        became = iter(await self.store.accept(incoming, now=self._now()) if incoming else [])
        return [
            each if isinstance(each, Refusal) else _answer(upload, each, next(became), keys)
            for upload, each in zip(uploads, checked, strict=True)
        ]

    def _open_round_of(self, record: Record) -> int:
        life = record.life
        allow(life.state != "draft", "not-open", "the survey is not open yet")
        allow(not life.has_ended, "closed", "the survey is closed")
        allow(life.state == "open", "not-open", "the next round is not open yet")
        allow(not life.is_due(self._now()), "closed", "the round has ended")
        return present(life.round, "not-open", "no round is open")

    async def _person(self, id: str, record: Record, joining: Joining) -> bytes:
        """Return whom the store knows: a digest by the survey's secret, of who is let in."""
        now, how = self._now(), record.draft.joining
        if how == "open":
            return self._named(record, id, "device", joining.person)
        if how == "invitations":
            token = joining.invitation or ""
            known = await self.store.secret("invitation", self._digest(id, token), now=now)
            allow(known is not None and known.survey == id, "not-invited", "no such invitation")
            return self._named(record, id, "invitation", token)
        allow(await self._is_key(id, joining.api_key or ""), "not-invited", "no such key of an app")
        return self._named(record, id, "app", joining.person)

    async def _is_key(self, id: str, key: str) -> bool:
        """Whether this is the key of the organiser's own app."""
        now, digest = self._now(), self._digest(id, key)
        known = await self.store.secret("api-key", _only(id), now=now)
        if known is not None:
            return hmac.compare_digest(known.blob, digest)
        old = await self.store.secret("api-key", digest, now=now)  # kept when there could be more
        return old is not None and old.survey == id

    def _named(self, record: Record, id: str, how: str, who: str) -> bytes:
        allow(1 <= len(who) <= 200, "malformed", "expected 1 to 200 characters that name a person")
        return hmac.digest(record.decks, f"{id} {how} {who}".encode(), "sha256")

    def _deck_seed(self, record: Record, number: int, part: int) -> bytes:
        return hmac.digest(record.decks, f"deck {number} {part}".encode(), "sha256")

    async def _earlier(
        self, id: str, record: Record, earlier: str | None, number: int, asked: Asked, part: int
    ) -> Assignment | None:
        """Return the assignment by which a person was asked just this before.

        In a survey that was opened before: to and fro, many could pass on a question they like.
        """
        if earlier is None:
            return None
        signed_by = key_of(earlier)
        keys = await self._signing_keys([signed_by])
        if signed_by is not None and signed_by < max(keys) and signed_by not in keys:
            return None  # by a key that was dropped: what it signed may be anybody's
        before = verify(earlier, keys)
        past = record.past.get(before.survey) or await self._past(before.survey, record.series)
        if past is None or before.survey == id or not _was_before(past, record.life):
            return None
        if (before.round, before.part) != (number, part) or number >= len(past.rounds):
            return None
        same = past.rounds[number].fingerprints[part] == asked.fingerprints[part]
        return before if same and before.position < MOST_KEPT_PLACES else None

    async def _desks(self, places: Iterable[Assignment | Refusal]) -> dict[_Round, _Desks]:
        """Return who takes the reports of each round, or why nobody does."""
        rounds = {(one.survey, one.round) for one in places if isinstance(one, Assignment)}
        known = self._known_desks
        return {each: known.get(each) or await self._open_desks(each) for each in rounds}

    async def _open_desks(self, round: _Round) -> _Desks:
        try:
            asked = await self._asked(round[0], await self._record(round[0]), round[1])
        except Refusal as refusal:
            return refusal
        except HushrankError as error:
            return Refusal("malformed", str(error))
        desks = tuple(map(Desk, count(), asked.parts))
        return self._known_desks.keep(round, desks, size_of(asked))


def _dealt(seed: bytes, survey: Survey, position: int) -> tuple[int, ...]:
    return questions_at(seed, len(survey.questions), survey.answers_per_person, position)


def _only(id: str) -> bytes:
    """Return where the one key of an app is kept: so that another takes its place."""
    return hmac.digest(b"the key of an app", id.encode(), "sha256")


def _verified(token: str, keys: Mapping[int, bytes]) -> Assignment | Refusal:
    try:
        return verify(token, keys)
    except Refusal as refusal:
        return refusal


def _checked(
    upload: Upload, place: Assignment | Refusal, desks: Mapping[_Round, _Desks]
) -> Incoming | Refusal:
    """Return what the store keeps of an upload, or why it keeps nothing."""
    if isinstance(place, Refusal):
        return place
    of_round = desks[place.survey, place.round]
    if isinstance(of_round, Refusal):
        return of_round
    try:
        key = bytes.fromhex(upload.idempotency_key)
        answers = of_round[place.part].answers(upload.reports, place.questions)
    except (HushrankError, ValueError) as error:
        return Refusal("malformed", str(error))
    return Incoming(place.survey, place.round, place.number, answers, key)


def _answer(
    upload: Upload, came: Incoming, became: Acceptance, keys: dict[int, bytes]
) -> Accepted | Refusal:
    if became == "other":
        return Refusal("conflict", "other reports were sent for this assignment before")
    if became == "closed":
        return Refusal("closed", "the round has ended")
    told = b"".join([answer.report + b"\n" for answer in came.answers])
    return Accepted(receipt(upload.assignment, told, keys), became == "new")


def _was_before(past: Past, life: Life) -> bool:
    return life.opened is not None and past.opened <= life.opened


def _deck(part: int, kept: Assignment | None) -> int:
    """Return the deck of a part; each assignment that is kept has one of its own."""
    if kept is None:
        return part
    return part + (kept.position + 1) * MOST_PARTS + kept.number % _NUMBERS * _PLACES


def _place(joined: Joined) -> tuple[int, int]:
    """Return the part that a person is asked, and their place in its deck.

    The first to show an earlier assignment has its place. Whoever else shows it is dealt anew, from
    decks that nobody reaches in turn: else many could all be asked the question that they like.
    """
    kept, part = divmod(joined.deck % _PLACES, MOST_PARTS)
    if kept == 0:
        return part, joined.position
    is_first = joined.position == 0
    return part, kept - 1 if is_first else MOST_KEPT_PLACES + joined.number % _NUMBERS
