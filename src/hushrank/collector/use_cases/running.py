"""A survey from its opening to its results."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TypeAlias

import msgspec

from hushrank.collector.announcement import MOST_ANNOUNCEMENT_BYTES
from hushrank.collector.draft import Draft, mark_of
from hushrank.collector.life import Life
from hushrank.collector.refusals import Refusal, allow, present
from hushrank.collector.rounds import Asked, choose, encode_tallies, n_reports_of, require_groups
from hushrank.collector.store.checks import MOST_BLOB_BYTES, MOST_REPORT_BYTES
from hushrank.collector.store.store import ASKED, Kept, NewRound
from hushrank.collector.tokens import MOST_KEYS
from hushrank.collector.use_cases.drafting import CHANGED, Drafting
from hushrank.collector.use_cases.records import Record, RoundRecord
from hushrank.collector.use_cases.shelf import asked_by, made
from hushrank.errors import HushrankError
from hushrank.poisoning.findings import Suspicion
from hushrank.poisoning.forgery import Forgery, weight_of
from hushrank.poisoning.suspicion import FALSE_ALARM, suspicion
from hushrank.surveys.handout import MOST_HANDOUT_BYTES
from hushrank.surveys.survey import Round, RoundTallies, Survey
from hushrank.surveys.wire import PublishedSurvey
from hushrank.surveys.wire_reports import WireReport, longest_on_wire
from hushrank.workflows.results.collection import Collection

Counted: TypeAlias = dict[int, tuple[list[bytes], list[int]]]
"""By question: the JSON values of reports, and how often each arrived."""

MANY_PEOPLE = 10**7
"""So many may answer a survey that is opened."""
BYTES_BESIDE_A_REPORT = 160
"""As JSON, of what goes with a report."""
FEWER = "take fewer items or queries"
ENDED = "this round was ended meanwhile"


class Running(Drafting):
    """What an organiser, or the clock, does with a survey that people know."""

    async def open(self, id: str, mark: str | None = None) -> None:
        """Open a draft: from now on its announcement is fixed, and people can answer.

        mark: of the draft that is meant, where others may have changed it since. Raises Refusal.
        """
        draft = (await self._record(id)).draft
        allow(mark in (None, mark_of(draft)), "not-allowed", CHANGED)
        await self._open(id, draft.closes_utc, draft)

    async def open_round(
        self, id: str, closes: datetime | None = None, *, after: int | None = None
    ) -> None:
        """Open the next round, until a closing time if there is one.

        after: the round that it is to follow, where another may have ended by now. Raises Refusal.
        """
        record = await self._record(id)
        allow(record.life.state == "between", "not-allowed", "no round follows: none has ended")
        allow(after in (None, record.life.round), "not-allowed", ENDED)
        await self._open(id, closes)

    async def close_round(self, id: str, round: int | None = None) -> None:
        """End the open round; where no other follows, the survey is closed. Raises Refusal.

        round: the one that is meant, where another may be open by now, which goes on. A round that
        was handed over is counted here after all. A crash in between is taken up by `tick`.
        """
        life = (await self._record(id)).life
        allow(life.state in ("open", "counting"), "not-allowed", "no round is open")
        allow(round in (None, life.round), "not-allowed", ENDED)
        await self._end_round(id, life)

    async def close(self, id: str, round: int | None = None) -> None:
        """End the survey, after the open round if there is one, whatever could follow.

        One that others open meanwhile is ended, too. round: the last one that is meant, where
        another may be open by now, which goes on. Raises Refusal.
        """
        now = (await self._record(id)).life.round
        allow(round in (None, now), "not-allowed", ENDED)
        while (life := (await self._record(id)).life).state in ("open", "counting"):
            try:
                await self._end_round(id, life)
            except Refusal:
                if (await self._record(id)).life == life:  # else others ended the round meanwhile
                    raise
        if life.state == "between":
            await self._forget_asked(id, present(life.round, "not-allowed", ENDED))
            await self._change_life(id, lambda life: life.finish(self._now()))

    async def publish(self, id: str) -> None:
        """Show everybody the results. Raises Refusal, also while there are none."""
        await self.results(id)
        await self._change_life(id, Life.publish)

    async def unpublish(self, id: str) -> None:
        """Show the results to the organiser alone. Raises Refusal."""
        await self._change_life(id, Life.unpublish)

    async def results(self, id: str) -> Collection:
        """Return what the reports taught. Raises Refusal before the end and for too few reports."""
        record = await self._record(id)
        allow(
            record.life.has_ended, "not-ready", "the results can be seen when the survey is closed"
        )
        key = (id, *asked_by(record), record.life.round)
        return await made(self._results, key, lambda: self._results_of(id, record))

    async def _results_of(self, id: str, record: Record) -> Collection:
        tallies = await self._tallies(id, record)
        asked = [(await self._asked(id, record, n)).surveys for n in range(len(tallies))]
        try:
            await self._require_groups(record, tallies, asked)
        except HushrankError as error:
            raise Refusal("too-few", str(error)) from None
        found = await self._result(id, record, tallies)
        if not isinstance(found, Collection):
            raise Refusal("not-ready", "the survey was closed before its last round")
        return found

    async def _require_groups(
        self, record: Record, tallies: tuple[RoundTallies, ...], asked: list[Round]
    ) -> None:
        """Raise HushrankError where too few people reported in a round."""
        reported = await asyncio.to_thread(lambda: [*map(n_reports_of, tallies, asked)])
        require_groups(reported, record.draft.smallest_group)

    async def forgery(self, id: str) -> Forgery:
        """Return what one forged report can do in the first round, at worst. Raises Refusal."""
        asked = await self._asked(id, await self._record(id), 0)
        return await asyncio.to_thread(weight_of, *asked.surveys)

    async def suspicion(self, id: str) -> tuple[Suspicion, ...]:
        """Say where reports of ended rounds cannot all be of honest devices. Raises Refusal.

        One for each part of each round: honest reports alone lead to a finding in any of them in at
        most one of a thousand surveys.
        """
        ended = [
            (survey, tallies)
            for asked, of_round in await self.tallies(id)
            for survey, tallies in zip(asked.surveys, of_round, strict=True)
        ]
        rate = FALSE_ALARM / max(len(ended), 1)
        each = [await asyncio.to_thread(suspicion, *one, false_alarm=rate) for one in ended]
        return tuple(each)

    async def tick(self) -> None:
        """Do what is due by the clock, and what a crash left undone.

        What goes wrong with one survey keeps no other one open; it is raised at the end.
        """
        now, self._keys = self._now(), {}
        failures: list[tuple[str, Exception]] = []
        all_kept = await self.store.all()
        self._forget_deleted({kept.survey for kept in all_kept})
        for kept in all_kept:
            try:
                with suppress(Refusal):  # another process was faster
                    await self._end_if_due(kept, now)
            except Exception as error:
                failures.append((kept.survey, error))
        await self.store.sweep(now)
        for survey, failure in failures:
            if await self.store.load(survey) is not None:  # else it was deleted meanwhile
                raise failure

    async def rotate_key(self, *, drops_old: bool = False) -> int:
        """Sign new assignments by a new key, and return its number; earlier ones stay valid.

        drops_old: they do not. Who has joined and not sent can do so no more; nor can whoever read
        a key out of the store. Raises Refusal, and changes nothing, where a token could not name
        the next key.
        """
        keys = {key.number for key in await self.store.signing_keys()}
        number = max(keys, default=0) + 1
        few = f"a store has at most {MOST_KEYS - 1} keys, one after the other: begin another store"
        allow(number < MOST_KEYS, "not-allowed", few)
        await self.store.add_signing_key(number, self._draw(32))
        for old in keys if drops_old else ():
            await self.store.drop_signing_key(old)
        self._keys = {}
        return number

    def _forget_deleted(self, there: set[str]) -> None:
        """Forget what is remembered, where another process has deleted a survey since."""
        if self._there - there:
            self._forget()
        self._there = there

    async def _open(self, id: str, closes: datetime | None, draft: Draft | None = None) -> None:
        record = await self._record(id)
        allow(draft in (None, record.draft), "not-allowed", CHANGED)
        number = record.life.open(self._now(), closes).round or 0
        if record.chosen is None and number == 0:
            record = msgspec.structs.replace(record, chosen=choose(record.draft))
        for before in range(number):  # what follows must follow from what was asked
            await self._asked(id, record, before)
        asked = await self._asked(id, record, number)
        await asyncio.to_thread(_require_sent, asked)
        blob = msgspec.json.encode(RoundRecord(asked.fingerprints))
        text = record.announcement or await self._told(id, record)

        def opened(now: Record) -> Record:
            allow(now.draft == record.draft, "not-allowed", CHANGED)
            life = now.life.open(self._now(), closes)
            allow(life.round == number, "not-allowed", "this round was opened meanwhile")
            chosen = record.chosen
            return msgspec.structs.replace(now, life=life, announcement=text, chosen=chosen)

        await self._change(id, opened, opens=NewRound(number, blob))

    async def _told(self, id: str, record: Record) -> str:
        """Return the announcement; raise Refusal where it is so long that devices refuse it."""
        document = msgspec.json.encode(await self._announce(id, record))
        fits = len(document) <= MOST_ANNOUNCEMENT_BYTES * 0.9  # a copy's may be a little longer
        allow(fits, "malformed", "people would be told too much: shorten descriptions")
        return document.decode()

    async def _end_round(self, id: str, life: Life) -> None:
        """Close the round that was open, add its reports up, and see whether another one follows.

        Raises Refusal where others ended it meanwhile, and opened the next one, which goes on.
        """
        record = await self._record(id)
        number = present(record.life.round, "not-allowed", "no round is open")
        allow(number == life.round, "not-allowed", ENDED)
        await self.store.close_round(id, number)
        asked = await self._asked(id, record, number)
        values = await self._counted(id, number, len(asked.parts))
        tallies = await asyncio.to_thread(_tallied, asked.parts, values)
        await self._keep_round(id, record, number, tallies)

    async def _keep_round(
        self, id: str, record: Record, number: int, tallies: RoundTallies
    ) -> None:
        """Keep what a round's reports add up to, forget whose they are, and go on.

        Raises Refusal where others did meanwhile: what they kept stays.
        """
        life = (await self._record(id)).life
        is_last = life.state in ("open", "counting") and life.round == number
        allow(is_last, "not-allowed", ENDED)
        encoded = await asyncio.to_thread(encode_tallies, tallies)
        await self.store.keep_tallies(id, number, encoded)
        await self.store.forget_people(id, number)
        kept = await self._tallies(id, record, until=number + 1)  # others may have been faster
        follows = await self._follows(id, record, kept)
        if not follows:
            await self._forget_asked(id, number)

        def ended(now: Record) -> Record:
            allow(now.life.round == number, "not-allowed", ENDED)
            life = now.life.close_round()
            life = life if follows else life.finish(self._now())
            return msgspec.structs.replace(now, life=life)

        await self._change(id, ended)

    async def _forget_asked(self, id: str, last: int) -> None:
        """Forget who was asked in which round, where none follows the last one."""
        if await self.store.drop_secrets(ASKED, id):
            await self.store.forget_people(id, last)  # for good: it empties the log

    async def _counted(self, id: str, number: int, n_parts: int) -> list[Counted]:
        """Read how often each report to each question arrived, by part of the round."""
        values: list[Counted] = [{} for _ in range(n_parts)]
        async for part, question, times in self.store.kinds(id, number):
            reports, counts = values[part].setdefault(question, ([], []))
            reports.extend(times.keys())
            counts.extend(times.values())
        return values

    async def _end_if_due(self, kept: Kept, now: datetime) -> None:
        life = msgspec.json.decode(kept.blob, type=Record).life
        if life.state == "counting":
            await self._end_handing_over(kept.survey, life)
        elif life.is_due(now) or await self._was_interrupted(kept.survey, life):
            await self._end_round(kept.survey, life)
        elif life.has_ended and kept.survey not in self._ended:  # else a crash came before that
            await self._forget_asked(kept.survey, present(life.round, "not-allowed", ENDED))
            self._ended.add(kept.survey)

    async def _end_handing_over(self, survey: str, life: Life) -> None:
        """Do what a crash may have left undone when a round was handed over, once in a process."""
        number = present(life.round, "not-allowed", "no round is open")
        if life.handed not in self._away:
            await self.store.close_round(survey, number)
            await self.store.forget_people(survey, number)
            self._away.add(life.handed)

    async def _was_interrupted(self, id: str, life: Life) -> bool:
        """Whether a crash came after the store had closed the round and before this was noted."""
        if life.state != "open" or life.round is None:
            return False
        held = await self.store.round(id, life.round)
        return held is not None and not held.is_open

    async def _follows(self, id: str, record: Record, tallies: tuple[RoundTallies, ...]) -> bool:
        """Whether another round is asked: none after one of too few, of which no result is shown.

        It would depend on their reports, and cost people for nothing.
        """
        asked = [(await self._asked(id, record, n)).surveys for n in range(len(tallies))]
        try:
            await self._require_groups(record, tallies, asked)
            return isinstance(await self._result(id, record, tallies), Asked)
        except HushrankError:  # nothing can be learnt from these reports, whatever else is asked
            return False


def _tallied(
    parts: Sequence[PublishedSurvey],
    values: Sequence[Counted],
) -> RoundTallies:
    """Add the reports of each part up: their JSON values, and how often each came."""
    tallies = []
    for published, of_part in zip(parts, values, strict=True):
        decoded = {
            question: (msgspec.json.decode(b"[%b]" % b",".join(reports), type=list[WireReport]), n)
            for question, (reports, n) in of_part.items()
        }
        tallies.append(published.tally_values(decoded))
    return tuple(tallies)


def _require_sent(asked: Asked) -> None:
    """Raise Refusal where devices, or we, would refuse what is sent of a round, as it is so long.

    Or where the store would refuse what its reports add up to, when people have paid.
    """
    for part in asked.parts:
        _require_answered(part.survey)
        few = range(part.survey.answers_per_person)
        fits = len(part.handout(few)) <= MOST_HANDOUT_BYTES * 0.9  # others' may be a little longer
        allow(fits, "malformed", f"a person would be sent too much: {FEWER}, or shorter names")
    kept = sum(_longest_tallies(part.survey) for part in asked.parts) <= MOST_BLOB_BYTES
    allow(kept, "malformed", f"what reports add up to would be too long: {FEWER}")


def _longest_tallies(survey: Survey) -> int:
    """Return how many bytes the tallies of many people take as JSON, a comma behind each number."""
    n_questions = len(survey.questions)
    each = len(str(MANY_PEOPLE * survey.answers_per_person // n_questions)) + 1
    return each * sum(m.n_categories for m in survey.mechanisms) + (each + 4) * n_questions


def _require_answered(survey: Survey) -> None:
    """Raise Refusal where an upload of a person's answers is too long."""
    longest = BYTES_BESIDE_A_REPORT + max(map(longest_on_wire, survey.distinct_mechanisms))
    fits = (survey.answers_per_person + 2) * longest <= MOST_REPORT_BYTES
    allow(fits, "malformed", f"a person's reports would be too long: {FEWER}")
