import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product
from multiprocessing import get_context
from types import SimpleNamespace

import msgspec
import pytest

from hushrank.collector.announcement import read_announcement
from hushrank.collector.device.connection import Asking, Offline, Problem, Where
from hushrank.collector.device.device import Device, ranking_of
from hushrank.collector.device.kept import ACCOUNT, KeptSeries, Memo
from hushrank.collector.device.ledger import Account
from hushrank.collector.device.memory import Drawer, FileMemory, SimulatedMemory
from hushrank.collector.device.terms import (
    LOTS,
    MOST_ROUNDS,
    read_given,
    require_announced,
    require_price,
)
from hushrank.errors import HushrankError
from hushrank.files.disk import keep_to_owner
from hushrank.randomness import Randomness
from hushrank.surveys.handout import fingerprint_of
from tests.collector.device.counting import TIMES, count_up, look
from tests.collector.device.live import Direct
from tests.collector.drafts import NAMES

ORDER = ("coffee", "tea", "juice", "water")
OTHER = ("water", "juice", "tea", "coffee")


def test_what_a_device_is_called_and_sends_again_by_is_of_128_bits():
    tape = bytes(range(16))
    rng = Randomness.replayed(tape)
    device = Device(None, SimulatedMemory(), randomness=rng, is_simulation=True)
    assert device._name() == tape.hex()


class Altered(Direct):
    """A collector whose answers are altered, of which it knows if they are `its_own`."""

    def __init__(self, live, *, its_own=False, **altered):
        super().__init__(live)
        self.altered, self.its_own = altered, its_own

    def fingerprint(self, survey):
        known = super().fingerprint(survey)
        return fingerprint_of(self.announcement(survey)) if self.its_own else known

    def announcement(self, survey):
        alter = self.altered.get("announcement", lambda document: document)
        return alter(super().announcement(survey))

    def join(self, survey, asking):
        given = super().join(survey, asking)
        alter = self.altered.get("join", lambda document: document)
        return alter(given)


def fields(**changed):
    """Return what alters fields of a JSON document."""

    def alter(document):
        return msgspec.json.encode(msgspec.json.decode(document) | changed)

    return alter


def in_head(old, new):
    """Return what alters the head of a handout."""

    def alter(document):
        given = msgspec.json.decode(document)
        assert old in given["handout"]["head"]
        given["handout"]["head"] = given["handout"]["head"].replace(old, new)
        return msgspec.json.encode(given)

    return alter


def end_round(live, survey):
    """Let thirty others report, and end the round."""
    for _ in range(30):
        one = live.device()
        one.join(survey)
        one.answer(survey, OTHER)
        one.send(survey)
    live.run(live.service.close_round(survey))


def go_on(live, survey):
    """Let thirty others report, end the round, and open the next one."""
    end_round(live, survey)
    live.run(live.service.open_round(survey))


def test_a_collector_that_names_the_series_of_another_learns_nothing_of_the_device_there(live):
    """Neither the lot, nor that a question was answered before."""
    survey, memory, asked = live.open(), SimulatedMemory(), []
    here, there = live.connection(), live.connection()
    there.origin = "https://another.example"
    for connection in (here, there):
        device = live.device(memory=memory, connection=connection)
        device.join(survey)
        assert device.answer(survey, ORDER).nats == 2.0
        asked.append(msgspec.json.decode(connection.sent[0]))
    for name in ("person", "lot"):
        assert asked[0][name] != asked[1][name]


def test_a_fingerprint_is_compared_to_its_last_letter(live):
    survey = live.open()
    known = live.connection().fingerprint(survey)
    other = known[:-1] + ("0" if known[-1] != "0" else "1")
    device = live.device(connection=Altered(live, join=fields(announcement=other)))
    with pytest.raises(HushrankError, match="changed the announcement"):
        device.join(survey)


def test_a_person_answers_and_the_collector_has_it(live):
    survey, device = live.open(), live.device()
    opened = device.open(survey)
    assert opened.announcement.title == "What to drink"
    standing = device.join(survey, shown=opened.fingerprint)
    assert standing.handout.head.items == NAMES
    assert (standing.answered, standing.receipt, standing.is_payable) == (None, None, True)
    answered = device.answer(survey, ORDER)
    assert answered.nats == 2.0
    receipt = device.send(survey)
    assert live.run(live.service.survey(survey)).counts[0].reported == 1
    kept = device.kept(survey)
    assert (kept.receipt, kept.answered.reports) == (receipt, answered.reports)


def test_a_device_draws_once_and_sends_the_same_bytes_until_there_is_a_receipt(live):
    survey, connection = live.open(), live.connection()
    device = live.device(connection=connection)
    device.join(survey)
    first = device.answer(survey, ORDER)
    assert device.answer(survey, OTHER).reports == first.reports
    connection.is_online = False
    for _ in range(2):
        with pytest.raises(Offline):
            device.send(survey)
    connection.is_online = True
    receipt = device.send(survey)
    assert device.send(survey) == receipt
    joined, *uploaded = connection.sent
    assert uploaded == [device.kept(survey).upload] * 3
    assert device.spent().in_all == 2.0
    assert msgspec.json.decode(joined)["earlier"] is None


def test_a_memory_of_which_a_part_is_gone_neither_answers_nor_sends(live):
    survey, memory = live.open(), SimulatedMemory()
    device = live.device(memory=memory)
    device.join(survey)
    lose(memory, "round")
    refuse(device, survey)
    assert device.spent().in_all == 0


@pytest.mark.parametrize("kind", [ACCOUNT, "series"])
def test_a_memory_that_answered_but_lost_what_it_paid_or_shares_sends_nothing(live, kind):
    survey, memory = live.open(), SimulatedMemory()
    device = live.device(memory=memory)
    device.join(survey)
    device.answer(survey, ORDER)
    lose(memory, kind)
    refuse(device, survey)


def asked_in_each_way(fingerprint):
    """Return what may be told of who joins: nothing, what they saw, and by whom they came."""
    return {}, {"shown": fingerprint}, {"shown": fingerprint, "invitation": "any"}


def lose(memory, kind):
    """Take away the first record of this kind."""
    del memory._kept[next(name for name in memory._kept if name.split()[0] == kind)]


def refuse(device, survey):
    for step in (device.kept, lambda _: device.answer(_, ORDER), device.send):
        with pytest.raises(HushrankError, match="memory is gone"):
            step(survey)


@pytest.mark.parametrize("is_later", [False, True])
@pytest.mark.parametrize("kind", ["survey", "series", "round"])
def test_a_memory_of_which_a_part_is_gone_joins_no_round(live, kind, is_later):
    """Else it would be another person, by another lot, or be asked again: and answer anew."""
    survey, memory = live.open(protocol="safari", epsilon=1.0), SimulatedMemory()
    device = live.device(memory=memory)
    device.join(survey)
    device.answer(survey, ORDER)
    device.send(survey)
    if is_later:
        go_on(live, survey)
    ways = asked_in_each_way(device.open(survey).fingerprint)
    lose(memory, kind)
    before = dict(memory._kept)
    for each, way in product((device, live.device(memory=memory)), ways):
        with pytest.raises(HushrankError, match="memory is gone"):
            each.join(survey, **way)
    assert memory._kept == before


def test_a_memory_that_was_never_answered_and_lost_its_series_joins_no_round(live):
    survey, memory = live.open(), SimulatedMemory()

    class Away(Direct):
        """A collector that is not there to give anybody a question."""

        def join(self, survey, asking):
            raise Offline("the collector cannot be reached")

    with pytest.raises(Offline):
        live.device(memory=memory, connection=Away(live)).join(survey)
    lose(memory, "series")
    with pytest.raises(HushrankError, match="memory is gone"):
        live.device(memory=memory).join(survey)


def test_a_receipt_that_cannot_be_kept_is_told_and_comes_again(live, monkeypatch):
    """A disc that is full by then must not make a person think that nothing was sent."""
    survey = live.open()
    device = live.device()
    device.join(survey)
    device.answer(survey, ORDER)

    def full(at, receipt):
        raise HushrankError("the disc is full")

    with monkeypatch.context() as patched:
        patched.setattr(device, "_received", full)
        receipt = device.send(survey)
    assert device.kept(survey).receipt is None
    assert device.send(survey) == receipt
    assert device.kept(survey).receipt == receipt


def test_a_device_that_was_restarted_is_the_same_person(live, tmp_path):
    survey, path = live.open(), tmp_path / "device.sqlite"
    first = live.device(1, FileMemory(path))
    asked = first.join(survey).handout
    reports = first.answer(survey, ORDER).reports
    later = live.device(2, FileMemory(path))
    assert later.join(survey).handout.asked.keys() == asked.asked.keys()
    assert later.answer(survey, OTHER).reports == reports
    assert later.send(survey)
    assert live.run(live.service.survey(survey)).counts[0].joined == 1


def test_everybody_is_another_person_and_so_in_every_survey(live):
    connection = live.connection()
    surveys = [live.open(), live.open()]
    one = live.device(connection=connection)
    for survey in (*surveys, surveys[0]):
        one.join(survey)
    live.device(connection=connection).join(surveys[0])
    sent = [msgspec.json.decode(each) for each in connection.sent]
    assert len({each["person"] for each in sent}) == len(sent) == 3
    assert all(len(each["person"]) == 32 and 0 <= each["lot"] < 2**32 for each in sent)
    assert len({each["lot"] for each in sent}) == 3


class Replayed(Direct):
    """Answers whatever comes as another connection was answered, in the same order."""

    def __init__(self, live, given):
        super().__init__(live)
        self._given = list(given)

    def announcement(self, survey):
        return self._given.pop(0)

    def where(self, survey):
        return self._given.pop(0)

    def join(self, survey, asking):
        self.sent.append(msgspec.json.encode(asking))
        return self._given.pop(0)

    def send(self, upload):
        self.sent.append(upload)
        return self._given.pop(0)


def test_all_that_leaves_a_device_is_the_same_for_two_rankings_but_for_the_report(live):
    """By the same random words, from the same collector: in pairs, or in whole orders."""
    for protocol in ("pairs", "subset-order"):
        survey, recorded = live.open(protocol=protocol), Recorded(live)
        sent = []
        for order in (ORDER, OTHER):
            connection = Replayed(live, recorded.given) if sent else recorded
            device = live.device(3, connection=connection)
            device.join(survey)
            device.answer(survey, order)
            device.send(survey)
            sent.append([msgspec.json.decode(each) for each in connection.sent])
        reports = [of_one[-1]["reports"][0].pop("report") for of_one in sent]
        assert sent[0] == sent[1]
        assert len(sent[0]) == 2
        assert protocol == "pairs" or reports[0] != reports[1]


class Recorded(Direct):
    """Remembers what it answers."""

    def __init__(self, live):
        super().__init__(live)
        self.given = []

    def announcement(self, survey):
        return self._remembered(super().announcement(survey))

    def where(self, survey):
        return self._remembered(super().where(survey))

    def fingerprint(self, survey):
        return fingerprint_of(Direct.announcement(self, survey))

    def join(self, survey, asking):
        return self._remembered(super().join(survey, asking))

    def send(self, upload):
        return self._remembered(super().send(upload))

    def _remembered(self, answer):
        self.given.append(answer)
        return answer


@pytest.mark.parametrize(
    "order",
    [
        ("tea", "coffee", "water"),
        ("tea", "tea", "water", "juice"),
        ("tea", "coffee", "water", "juice", "tea"),
        ("tea", "coffee", "water", "milk"),
        (0, 1, 2, 3),
        (["tea"], "coffee", "water", "juice"),
        ("tea", "coffee", "water", ["juice"]),
        "wxyz",
    ],
)
def test_what_is_no_ranking_of_the_items_costs_nothing_and_is_not_repeated_in_the_error(
    live, order
):
    survey = live.open()
    device = live.device(randomness=Randomness.replayed(bytes(40)))
    device.join(survey)
    with pytest.raises(HushrankError) as refused:
        device.answer(survey, order)
    assert not {*map(str, order), "wxyz"} & {*str(refused.value).split()}
    assert device.spent().in_all == 0


def test_an_announcement_of_any_size_is_not_read():
    """It costs a device seconds."""
    with pytest.raises(HushrankError, match="at most 1048576 bytes"):
        read_announcement(b"[" * (2**20 + 1))


def test_letters_of_a_word_are_no_ranking_though_they_are_items():
    with pytest.raises(HushrankError, match="expected a list of distinct items"):
        ranking_of("zyx", ("x", "y", "z"))
    assert ranking_of(["z", "y", "x"], ("x", "y", "z")).ranks.tolist() == [[2, 1, 0]]


@pytest.mark.parametrize("n_items", [21, 300])
def test_of_however_many_items_each_has_its_rank(n_items):
    items = tuple(f"item {n}" for n in range(n_items))
    ranked = ranking_of(items[::-1], items).ranks
    assert ranked.tolist() == [list(range(n_items))[::-1]]
    with pytest.raises(HushrankError, match="expected a list of distinct items"):
        ranking_of([*items[:-1], 7], items)


def test_of_however_many_answers_each_is_sent(live):
    items = [{"name": f"item {n}"} for n in range(22)]
    survey, device = (
        live.open(protocol="pairs", items=items, options={"queries": 40}),
        live.device(),
    )
    opened = device.open(survey)
    device.join(survey, shown=opened.fingerprint)
    answered = device.answer(survey, [item["name"] for item in items])
    assert len(answered.reports) == 40
    device.send(survey)
    assert live.run(live.service.survey(survey)).counts[0].reported == 1


def test_nothing_is_sent_before_there_is_an_answer(live):
    survey, connection = live.open(), live.connection()
    device = live.device(connection=connection)
    device.join(survey)
    before = len(connection.sent)
    with pytest.raises(HushrankError, match="there is no answer to send"):
        device.send(survey)
    assert len(connection.sent) == before


def test_items_may_be_left_out_where_the_survey_takes_that(live):
    survey = live.open(options={"unranked": "last"})
    for order in (("tea",), ("tea", "water"), ORDER, ()):
        device = live.device()
        device.join(survey)
        device.answer(survey, order)
        assert device.send(survey)


@pytest.mark.parametrize(
    ("altered", "words"),
    [
        ({"join": fields(announcement="0" * 64)}, "changed the announcement"),
        ({"join": fields(announcement="")}, "changed the announcement"),
        ({"join": fields(round=-1)}, "round"),
        ({"join": fields(more=1)}, "does not know"),
        ({"join": fields(assignment=None)}, "an assignment"),
        ({"join": in_head('"tea"', '"milk"')}, "other items"),
        ({"join": in_head('"version":2,"name":"', '"version":2,"name":"other ')}, "another survey"),
        ({"join": in_head('"lots":[0.0,1.0]', '"lots":[0.0,1e-10]')}, "another survey"),
        ({"join": in_head('"epsilon":2.0', '"epsilon":2.5')}, "nats"),
        ({"join": in_head('"hit_words":"1', '"hit_words":"')}, "thresholds"),
        ({"join": fields(round=256)}, "expected a round 0..255"),
        ({"join": fields(round=-1)}, "expected a round 0..255"),
        ({"announcement": lambda document: document + b" "}, "as this version writes it"),
        ({"announcement": fields(epsilon=1.0)}, "changed the announcement"),
        ({"announcement": fields(id="A1b2C3d4E5f6")}, "of this survey"),
    ],
)
def test_what_was_not_announced_is_refused_before_anybody_ranks(live, altered, words):
    survey = live.open(epsilon=2.0, protocol="pairs")
    device = live.device(connection=Altered(live, **altered))
    with pytest.raises(HushrankError, match=words):
        device.join(survey)
    with pytest.raises(HushrankError, match="was joined"):
        device.answer(survey, ORDER)
    assert device.spent().in_all == 0


def test_an_announcement_that_changed_after_joining_or_showing_is_refused(live):
    survey, memory = live.open(), SimulatedMemory()
    shown = live.device(memory=memory).open(survey).fingerprint
    live.device(memory=memory).join(survey)
    changed = Altered(live, announcement=fields(purpose="Another one."))
    with pytest.raises(HushrankError, match="after this device had joined"):
        live.device(connection=changed, memory=memory).open(survey)
    for invitation in (None, "any"):
        with pytest.raises(HushrankError, match="after it was shown"):
            live.device(connection=changed).join(survey, shown=shown, invitation=invitation)


def test_of_two_announcements_that_two_processes_were_shown_one_is_joined(live):
    class Between(Altered):
        """A collector that is asked by another process between two questions of this one."""

        meanwhile = None

        def where(self, survey):
            if self.meanwhile is not None:
                self.meanwhile()
            return super().where(survey)

    memory, survey = SimulatedMemory(), live.open()
    shows_another = Altered(live, announcement=fields(purpose="Another one"), its_own=True)
    first = Between(live)
    first.meanwhile = lambda: live.device(2, memory, connection=shows_another).join(survey)
    with pytest.raises(HushrankError, match="changed the announcement after this device had"):
        live.device(1, memory, connection=first).join(survey)
    assert first.sent == []


def test_nothing_is_drawn_for_a_round_that_is_over(live):
    survey, device = live.open(), live.device(1)
    device.join(survey)
    live.run(live.service.close(survey))
    for way in asked_in_each_way(device.open(survey).fingerprint):
        with pytest.raises(HushrankError, match="the survey is not open now"):
            device.join(survey, **way)
    assert device.spent().everywhere == 0


def test_another_question_in_the_same_round_is_refused(live):
    survey, memory = live.open(protocol="pairs"), SimulatedMemory()
    device = live.device(memory=memory)
    one = live.device(memory=SimulatedMemory())
    given = {}

    class Slow(Direct):
        """Answers when somebody else has joined with the same memory."""

        def join(self, survey, asking):
            device.join(survey)
            stranger = one._connection.join(survey, asking=msgspec.structs.replace(asking, lot=1))
            given["first"] = stranger
            return one._connection.join(survey, msgspec.structs.replace(asking, person="b" * 32))

    with pytest.raises(HushrankError, match="another question in the same round"):
        live.device(memory=memory, connection=Slow(live)).join(survey)
    assert given


def test_another_question_by_the_same_assignment_is_refused(live):
    """Its price would be entered, and what was joined before be answered."""
    survey, memory = live.open(protocol="pairs"), SimulatedMemory()

    class Slow(Direct):
        """Answers when somebody else has joined with the same memory, by their assignment."""

        def join(self, survey, asking):
            live.device(memory=memory).join(survey)
            given = msgspec.json.decode(super().join(survey, asking))
            stranger = super().join(survey, msgspec.structs.replace(asking, person="b" * 32))
            other = msgspec.json.decode(stranger)
            assert other["handout"] != given["handout"]
            return msgspec.json.encode(other | {"assignment": given["assignment"]})

    with pytest.raises(HushrankError, match="another question in the same round"):
        live.device(memory=memory, connection=Slow(live)).join(survey)


def test_what_was_answered_while_another_process_joined_is_drawn_no_second_time(live):
    survey, memory, answered = live.open(), SimulatedMemory(), []

    class Slow(Direct):
        """Answers when somebody else has joined and answered with the same memory."""

        def join(self, survey, asking):
            given, faster = super().join(survey, asking), live.device(memory=memory)
            faster.join(survey)
            answered.append(faster.answer(survey, ORDER))
            return given

    late = live.device(memory=memory, connection=Slow(live))
    assert late.join(survey).answered == answered[0]
    assert late.answer(survey, ORDER[::-1]) == answered[0]
    assert late.spent().everywhere == answered[0].nats


def test_a_round_beyond_the_last_is_refused_though_it_asks_nobody():
    """A device looks for each round up to that when it forgets a survey."""
    given = {"asked": False, "round": MOST_ROUNDS, "announcement": "known"}
    with pytest.raises(HushrankError, match="expected a round"):
        read_given(msgspec.json.encode(given), "known")


@pytest.mark.parametrize("given", [{"asked": True, "assignment": "a"}, {"asked": False}])
def test_another_announcement_is_refused_by_whom_the_round_does_not_ask_too(given):
    answer = msgspec.json.encode({**given, "round": 0, "announcement": "another"})
    with pytest.raises(HushrankError, match="changed the announcement"):
        read_given(answer, "known")


def test_a_later_round_asks_the_lot_and_takes_the_rankings_that_were_announced():
    announced = SimpleNamespace(items=(), unranked="refused", first_round=())
    head = SimpleNamespace(items=(), takes_incomplete=False, lots=(0.25, 0.5))
    handout = SimpleNamespace(head=head, fingerprint="")
    require_announced(handout, announced, 1, LOTS // 4)
    for lot in (LOTS // 4 - 1, LOTS // 2):
        with pytest.raises(HushrankError, match="does not ask this lot"):
            require_announced(handout, announced, 1, lot)
    head.lots = (0.5, 1.0)
    for lot in (LOTS // 2, LOTS - 1):
        require_announced(handout, announced, 1, lot)
    head.lots = (0.25, 0.5)
    announced.unranked = "last"
    with pytest.raises(HushrankError, match="needs complete rankings"):
        require_announced(handout, announced, 1, LOTS // 4)


@pytest.mark.parametrize("epsilon", [5e-324, 1e-6, 1.0, 8.0])
def test_a_first_round_that_was_not_announced_is_refused_whatever_it_costs(epsilon):
    announced = SimpleNamespace(items=(), unranked="refused", first_round=("ab", "cd"))
    head = SimpleNamespace(items=(), takes_incomplete=True, lots=(0.0, 1.0), epsilon=epsilon)
    require_announced(SimpleNamespace(head=head, fingerprint="cd"), announced, 0, 0)
    for others in (announced, SimpleNamespace(items=(), unranked="refused", first_round=())):
        with pytest.raises(HushrankError, match="another survey than the one announced"):
            require_announced(SimpleNamespace(head=head, fingerprint="ef"), others, 0, 0)


@pytest.mark.parametrize("others", [("milk", "tea"), ("tea",), ("tea", "milk", "milk")])
def test_a_later_round_asks_about_the_items_that_were_announced_in_their_order(others):
    items = tuple(SimpleNamespace(name=name) for name in ("tea", "milk"))
    announced = SimpleNamespace(items=items, unranked="refused", first_round=())
    head = SimpleNamespace(items=("tea", "milk"), takes_incomplete=False, lots=(0.0, 1.0))
    handout = SimpleNamespace(head=head, fingerprint="")
    require_announced(handout, announced, 1, 0)
    head.items = others
    with pytest.raises(HushrankError, match="other items than announced"):
        require_announced(handout, announced, 1, 0)


def test_no_rounding_hides_what_rounds_cost_together():
    """Floats round 0.1 + 0.7 down."""
    require_price({0: 0.1, 1: 0.7}, SimpleNamespace(epsilon=0.8))
    with pytest.raises(HushrankError, match="announced"):
        require_price({0: 0.1, 1: 0.7}, SimpleNamespace(epsilon=0.1 + 0.7))


def test_rounds_cost_together_no_more_than_was_announced(live):
    survey = live.open(
        protocol="safari", epsilon=1.0, expected_people=500, options={"split": "budget"}
    )
    first = live.device()
    assert first.open(survey).announcement.comes_back
    cautious = live.device(
        connection=Altered(live, its_own=True, announcement=fields(epsilon=0.75))
    )
    cautious.join(survey)
    first.join(survey)
    first.answer(survey, ORDER)
    first.send(survey)
    end_round(live, survey)
    assert first.join(survey).round == 0
    with pytest.raises(HushrankError, match="not open now"):
        live.device().join(survey)
    live.run(live.service.open_round(survey))
    standing = first.join(survey)
    assert (standing.round, standing.answered) == (1, None)
    first.answer(survey, ORDER)
    assert first.send(survey)
    assert first.spent().in_all == 1.0
    with pytest.raises(HushrankError, match="rounds cost more than"):
        cautious.join(survey)
    assert cautious.kept(survey).round == 0


class Often(Altered):
    """A collector that asks the same in as many rounds as it wants."""

    def __init__(self, live, epsilon):
        super().__init__(live, its_own=True, announcement=fields(epsilon=epsilon))
        self.round, self.told = 0, {}

    def where(self, survey):
        return Where("open", self.round, None)

    def announcement(self, survey):
        return self._once(survey, lambda: Altered.announcement(self, survey))

    def join(self, survey, asking):
        given = self._once(asking.person, lambda: Altered.join(self, survey, asking))
        return fields(round=self.round)(given)

    def _once(self, name, ask):
        if name not in self.told:
            self.told[name] = ask()
        return self.told[name]


class Pausing(Often):
    """A collector whose every other round asks nobody."""

    def join(self, survey, asking):
        given = msgspec.json.decode(super().join(survey, asking)) | {"asked": self.round % 2 == 0}
        kept = given if given["asked"] else given.keys() & {"asked", "round", "announcement"}
        return msgspec.json.encode({name: given[name] for name in kept})


def test_rounds_that_ask_nobody_leave_what_others_cost(live):
    survey = live.open(epsilon=0.5, protocol="pairs")
    device = live.device(connection=(connection := Pausing(live, 1.0)))
    for connection.round in range(4):
        assert (device.join(survey).handout is None) == (connection.round % 2 == 1)
    connection.round = 4
    with pytest.raises(HushrankError, match="rounds cost more than"):
        device.join(survey)


class Moving(Often):
    """A collector that opens the next round as soon as it has said which one is open."""

    def where(self, survey):
        return Where("open", self.round - 1, None)


def test_the_round_is_told_that_was_joined_where_the_next_one_was_opened_just_then(live):
    survey = live.open(epsilon=1.0, protocol="pairs")
    device = live.device(connection=(connection := Moving(live, 2.0)))
    connection.round = 1
    assert device.join(survey).round == device.kept(survey).round == 1


def two_answers(live, epsilon):
    """Return a survey of rounds that ask for two answers of half a nat, and its collector."""
    survey = live.open(epsilon=1.0, protocol="pairs", options={"queries": 2})
    return survey, Often(live, epsilon)


def test_rounds_cost_together_what_all_of_their_answers_do(live):
    survey, connection = two_answers(live, epsilon=1.5)
    device = live.device(connection=connection)
    device.join(survey)
    connection.round = 1
    with pytest.raises(HushrankError, match="rounds cost more than"):
        device.join(survey)


def test_a_later_round_is_beyond_the_limit_where_all_of_its_answers_together_are(live):
    survey, connection = two_answers(live, epsilon=2.0)
    device = live.device(connection=connection)
    device.join(survey)
    assert device.answer(survey, ORDER).nats == 1.0
    device.set_limit(1.9)
    connection.round = 1
    device.join(survey)
    assert device.answer(survey, ORDER[::-1]).nats == 0


def test_in_each_of_as_many_rounds_as_there_can_be_an_answer_is_drawn_once(live):
    survey, memory = live.open(epsilon=1 / 32, protocol="pairs"), SimulatedMemory()
    connection = Often(live, MOST_ROUNDS / 32)
    device = live.device(memory=memory, connection=connection)
    for connection.round in range(MOST_ROUNDS):
        device.join(survey)
        answered, kept = device.answer(survey, ORDER), dict(memory._kept)
        assert device.answer(survey, OTHER) == answered
        assert memory._kept == kept
    assert device.spent().in_all == 1 / 32


@pytest.mark.parametrize("n_rounds", [1, 2, 3, 4, 5, MOST_ROUNDS - 1])
def test_however_many_rounds_cost_together_what_was_announced_and_no_more(live, n_rounds):
    survey = live.open(epsilon=1 / 32, protocol="pairs")
    connection = Often(live, n_rounds / 32)
    device = live.device(connection=connection)
    for connection.round in range(n_rounds):
        assert device.join(survey).round == connection.round
    connection.round = n_rounds
    with pytest.raises(HushrankError, match="rounds cost more than"):
        device.join(survey)
    assert device.kept(survey).round == n_rounds - 1


@pytest.mark.parametrize("left", [0, 1, 5, 6, 50, MOST_ROUNDS - 1])
@pytest.mark.parametrize("now", [0, 6, 50, MOST_ROUNDS - 1])
def test_whichever_round_is_left_of_a_memory_it_joins_no_later_one(live, left, now):
    """Of a survey whose record is gone: it would hide anew what it answered in that round."""
    survey, memory = live.open(epsilon=1 / 32, protocol="pairs"), SimulatedMemory()
    connection = Often(live, MOST_ROUNDS / 32)
    device = live.device(memory=memory, connection=connection)
    connection.round = left
    device.join(survey)
    device.answer(survey, ORDER)
    lose(memory, "survey")
    connection.round, before = max(left, now), dict(memory._kept)
    with pytest.raises(HushrankError, match="memory is gone"):
        device.join(survey)
    assert memory._kept == before


@pytest.mark.parametrize("n_rounds", [1, 2, 6, 7, 50, MOST_ROUNDS])
def test_a_survey_that_is_forgotten_leaves_none_of_however_many_rounds(live, n_rounds):
    survey, memory = live.open(epsilon=1 / 32, protocol="pairs"), SimulatedMemory()
    connection = Often(live, MOST_ROUNDS / 32)
    device = live.device(memory=memory, connection=connection)
    for connection.round in range(n_rounds):
        device.join(survey)
        device.answer(survey, ORDER)
    assert sum(name.startswith("round ") for name in memory._kept) == n_rounds
    device.forget(survey)
    assert sorted(name.split()[0] for name in memory._kept) == [ACCOUNT, "series"]


def test_a_person_has_a_name_of_random_bits_and_another_one_in_each_survey(live):
    """Who can tell a name is asked in its owner's place, or knows them again in the next survey."""
    connection = live.connection()
    survey, device = live.open(), live.device(connection=connection)
    device.join(survey)
    device.join(live.repeat(survey))
    first, second = (msgspec.json.decode(asking) for asking in connection.sent)
    assert first["lot"] == second["lot"]
    names = {first["person"], second["person"]}
    assert len(names) == 2
    assert all(len(name) == 32 and "0" * 12 not in name for name in names)  # once in 1e13


def test_an_app_names_its_person_in_every_survey(live):
    """By which the collector lets each of them in once, on whatever device."""
    connection = live.connection()
    survey, device = live.open(), live.device(connection=connection, person="user 7")
    device.join(survey)
    device.join(live.repeat(survey))
    assert [msgspec.json.decode(asking)["person"] for asking in connection.sent] == ["user 7"] * 2


def test_each_upload_has_a_key_of_random_bits_of_its_own(live):
    """Whoever can tell it finds out by guesses what was sent, round by round."""
    connection = live.connection()
    survey = live.open(protocol="safari", epsilon=1.0, expected_people=5)
    named_by_an_app = ("ab" * 16, "cd" * 16, None, None, None)
    devices = [live.device(connection=connection, person=name) for name in named_by_an_app]
    for is_last in (False, True):
        for device in devices:
            device.join(survey)
            device.answer(survey, ORDER)
            device.send(survey)
        live.run(live.service.close_round(survey))
        if not is_last:
            live.run(live.service.open_round(survey))
    sent = [msgspec.json.decode(each) for each in connection.sent]
    keys = {each["idempotency_key"] for each in sent if "reports" in each}
    assert len(keys) == 10
    assert all(len(key) == 32 and "0" * 12 not in key for key in keys)  # once in 1e13
    assert not keys & {each["person"] for each in sent if "person" in each}


def test_a_round_that_asks_others_costs_nothing(live):
    survey = live.open(
        protocol="safari", epsilon=1.0, expected_people=500, options={"split": "people"}
    )
    memories = [SimulatedMemory() for _ in range(20)]
    devices = [live.device(memory=memory) for memory in memories]
    standings = [device.join(survey) for device in devices]
    assert {standing.handout is None for standing in standings} == {True, False}
    for device, memory, standing in zip(devices, memories, standings, strict=True):
        if standing.handout is None:
            with pytest.raises(HushrankError, match="does not ask this person"):
                device.answer(survey, ORDER)
            assert device.spent().in_all == 0
            device.forget(survey)
            assert [name.split()[0] for name in memory._kept] == ["series"]


def test_between_rounds_whom_the_last_did_not_ask_are_done_and_who_did_not_answer_is_not(live):
    survey = live.open(
        protocol="safari", epsilon=1.0, expected_people=500, options={"split": "people"}
    )
    devices = [live.device() for _ in range(60)]
    asked = [device for device in devices if device.join(survey).handout is not None]
    for device in asked[1:]:
        device.answer(survey, ORDER)
        device.send(survey)
    live.run(live.service.close_round(survey))
    with pytest.raises(HushrankError, match="not open now"):
        asked[0].join(survey)
    done = [device.join(survey) for device in devices if device is not asked[0]]
    assert {standing.handout is None for standing in done} == {True, False}


def test_of_two_devices_of_an_invited_person_one_is_asked_where_rounds_ask_others(live):
    """That none of sixty is refused, as all draw lots that ask them once, has a chance of 3e-8."""
    fields = {"protocol": "safari", "options": {"split": "people"}, "joining": "invitations"}
    survey = live.open(**fields)
    tokens = live.run(live.service.invite(survey, 60))

    def asked(token):
        device = live.device()
        try:
            standing = device.join(survey, invitation=token)
        except Problem as problem:
            return problem.kind
        if standing.handout is None:
            return "others"
        device.answer(survey, ORDER)
        device.send(survey)
        return "asked"

    first = [asked(token) for token in tokens]
    live.run(live.service.close_round(survey))
    live.run(live.service.open_round(survey))
    rounds = Counter(zip(first, [asked(token) for token in tokens], strict=True))
    assert rounds["asked", "asked"] == 0
    assert rounds["asked", "conflict"] > 0
    assert rounds["others", "asked"] > 0


def test_who_answered_hides_no_second_answer_on_a_device_that_forgot_it(live):
    """Two reports of one answer, of which the collector sees both, would tell twice as much."""
    survey = live.open(joining="invitations", protocol="pairs")
    (token,) = live.run(live.service.invite(survey, 1))
    answers, lost, forgot = live.device(), live.device(), live.device()
    asked = [each.join(survey, invitation=token).handout for each in (lost, answers)]
    assert asked[0].asked == asked[1].asked
    answers.answer(survey, ORDER)
    answers.send(survey)
    with pytest.raises(Problem) as refused:
        forgot.join(survey, invitation=token)
    assert refused.value.kind == "conflict"
    assert forgot.kept(survey) is None
    assert forgot.spent().in_all == 0
    assert answers.join(survey, invitation=token).receipt  # it asks nobody, as it remembers


def test_a_survey_that_is_forgotten_leaves_the_answers_of_none_of_its_rounds(live):
    survey, memory = live.open(protocol="safari", epsilon=1.0), SimulatedMemory()
    device = live.device(memory=memory)
    for is_last in (False, True):
        assert device.join(survey).round == int(is_last)
        device.answer(survey, ORDER)
        device.send(survey)
        if not is_last:
            go_on(live, survey)
    device.forget(survey)
    assert sorted(name.split()[0] for name in memory._kept) == [ACCOUNT, "series"]


def test_invitations_reach_the_collector(live):
    survey = live.open(joining="invitations")
    (token,) = live.run(live.service.invite(survey, 1))
    with pytest.raises(Problem) as refused:
        live.device().join(survey)
    assert refused.value.kind == "not-invited"
    assert live.device().join(survey, invitation=token).handout is not None


def test_a_seed_protects_nobody_and_only_a_simulation_may_have_one(live):
    seeded = {"randomness": Randomness.seeded(1)}
    for person in (None, "a" * 32):
        with pytest.raises(HushrankError, match="protects nobody"):
            Device(live.connection(), SimulatedMemory(), person=person, **seeded)


def test_a_limit_is_kept_and_can_be_changed(live):
    device = live.device()
    for _ in range(4):
        survey = live.open(epsilon=2.0)
        device.join(survey)
        device.answer(survey, ORDER)
    assert device.spent().in_a_year == 8.0
    survey = live.open(epsilon=0.1)
    assert not device.join(survey).is_payable
    with pytest.raises(HushrankError, match="limit"):
        device.answer(survey, ORDER)
    device.set_limit(8.5)
    assert device.kept(survey).is_payable
    device.answer(survey, ORDER)
    live.clock.pass_days(366)
    assert device.spent().in_a_year == 0
    assert device.spent().everywhere > 8.0


def test_a_limit_of_nothing_is_one(live):
    survey, device = live.open(), live.device()
    device.set_limit(0)
    assert not device.join(survey).is_payable
    assert device.spent().limit == 0


def test_what_was_spent_a_year_ago_leaves_room_for_as_much(live):
    device = live.device()
    for _ in range(2):
        survey = live.open(epsilon=8.0)
        assert device.join(survey).is_payable
        device.answer(survey, ORDER)
        live.clock.pass_days(365)


def test_of_two_rounds_the_one_is_sent_whose_answer_was_shown_or_none(live):
    rounds = {"protocol": "safari", "expected_people": 500, "options": {"split": "budget"}}
    survey, device = live.open(epsilon=1.0, **rounds), live.device()
    for number in (0, 1):
        assert device.join(survey).round == number
        device.answer(survey, ORDER)
        if number == 0:
            go_on(live, survey)
    with pytest.raises(HushrankError, match="another round was joined after"):
        device.send(survey, shown=0)
    assert live.run(live.service.survey(survey)).counts[1].reported == 0
    assert device.send(survey, shown=1) == device.kept(survey).receipt


def test_who_begins_a_survey_can_pay_all_of_its_rounds(live):
    rounds = {"protocol": "safari", "expected_people": 500, "options": {"split": "budget"}}
    survey, device = live.open(epsilon=1.0, **rounds), live.device()
    device.set_limit(0.9)
    assert not device.join(survey).is_payable
    with pytest.raises(HushrankError, match="limit"):
        device.answer(survey, ORDER)
    device.set_limit(1.0)
    assert device.kept(survey).is_payable
    assert device.answer(survey, ORDER).nats == 0.5
    device.send(survey)
    go_on(live, survey)
    assert device.join(survey).is_payable
    assert device.answer(survey, ORDER).nats == 0.5


def test_a_collector_that_goes_back_to_an_earlier_round_is_refused(live):
    """Its question would be shown, and that of the latest round answered."""
    survey, said = live.open(protocol="safari"), []

    class Changing(Direct):
        """Says of the round and the assignment what was said before, where it is told to."""

        def where(self, survey):
            return said[0] if said else super().where(survey)

        def join(self, survey, asking):
            return said[1] if said else super().join(survey, asking)

    connection = Changing(live)
    early = connection.where(survey)
    stranger = connection.join(survey, Asking("a" * 32, None, 7, None))
    device = live.device(connection=connection)
    device.join(survey)
    go_on(live, survey)
    assert device.join(survey).round == 1
    ways = asked_in_each_way(device.open(survey).fingerprint)
    not_asked = msgspec.json.decode(stranger) | {"asked": False}
    silent = {name: not_asked[name] for name in ("asked", "round", "announcement")}
    later = msgspec.structs.replace(early, round=2)
    told = [(early, stranger), (later, stranger), (later, msgspec.json.encode(silent))]
    for said[:], way in product(told, ways):
        with pytest.raises(HushrankError, match="went back to an earlier round"):
            device.join(survey, **way)
    said.clear()
    assert device.join(survey).round == 1


def test_threads_that_answer_at_once_draw_once(live, tmp_path):
    survey, path = live.open(), tmp_path / "device.sqlite"
    live.device(memory=FileMemory(path)).join(survey)

    def answer(_):
        return live.device(memory=FileMemory(path)).answer(survey, ORDER).reports

    with ThreadPoolExecutor(8) as pool:
        assert len({str(reports) for reports in pool.map(answer, range(16))}) == 1
    assert live.device(memory=FileMemory(path)).spent().in_all == 2.0


def test_processes_that_change_a_memory_at_once_lose_nothing(tmp_path):
    path = str(tmp_path / "device.sqlite")
    spawn = get_context("spawn")
    processes = [spawn.Process(target=count_up, args=(path,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    with FileMemory(path).opened() as drawer:
        assert drawer.get("series", KeptSeries).lot == 2 * TIMES


def test_no_process_is_let_into_a_memory_because_a_thread_looks_at_it_too(tmp_path, monkeypatch):
    """To close a file ends all locks on it that a process has: who came in would draw again."""
    monkeypatch.setattr("hushrank.collector.device.memory.WAIT_SECONDS", 0.01)
    path = str(tmp_path / "device.sqlite")
    with FileMemory(path).opened():
        with pytest.raises(HushrankError, match="another process keeps it open"):
            FileMemory(path)  # as a thread does, which waits for the block around it
        other = get_context("spawn").Process(target=look, args=(path,))
        other.start()
        other.join()
        assert other.exitcode == 1


def test_who_looks_at_a_memory_waits_until_nobody_else_does(tmp_path, monkeypatch):
    """Else two processes at once would both find that nothing was drawn yet."""
    monkeypatch.setattr("hushrank.collector.device.memory.WAIT_SECONDS", 0.01)
    memory, other = (FileMemory(tmp_path / "device.sqlite") for _ in range(2))
    with (
        memory.opened(),
        pytest.raises(HushrankError, match="another process keeps it open"),
        other.opened(),
    ):
        pass
    with other.opened():
        pass


def test_a_change_waits_for_the_disk(tmp_path):
    """What a crash of the machine forgot would be drawn again, and told by two reports."""
    with closing(FileMemory(tmp_path / "device.sqlite")._locked()) as database:
        (synchronous,) = database.execute("PRAGMA synchronous").fetchone()
    assert synchronous == 3  # EXTRA


@pytest.mark.parametrize("memory_of", [lambda path: SimulatedMemory(), FileMemory])
def test_a_change_that_fails_changes_nothing(tmp_path, memory_of):
    memory = memory_of(tmp_path / "device.sqlite")
    with memory.opened() as drawer:
        drawer.put("kept", KeptSeries(1))
    with pytest.raises(ZeroDivisionError), memory.opened() as drawer:  # noqa: PT012
        drawer.put("kept", KeptSeries(2))
        drawer.drop("other")
        drawer.put("new", KeptSeries(3 // 0))
    with memory.opened() as drawer:
        assert drawer.get("kept", KeptSeries).lot == 1
        assert drawer.get("new", KeptSeries) is None
        drawer.drop("kept")
        assert drawer.get("kept", KeptSeries) is None
    with memory.opened() as drawer:
        assert drawer.get("kept", KeptSeries) is None


def test_the_file_is_its_owners_alone(tmp_path):
    path = tmp_path / "device.sqlite"
    FileMemory(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_not_even_while_it_is_empty_can_others_open_the_file(tmp_path, monkeypatch):
    """Who opened it then would read on, whatever it may be read by later."""
    monkeypatch.setattr("pathlib.Path.chmod", lambda path, mode: None)
    keep_to_owner(tmp_path / "device.sqlite")
    assert (tmp_path / "device.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_memory_has_one_name(tmp_path):
    """By another one nobody finds what a process that was killed had half written."""
    memory = FileMemory(tmp_path / "device.sqlite")
    (tmp_path / "other.sqlite").hardlink_to(tmp_path / "device.sqlite")
    with pytest.raises(HushrankError, match=r"other\.sqlite: expected a file of one name"):
        FileMemory(tmp_path / "other.sqlite")
    with pytest.raises(HushrankError, match="expected a file of one name"), memory.opened():
        pass


def keep_much(memory):
    with memory.opened() as drawer:
        drawer.put("series", KeptSeries(1))
        drawer.put("series of many", KeptSeries(1, {1: "x" * 100_000}))


def test_a_memory_that_finds_no_room_says_so_and_keeps_nothing(tmp_path):
    memory = FileMemory(tmp_path / "device.sqlite")
    locked = memory._locked

    def almost_full():
        database = locked()
        database.execute("PRAGMA max_page_count = 3")
        return database

    memory._locked = almost_full
    with pytest.raises(HushrankError, match="No space left"):
        keep_much(memory)
    del memory._locked
    with memory.opened() as drawer:
        assert drawer.get("series", KeptSeries) is None


def test_a_file_that_is_no_memory_is_named_and_left_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but somebody's notes " * 40)
    with pytest.raises(HushrankError, match=r"notes.txt: expected the memory of a device"):
        FileMemory(path)
    assert path.read_text().startswith("not a database")
    with pytest.raises(HushrankError, match="existing folder"):
        FileMemory(tmp_path / "nowhere" / "device.sqlite")


def test_a_database_of_another_program_is_no_memory_and_left_as_it_is(tmp_path):
    path = tmp_path / "contacts.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE contacts (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(HushrankError, match=r"contacts.sqlite: .* this is another database"):
        FileMemory(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", ["text", 1.5, 10**15, None])
def test_what_is_no_bytes_in_a_memory_is_refused_by_its_name(tmp_path, kept):
    path = tmp_path / "memory"
    with FileMemory(path).opened() as drawer:
        drawer.put(ACCOUNT, Account())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE kept SET value = ?", (kept,))
    said = "memory: expected the memory of a device, whole"
    with FileMemory(path).opened() as drawer, pytest.raises(HushrankError, match=said):
        drawer.get(ACCOUNT, Account)


ENTRY = {"collector": "c", "survey": "s", "title": "t", "round": 0, "nats": 1}
WRONG_ACCOUNTS = [
    *({"limit": limit} for limit in (-1e-300, -1e308, 1e301)),
    *({"entries": [ENTRY | {"at": "2027-01-31T12:00:00Z", "nats": nats}]} for nats in (-1, 1e301)),
    *({"entries": [ENTRY | {"at": at}]} for at in ("2027-01-31T12:00:00", "2027-01-31")),
]


@pytest.mark.parametrize("account", WRONG_ACCOUNTS)
def test_an_account_that_no_device_keeps_is_refused(account):
    kept = msgspec.json.encode(account)
    drawer = Drawer(lambda name: kept, lambda name, value: None)
    with pytest.raises(HushrankError, match="what this version of hushrank keeps"):
        drawer.get(ACCOUNT, Account)


def test_nothing_that_a_device_keeps_shows_itself(live):
    survey, device = live.open(), live.device()
    device.join(survey)
    answered = device.answer(survey, ORDER)
    standing = device.kept(survey)
    memo = Memo("3", {"3": 7})
    series = KeptSeries(7, {0: "token"}, {"key": memo})
    shown = [repr(each) for each in (answered, memo, series)]
    assert shown == ["Answered()", "Memo()", "KeptSeries()"]
    assert " at 0x" in repr(standing)  # Python's own, which shows no field


def test_what_was_forgotten_is_gone_but_for_what_it_cost(live, tmp_path):
    path = tmp_path / "memory"
    survey, device = live.open(), live.device(memory=FileMemory(path))
    device.join(survey)
    device.answer(survey, ORDER)
    upload = device.kept(survey).upload[-80:]
    assert upload[:20] in path.read_bytes().replace(b"\\", b"")
    device.forget(survey)
    for file in tmp_path.glob("memory*"):  # nor in a journal of what was there before
        assert upload[:20] not in file.read_bytes().replace(b"\\", b"")
    assert device.kept(survey) is None
    assert device.spent().in_all == 2.0
    with closing(sqlite3.connect(path)) as database:
        kept = dict(database.execute("SELECT name, value FROM kept"))
    account, series = sorted(kept)  # nothing of the survey, nor of its rounds
    assert account == ACCOUNT
    left = msgspec.json.decode(kept[series], type=KeptSeries)
    assert (left.assignments, left.memos) == ({}, {})  # the next survey knows nobody again by them


def test_what_was_forgotten_is_overwritten_however_sqlite_was_built(tmp_path, monkeypatch):
    """Debian's overwrites unless told not to, most others do not unless told to."""
    connect = sqlite3.connect

    def careless(*given, **named):
        database = connect(*given, **named)
        database.execute("PRAGMA secure_delete=OFF")
        return database

    monkeypatch.setattr(sqlite3, "connect", careless)
    memory, path = FileMemory(tmp_path / "memory"), tmp_path / "memory"
    with memory.opened() as drawer:
        drawer.put("memo", Memo("tea before coffee", {}))
    assert b"tea before coffee" in path.read_bytes()
    with memory.opened() as drawer:
        drawer.drop("memo")
    assert b"tea before coffee" not in path.read_bytes()


def test_what_is_forgotten_while_it_is_sent_stays_forgotten(live):
    memory, connection = SimulatedMemory(), live.connection()
    survey, device = live.open(), live.device(memory=memory, connection=connection)
    device.join(survey)
    device.answer(survey, ORDER)
    send = connection.send

    def send_slowly(upload):
        device.forget(survey)
        return send(upload)

    connection.send = send_slowly
    assert device.send(survey)
    account, series = sorted(memory._kept)  # nothing of the survey, nor of its round
    assert (account, series.split()[0]) == (ACCOUNT, "series")


def test_a_survey_that_was_forgotten_leaves_the_next_of_its_series_as_it_was(live):
    survey, device = live.open(), live.device()
    device.join(survey)
    device.answer(survey, ORDER)
    again = live.repeat(survey)
    asked = device.join(again).handout
    device.forget(survey)
    assert device.kept(again).handout.asked == asked.asked
    device.answer(again, ORDER)
    assert device.send(again)


@pytest.mark.parametrize("kept", [b'{"coffee\xff', b'["coffee"]', b"coffee"])
def test_what_is_kept_and_cannot_be_read_is_in_no_error(kept):
    drawer = Drawer(lambda name: kept, lambda name, value: None)
    with pytest.raises(HushrankError, match="what this version of hushrank keeps") as caught:
        drawer.get("account", Account)
    assert caught.value.__context__ is None
