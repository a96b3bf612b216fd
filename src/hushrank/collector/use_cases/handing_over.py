"""The counting of a round, done elsewhere: its reports handed over, and its tallies taken back."""

from typing import TYPE_CHECKING

import msgspec

from hushrank.collector.refusals import allow, present
from hushrank.collector.rounds import Asked, encode_tallies, n_reports_of
from hushrank.collector.store.store import Kinds
from hushrank.collector.use_cases.records import Record
from hushrank.collector.use_cases.running import Running
from hushrank.surveys.survey import RoundTallies, Survey, Tallies

if TYPE_CHECKING:
    from hushrank.collector.elsewhere import SurveySoFar

NOT_AWAY = "no round of the survey is counted elsewhere"


class HandingOver(Running):
    """What an organiser does with a round that others count."""

    async def hand_over(self, id: str) -> tuple[Asked, list[Kinds], str]:
        """End the open round without counting it; return what it asked, its reports, their mark.

        Nobody reports any more, and who had which assignment is forgotten, as when a round ends. A
        round that was handed over is handed over again, with the same mark.
        Privacy: reports as devices sent them, not whose. Raises Refusal where no round is open.
        """
        mark = self._draw(16).hex()
        record = await self._change(
            id, lambda now: msgspec.structs.replace(now, life=now.life.hand_over(mark))
        )
        number = present(record.life.round, "not-allowed", "no round is open")
        await self.store.close_round(id, number)
        await self.store.forget_people(id, number)
        kinds = [each async for each in self.store.kinds(id, number)]
        return await self._asked(id, record, number), kinds, record.life.handed or mark

    async def take_back(self, id: str, counted: "SurveySoFar") -> None:
        """End the round that was handed over with the tallies that its reports add up to.

        Raises Refusal, and nothing is changed, unless they are of the reports that were handed
        over, all of them and no others. Whether they were added up rightly is not looked at: that
        would be counting them here, as `close_round` does.
        """
        record = await self._record(id)
        allow(record.life.state == "counting", "not-allowed", NOT_AWAY)
        number = present(record.life.round, "not-allowed", "no round is open")
        tallies = await self._checked(id, record, number, counted)
        await self._keep_round(id, record, number, tallies)

    async def count_here(self, id: str) -> None:
        """End the round that was handed over by counting its reports here after all.

        Raises Refusal where none was: a round that is open goes on.
        """
        life = (await self._record(id)).life
        allow(life.state == "counting", "not-allowed", NOT_AWAY)
        await self.close_round(id, life.round)

    async def _checked(
        self, id: str, record: Record, number: int, counted: "SurveySoFar"
    ) -> RoundTallies:
        """Return the tallies of a round, where they are of the reports that were handed over."""
        own = counted.id == id and counted.seed == record.seed and counted.rounds
        allow(own, "conflict", "these tallies are of another survey")
        newest, asked = counted.rounds[-1], await self._asked(id, record, number)
        earlier = [encode_tallies(each.counted) for each in counted.rounds[:-1]]
        before = [encode_tallies(each) for each in await self._tallies(id, record, until=number)]
        same = earlier == before and newest.fingerprints == asked.fingerprints
        allow(same, "conflict", "these tallies are of another round")
        n_reports = n_reports_of(newest.counted, asked.surveys)
        whole = n_reports == (await self.store.counts(id, number)).reported
        whole &= all(map(_of_whole_people, newest.counted, asked.surveys))
        once = not newest.refused and not newest.repeated
        those = whole and once and newest.handed == record.life.handed
        words = "expected the tallies of the file that was handed over: of all its reports, once"
        allow(those, "conflict", words)
        return newest.counted


def _of_whole_people(tallies: Tallies, survey: Survey) -> bool:
    """Whether so many reports can be all of each person: none has sent a part of theirs."""
    return sum(each.n_reports for each in tallies) % survey.answers_per_person == 0
