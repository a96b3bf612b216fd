import gc
import json
import weakref
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from hushrank.collector import elsewhere
from hushrank.collector.announcement import read_announcement
from hushrank.collector.draft import digest_of, mark_of, read_draft
from hushrank.collector.elsewhere import read_so_far, tally_reports, write_reports
from hushrank.collector.refusals import Refusal
from hushrank.collector.rounds import encode_tallies, replay
from hushrank.collector.service import LOTS, Accepted, Assigned, Joining, NotAsked, Service, Upload
from hushrank.collector.store import counting
from hushrank.collector.store.sqlite import answers
from hushrank.collector.store.store import Secret
from hushrank.collector.tokens import key_of, receipt
from hushrank.collector.use_cases import running
from hushrank.collector.use_cases.records import Record
from hushrank.collector.use_cases.shelf import size_of
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.poisoning.forgery import weight_of
from hushrank.poisoning.suspicion import FALSE_ALARM, suspicion
from hushrank.protocols import registry
from hushrank.protocols.registry import Pairs
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import read_handout
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.wire import read_survey
from hushrank.surveys.wire_documents import SentReport
from tests.collector.device.live import START, Clock
from tests.collector.drafts import KEY, NAMES, draft
from tests.collector.web.running import others_report

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
JOININGS = ("open", "invitations", "api")
TASTES = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 2, 3]])


def person(number: int) -> str:
    return f"{number:032x}"


def forged(assignment: str) -> str:
    """Return another token than this: its last character is a random one of the signature."""
    return assignment[:-1] + ("A" if assignment[-1] != "A" else "B")


def report(handout: bytes, lot: float, order: np.ndarray, seed: int) -> tuple[SentReport, ...]:
    device = read_handout(handout, most_epsilon=8.0)
    one = Rankings.from_orders(order[None, :], device.head.items)
    sent = device.answer(one, lot=lot, rng=Randomness.seeded(seed), is_simulation=True)
    return tuple(msgspec.json.decode(each, type=SentReport) for each in sent)


async def take_part(service: Service, id: str, numbers, *, lot=None, **joining) -> list:
    """Let people answer, each from a device of their own; return what became of each upload."""
    uploads = []
    for number in numbers:
        drawn = number * 2654435761 % 2**32 if lot is None else lot
        assigned = await service.join(id, Joining(person(number), drawn, **joining))
        if isinstance(assigned, NotAsked):
            continue
        order = TASTES[number % len(TASTES)]
        reports = report(assigned.handout, drawn / 2**32, order, number)
        uploads.append(Upload(assigned.assignment, KEY, reports))
    return await service.accept(uploads)


async def refusal_of(awaitable) -> str:
    with pytest.raises(Refusal) as refused:
        await awaitable
    return refused.value.kind


def test_a_survey_from_its_draft_to_its_results(in_service):
    async def using(service):
        id = await service.create(draft())
        assert await refusal_of(service.announcement(id)) == "not-open"
        assert await refusal_of(service.join(id, Joining(person(1), 0))) == "not-open"
        await service.open(id)
        told = read_announcement(await service.announcement(id))
        assert (told.title, told.epsilon, told.comes_back) == ("What to drink", 2.0, False)
        late = await service.join(id, Joining(person(77), 5))
        became = await take_part(service, id, range(60))
        assert all(each.is_new for each in became)
        assert (await service.survey(id)).counts[0].reported == 60
        assert await refusal_of(service.results(id)) == "not-ready"
        await service.close_round(id)
        found = await service.results(id)
        assert sorted(found.items) == sorted(NAMES)
        assert found.n_people == 60
        assert found.is_private
        assert found.epsilon == 2.0
        assert await refusal_of(service.join(id, Joining(person(61), 0))) == "closed"
        reports = report(late.handout, 5 / 2**32, TASTES[0], 1)
        (refused,) = await service.accept([Upload(late.assignment, KEY, reports)])
        assert refused.kind == "closed"
        await service.publish(id)
        await service.unpublish(id)
        await service.delete(id)
        assert await refusal_of(service.survey(id)) == "not-found"

    in_service(using)


def test_a_person_who_comes_back_is_asked_the_same(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        first = await service.join(id, Joining(person(7), 123))
        for lot in (123, 0, 2**30):
            again = await service.join(id, Joining(person(7), lot))
            assert (again.assignment, again.handout) == (first.assignment, first.handout)
            assert not again.is_new
        of_others = service.join(id, Joining(person(7), LOTS - 1))
        assert await refusal_of(of_others) == "conflict"
        return id, first

    async def later(service):
        again = await service.join(id, Joining(person(7), 9))
        assert again.assignment == first.assignment

    id, first = in_service(using)
    in_service(later)  # another process, the same file


def test_every_question_is_asked_equally_often(in_service):
    async def using(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        asked = Counter()
        for number in range(60):
            assigned = await service.join(id, Joining(person(number), 0))
            asked.update(read_handout(assigned.handout, most_epsilon=2.0).asked.keys())
        assert set(asked.values()) == {10}

    in_service(using)


def test_the_same_reports_are_accepted_again_and_others_refused(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        assigned = await service.join(id, Joining(person(1), 5))
        (one, other) = two_reports(assigned)
        upload = Upload(assigned.assignment, KEY, one)
        first, again = [(await service.accept([upload]))[0] for _ in range(2)]
        assert (first.is_new, again.is_new) == (True, False)
        assert first.receipt == again.receipt
        (refused,) = await service.accept([Upload(assigned.assignment, KEY, other)])
        assert refused.kind == "conflict"
        (guessed,) = await service.accept([Upload(assigned.assignment, "9" * 32, one)])
        assert guessed.kind == "conflict"  # nobody else learns whether they are the same
        assert await service.conflicts(id) == 2
        assert (await service.survey(id)).counts[0].reported == 1

    in_service(using)


@pytest.mark.parametrize(("n_items", "queries"), [(4, 3), (10, 21), (20, 190)])
def test_a_receipt_is_for_all_reports_of_a_person(in_service, n_items, queries):
    async def using(service):
        items = [{"name": f"item {n}"} for n in range(n_items)]
        asked = {"items": items, "options": {"queries": queries}}
        id = await service.create(draft(protocol="pairs", **asked))
        await service.open(id)
        assigned = await service.join(id, Joining(person(1), 5))
        reports = report(assigned.handout, 0.0, np.arange(n_items), 1)
        (told,) = await service.accept([Upload(assigned.assignment, KEY, reports)])
        lines = [msgspec.json.encode(each.report) + b"\n" for each in reports]
        assert len(lines) == queries
        expected = receipt(assigned.assignment, b"".join(lines), await service._signing_keys())
        assert told.receipt == expected
        last = msgspec.structs.replace(reports[-1], report=1 - reports[-1].report)
        changed = (*reports[:-1], last)
        (other,) = await service.accept([Upload(assigned.assignment, KEY, changed)])
        assert other.kind == "conflict"

    in_service(using)


def test_of_a_batch_to_however_many_surveys_each_upload_is_stored(in_service):
    async def using(service):
        uploads, ids = [], []
        for _ in range(30):
            ids.append(await service.create(draft()))
            await service.open(ids[-1])
            assigned = await service.join(ids[-1], Joining(person(1), 5))
            reports = report(assigned.handout, 5 / 2**32, TASTES[0], 1)
            uploads.append(Upload(assigned.assignment, KEY, reports))
        told = await service.accept(uploads)
        assert [each.is_new for each in told] == [True] * 30
        counts = [(await service.survey(id)).counts[0].reported for id in ids]
        assert counts == [1] * 30

    in_service(using)


@pytest.mark.parametrize("step", [1, -1])
def test_reports_of_a_batch_are_of_their_own_survey_s_questions(in_service, step):
    async def using(service):
        uploads = []
        for protocol in ("grr", "pairs", "max-entropy"):
            id = await service.create(draft(protocol=protocol))
            await service.open(id)
            for n in range(6):
                assigned = await service.join(id, Joining(person(n), n))
                reports = report(assigned.handout, n / 2**32, TASTES[n % 3], n)
                uploads.append(Upload(assigned.assignment, KEY, reports))
        stored = await service.accept(uploads[::step])
        assert all(isinstance(each, Accepted) for each in stored)

    in_service(using)


def test_what_people_are_dealt_follows_from_a_secret_and_from_nothing_that_they_know(in_service):
    """Else they would join when the question that they like is next."""

    async def using(service):
        record = await service._record(await service.create(draft()))
        public = msgspec.structs.replace(record, seed=record.seed + 1)
        secret = msgspec.structs.replace(record, decks=bytes(32))
        for dealt in (
            lambda of: service._deck_seed(of, 0, 1),
            lambda of: service._named(of, "id", "device", "somebody"),
        ):
            assert dealt(record) == dealt(public) != dealt(secret)
        assert service._deck_seed(record, 0, 1) != service._deck_seed(record, 1, 0)
        ways = {service._named(record, "id", how, "1") for how in ("device", "app", "device 1")}
        assert len(ways) == 3

    in_service(using)


def test_a_key_that_differs_in_one_digit_is_another_one(in_service):
    """Who guesses some of its bits learns nothing."""

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        assigned = await service.join(id, Joining(person(1), 5))
        reports = report(assigned.handout, 0.0, TASTES[0], 1)
        await service.accept([Upload(assigned.assignment, KEY, reports)])
        keys = [f"{KEY[:at]}{15 - int(KEY[at], 16):x}{KEY[at + 1 :]}" for at in range(32)]
        guesses = [Upload(assigned.assignment, key, reports) for key in keys]
        assert {told.kind for told in await service.accept(guesses)} == {"conflict"}
        assert await service.conflicts(id) == 32

    in_service(using)


def two_reports(assigned: Assigned) -> tuple[tuple[SentReport, ...], tuple[SentReport, ...]]:
    """Two different reports that devices could send to the same question."""
    drawn = (report(assigned.handout, 0.0, TASTES[0], seed) for seed in count())
    one = next(drawn)
    return one, next(each for each in drawn if each != one)


def test_reports_to_other_questions_surveys_or_of_nobody_are_refused(in_service):
    async def using(service):
        pairs = draft(protocol="pairs")  # whose deck deals two people two questions
        ids = [await service.create(pairs) for _ in range(2)]
        for id in ids:
            await service.open(id)
        mine, foreign = [await service.join(id, Joining(person(1), 5)) for id in ids]
        other = await service.join(ids[0], Joining(person(2), 5))
        (sent,) = report(mine.handout, 0.0, TASTES[0], 1)
        wrong = [
            (mine.assignment, report(other.handout, 0.0, TASTES[0], 1)),
            (mine.assignment, ()),
            (mine.assignment, (sent, sent)),
            (mine.assignment, (msgspec.structs.replace(sent, report=10**6),)),
            (mine.assignment, (msgspec.structs.replace(sent, report="ff"),)),
            (mine.assignment, (msgspec.structs.replace(sent, survey="0" * 64),)),
            (forged(mine.assignment), (sent,)),
            ("", (sent,)),
        ]
        uploads = [Upload(token, KEY, reports) for token, reports in wrong]
        kinds = [each.kind for each in await service.accept(uploads)]
        assert kinds == ["malformed"] * 6 + ["forged"] * 2
        assert foreign.assignment != mine.assignment
        assert [(await service.survey(id)).counts[0].reported for id in ids] == [0, 0]
        no_key = await service.accept([Upload(mine.assignment, "key", (sent,))])
        assert [each.kind for each in no_key] == ["malformed"]
        mixed = [Upload("", KEY, ()), Upload(mine.assignment, KEY, (sent,)), Upload("x", KEY, ())]
        told = await service.accept(mixed)
        assert [isinstance(each, Accepted) for each in told] == [False, True, False]

    in_service(using)


def test_reports_to_two_surveys_that_come_at_once_are_all_taken(in_service):
    async def using(service):
        ids = [await service.create(draft()) for _ in range(2)]
        uploads = []
        for id in ids:
            await service.open(id)
            assigned = await service.join(id, Joining(person(1), 5))
            reports = report(assigned.handout, 0.0, TASTES[0], 1)
            uploads.append(Upload(assigned.assignment, KEY, reports))
        assert all(isinstance(each, Accepted) for each in await service.accept(uploads))
        assert [(await service.survey(id)).counts[0].reported for id in ids] == [1, 1]

    in_service(using)


def test_invitations_let_each_in_once_and_nobody_else(in_service):
    async def using(service):
        id = await service.create(draft(joining="invitations"))
        tokens = await service.invite(id, 3)
        await service.open(id)
        assigned = [
            await service.join(id, Joining(person(n), n, invitation=token))
            for n, token in enumerate(tokens)
        ]
        assert len({each.assignment for each in assigned}) == 3
        again = await service.join(id, Joining(person(9), 77, invitation=tokens[0]))
        assert again.assignment == assigned[0].assignment
        of_others = Joining(person(9), LOTS - 1, invitation=tokens[0])
        assert await refusal_of(service.join(id, of_others)) == "conflict"
        for wrong in (None, "", "guess", tokens[0][:-1]):
            joining = Joining(person(5), 5, invitation=wrong)
            assert await refusal_of(service.join(id, joining)) == "not-invited"
        other = await service.create(draft(joining="invitations"))
        await service.open(other)
        foreign = Joining(person(1), 1, invitation=tokens[0])
        assert await refusal_of(service.join(other, foreign)) == "not-invited"
        open_one = await service.create(draft())
        assert await refusal_of(service.invite(open_one, 1)) == "not-allowed"
        assert await refusal_of(service.invite(id, 0)) == "malformed"

    in_service(using)


def test_each_of_many_invitations_lets_one_in(in_service):
    async def using(service):
        id = await service.create(draft(joining="invitations"))
        tokens = await service.invite(id, 24)
        await service.open(id)
        let_in = [Joining(person(n), n, invitation=token) for n, token in enumerate(tokens)]
        assert len({(await service.join(id, each)).assignment for each in let_in}) == 24

    in_service(using)


def test_the_store_holds_nothing_by_which_somebody_is_let_in_or_known(in_service):
    """People are named, and decks shuffled, by a secret of each survey."""

    async def using(service):
        ids = [await service.create(draft(joining="invitations")) for _ in range(2)]
        records = [await service._record(id) for id in ids]
        assert all(len(set(record.decks)) > 16 for record in records)  # of 32 bytes that were drawn
        names = {service._named(record, ids[0], "device", "me") for record in records}
        assert len(names) == 2
        places = [(number, part) for number in (0, 1) for part in (0, 1)]
        seeds = {service._deck_seed(record, *place) for record in records for place in places}
        assert len(seeds) == 8
        (token,) = await service.invite(ids[0], 1)
        digest = service._digest(ids[0], token)
        kept = await service.store.secret("invitation", digest, now=START)
        assert (kept.digest, kept.blob) == (digest, b"")
        assert token.encode() not in digest

    in_service(using)


def test_an_app_names_its_people_by_its_key(in_service):
    async def using(service):
        id = await service.create(draft(joining="api"))
        key = await service.make_api_key(id)
        await service.open(id)
        one = await service.join(id, Joining("customer 12", 3, api_key=key))
        again = await service.join(id, Joining("customer 12", 3, api_key=key))
        assert one.assignment == again.assignment
        for wrong in (None, key[:-1]):
            joining = Joining("customer 13", 3, api_key=wrong)
            assert await refusal_of(service.join(id, joining)) == "not-invited"
        for name in ("", "x" * 201):
            joining = Joining(name, 3, api_key=key)
            assert await refusal_of(service.join(id, joining)) == "malformed"
        newer = await service.make_api_key(id)
        old = Joining("customer 12", 3, api_key=key)
        assert await refusal_of(service.join(id, old)) == "not-invited"
        assert await service.join(id, Joining("customer 12", 3, api_key=newer)) is not None

    in_service(using)


def test_each_survey_has_an_app_s_key_of_its_own(in_service):
    async def using(service):
        keys = {}
        for _ in range(2):
            id = await service.create(draft(joining="api"))
            keys[id] = await service.make_api_key(id)
            await service.open(id)
        for id, other in zip(keys, reversed(keys), strict=True):
            assert await service.join(id, Joining("customer 12", 3, api_key=keys[id])) is not None
            foreign = Joining("customer 13", 3, api_key=keys[other])
            assert await refusal_of(service.join(id, foreign)) == "not-invited"

    in_service(using)


def test_a_key_or_an_invitation_is_made_for_surveys_that_are_joined_so_and_for_no_other(in_service):
    async def using(service):
        ids = {each: await service.create(draft(joining=each)) for each in JOININGS}
        for joining, id in ids.items():
            if joining != "api":
                assert await refusal_of(service.make_api_key(id)) == "not-allowed"
            if joining != "invitations":
                assert await refusal_of(service.invite(id, 1)) == "not-allowed"

    in_service(using)


def test_nobody_is_invited_to_a_survey_whose_results_are_published(in_service):
    async def using(service):
        id = await service.create(draft(joining="invitations"))
        await service.open(id)
        for n, token in enumerate(await service.invite(id, 20)):
            await take_part(service, id, [n], invitation=token)
        await service.close(id)
        await service.publish(id)
        assert await refusal_of(service.invite(id, 1)) == "not-allowed"

    in_service(using)


def test_who_is_not_invited_learns_of_no_lot_whether_it_is_asked(in_service):
    async def using(service):
        asked = {"protocol": "safari", "options": {"split": "people"}}
        id = await service.create(draft(joining="invitations", **asked))
        await service.open(id)
        for lot in (0, LOTS - 1, LOTS):
            assert await refusal_of(service.join(id, Joining(person(1), lot))) == "not-invited"

    in_service(using)


def test_surveys_of_a_series_go_on_by_their_own_reports(in_service, monkeypatch):
    """Of the same decks each time: by others nine people may say what 120 do, one time in nine."""

    async def using(service):
        monkeypatch.setattr(service, "_draw", bytes)  # zeros
        first = await service.create(draft(protocol="safari"))
        again = await service.copy(first)
        for id, n_people in ((first, 120), (again, 9)):
            await service.open(id)
            await take_part(service, id, range(n_people))
            await service.close_round(id)
            await service.open_round(id)
        rounds = [await service.document(id, 1, 0) for id in (first, again)]
        assert rounds[0] != rounds[1]
        return rounds, (first, again)

    async def later(service):
        assert [await service.document(id, 1, 0) for id in ids] == rounds

    rounds, ids = in_service(using)
    in_service(later)


def test_each_survey_of_a_series_shows_results_of_its_own_people(in_service):
    async def using(service):
        first = await service.create(draft())
        ids = first, await service.copy(first)
        for id, n_people in zip(ids, (40, 20), strict=True):
            await service.open(id)
            await take_part(service, id, range(n_people))
            await service.close(id)
        assert [(await service.results(id)).n_people for id in ids] == [40, 20]

    in_service(using)


def test_a_later_round_announces_nothing_anew(in_service, monkeypatch):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        told = await service.announcement(id)
        await take_part(service, id, range(120))
        await service.close_round(id)

        async def of_another_version(*_):
            return msgspec.structs.replace(read_announcement(told), epsilon=9.0)

        monkeypatch.setattr(service, "_announce", of_another_version)
        await service.open_round(id)
        assert await service.announcement(id) == told

    in_service(using)


def test_of_two_uploads_of_one_assignment_at_once_each_is_told_what_became_of_it(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        assigned = await service.join(id, Joining(person(1), 0))
        reports = report(assigned.handout, 0.0, TASTES[0], 1)
        sent = [Upload(assigned.assignment, key, reports) for key in (KEY, KEY, "0" * 32)]
        first, same, other = await service.accept(sent)
        assert (first.is_new, same.is_new, other.kind) == (True, False, "conflict")

    in_service(using)


def test_reports_that_a_store_counts_in_many_pieces_are_added_up(in_service, monkeypatch):
    monkeypatch.setattr(counting, "MOST_KINDS", 2)
    monkeypatch.setattr(answers, "ROWS_AT_ONCE", 5)

    async def using(service):
        id = await service.create(draft(protocol="subset-order"))
        await service.open(id)
        await take_part(service, id, range(30))
        await service.close_round(id)
        ((_, ((tally,),)),) = await service.tallies(id)
        assert tally.n_reports == 30

    in_service(using)


def test_each_round_has_counts_of_its_own(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        await take_part(service, id, range(40))
        await service.close_round(id)
        await service.open_round(id)
        await take_part(service, id, range(12))
        counts = (await service.survey(id)).counts
        assert [(each.joined, each.reported) for each in counts] == [(40, 40), (12, 12)]

    in_service(using)


@pytest.mark.parametrize("split", ["budget", "people"])
def test_two_rounds_ask_whom_they_should_and_end_by_themselves(in_service, split):
    async def using(service):
        id = await service.create(draft(protocol="safari", options={"split": split}))
        await service.open(id)
        told = read_announcement(await service.announcement(id))
        assert told.comes_back == (split == "budget")
        first = await take_part(service, id, range(120))
        await service.close_round(id)
        assert (await service.survey(id)).life.state == "between"
        assert await refusal_of(service.results(id)) == "not-ready"
        await service.open_round(id)
        second = await take_part(service, id, range(120))
        await service.close_round(id)
        assert (await service.survey(id)).life.state == "closed"
        asked = [len(first), len(second)]
        assert (asked == [120, 120]) if split == "budget" else (sum(asked) == 120)
        found = await service.results(id)
        assert found.n_people == 120
        assert found.epsilon == 2.0
        return id, found.synthetic.ranks

    async def later(service):
        found = await service.results(id)
        np.testing.assert_array_equal(found.synthetic.ranks, rows)

    id, rows = in_service(using)
    in_service(later)


def test_a_survey_that_is_closed_before_its_time_ended_then(in_service):
    clock = Clock()

    async def using(service):
        id = await service.create(draft(closes="2027-01-31T13:00:00Z"))
        await service.open(id)
        clock.now = START + timedelta(minutes=5)
        await service.close_round(id)
        assert (await service.survey(id)).life.ended == clock.now

    in_service(using, clock)


def test_a_survey_closes_by_the_clock(in_service):
    clock = Clock()

    async def using(service):
        id = await service.create(draft(closes="2027-01-31T13:00:00Z"))
        await service.open(id)
        await take_part(service, id, range(20))
        clock.now = START + timedelta(minutes=59)
        await service.tick()
        assert (await service.survey(id)).life.state == "open"
        clock.now = START + timedelta(hours=1)
        assert await refusal_of(service.join(id, Joining(person(99), 0))) == "closed"
        await service.tick()
        assert (await service.survey(id)).life.state == "closed"
        assert (await service.results(id)).n_people == 20

    in_service(using, clock)


def test_a_survey_that_cannot_be_read_keeps_no_other_from_its_end(in_service):
    clock = Clock()

    async def using(service):
        broken, id = [await service.create(draft(closes="2027-01-31T13:00:00Z")) for _ in range(2)]
        await service.open(id)
        await take_part(service, id, range(20))
        assert await service.store.save(broken, b"{}", 1)
        await service.store.put_secrets([Secret("sign-in", bytes(32), b"", expires=START)])
        clock.now = START + timedelta(hours=1)
        with pytest.raises(msgspec.ValidationError):
            await service.tick()
        assert (await service.survey(id)).life.state == "closed"
        assert await service.store.secret("sign-in", bytes(32), now=START - timedelta(1)) is None

    in_service(using, clock)


def test_the_clock_deletes_what_has_expired(in_service):
    clock = Clock()

    async def using(service):
        until = START + timedelta(hours=1)
        link = Secret("sign-in", bytes(32), b"", expires=until)
        await service.store.put_secrets([link])
        await service.tick()
        assert await service.store.secret("sign-in", bytes(32), now=START) == link
        clock.now = until
        await service.tick()
        assert await service.store.secret("sign-in", bytes(32), now=START) is None

    in_service(using, clock)


def test_who_reports_just_before_a_round_ends_is_counted(in_service, monkeypatch):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(9))
        close = service.store.close_round

        async def last(*round):
            await take_part(service, id, range(9, 12))
            await close(*round)

        monkeypatch.setattr(service.store, "close_round", last)
        await service.close(id)
        assert (await service.results(id)).n_people == 12

    in_service(using)


def test_what_a_crash_left_between_closing_and_counting_is_taken_up(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(20))
        await service.store.close_round(id, 0)  # and then the process is killed
        return id

    async def later(service):
        assert (await service.survey(id)).life.state == "open"
        await service.tick()
        assert (await service.survey(id)).life.state == "closed"
        assert (await service.results(id)).n_people == 20

    id = in_service(using)
    in_service(later)


def test_who_ends_a_round_too_late_changes_neither_it_nor_the_next_one(in_service):
    """Another process, or a second click. What ended without its end would know people for ever."""

    async def using(service):
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        await take_part(service, id, range(20))
        first, second = (Service(service.store, clock=Clock()) for _ in range(2))
        follows = second._follows

        async def ended_before(*_):
            with pytest.raises(Refusal, match="this round was ended meanwhile"):
                await second.close_round(id)
            return [{}]  # not what came

        async def opened_before(*known):
            await service.close_round(id)
            await service.open_round(id)
            return await follows(*known)

        first._counted, second._follows = ended_before, opened_before
        with pytest.raises(Refusal, match="this round was ended meanwhile"):
            await first.close_round(id)
        life = await service.life(id)
        assert (life.state, life.round) == ("open", 1)
        assert (await service.tallies(id))[0][1][0][0].n_reports > 0
        await take_part(service, id, range(20))
        await service.close_round(id)
        assert (await service.results(id)).n_people == 20

    in_service(using)


def test_an_old_page_of_the_first_round_ends_no_other(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        assert await refusal_of(service.open(id, mark="")) == "not-allowed"
        await service.open(id)
        await take_part(service, id, range(20))
        await service.close_round(id, 0)
        await service.open_round(id)
        for end in (service.close_round, service.close):
            assert await refusal_of(end(id, 0)) == "not-allowed"
        assert await refusal_of(service.open_round(id)) == "not-allowed"
        life = await service.life(id)
        assert (life.state, life.round) == ("open", 1)
        await service.close(id, 1)
        assert (await service.life(id)).state == "closed"
        for step in (service.open_round, service.close_round):
            assert await refusal_of(step(id)) == "not-allowed"

    in_service(using)


def test_the_clock_ends_no_round_that_was_opened_while_it_ended_others(in_service, monkeypatch):
    clock = Clock()

    async def using(service):
        id = await service.create(draft(protocol="safari", closes="2027-01-31T13:00:00Z"))
        await service.open(id)
        await take_part(service, id, range(20))
        clock.now = START + timedelta(hours=1)
        before = await service.store.all()

        async def stale():
            await service.close_round(id)
            await service.open_round(id)
            return before

        monkeypatch.setattr(service.store, "all", stale)
        await service.tick()
        life = await service.life(id)
        assert (life.state, life.round) == ("open", 1)

    in_service(using, clock)


def test_a_round_that_others_opened_and_ended_meanwhile_is_opened_once(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        late = Service(service.store, clock=Clock())
        announce = late._announce

        async def opened_before(*known):
            await service.open(id)
            await take_part(service, id, range(20))
            await service.close_round(id)
            return await announce(*known)

        late._announce = opened_before
        with pytest.raises(Refusal, match="this round was opened meanwhile"):
            await late.open(id)
        assert (await service.life(id)).state == "between"
        await service.open_round(id)
        assert len(await take_part(service, id, range(20))) == 20

    in_service(using)


def test_a_survey_is_closed_whatever_round_others_open_meanwhile(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        await take_part(service, id, range(20))
        end_round = service._end_round

        async def opened_after(id, life):
            await end_round(id, life)
            if life.round == 0:
                await Service(service.store, clock=Clock()).open_round(id)

        service._end_round = opened_after
        await service.close(id)
        assert (await service.life(id)).state == "closed"

    in_service(using)


@pytest.mark.parametrize("n_people", [0, 4])
def test_too_few_reports_show_nothing(in_service, n_people):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(n_people))
        await service.close(id)
        assert (await service.survey(id)).life.state == "closed"
        assert await refusal_of(service.results(id)) == "too-few"
        assert await refusal_of(service.publish(id)) == "too-few"

    in_service(using)


@pytest.mark.parametrize(
    ("asked", "n_people"),
    [
        ({"protocol": "pairs", "options": {"queries": 3}}, (4,)),
        ({"protocol": "safari"}, (4,)),
        ({"protocol": "safari"}, (20, 1)),
    ],
)
def test_a_group_is_of_people_and_of_each_round(in_service, asked, n_people):
    """Who answers three questions, or in two rounds, is one person; a result tells few reports."""

    async def using(service):
        id = await service.create(draft(**asked))
        for number, n_of_round in enumerate(n_people):
            await (service.open_round if number else service.open)(id)
            await take_part(service, id, range(n_of_round))
            await service.close_round(id)
        assert (await service.survey(id)).life.state == "closed"
        assert await refusal_of(service.results(id)) == "too-few"

    in_service(using)


@pytest.mark.parametrize(("n_people", "state"), [(0, "closed"), (4, "closed"), (5, "between")])
def test_no_round_follows_one_of_too_few(in_service, n_people, state):
    """What it asks is public, and hangs on their reports; of its own no result would be shown."""

    async def using(service):
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        await take_part(service, id, range(n_people))
        await service.close_round(id)
        assert (await service.life(id)).state == state

    in_service(using)


def test_as_many_reports_as_the_smallest_group_show_a_result(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(5))
        await service.close(id)
        assert (await service.results(id)).n_people == 5

    in_service(using)


def test_a_draft_that_changes_while_it_is_opened_is_not_open(in_service, monkeypatch):
    """People would read one announcement, and be asked by another draft."""

    async def using(service):
        id = await service.create(draft(epsilon=1.0))
        announce = service._announce

        async def edited(id, record):
            await service.edit(id, draft(epsilon=2.0))
            return await announce(id, record)

        monkeypatch.setattr(service, "_announce", edited)
        with pytest.raises(Refusal, match="the draft was changed meanwhile"):
            await service.open(id)
        assert (await service._record(id)).life.state == "draft"
        assert await refusal_of(service.announcement(id)) == "not-open"
        monkeypatch.undo()
        await service.open(id)
        await take_part(service, id, range(1))

    in_service(using)


def test_a_draft_that_is_opened_while_it_is_edited_stays_as_it_was_opened(in_service, monkeypatch):
    async def using(service):
        id = await service.create(draft(epsilon=1.0))
        save = service.store.save

        async def opened_before(*given, **more):
            monkeypatch.undo()
            await service.open(id)
            return await save(*given, **more)

        monkeypatch.setattr(service.store, "save", opened_before)
        assert await refusal_of(service.edit(id, draft(epsilon=2.0))) == "not-allowed"
        record = await service._record(id)
        assert (record.life.state, record.draft.epsilon) == ("open", 1.0)

    in_service(using)


def test_a_copy_is_announced_by_itself_and_ends_when_somebody_says(in_service):
    async def using(service):
        first = await service.create(draft(closes="2027-01-31T13:00:00Z"))
        await service.open(first)
        again = await service.copy(first)
        assert (await service._record(again)).draft.closes is None
        await service.open(again)
        told = {id: read_announcement(await service.announcement(id)) for id in (first, again)}
        assert {id: each.id for id, each in told.items()} == {first: first, again: again}
        assert told[first].closes is not None
        assert told[again].closes is None

    in_service(using)


def test_a_series_remembers_all_of_its_surveys_that_were_deleted(in_service):
    async def using(service):
        ids = [await service.create(draft(protocol="pairs"))]
        for _ in range(2):
            await service.open(ids[-1])
            ids.append(await service.copy(ids[-1]))
        for id in ids[:2]:
            await service.close(id)
            await service.delete(id)
        assert set((await service._record(ids[2])).past) == set(ids[:2])
        assert set((await service._record(await service.copy(ids[2]))).past) == set(ids[:2])

    in_service(using)


def test_a_survey_closed_before_its_last_round_has_no_result(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        await take_part(service, id, range(60))
        await service.close(id)
        assert await refusal_of(service.results(id)) == "not-ready"

    in_service(using)


def test_each_survey_of_a_series_asks_a_person_the_same(in_service):
    async def using(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        asked = [await service.join(id, Joining(person(n), n * 10**7)) for n in range(9)]
        first = [each.handout for each in asked]
        assert len(set(first)) > 2
        for _ in range(2):
            await service.close(id)
            id = await service.copy(id)
            await service.open(id)
            for n in range(8, -1, -1):
                shown = Joining(person(n), n * 10**7, earlier=asked[n].assignment)
                asked[n] = await service.join(id, shown)
            assert [each.handout for each in asked] == first

    in_service(using)


def test_a_repeated_survey_asks_a_person_the_same_as_before(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        before = [await service.join(id, Joining(person(n), n * 10**7)) for n in range(9)]
        await service.close(id)
        again = await service.copy(id)
        assert (await service.survey(again)).series == (await service.survey(id)).series
        await service.open(again)
        for n in range(8, -1, -1):
            joining = Joining(person(n), n * 10**7, earlier=before[n].assignment)
            assigned = await service.join(again, joining)
            assert assigned.handout == before[n].handout
            forgotten = await service.join(again, Joining(person(n), n * 10**7))
            assert forgotten == assigned or forgotten.handout == assigned.handout
        reports = report(assigned.handout, 0.0, TASTES[0], 1)
        await service.accept([Upload(assigned.assignment, KEY, reports)])
        for shown in (before[0].assignment, None):  # else they would hide the same answer anew
            joining = Joining(person(0), 0, earlier=shown)
            assert await refusal_of(service.join(again, joining)) == "conflict"
        other = await service.create(draft())
        await service.open(other)
        foreign = Joining(person(1), 10**7, earlier=before[1].assignment)
        assert isinstance(await service.join(other, foreign), Assigned)
        unsigned = Joining(person(1), 10**7, earlier=forged(before[1].assignment))
        assert await refusal_of(service.join(again, unsigned)) == "forged"

    in_service(using)


def test_an_earlier_assignment_counts_for_its_series_round_part_and_questions_only(in_service):
    async def using(service):
        id, other = [await service.create(draft(epsilon=nats)) for nats in (2.0, 1.0)]
        await service.open(id)
        token = (await service.join(id, Joining(person(0), 5))).assignment
        record = await service._record(id)
        asked = await service._asked(id, record, 0)
        others = await service._asked(other, await service._record(other), 0)
        foreign = msgspec.structs.replace(record, series="another")
        assert (await service._earlier("next", record, token, 0, asked, 0)).survey == id
        assert await service._earlier("next", foreign, token, 0, asked, 0) is None
        assert await service._earlier("next", record, token, 1, asked, 0) is None
        assert await service._earlier("next", record, token, 0, asked, 1) is None
        assert await service._earlier("next", record, token, 0, others, 0) is None

    in_service(using)


@pytest.mark.parametrize("lot", [-1, 2**32])
def test_a_lot_that_no_device_draws_is_refused(lot, in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        assert await refusal_of(service.join(id, Joining(person(1), lot))) == "malformed"

    in_service(using)


def test_the_store_knows_nobody_again_in_another_survey_of_a_series(in_service, monkeypatch):
    """An app calls its people the same in every survey: whoever sees the store shall not know."""

    async def using(service):
        last_week = await service.create(draft())
        surveys = last_week, await service.copy(last_week)
        known, join = [], service.store.join

        async def recorded(survey, round, deck, who, *, once):
            known.append(who)
            return await join(survey, round, deck, who, once=once)

        monkeypatch.setattr(service.store, "join", recorded)
        for id in surveys:
            await service.open(id)
            for _ in range(2):
                await service.join(id, Joining(person(7), 123))
        assert known[0] == known[1] != known[2] == known[3]

    in_service(using)


def test_an_earlier_assignment_brings_its_question_to_one_person_only(in_service):
    async def using(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        before = await service.join(id, Joining(person(0), 5))
        again = await service.copy(id)
        await service.open(again)
        shown = [Joining(person(n), 5, earlier=before.assignment) for n in range(60)]
        given = [await service.join(again, each) for each in shown]
        assert given[0].handout == before.handout
        assert sum(each.handout == before.handout for each in given) < 40  # of 6 pairs
        assert [(await service.join(again, each)).handout for each in shown] == [
            each.handout for each in given
        ]

    in_service(using)


def test_an_assignment_of_the_survey_itself_brings_nobody_its_question(in_service):
    """Many who pass theirs on, though each is invited once, would all be asked what one likes."""

    async def using(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        given = [await service.join(id, Joining(person(0), 5))]
        for n in range(1, 6):
            passed_on = Joining(person(n), 5, earlier=given[-1].assignment)
            given.append(await service.join(id, passed_on))
        assert len({each.handout for each in given}) == 6  # a deck has each pair once

    in_service(using)


def test_a_later_survey_of_a_series_brings_no_question_to_one_that_was_open_before(in_service):
    """To and fro, many would all be asked what one likes."""

    async def using(service):
        first = await service.create(draft(protocol="pairs"))
        await service.open(first)
        second = await service.copy(first)
        service._clock.pass_days(1)
        await service.open(second)
        given = [await service.join(first, Joining(person(0), 5))]
        for n in range(6):
            there = Joining(person(n), 5, earlier=given[-1].assignment)
            back = await service.join(second, there)
            again = Joining(person(n + 1), 5, earlier=back.assignment)
            given.append(await service.join(first, again))
        assert len({each.handout for each in given[:6]}) == 6  # a deck has each pair once

    in_service(using)


def test_a_survey_whose_questions_no_device_would_take_is_not_opened(in_service):
    async def using(service):
        items = [{"name": f"item {n}"} for n in range(45)]
        asked = {"items": items, "protocol": "pairs", "epsilon": 8.0}
        for queries, is_taken in ((250, True), (499, False)):
            id = await service.create(draft(**asked, options={"queries": queries}))
            if is_taken:
                await service.open(id)
                assigned = await service.join(id, Joining(person(1), 5))
                assert len(read_handout(assigned.handout, most_epsilon=8.0).asked) == queries
            else:
                assert await refusal_of(service.open(id)) == "malformed"
                assert (await service.survey(id)).life.state == "draft"

    in_service(using)


@pytest.mark.parametrize(("letters", "is_taken"), [(400, True), (500, False)])
def test_a_survey_that_no_device_would_read_of_is_not_opened(in_service, letters, is_taken):
    """Of 1,000 items what people are told can be longer than devices read."""

    async def using(service):
        items = [{"name": f"item {n}", "description": "\u00e4" * letters} for n in range(1000)]
        id = await service.create(draft(items=items, protocol="pairs"))
        if is_taken:
            await service.open(id)
            read_announcement(await service.announcement(id))
        else:
            assert await refusal_of(service.open(id)) == "malformed"

    in_service(using)


@pytest.mark.parametrize("round", [0, 1])
def test_no_round_is_opened_whose_reports_cannot_be_sent(in_service, monkeypatch, round):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        steps = service.open, service.open_round
        if round:
            await service.open(id)
            await take_part(service, id, range(20))
            await service.close_round(id)
        monkeypatch.setattr(running, "MOST_BLOB_BYTES", 1)
        assert await refusal_of(steps[round](id)) == "malformed"
        if round:
            assert (await service.life(id)).state == "between"
        else:
            assert await refusal_of(service.life(id)) == "not-open"

    in_service(using)


@pytest.mark.parametrize("beyond", [0, 1])
def test_an_announcement_has_nine_tenths_of_the_bytes_that_devices_read(
    in_service, monkeypatch, beyond
):
    """Of letters that take two bytes, too."""

    async def using(service):
        items = [{"name": f"item {n}", "description": "é" * 100} for n in range(4)]
        id = await service.create(draft(items=items))
        n_bytes = len((await service._told(id, await service._record(id))).encode())
        monkeypatch.setattr(running, "MOST_ANNOUNCEMENT_BYTES", (n_bytes - beyond) / 0.9 + 1e-6)
        if beyond:
            assert await refusal_of(service.open(id)) == "malformed"
        else:
            await service.open(id)

    in_service(using)


def test_a_person_s_reports_are_as_long_as_the_longest_kind_and_as_many_as_they_answer(monkeypatch):
    survey = SimpleNamespace(distinct_mechanisms=[10, 1000, 20], answers_per_person=4)
    monkeypatch.setattr(running, "longest_on_wire", lambda mechanism: mechanism)
    most = 6 * (running.BYTES_BESIDE_A_REPORT + 1000)
    monkeypatch.setattr(running, "MOST_REPORT_BYTES", most)
    running._require_answered(survey)
    monkeypatch.setattr(running, "MOST_REPORT_BYTES", most - 1)
    with pytest.raises(Refusal, match="a person's reports would be too long"):
        running._require_answered(survey)


def test_what_tallies_take_counts_all_of_many_questions():
    asked = replay(draft(items=[{"name": str(n)} for n in range(8)], protocol="pairs"), 0, ())
    most = running.MANY_PEOPLE // 28
    tally = Tally(np.array([most, most]), most)
    taken = len(encode_tallies(((tally,) * 28,)))
    assert running._longest_tallies(*asked.surveys) == pytest.approx(taken, abs=3)  # of brackets


@pytest.mark.parametrize("step", [1, -1])
def test_no_round_is_asked_of_which_one_part_is_too_long(monkeypatch, step):
    """Nor where it is not the first, or not the last."""
    asked = replay(draft(), 0, ())
    longest = max(len(part.handout(range(1))) for part in asked.parts)
    monkeypatch.setattr(running, "MOST_HANDOUT_BYTES", longest)
    with pytest.raises(Refusal, match="fewer items or queries"):
        running._require_sent(replace(asked, parts=asked.parts[::step]))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"protocol": "rappor", "items": 8}, None),
        ({"protocol": "rappor", "items": 9}, "reports would be too long"),
        ({"protocol": "rappor", "items": 11}, "reports would be too long"),
        ({"protocol": "grr", "items": 10}, None),
        ({"protocol": "grr", "items": 11}, "add up to would be too long"),
        ({"protocol": "olh", "items": 11}, "add up to would be too long"),
        ({"protocol": "subset-order", "items": 254}, None),
        ({"protocol": "pairs", "items": 1000, "options": {"queries": 499_500}}, "fewer items or"),
    ],
)
def test_no_survey_is_opened_whose_reports_or_tallies_nobody_would_take(asked, said):
    """People would have paid for it."""
    items = [{"name": f"item {n}"} for n in range(asked["items"])]
    planned = replay(draft(**asked | {"items": items}), 0, ())
    if said is None:
        running._require_sent(planned)
    else:
        with pytest.raises(Refusal, match=said):
            running._require_sent(planned)


def test_the_longest_reports_that_there_are_arrive(in_service):
    async def using(service):
        items = [{"name": f"item {n}"} for n in range(8)]
        id = await service.create(draft(protocol="rappor", items=items))
        await service.open(id)
        await others_report(service, id, 6)
        await service.close(id)
        assert (await service.results(id)).n_people == 6

    in_service(using)


def test_two_people_of_one_place_are_asked_the_same_again_for_ever(in_service):
    async def using(service):
        first = await service.create(draft(protocol="pairs"))
        await service.open(first)
        old = await service.join(first, Joining(person(0), 5))
        for _ in range(3):
            again = await service.copy(first)
            await service.open(again)
            new = await service.join(again, Joining(person(9), 5))  # of place 0, as the old one
            old = await service.join(again, Joining(person(0), 5, earlier=old.assignment))
            assert new.handout == old.handout
            last = await service.copy(first)
            await service.open(last)
            for each, who in ((old, 0), (new, 9)):
                kept = Joining(person(who), 5, earlier=each.assignment)
                assert (await service.join(last, kept)).handout == each.handout

    in_service(using)


def forgotten_by(service):
    """Return a list that grows by each round whose people the service forgets."""
    forgotten, forget = [], service.store.forget_people

    async def told(*name):
        forgotten.append(name)
        await forget(*name)

    service.store.forget_people = told
    return forgotten


def test_who_has_which_assignment_is_forgotten_when_the_round_has_ended(in_service):
    """What forgetting does, tests of the store say."""

    async def using(service):
        forgotten = forgotten_by(service)
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(6))
        assert not forgotten
        await service.close(id)
        assert forgotten == [(id, 0)]

    in_service(using)


@dataclass(frozen=True)
class Patient(Pairs):
    """Asks the same people in 32 rounds, each time for a part of their budget."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        asked = {"epsilon": epsilon / 32, "n_people": n_people, "seed": seed}
        for _ in range(31):
            yield next(super().begin(n_items, **asked))
        return (yield from super().begin(n_items, **asked))


def test_of_each_of_many_rounds_it_is_forgotten_who_had_which_assignment(in_service, monkeypatch):
    """More than any protocol of ours has: a protocol may have as many as it wants."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Patient))

    async def using(service):
        forgotten = forgotten_by(service)
        id = await service.create(draft(protocol="pairs", smallest_group=2))
        await service.open(id)
        for round in range(32):
            if round:
                await service.open_round(id)
            await take_part(service, id, range(2))
            await service.close_round(id)
            assert forgotten == [(id, each) for each in range(round + 1)]
        assert (await service.life(id)).state == "closed"

    in_service(using)


def test_who_has_answered_any_of_many_rounds_is_not_asked_it_again(in_service, monkeypatch):
    """By a device that forgot the answer, and would hide it a second time."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Patient))

    async def using(service):
        id = await service.create(draft(protocol="pairs", smallest_group=2))
        await service.open(id)
        for round in range(32):
            if round:
                await service.open_round(id)
            await take_part(service, id, range(2), lot=5)
            for n in range(2):
                assert await refusal_of(service.join(id, Joining(person(n), 5))) == "conflict"
            await service.close_round(id)

    in_service(using)


@pytest.fixture
def of_many_rounds(in_service, monkeypatch):
    """Run something with a service, a survey of 32 rounds and who is to answer the last."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Patient))

    def runs(using, n_last=2):
        async def whole(service):
            id = await service.create(draft(protocol="pairs", smallest_group=2))
            await service.open(id)
            for _ in range(31):
                await take_part(service, id, range(2))
                await service.close_round(id)
                await service.open_round(id)
            await take_part(service, id, range(n_last))
            await using(service, id)

        in_service(whole)

    return runs


async def counted_elsewhere(service, id, folder):
    """Return the survey with the open round, which is handed over and counted."""
    write_reports(folder / "r.parquet", *await service.hand_over(id))
    (folder / "s.json").write_bytes(msgspec.json.encode(await service.export(id)))
    return tally_reports(folder / "r.parquet", read_so_far(folder / "s.json"))


def test_the_last_of_many_rounds_can_be_counted_elsewhere(of_many_rounds, tmp_path):
    async def using(service, id):
        counted = await counted_elsewhere(service, id, tmp_path)
        await service.take_back(id, counted)
        found = [encode_tallies(each) for _, each in await service.tallies(id)]
        assert found == [encode_tallies(each.counted) for each in counted.rounds]
        assert len(found) == 32
        plain = json.loads(counted.document())
        plain["rounds"][-1]["fingerprints"] = ["0" * 64]
        (tmp_path / "s.json").write_text(json.dumps(plain))
        with pytest.raises(HushrankError, match="round 32"):
            read_so_far(tmp_path / "s.json")

    of_many_rounds(using)


def test_of_many_rounds_too_few_in_the_last_show_no_result(of_many_rounds, tmp_path):
    async def using(service, id):
        counted = await counted_elsewhere(service, id, tmp_path)
        with pytest.raises(HushrankError, match="fewer than 2"):
            counted.follows.to_dict()

    of_many_rounds(using, n_last=1)


def test_all_of_many_rounds_are_tested_for_liars_and_remembered(
    of_many_rounds, tmp_path, monkeypatch
):
    """All tests together are wrong in one of a thousand surveys."""
    rates = []

    def found(survey, tallies, *, false_alarm):
        rates.append(false_alarm)
        return SimpleNamespace(findings=(SimpleNamespace(p_value=len(rates)),))

    async def using(service, id):
        counted = await counted_elsewhere(service, id, tmp_path)
        await service.take_back(id, counted)
        for module in (running, elsewhere):
            monkeypatch.setattr(module, "suspicion", found)
        each = [one.p_value for (one,) in (told.findings for told in await service.suspicion(id))]
        assert each == [*range(1, 33)]
        assert [one.p_value for one in counted.findings] == [*range(33, 65)]
        assert rates == pytest.approx([FALSE_ALARM / 32] * 64)
        past = await service._past(id, (await service.export(id))["series"])
        assert len(past.rounds) == 32

    of_many_rounds(using)


@dataclass(frozen=True)
class Parted(Pairs):
    """Asks each of 24 parts of the people about two items, and then everybody about pairs."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        question, half = RelativeOrder((0, 1)), epsilon / 2
        yield tuple(
            sampled_survey(f"{n}", [question], half, lots=(n / 24, (n + 1) / 24)) for n in range(24)
        )
        return (yield from super().begin(n_items, epsilon=half / 2, n_people=n_people, seed=seed))


def test_each_of_many_parts_of_a_round_is_asked_counted_and_tested(in_service, monkeypatch):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Parted))

    async def using(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        parts = (await service._asked(id, await service._record(id), 0)).parts
        assert [part.survey.name for part in parts] == [f"{n}" for n in range(24)]
        for n in range(24):
            await take_part(service, id, [n], lot=(2 * n + 1) * LOTS // 48)
        await service.close_round(id)
        ((_, tallies),) = await service.tallies(id)
        assert [[each.n_reports for each in part] for part in tallies] == [[1]] * 24
        assert len(await service.suspicion(id)) == 24

    in_service(using)


def test_each_of_many_parts_counts_in_what_is_remembered_and_sent(monkeypatch):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Parted))
    asked, looked_at = replay(draft(protocol="pairs"), 0, ()), []
    assert size_of(asked) == 24
    monkeypatch.setattr(running, "_require_answered", looked_at.append)
    most = sum(running._longest_tallies(survey) for survey in asked.surveys)
    monkeypatch.setattr(running, "MOST_BLOB_BYTES", most)
    running._require_sent(asked)
    assert looked_at == [*asked.surveys]
    monkeypatch.setattr(running, "MOST_BLOB_BYTES", most - 1)
    with pytest.raises(Refusal, match="what reports add up to"):
        running._require_sent(asked)


def test_of_each_round_it_is_forgotten_who_has_which_assignment(in_service):
    async def using(service):
        forgotten = forgotten_by(service)
        id = await service.create(draft(protocol="safari"))
        await service.open(id)
        for number in range(2):
            await take_part(service, id, range(20))
            await service.close_round(id)
            assert forgotten == [(id, each) for each in range(number + 1)]
            if number == 0:
                await service.open_round(id)

    in_service(using)


def test_whoever_wants_can_check_the_whole_survey(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        told = read_announcement(await service.announcement(id))
        assert len(told.first_round) == 2
        for part, fingerprint in enumerate(told.first_round):
            held = read_survey(await service.document(id, 0, part), most_epsilon=2.0)
            assert held.fingerprint == fingerprint
            assert held.names == NAMES
        for wrong in ((1, 0), (-1, 0), (0, 9), (0, -1)):
            assert await refusal_of(service.document(id, *wrong)) == "not-found"

    in_service(using)


def test_of_two_rounds_each_has_its_own_document_and_reports(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        for number, n_people in enumerate((30, 20)):
            await (service.open_round(id) if number else service.open(id))
            await take_part(service, id, range(n_people))
            documents = [await service.document(id, n, 0) for n in range(number + 1)]
            await service.close_round(id)
        rounds = await service.tallies(id)
        assert documents == [asked.parts[0].document for asked, _ in rounds]
        for number, n_people in enumerate((30, 20)):
            asked, kinds = await service.reports(id, number)
            assert asked.fingerprints == rounds[number][0].fingerprints
            of_each = asked.surveys[0].answers_per_person
            assert sum(sum(each.times.values()) for each in kinds) == n_people * of_each

    in_service(using)


def test_an_export_says_what_deleted_surveys_of_the_series_asked(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        told = read_announcement(await service.announcement(id))
        again = await service.copy(id)
        await service.delete(id)
        past = (await service.export(again))["past"]
        assert [each["fingerprints"] for each in past[id]["rounds"]] == [told.first_round]

    in_service(using)


def test_a_draft_can_be_changed_until_people_have_seen_it(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.edit(id, draft(title="Drinks"))
        assert json.loads(await service.preview(id))["title"] == "Drinks"
        await service.open(id)
        seen = await service.announcement(id)
        assert await refusal_of(service.edit(id, draft(title="Another"))) == "not-allowed"
        assert await service.announcement(id) == seen
        for unknown in ("", "x" * 12, "../../etc", "é" * 12):
            assert await refusal_of(service.survey(unknown)) == "not-found"

    in_service(using)


def test_surveys_are_shown_the_newest_first(in_service):
    async def using(service):
        ids = [await service.create(draft()) for _ in range(3)]
        assert [live.id for live in await service.surveys()] == ids[::-1]

    in_service(using)


def test_each_of_many_surveys_is_shown_and_ended_and_told_what_a_deleted_one_asked(in_service):
    clock = Clock()

    async def using(service):
        first, *ids = [
            await service.create(draft(closes="2027-01-31T13:00:00Z")) for _ in range(24)
        ]
        ids.append(await service.copy(first))
        for id in (first, ids[-2]):
            await service.open(id)
        assert [live.id for live in await service.surveys()] == [*ids[::-1], first]
        await service.delete(first)
        told = msgspec.json.decode((await service.store.load(ids[-1])).blob, type=Record)
        assert [*told.past] == [first]
        clock.now = START + timedelta(hours=1)
        await service.tick()
        assert (await service.survey(ids[-2])).life.state == "closed"

    in_service(using, clock)


def test_each_of_many_items_has_its_own_picture(in_service):
    async def using(service):
        pictures = {digest_of(each): each for each in (PNG + bytes([n]) for n in range(24))}
        items = [{"name": each, "picture": each} for each in pictures]
        id = await service.create(draft(items=items), pictures)
        assert await service.pictures(id) == pictures
        last = [*pictures][-1]
        some = {name: picture for name, picture in pictures.items() if name != last}
        assert await refusal_of(service.create(draft(items=items), some)) == "malformed"

    in_service(using)


def test_an_edited_draft_brings_its_new_pictures_and_keeps_the_others(in_service):
    async def using(service):
        one, other = PNG + b"1", PNG + b"2"
        items = [{"name": "tea", "picture": digest_of(one)}, {"name": "milk"}]
        id = await service.create(draft())
        assert await refusal_of(service.edit(id, draft(items=items))) == "malformed"
        await service.edit(id, draft(items=items), {digest_of(one): one})
        items[1]["picture"] = digest_of(other)
        mark = mark_of(draft(items=[items[0], {"name": "milk"}]))
        await service.edit(id, draft(items=items), {digest_of(other): other}, mark=mark)
        assert await service.pictures(id) == {digest_of(each): each for each in (one, other)}

    in_service(using)


def test_each_of_many_questions_is_counted(in_service):
    async def using(service):
        items = [{"name": f"item {n}"} for n in range(8)]
        id = await service.create(draft(items=items, protocol="pairs"))
        await service.open(id)
        for number in range(28):
            assigned = await service.join(id, Joining(person(number), 0))
            reports = report(assigned.handout, 0.0, np.arange(8), number)
            await service.accept([Upload(assigned.assignment, KEY, reports)])
        await service.close_round(id)
        ((_, (tallies,)),) = await service.tallies(id)
        assert [each.n_reports for each in tallies] == [1] * 28

    in_service(using)


def test_each_item_has_its_own_picture(in_service):
    async def using(service):
        pictures = {digest_of(each): each for each in (PNG + b"1", PNG + b"2", PNG + b"3")}
        items = [{"name": "water"}, *({"name": each, "picture": each} for each in pictures)]
        id = await service.create(draft(items=items), pictures)
        assert await service.pictures(id) == pictures
        for missing in pictures:
            others = {digest: each for digest, each in pictures.items() if digest != missing}
            assert await refusal_of(service.create(draft(items=items), others)) == "malformed"

    in_service(using)


def test_an_export_holds_the_tallies_and_the_survey_s_file_and_no_single_report(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(20))
        assert (await service.export(id))["rounds"] == []
        await service.close(id)
        told = json.loads(json.dumps(await service.export(id)))
        read, _ = read_draft(json.dumps(told["survey"]), form="json")
        assert read == draft()
        (parts,) = (each["tallies"] for each in told["rounds"])
        assert sum(n_reports for part in parts for n_reports, _ in part) == 20
        assert told["life"]["state"] == "closed"
        kept = msgspec.json.decode((await service.store.load(id)).blob, type=Record)
        every = json.dumps(told)
        assert kept.decks.hex() not in every  # by it, whoever knows a device finds its people
        assert b64encode(kept.decks).decode() not in every

    in_service(using)


def test_forged_reports_are_weighed_before_and_noticed_after_the_survey(in_service):
    async def using(service):
        id = await service.create(draft())
        assert (await service.forgery(id)).weight > 1
        await service.open(id)
        await take_part(service, id, range(60))
        assert await service.suspicion(id) == ()  # while it is open, nobody looks
        await service.close(id)
        found = [each.findings for each in await service.suspicion(id)]
        assert {*found} == {()}  # in each part of the round
        forged = await service.create(draft(epsilon=0.5, protocol="pairs"))
        await service.open(forged)
        uploads = []
        for number in range(240):
            assigned = await service.join(forged, Joining(person(number), 5))
            (sent,) = report(assigned.handout, 5 / 2**32, TASTES[0], number)
            lies = msgspec.structs.replace(sent, report=0)
            uploads.append(Upload(assigned.assignment, KEY, (lies,)))
        assert all(isinstance(each, Accepted) for each in await service.accept(uploads))
        await service.close(forged)
        (found,) = await service.suspicion(forged)
        assert {finding.kind for finding in found.findings} & {"answer", "item"}

    in_service(using)


@pytest.mark.parametrize("protocol", ["max-entropy", "order"])  # the first part, and the last
def test_a_forged_report_weighs_what_it_does_in_the_part_where_it_does_most(in_service, protocol):
    asked = replay(draft(protocol=protocol), 0, ())

    async def using(service):
        id = await service.create(draft(protocol=protocol))
        weights = {weight_of(survey).weight for survey in asked.surveys}
        assert len(weights) == 2
        worst = await service.forgery(id)
        assert worst.weight == max(weights)
        assert worst.pull == max(weight_of(survey).pull for survey in asked.surveys)
        assert worst.asked == min(weight_of(survey).asked for survey in asked.surveys)

    in_service(using)


def test_reports_of_every_round_are_tested_and_exported(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari", epsilon=4.0))
        for start in (service.open, service.open_round):
            await start(id)
            await take_part(service, id, range(20))
            await service.close_round(id)
        ended = [asked.fingerprints for asked, _ in await service.tallies(id)]
        assert len(ended) == 2
        assert len(await service.suspicion(id)) == len(ended[0] + ended[1])
        exported = (await service.export(id))["rounds"]
        assert [each["fingerprints"] for each in exported] == ended

    in_service(using)


def test_all_tests_of_a_survey_share_one_rate_of_false_alarms(in_service, monkeypatch):
    rates = []

    def asked(survey, tallies, *, false_alarm):
        rates.append(false_alarm)
        return suspicion(survey, tallies, false_alarm=false_alarm)

    monkeypatch.setattr(running, "suspicion", asked)

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(20))
        await service.close(id)
        rates.clear()
        await service.suspicion(id)
        assert len(rates) > 1
        assert sum(rates) == pytest.approx(FALSE_ALARM)

    in_service(using)


def test_results_are_hidden_though_another_process_was_faster_to_change_the_survey(
    in_service, monkeypatch
):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(40))
        await service.close(id)
        await service.publish(id)
        save = service.store.save

        async def overtaken(id, blob, version, **more):
            monkeypatch.undo()
            assert await save(id, (await service.store.load(id)).blob, version)
            return await save(id, blob, version, **more)

        monkeypatch.setattr(service.store, "save", overtaken)
        await service.unpublish(id)
        assert service.store.save == save
        assert (await service.life(id)).state == "closed"

    in_service(using)


def test_results_of_a_deleted_survey_are_in_nobody_s_memory(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(40))
        await service.close(id)
        learnt = weakref.ref(await service.results(id))
        gc.collect()
        assert learnt() is not None  # they are remembered for whoever looks next
        await service.delete(id)
        gc.collect()
        assert learnt() is None

    in_service(using)


def test_reports_to_a_deleted_survey_are_in_nobody_s_memory(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(3))
        desk = weakref.ref(service._known_desks.get((id, 0))[0])
        gc.collect()
        assert desk() is not None  # it knows what was sent again, for whoever sends the same
        await service.delete(id)
        gc.collect()
        assert desk() is None

    in_service(using)


def test_a_survey_that_is_deleted_while_the_clock_ends_it_is_no_failure(in_service, monkeypatch):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        ends = service._end_if_due

        async def late(kept, now):
            await service.store.delete(id)
            await service.store.keep_tallies(id, 0, b"")  # as the end of its round would
            await ends(kept, now)

        monkeypatch.setattr(service, "_end_if_due", late)
        await service.tick()

    in_service(using)


def test_what_goes_wrong_is_raised_after_however_many_surveys_that_were_deleted(
    in_service, monkeypatch
):
    async def using(service):
        *gone, left = [await service.create(draft()) for _ in range(25)]

        async def fails(kept, now):
            if kept.survey in gone:
                await service.store.delete(kept.survey)
            raise ZeroDivisionError(kept.survey)

        monkeypatch.setattr(service, "_end_if_due", fails)
        with pytest.raises(ZeroDivisionError, match=left):
            await service.tick()

    in_service(using)


def test_a_survey_that_another_process_deleted_is_in_nobody_s_memory_once_the_clock_ticks(
    in_service,
):
    """As `hushrank collector delete` does it beside a collector."""

    async def using(service):
        other = Service(service.store, clock=Clock())
        older = [await service.create(draft()) for _ in range(24)]
        await service.tick()
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(40))
        await service.close(id)
        learnt = weakref.ref(await service.results(id))
        desk = weakref.ref(service._known_desks.get((id, 0))[0])
        await service.tick()
        gc.collect()
        assert learnt() is not None  # nothing was deleted
        assert desk() is not None
        await other.delete(id)
        await service.tick()
        gc.collect()
        assert learnt() is None
        assert desk() is None
        assert {live.id for live in await service.surveys()} == {*older}

    in_service(using)


def test_a_survey_is_forgotten_that_another_process_deleted_while_another_was_made(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(1))
        await service.tick()
        await Service(service.store, clock=Clock()).delete(id)
        await service.create(draft())
        await service.tick()
        assert service._known_desks.get((id, 0)) is None

    in_service(using)


def test_what_people_send_and_are_asked_has_no_words(in_service):
    """A repr comes into logs and traces."""

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        joining = Joining(person(7), 123, invitation="i" * 22, api_key="k" * 22, earlier="e" * 64)
        assigned = await service.join(id, Joining(person(7), 123))
        reports = report(assigned.handout, 123 / 2**32, TASTES[0], 7)
        upload = Upload(assigned.assignment, KEY, reports)
        (accepted,) = await service.accept([upload])
        said = " ".join(map(repr, (joining, assigned, upload, accepted)))
        secrets = (person(7), "123", "i" * 22, "k" * 22, "e" * 64, assigned.assignment)
        assert not [each for each in (*secrets, accepted.receipt) if each in said]

    in_service(using)


def test_assignments_outlive_a_rotation_of_the_key(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        before = await service.join(id, Joining(person(1), 5))
        assert await service.rotate_key() == 2
        after = await service.join(id, Joining(person(2), 5))
        uploads = [
            Upload(each.assignment, KEY, report(each.handout, 0.0, TASTES[0], 1))
            for each in (before, after)
        ]
        assert all(isinstance(each, Accepted) for each in await service.accept(uploads))
        other = Service(service.store, clock=Clock())  # another process, with the keys it knows
        await other.accept(uploads)
        await service.rotate_key()
        newest = await service.join(id, Joining(person(3), 5))
        reports = report(newest.handout, 0.0, TASTES[0], 1)
        (told,) = await other.accept([Upload(newest.assignment, KEY, reports)])
        assert isinstance(told, Accepted)

    in_service(using)


@pytest.mark.parametrize("n_before", [1, 24])
def test_reports_by_a_key_that_another_process_made_are_taken_beside_others(in_service, n_before):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        other = Service(service.store, clock=Clock())  # another process, with the keys it knows
        joined = [await other.join(id, Joining(person(n), 5)) for n in range(n_before)]
        await service.rotate_key()
        joined += [await service.join(id, Joining(person(n_before), 5))]
        uploads = [
            Upload(each.assignment, KEY, report(each.handout, 0.0, TASTES[0], 1)) for each in joined
        ]
        assert all(isinstance(each, Accepted) for each in await other.accept(uploads))

    in_service(using)


def test_of_two_processes_that_make_the_first_key_both_sign_by_the_one_that_is_kept(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        add = service.store.add_signing_key

        async def late(number, key):
            await add(number, bytes(32))
            return await add(number, key)

        service.store.add_signing_key = late
        joined = await service.join(id, Joining(person(1), 5))
        upload = Upload(joined.assignment, KEY, report(joined.handout, 0.0, TASTES[0], 1))
        (became,) = await Service(service.store, clock=Clock()).accept([upload])
        assert isinstance(became, Accepted)

    in_service(using)


def test_a_rotation_makes_a_key_of_a_new_number_though_one_was_dropped(in_service):
    """Else the key that somebody read would go on signing, and nobody would notice."""

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await service.join(id, Joining(person(1), 5))
        await service.rotate_key()
        read = {key.key for key in await service.store.signing_keys()}
        await service.store.drop_signing_key(1)
        assert await service.rotate_key() == 3
        assigned = await service.join(id, Joining(person(2), 5))
        assert key_of(assigned.assignment) == 3
        (newest,) = [key.key for key in await service.store.signing_keys() if key.number == 3]
        assert newest not in read

    in_service(using)


def test_a_rotation_beyond_the_numbers_that_a_token_holds_is_refused_and_people_join_on(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await service.store.add_signing_key(254, bytes(32))
        assert await service.rotate_key() == 255
        for drops_old in (True, False):
            with pytest.raises(Refusal, match="255 keys"):
                await service.rotate_key(drops_old=drops_old)
        assert [key.number for key in await service.store.signing_keys()] == [254, 255]
        assigned = await service.join(id, Joining(person(1), 5))
        assert key_of(assigned.assignment) == 255

    in_service(using)


def test_after_a_rotation_that_drops_them_no_earlier_key_signs_anything(in_service):
    """Whoever read them out of the store forges nothing more."""

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        assigned = await service.join(id, Joining(person(1), 5))
        await service.rotate_key()
        await service.join(id, Joining(person(2), 5))  # both keys are in memory
        assert await service.rotate_key(drops_old=True) == 3
        assert [key.number for key in await service.store.signing_keys()] == [3]
        reports = report(assigned.handout, 0.0, TASTES[0], 1)
        (told,) = await service.accept([Upload(assigned.assignment, KEY, reports)])
        assert told.kind == "forged"
        again = await service.join(id, Joining(person(1), 5))
        (told,) = await service.accept([Upload(again.assignment, KEY, reports)])
        assert isinstance(told, Accepted)

    in_service(using)


def test_each_of_many_keys_signs_until_all_are_dropped(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        uploads = []
        for number in range(24):
            assigned = await service.join(id, Joining(person(number), 5))
            reports = report(assigned.handout, 5 / 2**32, TASTES[0], number)
            uploads.append(Upload(assigned.assignment, KEY, reports))
            assert key_of(assigned.assignment) == number + 1
            assert await service.rotate_key() == number + 2
        later = Service(service.store, clock=Clock())
        assert all(each.is_new for each in await later.accept(uploads))
        newest = await service.rotate_key(drops_old=True)
        assert [key.number for key in await service.store.signing_keys()] == [newest]

    in_service(using)


def test_no_other_process_believes_a_dropped_key_for_longer_than_until_it_ticks(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        assigned = await service.join(id, Joining(person(1), 5))
        upload = Upload(assigned.assignment, KEY, report(assigned.handout, 0.0, TASTES[0], 1))
        other = Service(service.store, clock=Clock())
        await other.join(id, Joining(person(2), 5))  # by the keys that it knows from now on
        await service.rotate_key(drops_old=True)
        await other.tick()
        (told,) = await other.accept([upload])
        assert isinstance(told, Refusal)
        assert told.kind == "forged"
        newest = await other.join(id, Joining(person(3), 5))
        assert key_of(newest.assignment) == 2

    in_service(using)


def test_each_key_that_signs_is_of_256_bits(in_service):
    """By fewer, whoever has an assignment would find the key, and forge others."""

    async def using(service):
        await service._signing_keys()
        await service.rotate_key()
        keys = [key.key for key in await service.store.signing_keys()]
        assert [len(key) for key in keys] == [32, 32]
        assert all(len(set(key)) > 16 for key in keys)  # 30 of 32 random bytes differ

    in_service(using)
