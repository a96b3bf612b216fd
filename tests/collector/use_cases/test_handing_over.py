"""A round that is counted elsewhere ends as one that is counted here, and with no other tallies."""

import asyncio
from dataclasses import replace
from functools import partial
from shutil import copy

import msgspec
import numpy as np
import pytest
from pyarrow import parquet

from hushrank.collector.elsewhere import SurveySoFar, read_so_far, tally_reports, write_reports
from hushrank.collector.refusals import Refusal
from hushrank.collector.rounds import encode_tallies, replay
from hushrank.collector.service import Joining, Service
from hushrank.collector.store.opening import open_store
from hushrank.collector.store.store import StoreFailure
from hushrank.collector.use_cases import handing_over
from hushrank.files.pieces import MARK
from hushrank.mechanisms.local import Tally
from tests.collector.drafts import draft
from tests.collector.test_service import person, take_part
from tests.commands import hushrank

PEOPLE = range(12)


@pytest.fixture
def in_folder(tmp_path):
    """Run something with a service over a file, by its name."""

    def runs(using, name="surveys.sqlite"):
        async def whole():
            store = await open_store(str(tmp_path / name))
            try:
                return await using(Service(store))
            finally:
                await store.close()

        return asyncio.run(whole())

    return runs


async def answered(service: Service, people=PEOPLE, **fields) -> str:
    """Return a survey that people have answered, and one has joined who never does."""
    id = await service.create(draft(smallest_group=5, **fields))
    await service.open(id)
    await take_part(service, id, people)
    await service.join(id, Joining(person(98), 0))
    return id


async def elsewhere(service: Service, id: str, folder) -> SurveySoFar:
    """Hand the open round over, and return the survey with its tallies."""
    write_reports(folder / "reports.parquet", *await service.hand_over(id))
    (folder / "survey.json").write_bytes(msgspec.json.encode(await service.export(id)))
    return tally_reports(folder / "reports.parquet", read_so_far(folder / "survey.json"))


@pytest.mark.parametrize("protocol", ["max-entropy", "safari"])
def test_a_survey_ends_as_if_it_had_been_counted_here(tmp_path, in_folder, protocol):
    """Of the same reports: every round's tallies, and what they teach."""

    async def each_round(service: Service, count) -> tuple[list[bytes], dict]:
        (survey,) = await service.surveys()
        await count(service, survey.id)
        if protocol == "safari":
            await service.open_round(survey.id)
            await take_part(service, survey.id, PEOPLE[:-2])  # of each round it is how many it had
            await count(service, survey.id)
        found = [encode_tallies(tallies) for _, tallies in await service.tallies(survey.id)]
        return found, (await service.results(survey.id)).to_dict()

    async def away_and_back(service: Service, id: str) -> None:
        await service.take_back(id, await elsewhere(service, id, tmp_path))

    in_folder(partial(answered, protocol=protocol, epsilon=4.0))
    copy(tmp_path / "surveys.sqlite", tmp_path / "twin.sqlite")
    counted_here = in_folder(lambda service: each_round(service, Service.close_round))
    counted_there = in_folder(lambda service: each_round(service, away_and_back), "twin.sqlite")
    assert counted_there == counted_here


def test_nobody_answers_a_round_that_was_handed_over_and_the_clock_leaves_it(tmp_path, in_folder):
    async def away(service: Service):
        forgotten, forget = [], service.store.forget_people

        async def told(*round):
            forgotten.append(round)
            await forget(*round)

        service.store.forget_people = told
        id = await answered(service)
        late = await service.join(id, Joining(person(99), 0))
        first = await service.hand_over(id)
        assert forgotten == [(id, 0)]
        with pytest.raises(Refusal):
            await service.join(id, Joining(person(100), 0))
        assert late.assignment is not None
        await service.tick()
        assert await service.hand_over(id) == first
        with pytest.raises(Refusal, match="can be seen when the survey is closed"):
            await service.results(id)
        assert (await service.life(id)).told == "between"
        await service.close_round(id)  # counted here after all
        assert (await service.results(id)).n_people == len(PEOPLE)
        with pytest.raises(Refusal, match="cannot be done now"):
            await service.hand_over(id)

    in_folder(away)


def test_of_a_later_round_it_is_forgotten_who_had_which_assignment_too(in_folder):
    async def away(service: Service):
        id = await answered(service, protocol="safari")
        await service.close_round(id)
        await service.open_round(id)
        await take_part(service, id, PEOPLE)
        forgotten, forget = [], service.store.forget_people

        async def told(*round):
            forgotten.append(round)
            await forget(*round)

        service.store.forget_people = told
        await service.hand_over(id)
        assert forgotten == [(id, 1)]

    in_folder(away)


def test_who_had_which_assignment_is_forgotten_at_last_where_handing_over_broke_off(in_folder):
    async def broken_off(service: Service):
        forgotten, forget = [], service.store.forget_people

        async def fails(*round):
            raise StoreFailure("the store failed")

        async def told(*round):
            forgotten.append(round)
            await forget(*round)

        id = await answered(service)
        service.store.forget_people = fails
        with pytest.raises(StoreFailure):
            await service.hand_over(id)
        service.store.forget_people = told
        await service.close_round(id)
        assert forgotten == [(id, 0)]

    in_folder(broken_off)


@pytest.mark.parametrize("step", ["close_round", "forget_people"])
def test_the_clock_takes_up_a_handing_over_that_broke_off(in_folder, step):
    """Else people could report on, and it stayed known whose reports are whose."""

    async def broken_off(service: Service):
        async def fails(*round):
            raise StoreFailure("the store failed")

        id = await answered(service)
        works = getattr(service.store, step)
        setattr(service.store, step, fails)
        with pytest.raises(StoreFailure):
            await service.hand_over(id)
        setattr(service.store, step, works)
        forgotten, forget = [], service.store.forget_people

        async def told(*round):
            forgotten.append(round)
            await forget(*round)

        service.store.forget_people = told
        await service.tick()
        assert not (await service.store.round(id, 0)).is_open
        await service.tick()
        assert forgotten == [(id, 0)]
        assert (await service.life(id)).state == "counting"

    in_folder(broken_off)


def test_answers_that_are_not_all_of_a_person_are_not_taken_back(tmp_path, in_folder):
    async def refused(service: Service):
        id = await answered(service, protocol="pairs", epsilon=2.0, options={"queries": 2})
        right = await elsewhere(service, id, tmp_path)
        (((n, support), *others),) = right.rounds[0].tallies
        one_more = ((n + 1, (support[0] + 1, *support[1:])), *others)
        with pytest.raises(Refusal, match="of all its reports, once"):
            await service.take_back(id, _with(right, tallies=(one_more,)))
        await service.take_back(id, right)
        assert (await service.results(id)).n_people == len(PEOPLE)

    in_folder(refused)


def test_answers_of_each_person_are_counted_over_all_questions(tmp_path, in_folder):
    async def taken(service: Service):
        options = {"protocol": "pairs", "options": {"queries": 2}}
        id = await answered(service, people=range(9), **options)
        right = await elsewhere(service, id, tmp_path)
        assert any(n % 2 for n, _ in right.rounds[0].tallies[0])  # not of whole people by itself
        await service.take_back(id, right)
        assert (await service.results(id)).n_people == 9

    in_folder(taken)


def test_answers_are_those_of_whole_people_by_all_of_many_questions():
    items, options = [{"name": str(n)} for n in range(8)], {"queries": 2}
    (survey,) = replay(draft(items=items, protocol="pairs", options=options), 0, ()).surveys
    for last, are_whole in ((1, True), (2, False)):
        numbers = [1] + [2] * 26 + [last]
        tallies = tuple(Tally(np.array([n, 0]), n) for n in numbers)
        assert handing_over._of_whole_people(tallies, survey) == are_whole


def test_other_tallies_are_refused_and_change_nothing(tmp_path, in_folder):
    """Of last week's reports to the same questions, too, of which there are as many."""

    async def refused(service: Service):
        last_week = await answered(service)
        old = await elsewhere(service, last_week, tmp_path)
        await service.close_round(last_week)
        this_week = await service.copy(last_week)
        await service.open(this_week)
        await take_part(service, this_week, PEOPLE)
        with pytest.raises(Refusal, match="no round of the survey is counted elsewhere"):
            await service.take_back(this_week, old)
        right = await elsewhere(service, this_week, tmp_path)
        assert right.rounds[0].fingerprints == old.rounds[0].fingerprints
        before = await service.survey(this_week)
        file = tmp_path / "reports.parquet"
        half = parquet.read_table(file)
        parquet.write_table(half.slice(1), tmp_path / "half.parquet")
        parquet.write_table(half.replace_schema_metadata(None), tmp_path / "unmarked.parquet")
        some, beside = half.slice(0, 6), half.slice(0, 6).replace_schema_metadata(None)
        mixed = [tmp_path / "a.parquet", tmp_path / "b.parquet"]  # the marked one first
        for table, path in zip((some, beside), mixed, strict=True):
            parquet.write_table(table, path)
        start = right.before(1)
        another_draft = replace(right, draft=draft(smallest_group=5, epsilon=0.5))
        for other, words in (
            (old, "of another survey"),
            (start, "of another survey"),
            (replace(right, seed=right.seed + 1), "of another survey"),
            (replace(right, rounds=right.rounds * 2), "of another round"),
            (replace(another_draft, rounds=_asked_otherwise(another_draft)), "of another round"),
            (replace(old, id=this_week), "expected the tallies of the file"),
            (_with(right, repeated=1), "of all its reports, once"),
            (_with(right, refused=1), "of all its reports, once"),
            (tally_reports(tmp_path / "half.parquet", start), "expected the tallies of the file"),
            (tally_reports(tmp_path / "unmarked.parquet", start), "the file that was handed"),
            (tally_reports([file, tmp_path / "half.parquet"], start), "of all its reports, once"),
            (tally_reports(mixed, start), "of all its reports, once"),
        ):
            with pytest.raises(Refusal, match=words) as error:
                await service.take_back(this_week, other)
            assert error.value.kind == "conflict"
        assert await service.survey(this_week) == before
        await service.take_back(this_week, right)
        assert (await service.results(this_week)).n_people == len(PEOPLE)
        with pytest.raises(Refusal, match="no round of the survey is counted elsewhere"):
            await service.take_back(this_week, right)

    in_folder(refused)


def test_tallies_of_a_later_round_are_refused_where_earlier_ones_were_changed(tmp_path, in_folder):
    async def refused(service: Service):
        id = await answered(service, protocol="safari", epsilon=4.0)
        await service.close_round(id)
        await service.open_round(id)
        await take_part(service, id, PEOPLE)
        right = await elsewhere(service, id, tmp_path)
        (tallies, *others), last = right.rounds[0].tallies, right.rounds[1]
        (n, support), *rest = tallies
        changed = ((n, (*support[1:], support[0])), *rest)
        first = msgspec.structs.replace(right.rounds[0], tallies=(changed, *others))
        with pytest.raises(Refusal, match="of another round"):
            await service.take_back(id, replace(right, rounds=(first, last)))
        await service.take_back(id, right)

    in_folder(refused)


@pytest.mark.parametrize("part", [0, -1])
def test_in_each_part_of_a_round_people_are_whole(tmp_path, in_folder, monkeypatch, part):
    async def refused(service: Service):
        id = await answered(service, people=range(40))
        right = await elsewhere(service, id, tmp_path)
        broken = right.rounds[0].counted[part]
        whole = handing_over._of_whole_people

        def of_whole_people(tallies, survey):
            return encode_tallies((tallies,)) != encode_tallies((broken,)) and whole(
                tallies, survey
            )

        monkeypatch.setattr(handing_over, "_of_whole_people", of_whole_people)
        assert len(right.rounds[0].counted) > 1
        with pytest.raises(Refusal, match="of all its reports, once"):
            await service.take_back(id, right)

    in_folder(refused)


def test_files_of_several_marks_have_none(tmp_path, in_folder):
    """As many reports of another week beside some of this one would be taken back for all of it."""

    async def marked(service: Service):
        right = await elsewhere(service, await answered(service), tmp_path)
        table, paths = parquet.read_table(tmp_path / "reports.parquet"), []
        for mark in (right.rounds[0].handed, *"abcdefgh"):
            paths.append(tmp_path / f"{mark}.parquet")
            parquet.write_table(table.replace_schema_metadata({MARK: mark}), paths[-1])
        for other in paths[1:]:
            assert tally_reports([paths[0], other], right.before(1)).rounds[0].handed == ""
        assert tally_reports([paths[0]] * 2, right.before(1)).rounds[0].handed == paths[0].stem

    in_folder(marked)


def test_who_takes_a_round_back_just_after_another_changes_nothing(tmp_path, in_folder):
    """Two commands at once, of which one counted wrongly: what the first one kept is the result."""

    async def twice(service: Service):
        id = await answered(service)
        right = await elsewhere(service, id, tmp_path)
        wrong, late = _counted_wrongly(right), Service(service.store)
        check = late._checked

        async def slowly(*found):
            tallies = await check(*found)
            await service.take_back(id, right)
            return tallies

        late._checked = slowly
        with pytest.raises(Refusal, match="this round was ended meanwhile"):
            await late.take_back(id, wrong)
        ((_, kept),) = await Service(service.store).tallies(id)
        assert encode_tallies(kept) == encode_tallies(right.rounds[0].counted)

    in_folder(twice)


def test_who_takes_a_round_back_while_another_keeps_it_changes_nothing(tmp_path, in_folder):
    """Also where both have seen that nobody had: the first tallies that are kept are those."""

    async def twice(service: Service):
        id = await answered(service)
        right = await elsewhere(service, id, tmp_path)
        late = Service(service.store)
        keep = late.store.keep_tallies

        async def slowly(*entry):
            monkeypatched.undo()
            await service.take_back(id, right)
            await keep(*entry)

        with pytest.MonkeyPatch.context() as monkeypatched:
            monkeypatched.setattr(late.store, "keep_tallies", slowly)
            with pytest.raises(Refusal, match="the survey is closed"):
                await late.take_back(id, _counted_wrongly(right))
        ((_, kept),) = await Service(service.store).tallies(id)
        assert encode_tallies(kept) == encode_tallies(right.rounds[0].counted)

    in_folder(twice)


def _counted_wrongly(survey: SurveySoFar) -> SurveySoFar:
    """Return a survey of as many reports, which support the first category alone."""
    each = (
        tuple((n, (n, *(0,) * (len(support) - 1))) for n, support in part)
        for part in survey.rounds[0].tallies
    )
    return _with(survey, tallies=tuple(each))


def _with(survey: SurveySoFar, **changed: object) -> SurveySoFar:
    """Return a survey whose only round says something else."""
    (first,) = survey.rounds
    return replace(survey, rounds=(msgspec.structs.replace(first, **changed),))


def _asked_otherwise(survey: SurveySoFar):
    """Return the first round of a survey as its own draft asks it, with the tallies it has."""
    asked = survey.before(1).follows
    return (msgspec.structs.replace(survey.rounds[0], fingerprints=asked.fingerprints),)


def test_the_commands_hand_over_and_take_back(tmp_path, monkeypatch, in_folder):
    monkeypatch.chdir(tmp_path)
    id = in_folder(answered, "collector.sqlite")
    run = partial(hushrank, monkeypatch, "collector")
    for elsewhere in ("reports.txt", "nowhere/reports.parquet"):
        assert run("hand-over", id, "--out", elsewhere) == 1
    (still,) = in_folder(lambda service: service.surveys(), "collector.sqlite")
    assert still.life.state == "open"
    assert run("hand-over", id, "--out", "reports.parquet") == 0
    assert run("export", id, "--out", "survey.json") == 0
    tally = "tally reports.parquet --survey survey.json --out tallies.json"
    assert hushrank(monkeypatch, *tally.split()) == 0
    assert run("take-back", id, "tallies.json") == 0
    assert run("take-back", id, "tallies.json") == 1
    again = in_folder(answered, "collector.sqlite")
    assert run("take-back", again) == 1  # it was not handed over, and goes on
    assert in_folder(lambda service: service.life(again), "collector.sqlite").state == "open"
    assert run("hand-over", again, "--out", "reports.parquet") == 0
    assert run("take-back", again) == 0
    lives = in_folder(lambda service: service.surveys(), "collector.sqlite")
    assert [each.life.state for each in lives] == ["closed", "closed"]
