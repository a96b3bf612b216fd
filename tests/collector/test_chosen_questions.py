"""What a release chose to ask is kept: with an open survey, its series, and its document."""

import json
from dataclasses import dataclass

import msgspec
import pytest

from hushrank.collector.elsewhere import SurveySoFar, read_so_far, tally_reports
from hushrank.collector.rounds import Asked, choose, replay
from hushrank.collector.service import Joining
from hushrank.collector.use_cases import shelf
from hushrank.collector.use_cases.records import Record
from hushrank.errors import HushrankError
from hushrank.protocols import registry
from hushrank.protocols.distributions import question_mix
from hushrank.protocols.orders import one_order
from hushrank.protocols.orders.order_design import OrderDesign
from hushrank.protocols.registry import Pairs
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.sampled_survey import sampled_survey
from tests.collector.drafts import draft
from tests.collector.test_elsewhere import answers, write
from tests.collector.test_service import person, refusal_of, take_part

CHOOSING = [
    ("max-entropy", {}),
    ("max-entropy", {"popular_orders": True}),
    ("max-entropy", {"unranked": "last"}),
    ("order", {}),
]


@pytest.fixture
def another_release(monkeypatch):
    """Put other tables in place: nothing is asked any more that was asked before."""

    def released():
        parts = (("levels", 1.0, 2),)
        monkeypatch.setattr(question_mix, "tabulated_parts", lambda *_: parts)
        monkeypatch.setattr(question_mix, "_chosen", question_mix._tabulated)
        for module in (registry, one_order):
            other = lambda *_, **__: OrderDesign(4)  # noqa: E731
            monkeypatch.setattr(module, "choose_order_design", other)

    return released


@dataclass(frozen=True)
class ThreeTimes(Pairs):
    """Asks everybody about a pair, three times; `second`: about which one then."""

    second = (0, 2)

    def begin(self, n_items, *, epsilon, n_people, seed):
        for pair in ((0, 1), self.second, (1, 2)):
            yield (sampled_survey(f"pair {pair}", [RelativeOrder(pair)], epsilon / 3),)


def test_a_release_by_which_a_round_asked_something_else_opens_no_other(in_service, monkeypatch):
    """It would count that round at another price, and learn from it what nobody said."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(ThreeTimes))

    async def before(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        await take_part(service, id, range(20))
        await service.close_round(id)
        await service.open_round(id)
        await take_part(service, id, range(20))
        await service.close_round(id)
        return id

    async def after(service):
        assert await refusal_of(service.open_round(id)) == "not-ready"

    id = in_service(before)
    monkeypatch.setattr(ThreeTimes, "second", (2, 3))
    in_service(after)


async def fingerprints(service, id):
    return (await service._asked(id, await service._record(id), 0)).fingerprints


@pytest.mark.parametrize(("protocol", "options"), CHOOSING)
def test_another_release_asks_the_same_of_open_surveys_and_of_series(
    in_service, another_release, protocol, options
):
    fields = {"protocol": protocol, "options": options}

    async def before(service):
        id = await service.create(draft(**fields))
        await service.open(id)
        await take_part(service, id, range(20))
        return id, await fingerprints(service, id)

    async def after(service):
        await take_part(service, id, range(20, 40))
        await service.close(id)
        assert (await service.results(id)).n_people == 40
        again = await service.copy(id)
        await service.edit(again, draft(**fields, title="Once more", expected_people=9000))
        await service.open(again)
        assert await fingerprints(service, again) == asked
        await take_part(service, again, range(20))
        new = await service.create(draft(**fields))
        await service.open(new)
        assert await fingerprints(service, new) != asked

    id, asked = in_service(before)
    another_release()
    in_service(after)


def test_a_release_that_would_ask_something_else_of_an_open_survey_asks_nobody(
    in_service, monkeypatch
):
    """People agreed to what was published; as many other questions are not the same ones."""

    def asks_at_half(told, *settled):
        return replay(msgspec.structs.replace(told, epsilon=told.epsilon / 2), *settled)

    async def before(service):
        id = await service.create(draft())
        await service.open(id)
        return id

    async def after(service):
        assert await refusal_of(service.join(id, Joining(person(1), 0))) == "not-ready"

    id = in_service(before)
    monkeypatch.setattr(shelf, "replay", asks_at_half)
    in_service(after)


def test_a_copy_that_asks_something_else_chooses_anew(in_service, another_release):
    """Its answers cannot be repeats anyway; what an earlier release chose would only be worse."""

    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        another_release()
        for change in ({"epsilon": 1.0}, {"protocol": "order"}, {"options": {"unranked": "last"}}):
            again = await service.copy(id)
            await service.edit(again, draft(**change))
            assert (await service._record(again)).chosen is None
            await service.open(again)
            assert (await service._record(again)).chosen == choose(draft(**change))

    in_service(using)


def test_protocols_without_a_choice_have_nothing_to_keep(in_service):
    async def using(service):
        id = await service.create(draft(protocol="pairs"))
        await service.open(id)
        return await service._record(id)

    assert in_service(using).chosen is None
    mix = choose(draft())
    with pytest.raises(HushrankError, match="pairs has no choice of what to ask"):
        replay(draft(protocol="pairs"), 0, (), mix)


@pytest.mark.parametrize("protocol", ["max-entropy", "order"])
def test_a_record_keeps_what_was_chosen_and_earlier_records_chose_nothing(protocol):
    held = draft(protocol=protocol)
    record = Record(held, "series", 3, b"0" * 32, chosen=choose(held))
    written = msgspec.json.encode(record)
    assert msgspec.json.decode(written, type=Record) == record
    plain = json.loads(written)
    del plain["chosen"]
    assert msgspec.json.decode(json.dumps(plain), type=Record).chosen is None


@pytest.mark.parametrize(("protocol", "options"), CHOOSING[:1] + CHOOSING[-1:])
def test_a_document_is_concluded_by_another_release(tmp_path, another_release, protocol, options):
    so_far = SurveySoFar(draft(protocol=protocol, options=options))
    asked = so_far.follows
    assert isinstance(asked, Asked)
    write(tmp_path / "r.parquet", answers(asked, 1))
    counted = tally_reports(tmp_path / "r.parquet", so_far)
    counted.write(tmp_path / "tallies.json")
    another_release()
    found = read_so_far(tmp_path / "tallies.json")
    assert found.follows.to_dict() == counted.follows.to_dict()
    assert found.before(1).follows.fingerprints == asked.fingerprints
    plain = json.loads((tmp_path / "tallies.json").read_text())
    del plain["chosen"]
    (tmp_path / "tallies.json").write_text(json.dumps(plain))
    with pytest.raises(HushrankError, match="or of another version of hushrank"):
        read_so_far(tmp_path / "tallies.json")


def test_a_release_that_counts_keeps_what_another_one_chose(tmp_path, another_release):
    held = draft()
    so_far = SurveySoFar(held, chosen=choose(held))
    write(tmp_path / "r.parquet", answers(so_far.follows, 1))
    another_release()
    assert tally_reports(tmp_path / "r.parquet", so_far).chosen == so_far.chosen != choose(held)


def test_what_is_exported_says_what_was_chosen(in_service, tmp_path, another_release):
    async def using(service):
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(20))
        await service.close(id)
        return await service.export(id)

    exported = in_service(using)
    (tmp_path / "export.json").write_text(json.dumps(exported))
    another_release()
    assert read_so_far(tmp_path / "export.json").follows.n_people == 20
