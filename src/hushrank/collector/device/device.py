"""One person's device: it joins, answers once, keeps the answer, and sends the same bytes again.

The collector sees the lot, the requests and the reports. How many requests there are, and when,
does not depend on the ranking: `answer` makes none, and whether it refuses depends on what was
asked and spent before only.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
import numpy as np

from hushrank.arrays import Answers
from hushrank.collector.announcement import (
    Announcement,
    fingerprint_of_announcement,
    read_announcement,
)
from hushrank.collector.device.connection import Asking, Connection
from hushrank.collector.device.kept import ACCOUNT, Answered, KeptRound, KeptSeries, KeptSurvey
from hushrank.collector.device.ledger import Account, Entry, Statement
from hushrank.collector.device.memory import Drawer, Memory
from hushrank.collector.device.repeating import Drawn, answer_each, is_known
from hushrank.collector.device.terms import (
    LOTS,
    Given,
    read_given,
    require_announced,
    require_forward,
    require_price,
)
from hushrank.errors import HushrankError, require
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import Handout, read_handout
from hushrank.surveys.wire_reports import WireReport

CHANGED = "the collector changed the announcement after this device had joined"
PART_IS_GONE = "a part of this device's memory is gone"


@dataclass(frozen=True)
class Opened:
    """What people are shown before anything, and the fingerprint of just that document."""

    announcement: Announcement
    fingerprint: str


@dataclass(frozen=True, repr=False)
class Standing:
    """Where the person stands in a round. `handout` None: it does not ask them.

    upload: the bytes to send, once there is an answer. receipt: the collector's word that it has
    them. is_payable: whether the person's limit lets them answer.
    """

    round: int
    handout: Handout | None
    answered: Answered | None
    upload: bytes | None
    receipt: str | None
    is_payable: bool


@dataclass(frozen=True, repr=False)
class _Current:
    """A survey that was joined, and the latest round of it."""

    own: KeptSurvey
    announcement: Announcement
    round: int
    kept: KeptRound


class Device:
    """Answers the surveys of one collector for one person, from a memory of their own.

    Each round is answered once, however often it is asked for, by however many processes. Answers
    to surveys that repeat each other are sent again while the person's answer stays the same, and
    cost nothing: permanent randomised response.
    Source: Erlingsson, Pihur, Korolova (CCS 2014), section 3.
    """

    def __init__(
        self,
        connection: Connection,
        memory: Memory,
        *,
        person: str | None = None,
        randomness: Randomness | None = None,
        is_simulation: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Work for one person.

        person: what an organiser's own app calls them, where people join by its key; elsewhere the
        device draws a name for each survey. Only a simulation may draw from a seed.
        """
        rng = Randomness.secure() if randomness is None else randomness
        is_secret = rng.is_private or is_simulation
        require(is_secret, "expected the operating system's randomness, a seed protects nobody")
        self._connection, self._memory, self._person = connection, memory, person
        self._rng, self._clock = rng, clock

    def open(self, survey: str) -> Opened:
        """Get what people are shown before anything; refuse one that was changed after joining."""
        document = self._connection.announcement(survey)
        announcement = read_announcement(document)
        require(announcement.id == survey, "expected the announcement of this survey")
        with self._memory.opened() as drawer:
            own = drawer.get(self._place(survey), KeptSurvey)
        same = own is None or own.announcement.encode() == document
        require(same, CHANGED)
        return Opened(announcement, fingerprint_of_announcement(document))

    def join(
        self, survey: str, *, invitation: str | None = None, shown: str | None = None
    ) -> Standing:
        """Get the person's questions of the round that is open: always the same ones.

        Where none is open: those of the latest round that they joined, unless they would answer it
        only now, and pay for what nobody takes.
        shown: the fingerprint of the announcement that the person saw, if one was shown.
        Raises HushrankError where they are not what was announced; Offline; Problem.
        """
        opened = self.open(survey)
        same = shown in (None, opened.fingerprint)
        require(same, "the collector changed the announcement after it was shown")
        now = self._connection.where(survey).round
        if now is None:
            latest = self.kept(survey)
            is_done = latest is not None and (latest.answered is not None or latest.handout is None)
            require(is_done, "the survey is not open now")
            assert latest is not None
            return latest
        with self._memory.opened() as drawer:
            self._require_whole(drawer, opened.announcement, now)
            own, series = self._newcomer(drawer, opened.announcement)
            require_forward(own.latest, now)
            kept = drawer.get(self._at(survey, now), KeptRound)
        if kept is None:
            asking = Asking(own.person, invitation, series.lot, series.assignments.get(now))
            given = read_given(self._connection.join(survey, asking), opened.fingerprint)
            now, kept = given.round, self._joined(opened.announcement, given)
        return self._standing(opened.announcement, now, kept)

    def kept(self, survey: str) -> Standing | None:
        """Return where the person stands in the latest round they joined, without the collector.

        None: they never joined.
        """
        with self._memory.opened() as drawer:
            own = drawer.get(self._place(survey), KeptSurvey)
            if own is None or own.latest is None:
                return None
            current = self._current(drawer, survey)
        return self._standing(current.announcement, current.round, current.kept)

    def answer(self, survey: str, order: Sequence[str]) -> Answered:
        """Answer the round once: what is drawn is kept, and drawn never again.

        order: the items that the person ranked, best first. An answer that they gave to the same
        question of the series before is repeated, and costs nothing. So is their latest one where
        another would exceed their limit.
        Raises HushrankError, before anything is drawn, where the order does not fit the survey, the
        round does not ask this person, or their first answer would exceed their limit.
        """
        with self._memory.opened() as drawer:
            current = self._current(drawer, survey)
            if current.kept.answered is not None:
                return current.kept.answered
            handout = _handout(current.kept, current.announcement)
            require(handout is not None, "this round does not ask this person")
            assert handout is not None
            person = ranking_of(order, handout.head.items)
            answered = self._drawn(drawer, current, handout, person)
            upload = _upload(current.kept, handout, answered)
            kept = msgspec.structs.replace(current.kept, answered=answered, upload=upload)
            drawer.put(self._at(survey, current.round), kept)
        return answered

    def send(self, survey: str, *, shown: int | None = None) -> str:
        """Send what was answered, the same bytes each time, until there is a receipt; return that.

        shown: the round whose answer the person saw, if one was shown.
        Raises Offline, after which it can be called again, also by a later process; Problem.
        """
        with self._memory.opened() as drawer:
            current = self._current(drawer, survey)
        same = shown in (None, current.round)
        require(same, "another round was joined after this answer was shown")
        upload, receipt = current.kept.upload, current.kept.receipt
        require(upload is not None, "there is no answer to send")
        if receipt is None:
            receipt = self._connection.send((upload or "").encode())
            with suppress(HushrankError):  # a receipt that is not kept comes again
                self._received(self._at(survey, current.round), receipt)
        return receipt

    def forget(self, survey: str) -> None:
        """Forget all of a survey and its series but what they cost, and the lot.

        Only for surveys that take no more reports: this device would answer anew. By another lot
        it would be asked another question in a survey of the series that is open.
        """
        with self._memory.opened() as drawer:
            current = self._current(drawer, survey)
            for round in range(current.round + 1):
                drawer.drop(self._at(survey, round))
            drawer.drop(self._place(survey))
            of_series = self._series(current.announcement)
            series = drawer.get(of_series, KeptSeries)
            if series is not None:
                drawer.put(of_series, KeptSeries(series.lot))

    def spent(self) -> Statement:
        """Say what the person has spent, and their limit."""
        with self._memory.opened() as drawer:
            account = drawer.get(ACCOUNT, Account) or Account()
        return account.statement(self._connection.origin, self._clock())

    def set_limit(self, nats: float) -> None:
        """Set the most that a collector may cost the person in a year, in nats."""
        with self._memory.opened() as drawer:
            account = drawer.get(ACCOUNT, Account) or Account()
            drawer.put(ACCOUNT, account.limited(nats))

    def _require_whole(self, drawer: Drawer, announcement: Announcement, now: int) -> None:
        """Of a survey whose record is gone nothing else is left, and of any other all is.

        Else what was answered would be hidden anew.
        """
        own = drawer.get(self._place(announcement.id), KeptSurvey)
        at = (self._at(announcement.id, round) for round in range(now + 1))
        is_kept = [drawer.get(each, KeptRound) is not None for each in at]
        if own is None:
            require(not any(is_kept), PART_IS_GONE)
            return
        require(drawer.get(self._series(announcement), KeptSeries) is not None, PART_IS_GONE)
        is_ahead = own.latest is not None and own.latest > now
        require(own.latest is None or is_ahead or is_kept[own.latest], PART_IS_GONE)

    def _newcomer(
        self, drawer: Drawer, announcement: Announcement
    ) -> tuple[KeptSurvey, KeptSeries]:
        """Return who joins: drawn once. The lot is that of the whole series.

        By another lot another part of the people, and so another question, would be asked each time
        that the survey is repeated.
        """
        place, of_series = self._place(announcement.id), self._series(announcement)
        series = drawer.get(of_series, KeptSeries)
        if series is None:
            series = KeptSeries(int(self._rng.below(LOTS, 1)[0]))
            drawer.put(of_series, series)
        own, told = drawer.get(place, KeptSurvey), msgspec.json.encode(announcement).decode()
        if own is None:
            own = KeptSurvey(told, self._person or self._name())
            drawer.put(place, own)
        require(own.announcement == told, CHANGED)  # another process may have joined since
        return own, series

    def _name(self) -> str:
        """Draw what nobody can guess: 16 bytes in hexadecimal."""
        return self._rng.words(2).tobytes().hex()

    def _joined(self, announcement: Announcement, given: Given) -> KeptRound:
        """Check an assignment and keep it."""
        new = KeptRound(given.assignment, given.handout, self._name())
        handout = _handout(new, announcement)
        place, at = self._place(announcement.id), self._at(announcement.id, given.round)
        with self._memory.opened() as drawer:
            own, series = self._newcomer(drawer, announcement)
            require_forward(own.latest, given.round)
            kept, asked = drawer.get(at, KeptRound) or new, own.asked
            same = (kept.assignment, kept.handout) == (new.assignment, new.handout)
            require(same, "the collector asks another question in the same round")
            if handout is not None:
                asked = {**asked, given.round: handout.head.epsilon}
                require_announced(handout, announcement, given.round, series.lot)
                require_price(asked, announcement)
            drawer.put(place, msgspec.structs.replace(own, asked=asked, latest=given.round))
            drawer.put(at, kept)
        return kept

    def _received(self, at: str, receipt: str) -> None:
        """Keep a receipt, and nothing where the round was forgotten meanwhile."""
        with self._memory.opened() as drawer:
            kept = drawer.get(at, KeptRound)
            if kept is not None:
                drawer.put(at, msgspec.structs.replace(kept, receipt=receipt))

    def _standing(self, announcement: Announcement, round: int, kept: KeptRound) -> Standing:
        handout = _handout(kept, announcement)
        with self._memory.opened() as drawer:
            account = drawer.get(ACCOUNT, Account) or Account()
            series = drawer.get(self._series(announcement), KeptSeries)
        memos = {} if series is None else series.memos
        is_payable = (
            handout is None
            or is_known(handout, memos)
            or self._allows(account, handout, announcement)
        )
        upload = None if kept.upload is None else kept.upload.encode()
        return Standing(round, handout, kept.answered, upload, kept.receipt, is_payable)

    def _allows(self, account: Account, handout: Handout, announcement: Announcement) -> bool:
        """Whether the person's limit lets them answer: at the start, all that the survey may cost.

        Who stops between two rounds would have paid for no result.
        """
        origin = self._connection.origin
        has_begun = account.has_begun(origin, announcement.id)
        price = handout.head.epsilon if has_begun else announcement.epsilon
        return account.allows(origin, price, self._clock())

    def _drawn(
        self, drawer: Drawer, current: _Current, handout: Handout, person: Rankings
    ) -> Answered:
        """Draw what is new, enter what it costs, and remember it for the series."""
        account = drawer.get(ACCOUNT, Account) or Account()
        of_series = self._series(current.announcement)
        series = drawer.get(of_series, KeptSeries)
        assert series is not None
        drawn = answer_each(
            handout,
            handout.truths(person, lot=series.lot / LOTS),
            series.memos,
            lambda number, truth: self._hidden(handout, number, truth),
            is_affordable=self._allows(account, handout, current.announcement),
        )
        drawer.put(ACCOUNT, account.entered(self._entry(current, drawn.answered.nats)))
        drawer.put(of_series, _remembered(series, current, drawn))
        return drawn.answered

    def _entry(self, current: _Current, nats: float) -> Entry:
        """Return what the account says of a round."""
        survey = current.announcement
        origin, now = self._connection.origin, self._clock()
        return Entry(origin, survey.id, survey.title, current.round, nats, now)

    def _hidden(self, handout: Handout, number: int, truth: Answers) -> WireReport:
        return handout.hide(number, truth, rng=self._rng, is_simulation=not self._rng.is_private)

    def _current(self, drawer: Drawer, survey: str) -> _Current:
        own = drawer.get(self._place(survey), KeptSurvey)
        require(own is not None and own.latest is not None, "expected a survey that was joined")
        assert own is not None
        assert own.latest is not None
        announcement = read_announcement(own.announcement.encode())
        kept = drawer.get(self._at(survey, own.latest), KeptRound)
        series = drawer.get(self._series(announcement), KeptSeries)
        require(kept is not None and series is not None, PART_IS_GONE)
        assert kept is not None
        has_paid = kept.answered is None or drawer.get(ACCOUNT, Account) is not None
        require(has_paid, PART_IS_GONE)
        return _Current(own, announcement, own.latest, kept)

    def _place(self, survey: str) -> str:
        return f"survey {self._connection.origin} {survey}"

    def _at(self, survey: str, round: int) -> str:
        return f"round {round} {self._place(survey)}"

    def _series(self, announcement: Announcement) -> str:
        return f"series {self._connection.origin} {announcement.series}"


def ranking_of(order: Sequence[str], items: tuple[str, ...]) -> Rankings:
    """Return one person's ranking; HushrankError, which says nothing of it, where it is none."""
    is_list = not isinstance(order, str) and all(isinstance(item, str) for item in order)
    known = is_list and len(set(order)) == len(order) and set(order) <= set(items)
    require(known, "expected a list of distinct items of the survey, best first")
    keys = np.full((1, len(items)), np.nan)
    for place, item in enumerate(order):
        keys[0, items.index(item)] = place
    return Rankings.from_keys(keys, items)


def _remembered(series: KeptSeries, current: _Current, drawn: Drawn) -> KeptSeries:
    assignments = {**series.assignments, current.round: current.kept.assignment or ""}
    return KeptSeries(series.lot, assignments, drawn.memos)


def _upload(kept: KeptRound, handout: Handout, answered: Answered) -> str:
    """Return the bytes to send: compact JSON, each report as it is hashed and stored."""
    numbered = zip(handout.asked, answered.reports, strict=True)
    reports = [msgspec.Raw(handout.sent(number, report)) for number, report in numbered]
    named = {"assignment": kept.assignment, "idempotency_key": kept.key}
    return msgspec.json.encode({**named, "reports": reports}).decode()


def _handout(kept: KeptRound, announcement: Announcement) -> Handout | None:
    if kept.handout is None:
        return None
    return read_handout(kept.handout.encode(), most_epsilon=announcement.epsilon)
