import asyncio
from contextlib import suppress

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushrank.collector.refusals import Refusal
from hushrank.collector.service import LOTS, Assigned, Joining
from hushrank.collector.store.store import Joined, Secret
from hushrank.collector.tokens import Assignment, new_id, sign, verify
from hushrank.collector.use_cases import answering
from hushrank.collector.use_cases.answering import _deck, _place
from hushrank.collector.use_cases.records import Past, RoundRecord
from tests.collector.device.live import Clock
from tests.collector.drafts import draft
from tests.collector.web.running import others_report

MOST_PLACES = 2**22
LARGEST_NUMBER = 2**63 - 1
"""What both databases hold in a column of whole numbers."""


def asked_before(number: int, position: int) -> Assignment:
    return Assignment("abcdefghijk-", 0, 0, number, position, (0,))


def joined(deck: int, number: int, position: int) -> Joined:
    return Joined(number, position, deck, is_new=True)


@given(st.integers(0, 255), st.integers(0, 2**48 - 1), st.integers(0, MOST_PLACES - 1))
@example(255, 2**31 - 1, MOST_PLACES - 1)
@example(0, 0, 0)
def test_the_first_to_show_an_assignment_has_its_place(part, number, position):
    deck = _deck(part, asked_before(number, position))
    assert 256 <= deck <= LARGEST_NUMBER
    assert _place(joined(deck, number + 1, 0)) == (part, position)


@given(st.integers(0, 255), st.integers(0, 2**32 - 1))
def test_who_shows_none_is_dealt_the_next_place(part, position):
    assert _place(joined(_deck(part, None), 7, position)) == (part, position)


@pytest.mark.parametrize("kept", [0, 5, 49, 50, 51, 1000, 2**20, MOST_PLACES - 1])
def test_others_who_show_it_are_dealt_from_decks_that_nobody_reaches_in_turn(kept):
    """Else many could all be asked the question that they like."""
    deck = _deck(3, asked_before(7, kept))
    places = [_place(joined(deck, 100 + position, position)) for position in range(1, 50)]
    assert {part for part, _ in places} == {3}
    assert len({position for _, position in places}) == 49
    assert min(position for _, position in places) >= MOST_PLACES


def test_however_many_show_it_they_are_dealt_from_as_many_places():
    deck = _deck(3, asked_before(7, 9))
    numbers = [256 * n + 5 for n in range(1000)]
    places = {_place(joined(deck, number, 1))[1] for number in numbers}
    assert len(places) == 1000


def test_each_assignment_has_a_deck_of_its_own():
    shown = [asked_before(number, position) for number in range(200) for position in range(9)]
    assert len({_deck(part, each) for part in (0, 255) for each in shown}) == 2 * len(shown)


def test_decks_are_numbered_as_in_the_stores_of_open_surveys():
    deck = _deck(3, asked_before(2**31 + 2**30 + 5, 7))
    assert deck == 3 + 8 * 256 + (2**30 + 5) * 256 * (2**22 + 1)


def test_later_places_than_decks_keep_are_dealt_anew(in_service, monkeypatch):
    monkeypatch.setattr(answering, "MOST_KEPT_PLACES", 2)

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        record = await service._record(id)
        asked = await service._asked(id, record, 0)
        tokens = [(await service.join(id, Joining(f"{n}", 5))).assignment for n in range(3)]
        kept = [await service._earlier("next", record, each, 0, asked, 0) for each in tokens]
        assert [each and each.position for each in kept] == [0, 1, None]

    in_service(using)


def test_who_answered_a_deleted_survey_is_asked_the_same_by_its_series(in_service):
    async def using(service):
        first = await service.create(draft())
        await service.open(first)
        given = [await service.join(first, Joining(f"{n}", 5)) for n in range(9)]
        second, foreign = await service.copy(first), await service.create(draft())
        await service.delete(first)
        third = await service.copy(second)
        await service.delete(second)  # a draft, which asked nobody
        for id in (third, foreign):
            await service.open(id)
        earlier = [Joining(f"{n}", 5, earlier=each.assignment) for n, each in enumerate(given)]
        again = [await service.join(third, joining) for joining in earlier]
        assert [each.handout for each in again] == [each.handout for each in given]
        passed_on = [await service.join(third, Joining("x", 5, earlier=given[0].assignment))]
        assert passed_on[0].assignment not in {each.assignment for each in again}
        assert [*(await service._record(third)).past] == [first]
        assert (await service._record(foreign)).past == {}

    in_service(using)


@pytest.mark.parametrize("of", ["the deleted survey", "another of its series"])
@pytest.mark.parametrize("step", ["pictures", "create", "delete"])
def test_a_copy_that_is_made_beside_a_deletion_remembers_it(in_service, step, of, monkeypatch):
    """Or it is refused: nobody who answered is asked something else, and pays, by it.

    The one happens just before a step of the other.
    """

    async def using(service):
        first = await service.create(draft())
        second = await service.copy(first)
        for id in (first, second):
            await service.open(id)
        source = first if of == "the deleted survey" else second
        copies = []

        async def copy():
            copies.append(await service.copy(source))

        async def delete():
            await service.delete(first)

        one, other = (delete, copy) if step == "delete" else (copy, delete)
        owner = service if step == "pictures" else service.store
        real = getattr(owner, step)

        async def beside(*arguments):
            monkeypatch.undo()
            await other()
            return await real(*arguments)

        monkeypatch.setattr(owner, step, beside)
        with suppress(Refusal):
            await one()
        kept = [each.survey for each in await service.store.all()]
        assert sorted(kept) == sorted([second, *copies])
        assert len(copies) == (source == second or step == "delete")
        for each in copies:
            assert [*(await service._record(each)).past] == [first]

    in_service(using)


def test_a_deletion_that_is_cut_off_has_told_the_series_before(in_service, monkeypatch):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        again = await service.copy(id)
        delete = service.store.delete

        async def crash(id):
            await delete(id)
            raise KeyError(id)

        monkeypatch.setattr(service.store, "delete", crash)
        with pytest.raises(KeyError):
            await service.delete(id)
        assert [*(await service._record(again)).past] == [id]

    in_service(using)


def test_what_another_release_wrote_keeps_no_survey_from_being_deleted(in_service):
    async def using(service):
        unread = new_id()
        await service.store.create(unread, b'{"of": "another release"}')
        id = await service.create(draft())
        await service.open(id)
        again = await service.copy(id)
        await service.delete(id)
        assert [*(await service._record(again)).past] == [id]
        await service.delete(unread)
        assert [each.survey for each in await service.store.all()] == [again]

    in_service(using)


def test_what_a_deleted_survey_asked_later_counts_in_no_survey_that_was_open_before(in_service):
    """To and fro, many could pass on a question that they like."""
    clock = Clock()

    async def using(service):
        first = await service.create(draft())
        second = await service.copy(first)
        for id in (first, second):
            await service.open(id)
            clock.pass_days(1)
        record = await service._record(first)
        asked = await service._asked(first, record, 0)
        token = (await service.join(second, Joining("0", 5))).assignment
        await service.delete(second)
        record = await service._record(first)
        assert [*record.past] == [second]
        assert await service._earlier(first, record, token, 0, asked, 0) is None

    in_service(using, clock)


def test_what_each_round_of_a_deleted_survey_asked_is_remembered(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari"))
        again = await service.copy(id)
        await service.open(id)
        await others_report(service, id, 60)
        await service.close_round(id)
        await service.open_round(id)
        record = await service._record(id)
        asked = [await service._asked(id, record, number) for number in range(2)]
        await service.delete(id)
        past = (await service._record(again)).past[id]
        assert past.rounds == tuple(RoundRecord(each.fingerprints) for each in asked)

    in_service(using)


def test_a_round_that_a_deleted_survey_never_had_brings_no_question(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        again = await service.copy(id)
        asked = await service._asked(id, await service._record(id), 0)
        token = (await service.join(id, Joining("0", 5))).assignment
        await service.delete(id)
        await service.open(again)
        record = await service._record(again)
        assert await service._earlier(again, record, token, 0, asked, 0) is not None
        assert await service._earlier(again, record, token, 1, asked, 0) is None
        unknown = msgspec.structs.replace(record, past={id: Past(record.life.opened, ())})
        assert await service._earlier(again, unknown, token, 0, asked, 0) is None

    in_service(using)


def test_a_later_round_brings_its_question_where_just_that_round_asked_the_same(in_service):
    """First rounds are alike where later ones are not: their tallies differ."""

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        record = await service._record(id)
        asked = await service._asked(id, record, 0)
        same, other = RoundRecord(asked.fingerprints), RoundRecord(("0" * 64,))
        before = Assignment("abcdefghijk-", 1, 0, 7, 0, (0,))
        token = sign(before, await service._signing_keys())
        for rounds, found in (((same, other), None), ((other, same), before)):
            past = Past(record.life.opened, rounds)
            known = msgspec.structs.replace(record, past={before.survey: past})
            assert await service._earlier(id, known, token, 1, asked, 0) == found
        first = sign(msgspec.structs.replace(before, round=0), await service._signing_keys())
        past = Past(record.life.opened, (same, same))
        known = msgspec.structs.replace(record, past={before.survey: past})
        assert await service._earlier(id, known, first, 1, asked, 0) is None

    in_service(using)


def test_invitations_and_keys_are_of_128_bits_at_least_and_not_too_many_at_once(in_service):
    async def using(service):
        id = await service.create(draft(joining="invitations"))
        tokens = await service.invite(id, 10_000)
        assert len(set(tokens)) == 10_000
        assert {len(each) for each in tokens} == {22}
        with pytest.raises(Refusal, match="expected 1 to 10,000 invitations"):
            await service.invite(id, 10_001)
        assert len(await service.make_api_key(await service.create(draft(joining="api")))) == 43

    in_service(using)


async def may_join(service, id, key):
    """Whether a key of an app lets somebody in."""
    try:
        return isinstance(await service.join(id, Joining("bo", 5, api_key=key)), Assigned)
    except Refusal:
        return False


def test_of_keys_of_an_app_that_are_made_at_once_one_is_valid_and_none_of_before(in_service):
    async def using(service):
        id = await service.create(draft(joining="api"))
        await service.open(id)
        keys = [await service.make_api_key(id)]
        assert await may_join(service, id, keys[0])
        keys += await asyncio.gather(*(service.make_api_key(id) for _ in range(3)))
        assert [await may_join(service, id, key) for key in ("", *keys)].count(True) == 1
        assert not await may_join(service, id, keys[0])

    in_service(using)


def test_a_key_of_an_app_of_before_there_was_a_place_for_one_is_valid_until_it_is_replaced(
    in_service,
):
    async def using(service):
        ids = [await service.create(draft(joining="api")) for _ in range(2)]
        for id in ids:
            await service.open(id)
        digest = service._digest(ids[0], "k")
        await service.store.put_secrets([Secret("api-key", digest, b"", ids[0])])
        assert [await may_join(service, id, "k") for id in ids] == [True, False]
        await service.make_api_key(ids[0])
        assert not await may_join(service, ids[0], "k")

    in_service(using)


def test_an_assignment_of_a_key_that_was_dropped_keeps_nobody_out_of_the_next_survey(in_service):
    async def using(service):
        first = await service.create(draft())
        await service.open(first)
        tokens = [(await service.join(first, Joining(f"{n}", 5))).assignment for n in range(2)]
        await service.close(first)
        await service.rotate_key(drops_old=True)
        again = await service.copy(first)
        await service.open(again)
        for n, token in enumerate(tokens):
            given = await service.join(again, Joining(f"{n}", 5, earlier=token))
            assert isinstance(given, Assigned)
        with pytest.raises(Refusal, match="signed no such"):
            await service.join(again, Joining("9", 5, earlier=given.assignment[:-1] + "\n"))

    in_service(using)


def test_an_assignment_of_an_older_key_that_is_there_brings_its_question(in_service):
    """Whoever answered it would pay anew for another one."""

    async def using(service):
        first = await service.create(draft())
        await service.open(first)
        given = [await service.join(first, Joining(f"{n}", 5)) for n in range(9)]
        await service.close(first)
        for _ in range(2):
            await service.rotate_key()
        again = await service.copy(first)
        await service.open(again)
        for n, before in reversed([*enumerate(given)]):
            joining = Joining(f"{n}", 5, earlier=before.assignment)
            assert (await service.join(again, joining)).handout == before.handout
        of_no_key = sign(asked_before(1, 1), {77: bytes(32)})
        with pytest.raises(Refusal, match="signed no such"):
            await service.join(again, Joining("9", 5, earlier=of_no_key))

    in_service(using)


def test_an_assignment_of_another_series_brings_no_question(in_service):
    """Else whoever joins many surveys chooses what they are asked in this one."""

    async def using(service):
        one, other = [await service.create(draft()) for _ in range(2)]
        for id in (one, other):
            await service.open(id)
        given = [await service.join(one, Joining(f"{n}", 5)) for n in range(9)]
        joined = await service.join(other, Joining("8", 5, earlier=given[8].assignment))
        assert verify(joined.assignment, await service._signing_keys()).position == 0

    in_service(using)


def test_nobody_is_invited_to_a_survey_that_has_ended(in_service):
    async def using(service):
        id = await service.create(draft(joining="invitations"))
        await service.open(id)
        await service.close_round(id)
        with pytest.raises(Refusal, match="the survey is closed"):
            await service.invite(id, 1)

    in_service(using)


def test_an_app_names_people_by_1_to_200_characters(in_service):
    async def using(service):
        id = await service.create(draft(joining="api"))
        key = await service.make_api_key(id)
        await service.open(id)
        for name in ("x", "x" * 200):
            assert (await service.join(id, Joining(name, 5, api_key=key))).is_new

    in_service(using)


def test_of_a_draft_nobody_learns_anything(in_service):
    async def using(service):
        id = await service.create(draft())
        unopened = "the survey is not open yet"
        for asking in (
            service.life(id),
            service.announcement(id),
            service.join(id, Joining("x", 5)),
        ):
            with pytest.raises(Refusal, match=unopened):
                await asking
        with pytest.raises(Refusal, match="there is no such round"):
            await service.document(id, 0, 0)

    in_service(using)


def test_rounds_and_parts_that_are_not_are_not_found(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        n_parts = len((await service._asked(id, await service._record(id), 0)).parts)
        assert all([await service.document(id, 0, part) for part in range(n_parts)])
        for round, part in ((-1, 0), (1, 0), (0, -1), (0, n_parts)):
            with pytest.raises(Refusal) as refused:
                await service.document(id, round, part)
            assert refused.value.kind == "not-found"

    in_service(using)


def test_the_last_lot_is_one(in_service):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        with pytest.raises(Refusal, match=rf"expected a lot 0\.\.{LOTS - 1}$"):
            await service.join(id, Joining("x", LOTS))
        asked = await service.join(id, Joining("x", LOTS - 1))
        assert asked.round == 0

    in_service(using)


def test_nobody_joins_between_two_rounds(in_service):
    async def using(service):
        id = await service.create(draft(protocol="safari", smallest_group=2))
        await service.open(id)
        await others_report(service, id, 2)
        await service.close_round(id)
        with pytest.raises(Refusal, match="the next round is not open yet"):
            await service.join(id, Joining("x", 5))

    in_service(using)
