from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words
from hushrank.engines import local
from hushrank.engines.crowd import Crowd, sums_rounded_up
from hushrank.engines.local import held_to, run, run_without_noise, simulate
from hushrank.engines.outcome import epsilons_of
from hushrank.engines.rounds import simulate_each
from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.protocols.distributions.safari import safari
from hushrank.protocols.distributions.whole_ranking import whole_ranking
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_level import RankLevel, even_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.survey import Survey

EVERY_ORDER = Rankings.from_orders(np.array(list(permutations(range(5)))))
WHOLE = RelativeOrder((0, 1, 2, 3, 4))
PAIRS = [RelativeOrder((a, b)) for a in range(5) for b in range(a + 1, 5)]
SURE = 60.0
"""An epsilon at which the report is the truth, but for one case in 10^23."""


def ask(*surveys: Survey):
    """Return all tallies."""
    tallies = []
    for survey in surveys:
        tallies.append((yield (survey,))[0])
    return tallies


class CountingSource:
    """A seeded source that counts the bytes it gave."""

    def __init__(self, seed: int) -> None:
        self.read = np.random.default_rng(seed).bytes
        self.n_bytes = 0

    def __call__(self, size: int) -> bytes:
        self.n_bytes += size
        return self.read(size)


def test_everybody_answers_one_question_of_a_sampled_survey():
    survey = sampled_survey("pairs", PAIRS, 1.0)
    (tallies,) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(1)).result
    assert sum(tally.n_reports for tally in tallies) == 120
    assert min(tally.n_reports for tally in tallies) > 0


@pytest.mark.parametrize("make", [SymmetricUnaryEncoding, Harmony, OptimisedLocalHashing])
@pytest.mark.parametrize("others", [[], [RelativeOrder((0, 1, 2))]], ids=["at once", "in turn"])
def test_people_count_once_however_many_answers_their_reports_support(make, others):
    survey = sampled_survey("asked", [*PAIRS, *others], 1.0, make_mechanism=make)
    (tallies,) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(1)).result
    assert sum(tally.n_reports for tally in tallies) == 120


def test_everybody_answers_as_many_questions_as_the_survey_says():
    mechanisms = (GeneralizedRandomizedResponse(2, 0.25),) * len(PAIRS)
    survey = Survey("pairs", tuple(PAIRS), mechanisms, 1.0, answers_per_person=4)
    (tallies,) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(1)).result
    assert sum(tally.n_reports for tally in tallies) == 480
    assert max(tally.n_reports for tally in tallies) <= 120


def test_sure_answers_are_the_truth():
    survey = sampled_survey("whole", [WHOLE], SURE)
    ((tally,),) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(1)).result
    assert tally.support.tolist() == [1] * 120


def test_disjoint_lots_ask_different_people_and_together_everybody():
    lots = [(0.0, 0.3), (0.3, 0.5), (0.5, 1.0)]
    surveys = [sampled_survey(str(part), [WHOLE], SURE, lots=part) for part in lots]
    outcome = run(ask(*surveys), EVERY_ORDER, rng=Randomness.seeded(3))
    supports = np.array([tally.support for (tally,) in outcome.result])
    assert supports.sum(axis=0).tolist() == [1] * 120
    assert (supports.sum(axis=1) > 15).all()
    assert outcome.epsilon == SURE


def test_a_later_survey_of_the_same_lots_asks_the_same_people():
    surveys = [sampled_survey(name, [WHOLE], SURE, lots=(0.2, 0.6)) for name in ("a", "b")]
    outcome = run(ask(*surveys), EVERY_ORDER, rng=Randomness.seeded(3))
    first, second = (tally.support.tolist() for (tally,) in outcome.result)
    assert first == second
    assert outcome.epsilon == 2 * SURE


@pytest.mark.parametrize("size", [1, 7, 119])
def test_batches_add_up(monkeypatch, size):
    monkeypatch.setattr(local, "MOST_PEOPLE_OF_A_BATCH", size)
    survey = sampled_survey("whole", [WHOLE], SURE)
    ((tally,),) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(1)).result
    assert tally.support.tolist() == [1] * 120
    ((tally,),) = simulate(ask(survey), EVERY_ORDER, rng=np.random.default_rng(1)).result
    assert tally.support.tolist() == [1] * 120


def test_multiplicities_are_people():
    counted = Rankings(EVERY_ORDER.ranks, EVERY_ORDER.names, np.arange(1, 121))
    survey = sampled_survey("whole", [WHOLE], SURE)
    outcome = run(ask(survey), counted, rng=Randomness.seeded(1))
    assert outcome.n_people == 120 * 121 // 2
    assert outcome.result[0][0].support.tolist() == list(range(1, 121))
    exact = run_without_noise(ask(survey), counted)[0][0]
    assert exact.support == pytest.approx(np.arange(1, 121))


def test_without_noise_people_of_whom_several_answers_hold_count_once():
    """Each of five items is among the first two of 48 people in 120."""
    survey = sampled_survey("sets", [NamedSet((0, 1), 5)], 1.0)
    ((tally,),) = run_without_noise(ask(survey), EVERY_ORDER)
    rates = survey.mechanisms[0].rates
    assert tally.n_reports == 120
    assert tally.support == pytest.approx([48 * rates.hit_rate + 72 * rates.false_hit_rate] * 5)


@pytest.mark.parametrize("mechanism", [GeneralizedRandomizedResponse, SymmetricUnaryEncoding])
def test_without_noise_a_tally_is_what_it_is_expected_to_be(mechanism):
    """So that unbiased shares of noisy reports are the exact shares."""
    counted = Rankings(EVERY_ORDER.ranks, EVERY_ORDER.names, np.arange(1, 121))
    survey = sampled_survey("whole", [WHOLE], 1.0, make_mechanism=mechanism)
    tallies = run_without_noise(ask(survey), counted)[0]
    (shares,) = survey_shares(survey, tallies)
    assert shares == pytest.approx(np.arange(1, 121) / counted.n_people)


def test_how_much_is_drawn_does_not_depend_on_what_people_think():
    agreed = Rankings(EVERY_ORDER.ranks[np.zeros(120, dtype=int)], EVERY_ORDER.names)
    drawn = []
    for people in (EVERY_ORDER, agreed):
        source = CountingSource(5)
        survey = sampled_survey("pairs", PAIRS, 1.0)
        run(ask(survey), people, rng=Randomness(source, is_private=False))
        drawn.append(source.n_bytes)
    assert drawn[0] == drawn[1] == 120 * 8 * 2


def test_all_batches_of_many_people_are_drawn_from_the_source_of_all(monkeypatch):
    """300,000 people: a word for the question of each, and one for the answer."""
    monkeypatch.setattr(local, "MOST_PEOPLE_OF_A_BATCH", 30_000)
    many = Rankings(EVERY_ORDER.ranks, EVERY_ORDER.names, np.full(120, 2500))
    source = CountingSource(5)
    survey = sampled_survey("pairs", PAIRS, 1.0)
    run(ask(survey), many, rng=Randomness(source, is_private=False))
    assert source.n_bytes == 300_000 * 8 * 2


@pytest.mark.parametrize(
    "people",
    [
        Rankings.from_keys([[1, 1, 2]], tuple("abc")),
        Rankings.from_keys([[1, np.nan, 2]], tuple("abc")),
    ],
    ids=["tied", "unranked"],
)
@pytest.mark.parametrize("budgets", [None, [9.0]])
def test_incomplete_or_tied_people_are_refused_before_anything_is_drawn(people, budgets):
    with pytest.raises(HushrankError, match=r"expected (complete|strict) rankings"):
        run(safari(3, epsilon=1.0), people, rng=Randomness.replayed(b""), budgets=budgets)


@pytest.mark.parametrize(
    "protocol", [safari(4, epsilon=1.0), safari(6, epsilon=1.0), whole_ranking(6, epsilon=1.0)]
)
def test_a_protocol_for_other_items_is_refused_before_anything_is_drawn(protocol):
    with pytest.raises(HushrankError, match="5 items"):
        run(protocol, EVERY_ORDER, rng=Randomness.replayed(b""))


@pytest.mark.parametrize(
    "others", [[(0.0, 1.0)], [(0.25, 0.75)], [(0.5, 1.0), (0.25, 0.5)]], ids=str
)
def test_a_round_that_may_ask_somebody_twice_is_refused_before_anything_is_drawn(others):
    halves = [(0.0, 0.5), *others]

    def at_once():
        yield tuple(sampled_survey(str(part), PAIRS, 1.0, lots=part) for part in halves)

    with pytest.raises(HushrankError, match="may ask the same person"):
        run(at_once(), EVERY_ORDER, rng=Randomness.replayed(b""))


def test_a_later_round_that_may_ask_somebody_twice_is_refused_before_it_asks():
    asked = []

    def in_turn():
        for parts in ([(0.0, 1.0)], [(0.0, 0.5), (0.25, 1.0)]):
            asked.append(tuple(sampled_survey(str(each), PAIRS, 1.0, lots=each) for each in parts))
            yield asked[-1]

    with pytest.raises(HushrankError, match="may ask the same person") as refused:
        run(in_turn(), EVERY_ORDER, rng=Randomness.seeded(1))
    assert len(asked) == 2
    assert refused.value.__notes__ == ["a person may have spent epsilon 1 before"]


@pytest.mark.parametrize("budgets", [None, np.full(120, 9.0)])
def test_a_round_of_which_one_part_does_not_fit_is_refused_before_anything_is_drawn(budgets):
    def at_once():
        yield (
            sampled_survey("fits", PAIRS, 1.0, lots=(0.0, 0.5)),
            sampled_survey("of six items", [RelativeOrder((0, 5))], 1.0, lots=(0.5, 1.0)),
        )

    with pytest.raises(HushrankError, match="5 items"):
        run(at_once(), EVERY_ORDER, rng=Randomness.replayed(b""), budgets=budgets)


@pytest.mark.parametrize("budgets", [None, np.full(120, 9.0)])
@pytest.mark.parametrize(
    ("first", "later", "why"),
    [
        (PAIRS[0], RelativeOrder((0, 5)), "5 items"),
        (Stated(PAIRS[0], "last"), PAIRS[1], "needs complete rankings"),
    ],
)
def test_a_later_round_that_somebody_cannot_answer_asks_nobody(first, later, why, budgets):
    """Whoever they are: that they ranked every item changes nothing."""
    n_rounds = 0

    def in_turn():
        nonlocal n_rounds
        for question in (first, later):
            yield (sampled_survey(str(n_rounds), [question], 1.0),)
            n_rounds += 1

    with pytest.raises(HushrankError, match=why) as refused:
        run(in_turn(), EVERY_ORDER, rng=Randomness.seeded(1), budgets=budgets)
    assert n_rounds == 1
    assert refused.value.__notes__ == ["a person may have spent epsilon 1 before"]


@pytest.mark.parametrize("budgets", [None, np.full(120, 9.0)])
def test_more_ranks_than_fit_into_memory_are_refused(monkeypatch, budgets):
    monkeypatch.setattr("hushrank.engines.crowd.MOST_RANKS", 599)
    with pytest.raises(HushrankError, match="at most 599 ranks in all, got 600"):
        Crowd.of(EVERY_ORDER, Randomness.secure(), budgets)


def parts_of(n_parts, item=1):
    """Return surveys of equally many people each; the last asks for another item."""
    return tuple(
        sampled_survey(
            f"{nth}",
            [RelativeOrder((0, item if nth == n_parts - 1 else 1))],
            1.0,
            lots=(nth / n_parts, (nth + 1) / n_parts),
        )
        for nth in range(n_parts)
    )


@pytest.mark.parametrize("n_parts", [20, 21, 60])
def test_of_however_many_parts_of_a_round_each_is_asked_and_paid_for(n_parts):
    def at_once():
        return (yield parts_of(n_parts))

    many = Rankings(np.tile(EVERY_ORDER.ranks, (100, 1)), EVERY_ORDER.names)
    found = run(at_once(), many, rng=Randomness.seeded(1))
    assert all(tally.n_reports > 0 for part in found.result for tally in part)
    assert sum(tally.n_reports for part in found.result for tally in part) == many.n_people
    assert [spend.release for spend in found.spends] == [f"{nth}" for nth in range(n_parts)]


@pytest.mark.parametrize("n_parts", [20, 21, 60])
def test_of_however_many_parts_none_is_asked_before_all_are_looked_at(n_parts):
    def at_once():
        yield parts_of(n_parts, item=5)

    with pytest.raises(HushrankError, match="5 items"):
        run(at_once(), EVERY_ORDER, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("n_rounds", [21, 100])
def test_however_many_rounds_there_are_each_is_paid_for(n_rounds):
    asked = ask(*(sampled_survey(f"{nth}", PAIRS, 2.0**-8) for nth in range(n_rounds)))
    found = run(asked, EVERY_ORDER, rng=Randomness.seeded(1))
    assert len(found.result) == len(found.spends) == n_rounds
    assert found.epsilon == n_rounds * 2.0**-8


@pytest.mark.parametrize("is_quick", [True, False])
def test_of_however_many_questions_each_is_answered(is_quick):
    """All 45 pairs of ten items, by each person."""
    pairs = [RelativeOrder((a, b)) for a in range(10) for b in range(a + 1, 10)]
    people = Rankings.from_orders(np.array([range(10)] * 9))
    mechanisms = (GeneralizedRandomizedResponse(2, SURE),) * 45
    survey = Survey("pairs", tuple(pairs), mechanisms, 45 * SURE, answers_per_person=45)
    if is_quick:
        (tallies,) = simulate(ask(survey), people, rng=np.random.default_rng(1)).result
    else:
        (tallies,) = run(ask(survey), people, rng=Randomness.seeded(1)).result
    assert [tally.support.tolist() for tally in tallies] == [[9, 0]] * 45


@pytest.mark.parametrize("size", [1, 300])
def test_of_however_many_questions_in_turn_each_is_answered(monkeypatch, size):
    """About other numbers of items each, and in more than twenty batches or one."""
    monkeypatch.setattr(local, "MOST_PEOPLE_OF_A_BATCH", size)
    n_items = 40
    questions = tuple(RankLevel(n, even_levels(n_items, 2 + n % 3)) for n in range(n_items))
    mechanisms = tuple(GeneralizedRandomizedResponse(q.n_categories, SURE) for q in questions)
    people = Rankings.from_orders(np.array([range(n_items)] * 200))
    survey = Survey("levels", questions, mechanisms, n_items * SURE, n_items)
    (tallies,) = run(ask(survey), people, rng=Randomness.seeded(1)).result
    (exact,) = run_without_noise(ask(survey), people)
    for question, tally, other in zip(questions, tallies, exact, strict=True):
        expected = np.zeros(question.n_categories)
        expected[question.answer(people.ranks)[0]] = 200
        assert tally.support.tolist() == expected.tolist()
        assert other.support == pytest.approx(expected, abs=1e-9)
    one = replace(survey, answers_per_person=1, epsilon=SURE)
    (tallies,) = run(ask(one), people, rng=Randomness.seeded(1)).result
    assert sum(tally.n_reports for tally in tallies) == 200


def test_a_batch_has_room_for_the_widest_of_however_many_mechanisms(monkeypatch):
    mechanisms = [SymmetricUnaryEncoding(k, 1.0) for k in range(2, 40)]
    questions = tuple(RelativeOrder((0, 1)) for _ in mechanisms)
    survey = SimpleNamespace(distinct_mechanisms=mechanisms, questions=questions)
    monkeypatch.setattr(local, "MOST_BYTES_OF_A_BATCH", 100)
    assert local._people_of_a_batch(survey) == 100 // 5


def test_a_failure_says_what_was_spent_before_it():
    def fails():
        yield (sampled_survey("pairs", PAIRS, 0.75),)
        raise HushrankError("lost")

    with pytest.raises(HushrankError) as failed:
        run(fails(), EVERY_ORDER, rng=Randomness.seeded(1))
    assert failed.value.__notes__ == ["a person may have spent epsilon 0.75 before"]


def test_reports_to_a_single_question_are_passed_on_too():
    """By whatever stands between devices and tallies, such as a shuffler."""
    n_passed = []

    def forward(reports, ends):
        n_passed.append(len(reports))
        return reports

    asked = ask(sampled_survey("pair", PAIRS[:1], 1.0))
    run(asked, EVERY_ORDER, rng=Randomness.seeded(1), forward=forward)
    assert sum(n_passed) == EVERY_ORDER.n_people


def test_a_failure_says_what_all_rounds_before_it_cost():
    def fails():
        for nats in (0.75, 0.5):
            yield (sampled_survey("pairs", PAIRS, nats),)
        raise HushrankError("lost")

    with pytest.raises(HushrankError) as failed:
        run(fails(), EVERY_ORDER, rng=Randomness.seeded(1))
    assert failed.value.__notes__ == ["a person may have spent epsilon 1.25 before"]


@pytest.mark.parametrize("n_rounds", [3, 4, 20, 64])
@pytest.mark.parametrize("dear", [0, -1])
def test_a_failure_says_what_however_many_rounds_cost(n_rounds, dear):
    prices = [1 / 64] * n_rounds
    prices[dear] = 1.0

    def fails():
        for nats in prices:
            yield (sampled_survey("pair", PAIRS[:1], nats),)
        raise HushrankError("lost")

    with pytest.raises(HushrankError) as failed:
        run(fails(), EVERY_ORDER, rng=Randomness.seeded(1))
    said = loss_in_words(sum(prices))
    assert failed.value.__notes__ == [f"a person may have spent epsilon {said} before"]


def test_a_failure_in_the_middle_of_a_survey_says_what_that_costs():
    """Devices have answered when whatever takes their reports breaks."""

    def breaks(reports, ends):
        raise HushrankError("lost")

    asked = ask(sampled_survey("pairs", PAIRS, 0.75))
    with pytest.raises(HushrankError) as failed:
        run(asked, EVERY_ORDER, rng=Randomness.seeded(1), forward=breaks)
    assert failed.value.__notes__ == ["a person may have spent epsilon 0.75 before"]


@pytest.mark.parametrize("make", [GeneralizedRandomizedResponse, SymmetricUnaryEncoding])
def test_the_short_cut_draws_for_each_question(make):
    """Sure reports support what everybody answers."""
    triples = tuple(RelativeOrder(items) for items in [(0, 1, 2), (4, 2, 3), (3, 1, 4)])
    survey = Survey("triples", triples, (make(6, SURE),) * 3, 3 * SURE, answers_per_person=3)
    agreed = Rankings(EVERY_ORDER.ranks[np.zeros(120, dtype=int)], EVERY_ORDER.names)
    (tallies,) = simulate(ask(survey), agreed, rng=np.random.default_rng(1)).result
    for question, tally in zip(triples, tallies, strict=True):
        assert tally.support[question.answer(agreed.ranks)[0]] == 120


@pytest.mark.parametrize("n_questions", [2, 21, 50])
def test_the_short_cut_draws_rows_for_each_question(n_questions):
    rows = np.array([[0, 1], *[[2, 3]] * n_questions])
    ends = np.array([0, *range(2, n_questions + 2)])
    support = simulate_each(NamedMember(4, SURE, 2), rows, ends, rng=np.random.default_rng(1))
    expected = [[1, 1], *[[0, 1]] * (n_questions - 1)]
    assert support.reshape(n_questions, 2, 2).sum(axis=2).tolist() == expected


@pytest.mark.statistical
def test_the_short_cut_has_the_law_of_the_reports():
    """Means and variances of the support of one cell agree over 3,000 collections."""
    survey = sampled_survey("triples", [RelativeOrder((0, 1, 2)), RelativeOrder((2, 3, 4))], 1.0)
    half = Rankings(EVERY_ORDER.ranks[:60], EVERY_ORDER.names)
    rng, generator = Randomness.seeded(8), np.random.default_rng(9)
    slow = [run(ask(survey), half, rng=rng).result[0][0].support for _ in range(3000)]
    fast = [simulate(ask(survey), half, rng=generator).result[0][0].support for _ in range(3000)]
    slow, fast = np.array(slow), np.array(fast)
    error = np.sqrt((slow.var(axis=0) + fast.var(axis=0)) / 3000)
    assert (np.abs(slow.mean(axis=0) - fast.mean(axis=0)) < 5.5 * error).all()
    assert slow.var(axis=0) == pytest.approx(fast.var(axis=0), rel=5.5 * np.sqrt(4 / 3000))


def test_a_mechanism_without_short_cut_says_so():
    protocol = whole_ranking(3, epsilon=1.0, make_mechanism=OptimisedLocalHashing)
    three = Rankings.from_orders(np.array([[0, 1, 2]]))
    with pytest.raises(HushrankError, match="OptimisedLocalHashing has no tally short cut"):
        simulate(protocol, three, rng=np.random.default_rng(1))


def test_without_noise_the_shares_are_exact():
    def shares():
        survey = sampled_survey("pairs and all", [*PAIRS, WHOLE], 0.7)
        return survey_shares(survey, (yield (survey,))[0])

    some = Rankings(EVERY_ORDER.ranks[:45], EVERY_ORDER.names)
    *pairs, whole = run_without_noise(shares(), some)
    for (a, b), pair in zip(((q.items) for q in PAIRS), pairs, strict=True):
        assert pair[0] == pytest.approx((some.ranks[:, a] < some.ranks[:, b]).mean())
    assert whole[:45] == pytest.approx(1 / 45)
    assert whole[45:] == pytest.approx(0, abs=1e-12)


def test_an_outcome_says_what_was_protected_and_at_what_cost():
    secure = run(safari(5, epsilon=3.0), EVERY_ORDER, rng=Randomness.secure())
    assert secure.is_private
    assert secure.epsilon == 3.0
    assert [(spend.release, spend.epsilon) for spend in secure.spends] == [
        ("structure", 1.5),
        ("parameters", 1.5),
    ]
    assert "120 people" in secure.privacy_statement
    assert "3-LDP" in secure.privacy_statement


def test_a_seeded_run_is_marked_as_not_private():
    seeded = run(safari(5, epsilon=3.0), EVERY_ORDER, rng=Randomness.seeded(1))
    assert not seeded.is_private
    assert seeded.privacy_statement.startswith("Not private")
    assert not simulate(
        safari(5, epsilon=3.0), EVERY_ORDER, rng=np.random.default_rng(1)
    ).is_private


@pytest.mark.parametrize("n_answers", [1, 4])
@pytest.mark.parametrize("size", [7, 2**20])
@pytest.mark.parametrize(
    "mechanism", [GeneralizedRandomizedResponse(2, 0.25), ThresholdedLaplace(0.25)]
)
def test_answers_at_once_are_those_of_question_after_question(
    monkeypatch, mechanism, size, n_answers
):
    """The same tape, the same tallies: one word a report, by question, in either way."""
    monkeypatch.setattr(local, "MOST_PEOPLE_OF_A_BATCH", size)
    survey = Survey("pairs", tuple(PAIRS), (mechanism,) * 10, 1.0, n_answers)
    (at_once,) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(4)).result
    other_way = replace(survey)
    monkeypatch.setitem(vars(other_way), "items_at_once", None)
    (in_turn,) = run(ask(other_way), EVERY_ORDER, rng=Randomness.seeded(4)).result
    for one, other in zip(at_once, in_turn, strict=True):
        assert one.support.tolist() == other.support.tolist()
        assert one.n_reports == other.n_reports == one.support.sum()


@pytest.mark.parametrize(
    "mechanism",
    [Harmony(6, SURE), SymmetricUnaryEncoding(6, SURE), OptimisedLocalHashing(6, SURE)],
)
def test_answers_at_once_go_through_any_mechanism(mechanism):
    """Sure reports support what everybody answers, for each question."""
    triples = tuple(RelativeOrder(items) for items in [(0, 1, 2), (4, 2, 3), (3, 1, 4)])
    survey = Survey("triples", triples, (mechanism,) * 3, 3 * SURE, answers_per_person=3)
    (tallies,) = run(ask(survey), EVERY_ORDER, rng=Randomness.seeded(4)).result
    assert [tally.n_reports for tally in tallies] == [120] * 3
    agreed = Rankings(EVERY_ORDER.ranks[np.zeros(120, dtype=int)], EVERY_ORDER.names)
    (tallies,) = run(ask(survey), agreed, rng=Randomness.seeded(4)).result
    for question, tally in zip(triples, tallies, strict=True):
        assert tally.support[question.answer(agreed.ranks)[0]] == 120


OWN = np.repeat([0.5, 1.0, 3.0], 40)


def by_budget(low, high, epsilon=None, name="some"):
    mechanism = GeneralizedRandomizedResponse(120, epsilon or low)
    return Survey(name, (WHOLE,), (mechanism,), epsilon or low, budgets=(low, high))


def test_a_survey_by_budget_asks_those_who_have_it():
    surveys = [by_budget(0.4, 1.0), by_budget(1.0, 2.0), by_budget(2.0, np.inf)]
    outcome = run(ask(*surveys), EVERY_ORDER, rng=Randomness.secure(), budgets=OWN)
    assert [tally.n_reports for (tally,) in outcome.result] == [40, 40, 40]
    assert outcome.epsilons == (0.4, 1.0, 2.0)
    assert outcome.epsilon == 2.0
    statement = outcome.privacy_statement
    assert "by 2-LDP, within their own budgets from 0.400001 to 2 (in nats" in statement
    assert "of different people" in statement
    all_of_them = Survey("all", (WHOLE,), (GeneralizedRandomizedResponse(120, 0.4),), 0.4)
    everybody = run(ask(all_of_them), EVERY_ORDER, rng=Randomness.secure())
    assert "of different people" not in everybody.privacy_statement


@pytest.mark.parametrize("lots", [(0.0, 1.0), (0.0, 0.5)])
def test_a_survey_by_budget_asks_nobody_where_there_are_none(lots):
    survey = replace(by_budget(1.0, np.inf), lots=lots)
    with pytest.raises(HushrankError, match="by their budgets, which are not given"):
        run(ask(survey), EVERY_ORDER, rng=Randomness.replayed(b"\0" * 960))


@pytest.mark.parametrize("is_last", [False, True])
def test_one_round_of_several_that_asks_by_budget_asks_different_people(is_last):
    everybody = Survey("all", (WHOLE,), (GeneralizedRandomizedResponse(120, 0.25),), 0.25)
    some = by_budget(1.0, np.inf, epsilon=0.5)

    def in_turn():
        for survey in (everybody, some) if is_last else (some, everybody):
            yield (survey,)

    outcome = run(in_turn(), EVERY_ORDER, rng=Randomness.secure(), budgets=OWN)
    assert "of different people" in outcome.privacy_statement


def test_the_people_of_a_budget_are_asked_and_no_others():
    sure = by_budget(SURE, np.inf)
    budgets = np.where(np.arange(120) % 3 == 1, SURE, 0.1)
    ((tally,),) = run(ask(sure), EVERY_ORDER, rng=Randomness.seeded(1), budgets=budgets).result
    assert tally.support.tolist() == (np.arange(120) % 3 == 1).astype(int).tolist()


@pytest.mark.parametrize("drive", [run, simulate])
@pytest.mark.parametrize(
    "surveys",
    [
        [sampled_survey("everybody", [WHOLE], 0.6)],
        [by_budget(1.0, np.inf), by_budget(1.0, np.inf, 0.1)],
        [by_budget(3.0, np.inf, 2.0), by_budget(3.0, np.inf, 1.5)],
    ],
)
@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1), np.arange(120) * 7 % 120])
def test_nobody_pays_more_than_their_budget(drive, surveys, order):
    """Wherever among the others they stand."""
    rng = Randomness.seeded(1) if drive is run else np.random.default_rng(1)
    with pytest.raises(HushrankError, match="more than somebody it asks has"):
        drive(ask(*surveys), EVERY_ORDER, rng=rng, budgets=OWN[order])


@pytest.mark.parametrize("drive", [run, simulate])
@pytest.mark.parametrize(
    ("budget", "prices"),
    [
        (2.5092629876452617, (0.2535775452398911, 2.2556854424053707)),
        (3.0, (1.0, 1.0, 1.0, 1e-9)),
        (0.9, (0.3, 0.2, 0.3, 0.2)),
        (1.0, (0.1,) * 10),
    ],
)
def test_what_many_rounds_cost_is_the_sum_and_no_rounding_hides_it(drive, budget, prices):
    surveys = [by_budget(budget, np.inf, price) for price in prices]
    budgets = np.full(120, budget)
    assert sum(map(Fraction, prices)) > Fraction(budget)
    for n_rounds in range(1, len(prices)):
        assert sum(map(Fraction, prices[:n_rounds])) <= Fraction(budget)
        rng = Randomness.seeded(1) if drive is run else np.random.default_rng(1)
        drive(ask(*surveys[:n_rounds]), EVERY_ORDER, rng=rng, budgets=budgets)
    rng = Randomness.seeded(1) if drive is run else np.random.default_rng(1)
    with pytest.raises(HushrankError, match="more than somebody it asks has"):
        drive(ask(*surveys), EVERY_ORDER, rng=rng, budgets=budgets)


@pytest.mark.parametrize("last", [1, 2, 3, 20, 256])
def test_a_protocol_is_held_to_its_epsilon_in_whatever_round_it_asks_for_more(last):
    """One bit more than the rounds before left is too much."""
    price = 1.0 / 512
    surveys = [sampled_survey(str(n), PAIRS[:1], price) for n in range(last)]
    epsilon = last * price
    found = run(held_to(ask(*surveys), epsilon), EVERY_ORDER, rng=Randomness.seeded(1))
    assert found.epsilon == epsilon
    dear = sampled_survey("dear", PAIRS[:1], np.nextafter(price, 1))
    with pytest.raises(HushrankError, match="the rounds cost a person more than") as refused:
        run(held_to(ask(*surveys[1:], dear), epsilon), EVERY_ORDER, rng=Randomness.seeded(1))
    paid = [f"a person may have spent epsilon {loss_in_words((last - 1) * price)} before"]
    assert getattr(refused.value, "__notes__", []) == (paid if last > 1 else [])


def test_what_different_people_pay_is_not_added_up_for_a_protocol():
    parts = [replace(sampled_survey("half", PAIRS[:1], 1.0), lots=lots) for lots in HALVES]
    found = run(held_to(iter_of(tuple(parts)), 1.0), EVERY_ORDER, rng=Randomness.seeded(1))
    assert found.epsilon == 1.0


HALVES = ((0.0, 0.5), (0.5, 1.0))


def iter_of(surveys):
    yield surveys


@given(st.floats(0, 50), st.floats(1e-9, 50))
def test_an_account_is_never_below_what_was_paid(paid, price):
    (total,) = sums_rounded_up(np.array([paid]), price)
    exact = Fraction(paid) + Fraction(price)
    assert exact <= Fraction(total) <= exact * (1 + Fraction(2, 2**53))


@pytest.mark.parametrize("n_people", [1, 2**15, 2**15 + 1, 2**17, 10**6])
@pytest.mark.parametrize("stands", ["first", "last"])
def test_of_however_many_people_each_has_an_account(n_people, stands):
    budgets = np.full(n_people, 9.0)
    budgets[0 if stands == "first" else -1] = 1.0
    crowd = Crowd(np.zeros((n_people, 2)), True, Randomness.replayed(b""), budgets)
    survey = sampled_survey("pair", PAIRS[:1], 0.5)
    for n_rounds in (1, 2):
        crowd.asked(survey)
        assert (crowd.spent == n_rounds / 2).all()
    with pytest.raises(HushrankError, match="more than somebody it asks has"):
        crowd.asked(survey)
    assert (crowd.spent == 1.0).all()


@pytest.mark.parametrize("n_answers", [2, 4])
def test_an_account_is_charged_for_all_answers_of_a_round(n_answers):
    each = (GeneralizedRandomizedResponse(2, 0.25),) * len(PAIRS)
    survey = Survey("pairs", tuple(PAIRS), each, 0.25 * n_answers, n_answers)
    crowd = Crowd(np.zeros((3, 5)), True, Randomness.replayed(b""), np.ones(3))
    crowd.asked(survey)
    assert crowd.spent.tolist() == [survey.epsilon] * 3


def test_what_is_too_dear_is_refused_before_anything_is_drawn():
    survey = sampled_survey("everybody", [WHOLE], 0.6)
    with pytest.raises(HushrankError, match="more than somebody it asks has"):
        run(ask(survey), EVERY_ORDER, rng=Randomness.replayed(b""), budgets=OWN)


def test_each_of_those_who_hold_one_ranking_has_a_budget():
    held = Rankings(np.array([[0, 1], [1, 0]], dtype=np.uint8), ("a", "b"), np.array([2, 1]))
    crowd = Crowd.of(held, Randomness.replayed(b""), [1.0, 2.0, 3.0])
    assert crowd.budgets.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(HushrankError, match="one budget for each of 3 people"):
        Crowd.of(held, Randomness.replayed(b""), [1.0, 2.0])


def test_rounds_within_the_budgets_add_up():
    surveys = [by_budget(0.5, np.inf, 0.25), by_budget(0.5, np.inf, 0.25), by_budget(3.0, 4.0, 2.5)]
    outcome = run(ask(*surveys), EVERY_ORDER, rng=Randomness.seeded(1), budgets=OWN)
    assert outcome.epsilons == (0.5, 3.0)


@pytest.mark.parametrize(
    "budgets",
    [
        np.ones(119),
        np.ones((120, 1)),
        np.zeros(120),
        np.full(120, -1.0),
        np.full(120, np.nan),
        np.full(120, np.inf),
        *(np.append(np.ones(119), last) for last in (0.0, -1.0, np.nan, np.inf)),
        ["0.7731"] * 120,
        [True] * 120,
        np.full(120, 1 + 2j),
        np.full(120, 3, dtype="timedelta64[s]"),
        np.full(120, "0.1").astype(np.longdouble),
        np.ma.array(np.full(120, 1.0), mask=np.arange(120) == 7),
    ],
)
def test_impossible_budgets_are_refused_before_anything_is_drawn(budgets):
    survey = by_budget(0.5, np.inf)
    with pytest.raises(HushrankError, match="expected") as caught:
        run(ask(survey), EVERY_ORDER, rng=Randomness.replayed(b""), budgets=budgets)
    assert "7731" not in str(caught.value)


def test_budgets_are_those_that_were_given_when_people_were_first_asked():
    own, survey = np.full(120, 0.5), by_budget(0.5, np.inf, 0.5)

    def raising():
        yield (survey,)
        own[:] = 9.0
        yield (survey,)

    with pytest.raises(HushrankError, match="more than somebody it asks has"):
        run(raising(), EVERY_ORDER, rng=Randomness.seeded(1), budgets=own)


def test_a_survey_by_budget_needs_budgets():
    with pytest.raises(HushrankError, match="which are not given"):
        run(ask(by_budget(0.5, 1.0)), EVERY_ORDER, rng=Randomness.replayed(b""))


def test_each_of_many_budgets_has_its_loss():
    budgets = [(nth / 8, (nth + 1) / 8) for nth in range(8, 8008)]
    spends = [Spend(f"{low}", low, "GRR") for low, _ in budgets]
    assert epsilons_of(spends, budgets) == tuple(low for low, _ in budgets)


def test_what_was_spent_before_a_failure_is_that_of_those_who_spent_most():
    """People of larger budgets are asked at more."""

    def failing():
        small = sampled_survey("small", [WHOLE], 0.5, budgets=(0.5, 1.0))
        large = sampled_survey("large", [WHOLE], 1.0, budgets=(1.0, 4.0))
        yield (small, large)
        raise HushrankError("of no interest")

    budgets = np.where(np.arange(120) % 2 == 0, 0.8, 2.0)
    with pytest.raises(HushrankError) as failed:
        run(failing(), EVERY_ORDER, rng=Randomness.seeded(1), budgets=budgets)
    assert failed.value.__notes__ == ["a person may have spent epsilon 1 before"]
