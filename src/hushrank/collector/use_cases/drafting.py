"""Surveys before people come, as files, and as their organiser sees them."""

import json
from contextlib import suppress
from typing import Any

import msgspec

from hushrank.collector.announcement import Announcement, announce
from hushrank.collector.draft import Draft, digest_of, mark_of, picture_type, write_draft
from hushrank.collector.life import Life
from hushrank.collector.refusals import Refusal, allow
from hushrank.collector.rounds import Asked, encode_tallies
from hushrank.collector.store.store import Bin, Kinds
from hushrank.collector.tokens import new_id
from hushrank.collector.use_cases.records import LiveSurvey, Past, Record
from hushrank.collector.use_cases.shelf import Shelf
from hushrank.surveys.survey import RoundTallies

CHANGED = "the draft was changed meanwhile"


class Drafting(Shelf):
    """What an organiser does with surveys as such."""

    async def create(self, draft: Draft, pictures: dict[str, bytes] | None = None) -> str:
        """Keep a new draft with its pictures, by their digests, and return its id."""
        record = Record(draft, new_id(), self._seed(), self._draw(32))
        return await self._create(record, pictures or {})

    async def copy(self, id: str) -> str:
        """Make a new draft of the same series: the same survey, to be asked again.

        Raises Refusal where the survey is deleted meanwhile: whoever answered it would not be known
        to the copy. What it remembers of others that are deleted meanwhile, the copy does, too.
        """
        record = await self._record(id)
        draft = msgspec.structs.replace(record.draft, closes=None)
        pictures = await self.pictures(id)
        # with its seed and what it chose to ask: the same questions, and so the same fingerprint
        again = msgspec.structs.replace(record, draft=draft, life=Life(), announcement=None)
        copied = await self._create(again, pictures)
        try:
            past = (await self._record(id)).past
        except Refusal:
            await self.store.delete(copied)
            raise
        await self._change(
            copied, lambda now: msgspec.structs.replace(now, past={**past, **now.past})
        )
        return copied

    async def edit(
        self,
        id: str,
        draft: Draft,
        pictures: dict[str, bytes] | None = None,
        *,
        mark: str | None = None,
    ) -> None:
        """Put another draft in place of one that nobody has seen.

        mark: of the draft that is replaced, where others may have changed it since. Raises Refusal.
        """

        def edited(record: Record) -> Record:
            record.life.require_editable()
            allow(mark in (None, mark_of(record.draft)), "not-allowed", CHANGED)
            chosen = record.chosen if _can_ask_the_same(record.draft, draft) else None
            return msgspec.structs.replace(record, draft=draft, chosen=chosen)

        kept = {**await self.pictures(id), **(pictures or {})}
        _require_pictures(draft, kept)
        await self._keep_pictures(id, pictures or {})
        await self._change(id, edited)

    async def survey(self, id: str) -> LiveSurvey:
        """Return a survey as its organiser sees it. Raises Refusal."""
        return await self._live(id, await self._record(id))

    async def surveys(self) -> tuple[LiveSurvey, ...]:
        """Return all surveys, the newest first."""
        kept = await self.store.all()
        each = [(one.survey, msgspec.json.decode(one.blob, type=Record)) for one in kept[::-1]]
        return tuple([await self._live(id, record) for id, record in each])

    async def progress(self, id: str, round: int) -> tuple[Bin, ...]:
        """Return how many reports of a round came when, by ten minutes. Raises Refusal."""
        await self._record(id)
        return await self.store.progress(id, round)

    async def conflicts(self, id: str) -> int:
        """Return how many uploads differed from what the same person had sent. Raises Refusal."""
        await self._record(id)
        return await self.store.conflicts(id)

    async def pictures(self, id: str) -> dict[str, bytes]:
        """Return the pictures of a survey's items by their digests. Raises Refusal."""
        record = await self._record(id)
        names = {item.picture for item in record.draft.items if item.picture}
        found = {name: await self.store.picture(id, bytes.fromhex(name)) for name in names}
        return {name: picture for name, picture in found.items() if picture is not None}

    async def preview(self, id: str) -> bytes:
        """Return the announcement that a draft would have. Raises Refusal."""
        record = await self._record(id)
        return msgspec.json.encode(await self._announce(id, record))

    async def tallies(self, id: str) -> tuple[tuple[Asked, RoundTallies], ...]:
        """Return what each ended round asked and what its reports add up to. Raises Refusal."""
        record = await self._record(id)
        tallies = await self._tallies(id, record)
        asked = [await self._asked(id, record, n) for n in range(len(tallies))]
        return tuple(zip(asked, tallies, strict=True))

    async def export(self, id: str) -> dict[str, Any]:
        """Return all that is known of a survey, for JSON: as its file, and every round's tallies.

        Privacy: sums of noisy reports by question, not whose they are; of one report where one
        person was asked a question. Raises Refusal.
        """
        record = await self._record(id)
        rounds = [
            {
                "fingerprints": asked.fingerprints,
                "tallies": msgspec.json.decode(encode_tallies(tallies)),
            }
            for asked, tallies in await self.tallies(id)
        ]
        survey = json.loads(write_draft(record.draft, await self.pictures(id), form="json"))
        return {
            "id": id,
            "series": record.series,
            "life": msgspec.to_builtins(record.life),
            "public_seed": record.seed,
            "chosen": msgspec.to_builtins(record.chosen),
            "past": msgspec.to_builtins(record.past),
            "survey": survey,
            "announcement": record.announcement,
            "rounds": rounds,
        }

    async def reports(self, id: str, round: int | None = None) -> tuple[Asked, list[Kinds]]:
        """Return what an ended round asked, 0 = the first, and its reports, as kinds.

        The last round that ended unless told. Privacy: reports as devices sent them, not whose.
        Raises Refusal.
        """
        ended = await self.tallies(id)
        number = len(ended) - 1 if round is None else round
        allow(0 <= number < len(ended), "not-ready", "this round has not ended")
        return ended[number][0], [kinds async for kinds in self.store.kinds(id, number)]

    async def delete(self, id: str) -> None:
        """Delete all that is kept of a survey. Raises Refusal where there is none.

        Other surveys of its series keep its id, when it was opened and the fingerprints of what it
        asked: whoever answered it is asked the same by them, and need not pay anew.
        """
        series, past = "", None
        with suppress(msgspec.ValidationError):  # what another release wrote can be deleted, too
            series = (await self._record(id)).series
            past = await self._past(id, series)
        await self._remember(id, series, past)
        allow(await self.store.delete(id), "not-found", "there is no such survey")
        self._forget()
        await self._remember(id, series, past)  # in copies that were made meanwhile

    async def _remember(self, id: str, series: str, past: Past | None) -> None:
        """Keep in the others of its series what a survey has asked, unless they do."""

        def told(other: Record) -> Record:
            return msgspec.structs.replace(other, past={**other.past, id: past})

        for kept in await self.store.all() if past else ():
            with suppress(Refusal, msgspec.ValidationError):  # deleted meanwhile, or not ours
                other = msgspec.json.decode(kept.blob, type=Record)
                if other.series == series and kept.survey != id and id not in other.past:
                    await self._change(kept.survey, told)

    def _seed(self) -> int:
        return int.from_bytes(self._draw(4), "big") >> 1

    async def _create(self, record: Record, pictures: dict[str, bytes]) -> str:
        _require_pictures(record.draft, pictures)
        id = new_id()
        await self.store.create(id, msgspec.json.encode(record))
        await self._keep_pictures(id, pictures)
        return id

    async def _keep_pictures(self, id: str, pictures: dict[str, bytes]) -> None:
        for name, picture in pictures.items():
            picture_type(picture)
            allow(digest_of(picture) == name, "malformed", "expected a picture by its digest")
            await self.store.put_picture(id, bytes.fromhex(name), picture)

    async def _live(self, id: str, record: Record) -> LiveSurvey:
        n_rounds = 0 if record.life.round is None else record.life.round + 1
        counts = [await self.store.counts(id, number) for number in range(n_rounds)]
        return LiveSurvey(id, record.series, record.draft, record.life, tuple(counts))

    async def _announce(self, id: str, record: Record) -> Announcement:
        asked = await self._asked(id, record, 0)
        return announce(record.draft, id, record.series, asked.surveys, asked.fingerprints)


def _can_ask_the_same(before: Draft, now: Draft) -> bool:
    """Whether answers to one can be repeated in the other: for whatever number of people."""
    each = [(len(d.items), d.epsilon, d.protocol, d.options) for d in (before, now)]
    return each[0] == each[1]


def _require_pictures(draft: Draft, pictures: dict[str, bytes]) -> None:
    known = all(item.picture is None or item.picture in pictures for item in draft.items)
    allow(known, "malformed", "items: a picture is missing")
