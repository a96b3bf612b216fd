import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.poisoning.answers import suspicion_of_answers
from hushrank.poisoning.dealing import suspicions_of_dealing
from hushrank.poisoning.findings import AnsweredQuestion, Finding
from hushrank.poisoning.sums import (
    Law,
    Sum,
    favouring,
    law_of_cells,
    law_of_ranks,
    suspicion_of_sums,
)
from hushrank.poisoning.suspicion import suspicion
from hushrank.poisoning.words import in_words
from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.survey import Survey
from tests.poisoning.attacks import (
    as_honest,
    at_random,
    collected,
    for_a_half,
    for_everything,
    people,
    survey_of,
    without_noise,
)

PROTOCOLS = [
    *(("max-entropy", 7, 1.0), ("max-entropy", 7, 4.0), ("pairs", 7, 1.0), ("safari", 5, 2.0)),
    *(("subset-order", 7, 1.0), ("subset-order", 14, 2.0), ("rappor", 4, 1.0), ("olh", 4, 1.0)),
    *(("sh", 4, 1.0), ("grr", 4, 2.0)),
]
NOBODY = np.zeros((0, 4), dtype=np.uint8)


def nothing(*_):
    raise AssertionError("nobody forges")


@pytest.mark.parametrize("n_reports", [1, 2, 7, 40])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_honest_answers_to_one_question_raise_an_alarm_as_seldom_as_is_said(n_reports, epsilon):
    """Exactly, for every number of people who think one thing: no draws."""
    mechanism, false_alarm = GeneralizedRandomizedResponse(2, epsilon), 0.05
    survey = Survey("pair", (RelativeOrder((0, 1)),), (mechanism,), epsilon)
    counts = np.arange(n_reports + 1)
    tallies = [Tally(np.array([count, n_reports - count]), n_reports) for count in counts]
    alarms = [suspicion(survey, (one,), false_alarm=false_alarm).is_suspicious for one in tallies]
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    for n_holders in counts:
        law = np.convolve(
            binom.pmf(np.arange(n_holders + 1), n_holders, p),
            binom.pmf(np.arange(n_reports - n_holders + 1), n_reports - n_holders, q),
        )
        assert law[alarms].sum() <= false_alarm


def test_tests_of_sums_and_of_dealing_share_one_rate():
    """Two items are tested for too many and for too few reports, beside what was dealt."""
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    asked = AnsweredQuestion(0, RelativeOrder((0, 1)), mechanism, Tally(np.array([30, 10]), 40))
    dealt = [Finding("asked", None, item, True, p) for item, p in enumerate((1e-6, 0.02, 0.5))]
    found = suspicion_of_sums([asked], dealt, 1.0)
    assert found.n_tests == 2 * 2 + 3
    assert found.p_value == pytest.approx(2 * 7 * 1e-6)
    adjusted = {each.number: each.p_value for each in found.findings if each.kind == "asked"}
    assert adjusted == {0: pytest.approx(14e-6), 1: pytest.approx(0.28), 2: 1.0}


@pytest.mark.parametrize("places", [(0, 1, 2), (2, 0, 1)])
def test_the_least_of_all_sums_is_what_is_odd(places):
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    asked = AnsweredQuestion(0, RelativeOrder((0, 1)), mechanism, Tally(np.array([30, 10]), 40))
    dealt = [Finding("asked", None, item, True, (0.5, 1e-6, 0.02)[item]) for item in places]
    assert suspicion_of_sums([asked], dealt, 1.0).p_value == pytest.approx(2 * 7 * 1e-6)


@pytest.mark.parametrize("counts", [(50, 10, 0), (58, 2, 0)])
def test_answers_are_tested_by_exact_tails_on_both_sides(counts):
    mechanism = GeneralizedRandomizedResponse(3, 2.0)
    asked = AnsweredQuestion(7, TopOrder(3, 1), mechanism, Tally(np.array(counts), 60))
    found = suspicion_of_answers([asked], 1.0)
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    tails = {(at, True): binom.sf(count - 1, 60, p) for at, count in enumerate(counts)}
    tails |= {(at, False): binom.cdf(count, 60, q) for at, count in enumerate(counts)}
    assert found.n_tests == len(tails) == 6
    assert len(found.findings) == 6
    for each in found.findings:
        expected = min(1.0, 12 * tails[each.number, each.is_too_many])
        assert (each.kind, each.question) == ("answer", 7)
        assert each.p_value == pytest.approx(expected)
    assert min(12 * tails[0, True], 12 * tails[2, False]) < 1


def test_too_many_of_one_item_are_too_few_of_the_other():
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    asked = AnsweredQuestion(0, RelativeOrder((0, 1)), mechanism, Tally(np.array([0, 60]), 60))
    found = suspicion_of_sums([asked], [], 1e-3)
    assert {(each.number, each.is_too_many) for each in found.findings} == {(0, False), (1, True)}


def test_each_item_of_a_whole_order_is_tested_by_all_its_ranks():
    mechanism, n = SubsetOrder(4, 1.0), 40
    ranks = np.array([0, 60, 60, 120])  # the sums of what is reported
    asked = AnsweredQuestion(0, WholeOrder((3, 1, 0, 2)), mechanism, Tally(ranks, n))
    found = suspicion_of_sums([asked], [], 1.0)
    assert found.n_tests == 2 * 4
    for each in found.findings:
        summed = Sum()
        summed.add(law_of_ranks(mechanism), n, 3 * n - ranks[(3, 1, 0, 2).index(each.number)])
        tail = summed.tail(1 if each.is_too_many else -1)
        assert each.p_value == pytest.approx(min(1.0, 16 * tail))
    certain = {(each.number, each.is_too_many) for each in found.findings if each.p_value < 1e-3}
    assert certain == {(3, True), (2, False)}


def test_one_report_is_tested():
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    survey = Survey("pair", (RelativeOrder((0, 1)),), (mechanism,), 1.0)
    assert suspicion(survey, (Tally(np.array([1, 0]), 1),)).n_tests == 4 + 4


@pytest.mark.parametrize(("n_items", "slack"), [(12, 1.0), (13, 1.1), (40, 1.1)])
def test_a_reported_rank_may_lie_as_far_out_as_a_slope_is_understated(n_items, slack):
    mechanism = SubsetOrder(n_items, 2.0)
    law, middle = law_of_ranks(mechanism), (n_items - 1) / 2
    assert (law.low + law.high) / 2 == pytest.approx(middle)
    assert (law.high - middle) / middle == pytest.approx(slack * mechanism.signal, rel=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize(("protocol", "n_items", "epsilon"), PROTOCOLS)
@pytest.mark.parametrize("agreement", [0.0, 100.0])
def test_honest_people_raise_no_alarm_whatever_they_think(protocol, n_items, epsilon, agreement):
    """People who agree on nothing, or on everything: 40 surveys each, one alarm in a million."""
    survey = survey_of(protocol, n_items, epsilon, 200)
    for seed in range(40):
        ranks = people(200, n_items, agreement, seed)
        tallies = collected(survey, ranks, 0, nothing, seed)
        found = suspicion(survey, tallies, false_alarm=1e-6)
        assert not found.is_suspicious
        assert found.p_value > 1e-6


def power(survey, n_items, n_people, share, forge, n_trials=20):
    """Return how often forged reports beside people of some agreement are found."""
    n_forged = round(share * n_people)
    found = 0
    for seed in range(n_trials):
        ranks = people(n_people - n_forged, n_items, 0.6, 1000 + seed)
        found += suspicion(survey, collected(survey, ranks, n_forged, forge, seed)).is_suspicious
    return found / n_trials


FAVOURITE = "the same order, without noise"
ATTACKS = {
    FAVOURITE: lambda n_items: without_noise(np.arange(n_items)),
    "all answers at once": lambda n_items: for_everything,
    "half of the answers at once": lambda n_items: for_a_half,
}
"""As docs/theory/forged-reports.md names them."""
QUERIES = {"pairs": {"queries": 1}}
PAGE = (Path(__file__).parents[2] / "docs" / "theory" / "forged-reports.md").read_text()


def documented_power():
    """Return the rows: protocol, items, attack, the share found of 300 people, and of 3,000."""
    (table,) = re.findall(r"^\| protocol \| items \|.*?\n\n", PAGE, re.DOTALL | re.MULTILINE)
    for row in table.strip().splitlines()[2:]:
        protocol, n_items, attack, *shares = (
            cell.strip(" `") for cell in row.strip("|").split("|")
        )
        yield protocol, int(n_items), attack, *(int(share.rstrip(" %")) / 100 for share in shares)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("protocol", "n_items", "attack", "of_300", "of_3000"), [*documented_power()]
)
def test_attacks_are_found_from_the_documented_share_on(protocol, n_items, attack, of_300, of_3000):
    forge = ATTACKS[attack](n_items)
    for n_people, share in ((300, of_300), (3000, of_3000)):
        survey = survey_of(protocol, n_items, 1.0, n_people, **QUERIES.get(protocol, {}))
        assert power(survey, n_items, n_people, share, forge) >= 0.9


@pytest.mark.statistical
@pytest.mark.parametrize("forge", [as_honest(np.arange(7)[::-1]), at_random])
@pytest.mark.parametrize("protocol", ["max-entropy", "subset-order"])
def test_who_answers_as_some_honest_people_would_is_never_found(protocol, forge):
    survey = survey_of(protocol, 7, 1.0, 300)
    for share in (0.3, 1.0):
        assert power(survey, 7, 300, share, forge, n_trials=10) == 0


def test_a_finding_names_what_is_odd():
    survey = survey_of("pairs", 4, 1.0, 3000, queries=1)
    forged = collected(survey, NOBODY, 3000, without_noise(np.array([2, 0, 1, 3])), 1)
    found = suspicion(survey, forged)
    assert found.is_suspicious
    assert found.p_value == found.findings[0].p_value < 1e-9
    assert 2 in {each.number for each in found.findings if each.kind == "item" and each.is_too_many}
    answers = [each for each in found.findings if each.kind == "answer" and each.is_too_many]
    asked = {survey.questions[each.question].items for each in answers}
    assert asked == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def test_questions_that_nobody_answered_are_no_tests():
    survey = survey_of("max-entropy", 5, 1.0, 300)
    empty = tuple(Tally.empty(mechanism.n_categories) for mechanism in survey.mechanisms)
    found = suspicion(survey, empty)
    assert (found.p_value, found.n_tests, found.findings) == (1.0, 0, ())


@pytest.mark.parametrize("nth_is_odd", [1, 3])
def test_a_finding_has_the_number_of_its_question_though_nobody_answered_others(nth_is_odd):
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    questions = tuple(RelativeOrder((0, other)) for other in range(1, 5))
    survey = Survey("four", questions, (mechanism,) * 4, 1.0)
    tallies = [Tally.empty(2)] * 4
    tallies[nth_is_odd] = Tally(np.array([60, 0]), 60)
    assert {each.question for each in answers_in(suspicion(survey, tuple(tallies)))} == {nth_is_odd}


def test_reports_are_as_odd_as_what_is_oddest_in_either_half():
    """Answers that favour no item; and usual ones, to one of two questions alone."""
    mechanism, levels = GeneralizedRandomizedResponse(2, 1.0), RankLevel(0, extreme_levels(5))
    of_answers = Survey("levels", (levels,), (mechanism,), 1.0)
    pairs = (RelativeOrder((0, 1)), RelativeOrder((2, 3)))
    of_dealing = Survey("pairs", pairs, (mechanism,) * 2, 1.0)
    usual = (Tally(np.array([100, 100]), 200), Tally.empty(2))
    odd = suspicion(of_answers, (Tally(np.array([60, 0]), 60),)), suspicion(of_dealing, usual)
    assert [{each.kind for each in found.findings} for found in odd] == [{"answer"}, {"asked"}]
    for found in odd:
        assert found.p_value == found.findings[0].p_value < 1e-6


def test_more_tests_need_stronger_findings():
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    questions = tuple(RelativeOrder((0, other)) for other in range(1, 6))
    odd, usual = Tally(np.array([60, 0]), 60), Tally(np.array([15, 15]), 30)
    one = Survey("one", questions[:1], (mechanism,), 1.0)
    five = Survey("five", questions, (mechanism,) * 5, 1.0)
    found = [suspicion(one, (odd,)), suspicion(five, (odd, *[usual] * 4))]
    alone, among = [min(each.p_value for each in answers_in(one)) for one in found]
    assert among == pytest.approx(5 * alone)


@pytest.mark.parametrize("nth_is_odd", [0, 1, 2])
def test_what_is_odd_counts_whatever_is_tested_before_and_after_it(nth_is_odd):
    """Mechanisms are tested one after the other: nothing is odd of the others."""
    odd, usual = Tally(np.array([90, 0]), 90), Tally(np.array([15, 15]), 30)
    asked = [
        AnsweredQuestion(
            nth,
            RelativeOrder((0, 1)),
            GeneralizedRandomizedResponse(2, epsilon),
            odd if nth == nth_is_odd else usual,
        )
        for nth, epsilon in enumerate((1.0, 1.5, 2.0))
    ]
    found = suspicion_of_answers(asked, 1e-3)
    assert {each.question for each in found.findings} == {nth_is_odd}
    assert found.p_value == min(each.p_value for each in found.findings) < 1e-3


def answers_in(found):
    return [each for each in found.findings if each.kind == "answer"]


# --- the sums


@pytest.mark.parametrize(
    ("question", "favoured"),
    [
        (RelativeOrder((0, 1)), [0, 1]),
        (RelativeOrder((2, 0, 3)), [2, 0, 3]),
        (TopOrder(5, 1), [0, 1, 2, 3, 4]),
        (TopOrder(5, 3), [0, 1, 2, 3, 4]),
        (RankLevel(1, even_levels(5, 3)), [1]),
        (RankLevel(1, even_levels(5, 5)), [1]),
        (LevelAndPrecedence(0, 1, even_levels(5, 2)), [0]),
        (RankAndPrecedence(3, 1, 2, 5), [3, 1, 2]),
        (Interleaving((2,), (0, 1)), [2]),
        (Stated(RelativeOrder((0, 1)), "last"), [0, 1]),
        (NamedSet((0, 1), 5), [0, 1, 2, 3, 4]),
    ],
    ids=repr,
)
def test_the_answers_that_favour_an_item_are_those_of_people_who_have_it_first(question, favoured):
    rng = np.random.default_rng(3)
    ranks = rng.permuted(np.tile(np.arange(5, dtype=np.uint8), (3000, 1)), axis=1)
    answers = question.answer(ranks)
    assert [item for item, _ in favouring(question)] == favoured
    for item, cells in favouring(question):
        first, last = (answers[ranks[:, item] == rank] for rank in (0, 4))
        assert np.isin(cells, answers).all()
        assert not np.isin(last, cells).any()
        if isinstance(question, NamedSet):
            assert np.isin(first, cells).any(axis=1).all()
            assert list(cells) == [item]
            continue
        if not isinstance(question, RankAndPrecedence) or item == question.item:
            assert set(cells) == set(first.tolist())
        if isinstance(question, RankAndPrecedence) and item == question.item:
            assert not np.isin(answers[ranks[:, item] == 1], cells).any()


def test_questions_that_favour_no_item_are_summed_up_nowhere():
    named = NamedSet((0, 4), 5), NamedSet((1, 2), 5), NamedSet((0, 1), 5, "after")
    for question in (*named, RankLevel(0, extreme_levels(5)), Hashed(TopOrder(5, 2), 1, 2, 4)):
        assert not list(favouring(question))


def exact_tails(law_of_one, n_reports):
    """Return P(sum >= s) and P(sum <= s) for s = 0, 1, ... of independent reports of one law."""
    law = np.array([1.0])
    for _ in range(n_reports):
        law = np.convolve(law, law_of_one)
    return law[::-1].cumsum()[::-1], law.cumsum()


@pytest.mark.parametrize("n_reports", [1, 5, 30])
def test_chernoffs_bounds_hold_for_coins_and_are_near(n_reports):
    law = Law(0.2, 0.7, 1)
    above, _ = exact_tails([0.3, 0.7], n_reports)
    _, below = exact_tails([0.8, 0.2], n_reports)
    for observed in range(n_reports + 1):
        summed = Sum()
        summed.add(law, n_reports, observed)
        for side, exact in ((1, above), (-1, below)):
            bound = summed.tail(side)
            assert bound >= exact[observed] * (1 - 1e-6)
            assert bound <= min(1.0, 1.01 * exact[observed] * (2 * n_reports + 1))


@pytest.mark.parametrize("kind", [SymmetricUnaryEncoding, OptimisedLocalHashing])
def test_what_a_report_speaks_for_has_the_moments_that_are_bounded(kind):
    """Of all answers, and of a part of them, for the owner in it and not: by 4,000 reports."""
    mechanism, rng = kind(12, 1.0), Randomness.seeded(5)
    for n_cells, category in product((12, 5), (0, 11)):
        law = law_of_cells(mechanism, n_cells)
        reports = mechanism.randomise(np.full(4000, category), rng=rng)
        each = np.array([mechanism.tally(one[None]).support[:n_cells].sum() for one in reports])
        assert law.low - 0.2 < each.mean() < law.high + 0.2
        assert each.max() <= law.most
        for rate in (0.3, -0.3):
            moment = np.log(np.exp(rate * each).mean())
            assert moment <= law.log_moment(rate) + 0.05
            if law.bits and n_cells == 12:
                assert moment == pytest.approx(law.log_moment(rate), abs=0.05)


def test_moments_of_some_bits_are_those_of_coins_with_the_owner_s_among_them_or_not():
    mechanism = SymmetricUnaryEncoding(12, 1.0)
    law = law_of_cells(mechanism, 5)
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    for rate, rates in ((0.3, [p, q, q, q, q]), (-0.3, [q] * 5)):
        exact = sum(np.log(1 - each + each * np.exp(rate)) for each in rates)
        assert law.log_moment(rate) == pytest.approx(exact)


def test_moments_of_what_is_certain_are_those_of_the_number():
    law = Law(0.0, 3.0, 3)
    assert (law.log_moment(0.5), law.log_moment(-0.5)) == (1.5, 0.0)


def test_a_whole_order_has_ranks_within_the_signal():
    survey = survey_of("subset-order", 6, 1.0, 300)
    order = np.arange(6)
    honest = collected(survey, np.tile(order, (4000, 1)).astype(np.uint8), 0, nothing, 1)
    assert not suspicion(survey, honest, false_alarm=1e-6).is_suspicious
    mean = honest[0].support / honest[0].n_reports
    signal = survey.mechanisms[0].signal
    assert mean[0] == pytest.approx(2.5 * (1 - signal), abs=0.15)  # the best that can be


def of_counts(survey, n_reports):
    """Return the p values of the items, of so many reports on each question."""
    tallies = [Tally(np.array([n, 0]), n) for n in n_reports]
    return {each.number: each.p_value for each in suspicions_of_dealing(survey, tuple(tallies))}


@pytest.mark.parametrize("answers_per_person", [1, 2])
@pytest.mark.parametrize("n_people", [1, 3, 4])
def test_dealt_questions_raise_an_alarm_as_seldom_as_is_said(n_people, answers_per_person):
    """Exactly: all ways to deal the three pairs of three items, each equally likely."""
    pairs = tuple(RelativeOrder(pair) for pair in combinations(range(3), 2))
    mechanism = GeneralizedRandomizedResponse(2, 0.5)
    survey = Survey("pairs", pairs, (mechanism,) * 3, 1.0, answers_per_person)
    hands = list(combinations(range(3), answers_per_person))
    chances = [
        of_counts(survey, np.bincount(np.ravel(dealt), minlength=3))[0]
        for dealt in product(hands, repeat=n_people)
    ]
    for level in sorted(set(chances)):
        assert np.mean(np.array(chances) <= level * (1 + 1e-9)) <= level * (1 + 1e-9)


@pytest.mark.parametrize("item", range(5))
def test_who_picks_the_question_about_an_item_is_found(item):
    survey = survey_of("pairs", 5, 1.0, 300, queries=1)
    about = np.array([item in question.items for question in survey.questions])
    assert min(of_counts(survey, np.full(10, 300)).values()) == 1
    picked = of_counts(survey, 285 + 80 * about)
    assert min(picked, key=picked.get) == item
    assert picked[item] < 1e-5
    found = suspicion(survey, tuple(Tally(np.array([n, n]) // 2, n) for n in 280 + 120 * about))
    told = [(each.kind, each.number, each.is_too_many) for each in found.findings]
    assert told == [("asked", item, True)]


def test_questions_that_all_regard_an_item_say_nothing_of_dealing():
    survey = survey_of("subset-order", 5, 1.0, 300)
    assert of_counts(survey, [300]) == {}


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (Finding("item", None, 1, True, 0.0), "more reports than can be honest put tea first"),
        (Finding("item", None, 1, False, 0.0), "fewer reports than can be honest put tea first"),
        (Finding("asked", None, 0, True, 0.0), "more reports than are dealt to it regard milk"),
        (Finding("total", None, None, True, 0.0), "reports speak for more answers in all"),
        (Finding("total", None, None, False, 0.0), "reports speak for fewer answers in all"),
        (Finding("answer", 2, 0, False, 0.0), "support answer 1 of question 3"),
    ],
)
def test_findings_are_sentences(finding, said):
    assert said in in_words(finding, ("milk", "tea"))
