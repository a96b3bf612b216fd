"""Surveys that repeat each other: what that costs, and what whoever watches can tell."""

from fractions import Fraction
from itertools import combinations, count, pairwise, permutations, product
from math import ceil, prod
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy.stats import binom

from hushrank.collector.device.device import ranking_of
from hushrank.collector.device.kept import ACCOUNT, KeptSeries, Memo
from hushrank.collector.device.ledger import Account
from hushrank.collector.device.memory import SimulatedMemory
from hushrank.collector.device.repeating import answer_each, is_known, memo_key
from hushrank.errors import HushrankError
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols.distributions import question_mix
from hushrank.protocols.registry import make_protocol
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.handout import read_handout
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey
from tests.bounds import exponential_below
from tests.collector.drafts import NAMES
from tests.statistics import assert_follows, draws_needed

ORDER = ("coffee", "tea", "juice", "water")
OTHER = ("water", "juice", "tea", "coffee")
THIRD = ("juice", "water", "coffee", "tea")


def uploads(connection):
    return [each for each in connection.sent if each.startswith(b'{"assignment"')]


def reports_of(upload):
    sent = msgspec.json.decode(upload)["reports"]
    return [(each["survey"], each["question"], str(each["report"])) for each in sent]


@pytest.mark.parametrize(
    ("n_weeks", "fields"),
    [
        (100, {"protocol": "subset-order"}),
        (4, {"protocol": "pairs", "options": {"queries": 3}}),
        (4, {"protocol": "max-entropy"}),
        (4, {"protocol": "safari", "options": {"split": "people"}, "expected_people": 500}),
    ],
)
def test_a_hundred_weeks_of_one_ranking_cost_what_one_costs(live, n_weeks, fields):
    survey, connection = live.open(epsilon=2.0, **fields), live.connection()
    people = (live.device(seed, connection=connection) for seed in range(50))
    device = next(one for one in people if one.join(survey).handout is not None)
    for week in range(n_weeks):
        device.join(survey)
        answered = device.answer(survey, ORDER)
        device.send(survey)
        assert (answered.nats, answered.is_repeated) == ((2.0, False) if week == 0 else (0.0, True))
        assert not answered.is_outdated
        live.clock.pass_days(3)
        survey = live.repeat(survey) if week < n_weeks - 1 else survey
    sent = [reports_of(upload) for upload in uploads(connection)]
    assert len(sent) == n_weeks
    assert all(each == sent[0] for each in sent)
    spent = device.spent()
    assert (spent.in_a_year, spent.everywhere) == (2.0, 2.0)
    with device._memory.opened() as drawer:
        entries = drawer.get(ACCOUNT, Account).entries
    assert [each.nats for each in entries] == [2.0, *[0.0] * (n_weeks - 1)]


def test_what_is_new_beside_what_is_repeated_is_remembered_too(live):
    """Of all six pairs one is turned round: it is paid for, once."""
    survey = live.open(epsilon=3.0, protocol="pairs", options={"queries": 6})
    connection = live.connection()
    device, costs = live.device(5, connection=connection), []
    for order in (ORDER, ("tea", "coffee", *ORDER[2:]), ("tea", "coffee", *ORDER[2:]), ORDER):
        device.join(survey)
        answered = device.answer(survey, order)
        costs.append((answered.nats, answered.is_repeated))
        device.send(survey)
        survey = live.repeat(survey)
    assert costs == [(3.0, False), (0.5, True), (0.0, True), (0.0, True)]
    assert device.spent().in_all == 3.5
    first, second, third, last = (reports_of(upload) for upload in uploads(connection))
    assert (third, last) == (second, first)


def test_each_round_of_a_repeated_survey_is_asked_by_the_earlier_assignment_of_its_own(live):
    survey = live.open(epsilon=2.0, protocol="safari", smallest_group=2)
    connection = live.connection()
    devices, costs = [live.device(5, connection=connection), live.device(6)], []
    for repeat in (True, False):
        for is_last in (False, True):
            for device in devices if repeat else devices[::-1]:
                device.join(survey)
                costs.append(device.answer(survey, ORDER).nats)
                device.send(survey)
            if not is_last:
                live.run(live.service.close_round(survey))
                live.run(live.service.open_round(survey))
        survey = live.repeat(survey) if repeat else survey
    sent = [msgspec.json.decode(each) for each in connection.sent]
    earlier = [each["earlier"] for each in sent if "earlier" in each]
    had = [each["assignment"] for each in sent if "assignment" in each]
    assert earlier == [None, None, *had[:2]]
    assert costs == [1.0] * 4 + [0.0] * 4


@pytest.mark.parametrize("protocol", ["pairs", "max-entropy", "order"])
def test_to_delete_the_surveys_that_came_before_costs_nobody_anything(live, protocol):
    survey = live.open(epsilon=2.0, protocol=protocol)
    devices = [live.device(seed) for seed in range(12)]
    for week in range(3):
        for device in devices if week != 1 else devices[:6]:
            device.join(survey)
            answered = device.answer(survey, ORDER)
            device.send(survey)
            assert (answered.nats, answered.is_repeated) == ((0.0, True) if week else (2.0, False))
        before, survey = survey, live.repeat(survey)
        live.run(live.service.delete(before))


def test_a_release_with_other_tables_costs_a_series_nothing(live, monkeypatch):
    survey, device = live.open(epsilon=2.0), live.device(3)
    device.join(survey)
    device.answer(survey, ORDER)
    device.send(survey)
    monkeypatch.setattr(question_mix, "tabulated_parts", lambda *_: (("levels", 1.0, 2),))
    again = live.repeat(survey)
    device.join(again)
    repeated = device.answer(again, ORDER)
    assert (repeated.nats, repeated.is_repeated) == (0.0, True)


def test_a_ranking_that_changes_costs_as_many_answers_as_it_has_had(live):
    survey, memory = live.open(epsilon=1.0), SimulatedMemory()
    device = live.device(4, memory)
    costs, reports = [], []
    for order in (ORDER, ORDER, OTHER, OTHER, ORDER, OTHER):
        device.join(survey)
        answered = device.answer(survey, order)
        costs.append(answered.nats)
        reports.append(answered.reports)
        device.send(survey)
        survey = live.repeat(survey)
    truths_differ = costs[2] == 1.0
    assert costs == [1.0, 0, costs[2], 0, 0, 0]
    assert reports[0] == reports[1] == reports[4]
    assert reports[2] == reports[3] == reports[5]
    assert truths_differ or reports[0] == reports[2]


def test_over_the_limit_the_latest_answer_is_repeated_and_nothing_tells(live):
    survey, connection = live.open(epsilon=2.0, protocol="subset-order"), live.connection()
    device = live.device(connection=connection)
    device.set_limit(2.0)
    sent, outdated = [], []
    for order in (ORDER, OTHER, OTHER, THIRD, ORDER):
        assert device.join(survey).is_payable
        answered = device.answer(survey, order)
        sent.append(answered.reports)
        outdated.append(answered.is_outdated)
        device.send(survey)
        survey = live.repeat(survey)
    assert sent == sent[:1] * 5
    assert outdated == [False, True, True, True, False]
    assert device.spent().everywhere == 2.0
    stranger = live.open(epsilon=2.0, protocol="subset-order")
    assert not device.join(stranger).is_payable
    for order in (ORDER, OTHER):
        with pytest.raises(HushrankError, match="limit"):
            device.answer(stranger, order)


@pytest.mark.parametrize(
    ("truths", "reported"), [("0102", "0100"), ("0012", "0011"), ("01102", "01100")]
)
def test_over_the_limit_the_answer_of_last_time_is_repeated_not_the_one_drawn_last(
    truths, reported
):
    """Nor the first one: by any other a change would show which nothing has paid for."""
    mechanism = GeneralizedRandomizedResponse(3, 1.0)
    survey = Survey("one", (RankLevel(0, (0, 1, 2, 2)),), (mechanism,), 1.0)
    published = PublishedSurvey(survey, NAMES)
    handout, memos, sent = read_handout(published.handout([0]), most_epsilon=8), {}, []
    for truth in map(int, truths):
        told = {0: np.array([truth])}
        affords = len(sent) < 3
        drawn = answer_each(handout, told, memos, lambda _, own: int(own[0]), is_affordable=affords)
        memos = drawn.memos
        sent.append(drawn.answered.reports)
    assert sent == [(int(report),) for report in reported]


def test_each_of_however_many_answers_that_were_given_keeps_its_one_report():
    """All orders of seven items, one a day for fourteen years, and again, the last one first."""
    mechanism = GeneralizedRandomizedResponse(5040, 1.0)
    survey = Survey("orders", (RelativeOrder(tuple(range(7))),), (mechanism,), 1.0)
    published = PublishedSurvey(survey, tuple("abcdefg"))
    handout, memos, sent = read_handout(published.handout([0]), most_epsilon=8), {}, []
    draws = count()
    for truth in (*range(5040), *reversed(range(5040))):
        told = {0: np.array([truth])}
        drawn = answer_each(handout, told, memos, lambda *_: next(draws), is_affordable=True)
        memos = drawn.memos
        sent.append((*drawn.answered.reports, drawn.answered.nats))
    assert sent[:5040] == [(report, 1.0) for report in range(5040)]
    assert sent[5040:] == [(report, 0) for report in reversed(range(5040))]


def test_over_the_limit_what_is_true_again_is_told_again():
    """It was paid for, and what was told last is no longer true."""
    survey = Survey("one", (RelativeOrder((0, 1)),), (GeneralizedRandomizedResponse(2, 1.0),), 1.0)
    handout = read_handout(PublishedSurvey(survey, NAMES).handout([0]), most_epsilon=8)
    past = {memo_key(handout, 0): Memo("0", {"0": 1, "1": 0})}
    drawn = answer_each(handout, {0: np.array([1])}, past, pytest.fail, is_affordable=False)
    assert (drawn.answered.reports, drawn.answered.is_outdated) == ((0,), False)


def test_who_cannot_pay_answers_what_was_answered_before_and_nothing_beside_it():
    mechanism, pairs = GeneralizedRandomizedResponse(2, 0.5), [(0, 1), (1, 2)]
    survey = Survey("two", tuple(map(RelativeOrder, pairs)), (mechanism,) * 2, 1.0, 2)
    handout = read_handout(PublishedSurvey(survey, NAMES).handout([0, 1]), most_epsilon=8)
    truths = {number: np.array([0]) for number in (0, 1)}
    past = {memo_key(handout, number): Memo("0", {"0": 1}) for number in (0, 1)}
    drawn = answer_each(handout, truths, past, pytest.fail, is_affordable=False)
    assert drawn.answered.nats == 0
    del past[memo_key(handout, 1)]
    past |= {"another question": Memo("0", {"0": 1}), "one more": Memo("0", {"0": 1})}
    with pytest.raises(HushrankError, match="limit"):
        answer_each(handout, truths, past, pytest.fail, is_affordable=False)


@pytest.mark.parametrize("changed", [0, 1])
def test_answers_are_outdated_where_any_of_them_is(changed):
    mechanism, pairs = GeneralizedRandomizedResponse(2, 0.5), [(0, 1), (1, 2)]
    survey = Survey("two", tuple(map(RelativeOrder, pairs)), (mechanism,) * 2, 1.0, 2)
    handout = read_handout(PublishedSurvey(survey, NAMES).handout([0, 1]), most_epsilon=8)
    truths = {number: np.array([int(number == changed)]) for number in (0, 1)}
    past = {memo_key(handout, number): Memo("0", {"0": 1}) for number in (0, 1)}
    drawn = answer_each(handout, truths, past, pytest.fail, is_affordable=False)
    assert (drawn.answered.nats, drawn.answered.is_outdated) == (0, True)


def test_an_answer_is_repeated_where_any_of_its_reports_is():
    mechanism, pairs = GeneralizedRandomizedResponse(2, 0.5), [(0, 1), (1, 2)]
    survey = Survey("two", tuple(map(RelativeOrder, pairs)), (mechanism,) * 2, 1.0, 2)
    handout = read_handout(PublishedSurvey(survey, NAMES).handout([0, 1]), most_epsilon=8)
    truths = {number: np.array([0]) for number in (0, 1)}
    said = []
    for known in ((), (0,), (1,), (0, 1)):
        past = {memo_key(handout, number): Memo("0", {"0": 1}) for number in known}
        drawn = answer_each(handout, truths, past, lambda number, truth: 1, is_affordable=True)
        said.append((drawn.answered.nats, drawn.answered.is_repeated))
    assert said == [(1.0, False), (0.5, True), (0.5, True), (0, True)]


def test_what_answers_cost_together_is_rounded_up():
    """The sum of the floats 0.1 and 0.7 is nearer to the float below 0.8."""
    pairs = RelativeOrder((0, 1)), RelativeOrder((1, 2))
    mechanisms = tuple(GeneralizedRandomizedResponse(2, each) for each in (0.1, 0.7))
    published = PublishedSurvey(Survey("two", pairs, mechanisms, 1.4, 2), NAMES)
    handout = read_handout(published.handout([0, 1]), most_epsilon=8)
    truths = {number: np.array([0]) for number in (0, 1)}
    drawn = answer_each(handout, truths, {}, lambda number, truth: 1, is_affordable=True)
    assert drawn.answered.nats == 0.8


def test_what_is_hidden_otherwise_or_about_other_items_is_another_question():
    def handout(names, epsilon, items):
        mechanism = GeneralizedRandomizedResponse(2, epsilon)
        survey = Survey("pairs", (RelativeOrder(items),), (mechanism,), epsilon)
        return read_handout(PublishedSurvey(survey, names).handout([0]), most_epsilon=8)

    keys = [
        memo_key(handout(names, epsilon, items), 0)
        for names in (NAMES, NAMES[::-1])
        for epsilon in (1.0, 1.1)
        for items in ((0, 1), (1, 0))
    ]
    assert len(set(keys)) == len(keys)


def test_what_is_hidden_alike_about_the_same_items_is_one_question_in_whatever_survey():
    mechanism, pairs = GeneralizedRandomizedResponse(2, 1.0), [(0, 1), (0, 2), (1, 2)]
    keys = {
        memo_key(read_handout(PublishedSurvey(survey, NAMES).handout([0]), most_epsilon=8), 0)
        for name, n in (("one", 1), ("other", 1), ("more", 3))
        for asked in [tuple(map(RelativeOrder, pairs[:n]))]
        for survey in [Survey(name, asked, (mechanism,) * n, 1.0)]
    }
    assert len(keys) == 1


def weeks_of(handout, orders, seed):
    """Return the report of each week of somebody whose rankings are those orders."""
    rng, memos, reports = Randomness.seeded(seed), {}, []
    for order in orders:
        drawn = answer_each(
            handout,
            handout.truths(ranking_of(order, NAMES), lot=0.0),
            memos,
            lambda number, truth: handout.hide(number, truth, rng=rng, is_simulation=True),
            is_affordable=True,
        )
        memos = drawn.memos
        reports.append(drawn.answered.reports[0])
    return reports


def law_of(handout, history):
    """Return P(what is sent, week after week), exactly: each draw takes every report in turn."""
    (_, mechanism), law = handout.asked[0], {}
    words, n_draws = mechanism.channel_words(), len(set(history))
    for drawn in product(range(len(words)), repeat=n_draws):
        left, chances, memos, sent = list(drawn), [], {}, []

        def hide(number, truth, left=left, chances=chances):
            chances.append(Fraction(int(words[truth[0]][left[0]]), 2**64))
            return left.pop(0)

        for place in history:
            truths = {0: np.array([place])}
            answered = answer_each(handout, truths, memos, hide, is_affordable=True)
            memos = answered.memos
            sent.append(answered.answered.reports[0])
        assert not left  # one draw for each different answer
        law[tuple(sent)] = law.get(tuple(sent), 0) + prod(chances)
    assert sum(law.values()) == 1
    return law


@pytest.mark.parametrize("pattern", ["aaaa", "aaba", "abab", "abbc"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_histories_that_change_at_the_same_times_cost_epsilon_for_each_answer(pattern, epsilon):
    """Exact, for all histories of an item's three places that have this pattern."""
    mechanism = GeneralizedRandomizedResponse(3, epsilon)
    survey = Survey("places", (RankLevel(0, (0, 1, 2)),), (mechanism,), epsilon)
    handout = read_handout(PublishedSurvey(survey, NAMES[:3]).handout([0]), most_epsilon=8)
    letters = sorted(set(pattern))
    histories = (
        [places[letters.index(each)] for each in pattern]
        for places in permutations(range(3), len(letters))
    )
    laws = [law_of(handout, history) for history in histories]
    assert {frozenset(law) for law in laws} == {frozenset(laws[0])}
    worst = max(one[sent] / other[sent] for one, other in permutations(laws, 2) for sent in one)
    assert worst <= exponential_below(len(letters) * Fraction(epsilon))
    if len(letters) < 3:  # else not all answers can be other ones
        assert worst > exponential_below((len(letters) - 0.1) * epsilon)


def test_a_history_with_a_change_has_reports_that_one_without_cannot_have():
    mechanism = GeneralizedRandomizedResponse(3, 1.0)
    survey = Survey("places", (RankLevel(0, (0, 1, 2)),), (mechanism,), 1.0)
    handout = read_handout(PublishedSurvey(survey, NAMES[:3]).handout([0]), most_epsilon=8)
    assert (0, 1) in law_of(handout, [0, 1])
    assert (0, 1) not in law_of(handout, [0, 0])


def test_a_change_shows_as_often_as_two_noisy_answers_differ():
    """The documented chances of docs/repeated-surveys.md: 2 p q of two answers, else p² + q²."""
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    survey = Survey("pairs", (RelativeOrder((0, 1)),), (mechanism,), 1.0)
    handout = read_handout(PublishedSurvey(survey, NAMES).handout([0]), most_epsilon=8)
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    law = np.array([2 * p * q, p * p + q * q])
    n_people = draws_needed(law, law[::-1])
    shows = np.empty(n_people, dtype=np.intp)
    for seed in range(n_people):
        first, same, other, back = weeks_of(handout, (ORDER, ORDER, OTHER, ORDER), seed)
        assert first == same == back
        shows[seed] = first != other
    assert_follows(shows, law)


def test_who_never_changes_never_shows_a_change():
    mechanism = GeneralizedRandomizedResponse(2, 0.1)
    survey = Survey("pairs", (RelativeOrder((0, 1)),), (mechanism,), 0.1)
    handout = read_handout(PublishedSurvey(survey, NAMES).handout([0]), most_epsilon=8)
    for seed in range(50):
        same_pair = (ORDER, ("coffee", "water", "juice", "tea"), ORDER)  # of these two items
        assert all(a == b for a, b in pairwise(weeks_of(handout, same_pair, seed)))


def test_memos_of_an_earlier_version_are_kept_under_the_same_names():
    kept = msgspec.json.encode(KeptSeries(7, {0: "token"}, {"key": Memo("1", {"1": 0})}))
    assert kept == (
        b'{"lot":7,"assignments":{"0":"token"},"memos":{"key":{"last":"1","reports":{"1":0}}}}'
    )


def documented_table(first_cell):
    """Return the rows of the table of docs/repeated-surveys.md that begins so, as numbers."""
    page = (Path(__file__).parents[3] / "docs" / "repeated-surveys.md").read_text()
    (table,) = [part for part in page.split("\n\n") if part.startswith(f"| {first_cell} |")]
    rows = [row.strip("|").split("|") for row in table.splitlines()[2:]]
    return {float(row[0]): [int(cell.strip(" %")) for cell in row[1:]] for row in rows}


def test_what_fresh_draws_would_tell_is_documented():
    for epsilon, documented in documented_table("epsilon of one survey").items():
        p = GeneralizedRandomizedResponse(2, epsilon).rates.hit_rate
        majority = [binom.sf(n // 2, n, p) for n in (1, 5, 25, 101)]
        assert documented == [ceil(100 * each) for each in majority]


def test_how_often_changes_show_is_documented():
    """By the questions of the default protocol, and 20,000 rankings with a change of each kind."""
    rng = np.random.default_rng(1)
    ranks = rng.permuted(np.tile(np.arange(7, dtype=np.uint8), (20_000, 1)), axis=1)
    place = rng.integers(0, 6, len(ranks))[:, None]
    swapped = np.where(ranks == place, place + 1, np.where(ranks == place + 1, place, ranks))
    others = [swapped.astype(np.uint8), rng.permuted(ranks, axis=1)]
    for epsilon, (pair, *measured) in documented_table("epsilon").items():
        rates = GeneralizedRandomizedResponse(2, epsilon).rates
        p, q = rates.hit_rate, rates.false_hit_rate
        assert pair == ceil(100 * (p * p + q * q))
        begun = make_protocol("max-entropy", {}).begin(7, epsilon=epsilon, n_people=300, seed=1)
        surveys = next(begun)
        for documented, other in zip(measured, others, strict=True):
            shows = sum(share_asked(one) * chance_of(one, ranks, other) for one in surveys)
            assert documented == pytest.approx(100 * shows, abs=0.6)


def share_asked(survey):
    return survey.lots[1] - survey.lots[0]


def chance_of(survey, ranks, other):
    asked = zip(survey.questions, survey.mechanisms, strict=True)
    return np.mean([chance_that_it_shows(*one, ranks, other) for one in asked])


def chance_that_it_shows(question, mechanism, ranks, other):
    """Two draws are alike by what holds twice, once or never; without a change none is drawn."""
    p, q, k = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate, mechanism.n_categories
    before, after = (question.answer(one).reshape(len(ranks), -1) for one in (ranks, other))
    n_held = before.shape[1]
    n_kept = (before[:, :, None] == after[:, None, :]).sum(axis=(1, 2))
    n_new = n_held - n_kept
    alike = n_kept * p * p + 2 * n_new * p * q + (k - n_held - n_new) * q * q
    return ((n_new > 0) * (1 - alike)).mean()


@pytest.mark.parametrize("n_questions", [3, 4, 20, 64])
@pytest.mark.parametrize("n_known", [0, 1, 3])
def test_of_however_many_answers_each_new_one_is_paid_for(n_questions, n_known):
    mechanism = GeneralizedRandomizedResponse(2, 1 / 64)
    pairs = [RelativeOrder(pair) for pair in combinations(range(12), 2)][:n_questions]
    survey = Survey("pairs", tuple(pairs), (mechanism,) * n_questions, 1.0, n_questions)
    published = PublishedSurvey(survey, tuple("abcdefghijkl"))
    handout = read_handout(published.handout(range(n_questions)), most_epsilon=8)
    truths = {number: np.array([0]) for number in range(n_questions)}
    past = {memo_key(handout, number): Memo("0", {"0": 1}) for number in range(n_known)}
    drawn = answer_each(handout, truths, past, lambda number, truth: 1, is_affordable=True)
    assert drawn.answered.nats == (n_questions - n_known) / 64
    assert drawn.answered.is_repeated == (n_known > 0)
    assert is_known(handout, past) == (n_known == n_questions)
    assert is_known(handout, drawn.memos)
    del drawn.memos[memo_key(handout, n_questions - 1)]
    assert not is_known(handout, drawn.memos)
