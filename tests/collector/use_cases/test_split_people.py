"""Whom one round of some of the people has asked, no other asks, whatever lot a device names."""

from dataclasses import replace

import pytest

from hushrank.collector.refusals import Refusal
from hushrank.collector.service import Assigned, Joining, NotAsked, Upload
from hushrank.collector.store.store import ASKED, Secret, round_mark
from hushrank.protocols import registry
from hushrank.protocols.registry import Pairs
from tests.collector.drafts import KEY, draft
from tests.collector.test_service import TASTES, person, refusal_of, report

OF_FIRST, OF_SECOND = 5, 2**31 + 5
"""Lots of people whom the first round asks, and the second."""

HOW = {"invitations": "invitation", "api": "app", "open": "device"}


class Split:
    """A survey in its first round, which asks half of the people, and who joins it."""

    def __init__(self, service, id, joining, known):
        self.service, self.id, self._joining, self._known = service, id, joining, known

    @classmethod
    async def begun(cls, service, joining, split="people", **others):
        fields = others or {"protocol": "safari", "options": {"split": split}}
        id = await service.create(draft(joining=joining, **fields))
        await service.open(id)
        known = ()
        if joining == "invitations":
            known = await service.invite(id, 40)
        elif joining == "api":
            known = (await service.make_api_key(id),) * 40
        return cls(service, id, joining, known)

    def joins(self, n, lot):
        """Somebody joins: an invited one by another device for each lot."""
        if self._joining == "invitations":
            asks = Joining(f"{n} {lot}", lot, invitation=self._known[n])
        elif self._joining == "api":
            asks = Joining(person(n), lot, api_key=self._known[n])
        else:
            asks = Joining(person(n), lot)
        return self.service.join(self.id, asks)

    async def answers(self, people, lot):
        """Let people answer by devices that name this lot."""
        uploads = []
        for n in people:
            given = await self.joins(n, lot)
            reports = report(given.handout, lot / 2**32, TASTES[n % len(TASTES)], n)
            uploads.append(Upload(given.assignment, KEY, reports))
        await self.service.accept(uploads)

    async def goes_on(self):
        await self.service.close_round(self.id)
        await self.service.open_round(self.id)

    async def digest(self, n):
        """Return what the store knows a person by."""
        who = self._known[n] if self._joining == "invitations" else person(n)
        record = await self.service._record(self.id)
        return self.service._named(record, self.id, HOW[self._joining], who)

    async def remembers(self, n):
        now, digest = self.service._now(), await self.digest(n)
        return await self.service.store.secret("asked", digest, now=now) is not None


@pytest.mark.parametrize("joining", ["invitations", "api"])
def test_whom_the_first_round_asked_the_second_asks_by_no_device(in_service, joining):
    async def using(service):
        split = await Split.begun(service, joining)
        await split.answers(range(20), OF_FIRST)
        await split.joins(20, OF_FIRST)  # and does not answer
        assert not (await split.joins(20, OF_FIRST)).is_new
        await split.goes_on()
        for asked in (0, 20):
            assert await refusal_of(split.joins(asked, OF_SECOND)) == "conflict"
            assert isinstance(await split.joins(asked, OF_FIRST), NotAsked)
        assert (await service.store.counts(split.id, 1)).joined == 0
        await split.joins(21, OF_SECOND)
        assert not (await split.joins(21, OF_SECOND)).is_new
        await split.answers(range(21, 30), OF_SECOND)
        assert await refusal_of(split.joins(21, OF_SECOND)) == "conflict"

    in_service(using)


class Parts(Pairs):
    """Asks each of eight parts of the people in a round of its own."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        asked = {"epsilon": epsilon, "n_people": n_people, "seed": seed}
        (survey,) = next(super().begin(n_items, **asked))
        for nth in range(8):
            yield (replace(survey, lots=(nth / 8, (nth + 1) / 8)),)


@pytest.mark.parametrize("joining", ["invitations", "api"])
def test_whom_any_of_many_rounds_asked_no_later_one_asks(in_service, monkeypatch, joining):
    """More than any protocol of ours has: a protocol may have as many as it wants."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Parts))

    async def using(service):
        split = await Split.begun(service, joining, protocol="pairs", smallest_group=2)
        for round in range(8):
            if round:
                await split.goes_on()
            lot = 5 + round * 2**29
            for asked in range(3 * round):
                assert await refusal_of(split.joins(asked, lot)) == "conflict"
            await split.answers(range(3 * round, 3 * round + 2), lot)
            await split.joins(3 * round + 2, lot)  # and does not answer

    in_service(using)


@pytest.mark.parametrize("joining", ["invitations", "api"])
def test_who_was_refused_is_refused_again(in_service, joining):
    """Else whoever asks twice would pay for both rounds."""

    async def using(service):
        split = await Split.begun(service, joining)
        await split.answers(range(20), OF_FIRST)
        await split.goes_on()
        for _ in range(2):
            assert await refusal_of(split.joins(0, OF_SECOND)) == "conflict"

    in_service(using)


@pytest.mark.parametrize("joining", ["invitations", "api"])
def test_whom_the_first_round_did_not_ask_is_not_remembered(in_service, joining):
    async def using(service):
        split = await Split.begun(service, joining)
        await split.answers(range(20), OF_FIRST)
        assert isinstance(await split.joins(30, OF_SECOND), NotAsked)
        assert [await split.remembers(n) for n in (0, 30)] == [True, False]
        await split.goes_on()
        assert isinstance(await split.joins(30, OF_SECOND), Assigned)

    in_service(using)


async def _end_the_last_round(split):
    await split.goes_on()
    await split.answers(range(20, 30), OF_SECOND)
    await split.service.close_round(split.id)


async def _end_between(split):
    await split.service.close_round(split.id)
    await split.service.close(split.id)


async def _end_at_once(split):
    await split.service.close(split.id)


async def _delete(split):
    await split.service.delete(split.id)


@pytest.mark.parametrize("ends", [_end_the_last_round, _end_between, _end_at_once, _delete])
def test_who_was_asked_is_forgotten_when_the_survey_ends(in_service, tmp_path, ends):
    """No byte of it is left, in the log neither."""

    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(20), OF_FIRST)
        digest = await split.digest(3)
        files = list(tmp_path.iterdir())
        assert any(digest in file.read_bytes() for file in files)
        await ends(split)
        assert not any(digest in file.read_bytes() for file in files)

    in_service(using)


def test_who_joins_as_the_survey_ends_is_not_remembered(in_service):
    """They were let in while the round was open, and the store has closed it meanwhile."""

    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(20), OF_FIRST)
        await service.store.close_round(split.id, 0)
        assert await refusal_of(split.joins(20, OF_FIRST)) == "closed"
        assert not await split.remembers(20)

    in_service(using)


def test_who_was_asked_by_a_survey_that_a_crash_ended_is_forgotten_when_the_clock_ticks(in_service):
    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(20), OF_FIRST)
        digest = await split.digest(3)
        await service.close(split.id)
        await service.store.put_secrets([Secret(ASKED, digest, round_mark(0), split.id)])
        assert await split.remembers(3)
        await service.tick()
        assert not await split.remembers(3)

    in_service(using)


@pytest.mark.parametrize("when", ["keep_tallies", "forget_people"])
def test_a_survey_ends_though_others_end_its_round_at_the_same_moment(
    in_service, monkeypatch, when
):
    """A clock that ticks takes the round that is being ended for one that a crash left open."""

    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(20), OF_FIRST)
        plain = getattr(service.store, when)

        async def beside(*given):
            monkeypatch.setattr(service.store, when, plain)
            await service.tick()
            return await plain(*given)

        monkeypatch.setattr(service.store, when, beside)
        await service.close(split.id)
        assert (await service.survey(split.id)).life.state == "closed"
        assert not await split.remembers(3)

    in_service(using)


def test_a_round_that_cannot_be_ended_is_said_and_tried_once(in_service, monkeypatch):
    async def using(service):
        split = await Split.begun(service, "invitations")
        tries = []

        async def fails(id, life):
            tries.append(id)
            raise Refusal("not-allowed", "as it was")

        monkeypatch.setattr(service, "_end_round", fails)
        assert await refusal_of(service.close(split.id)) == "not-allowed"
        assert len(tries) == 1

    in_service(using)


def test_who_was_asked_is_remembered_between_the_rounds(in_service):
    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(20), OF_FIRST)
        await service.close_round(split.id)
        assert await split.remembers(3)

    in_service(using)


def test_a_tick_of_the_clock_forgets_nobody_of_a_survey_that_goes_on(in_service):
    """Else whoever was asked would be asked again, and pay twice."""

    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(20), OF_FIRST)
        await service.tick()
        assert await split.remembers(0)
        await service.close_round(split.id)
        await service.tick()
        assert await split.remembers(0)
        await service.open_round(split.id)
        await service.tick()
        assert await refusal_of(split.joins(0, OF_SECOND)) == "conflict"

    in_service(using)


def test_a_survey_that_ends_after_too_few_reports_remembers_nobody(in_service):
    async def using(service):
        split = await Split.begun(service, "invitations")
        await split.answers(range(3), OF_FIRST)
        await service.close_round(split.id)
        assert (await service.survey(split.id)).life.state == "closed"
        assert not await split.remembers(1)

    in_service(using)


@pytest.mark.parametrize(
    ("joining", "share"), [("open", "people"), ("invitations", "budget"), ("api", "budget")]
)
def test_nobody_is_remembered_who_could_not_be_asked_by_another_lot(in_service, joining, share):
    """Devices of an open link are new people as often as they like."""

    async def using(service):
        split = await Split.begun(service, joining, share)
        await split.answers(range(20), OF_FIRST)
        assert not await split.remembers(3)
        await split.goes_on()
        assert isinstance(await split.joins(3, OF_SECOND), Assigned)

    in_service(using)
