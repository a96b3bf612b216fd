import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chisquare

from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.assignment import assign_questions
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.survey import Survey, asks_everybody, require_round

PAIRS = [RelativeOrder(pair) for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]]
FALSE_ALARM = 1e-6


def test_a_sampled_survey_spends_everything_on_one_question():
    survey = sampled_survey("pairs", PAIRS, 1.5)
    assert {mechanism.epsilon for mechanism in survey.mechanisms} == {1.5}
    assert survey.spend.epsilon == 1.5
    assert survey.spend.mechanism == "GeneralizedRandomizedResponse"


@pytest.mark.parametrize("epsilon", [1 / 3, 0.01234567891, 1e-7])
def test_a_round_is_booked_at_the_very_epsilon_of_its_survey(epsilon):
    assert sampled_survey("pairs", PAIRS, epsilon).spend.epsilon == epsilon


@pytest.mark.parametrize("n_answers", [1, 2, 3, 6])
def test_a_round_of_several_answers_costs_all_of_them(n_answers):
    mechanisms = (GeneralizedRandomizedResponse(2, 0.5),) * 6
    survey = Survey("several", tuple(PAIRS), mechanisms, n_answers / 2, n_answers)
    assert survey.spend.epsilon == n_answers / 2


def test_answers_that_cost_more_than_epsilon_are_refused():
    half = (GeneralizedRandomizedResponse(2, 0.5),) * 6
    Survey("fits", tuple(PAIRS), half, epsilon=1.0, answers_per_person=2)
    with pytest.raises(HushrankError, match="exceed"):
        Survey("too dear", tuple(PAIRS), half, epsilon=1.0, answers_per_person=3)


def test_a_survey_by_budget_costs_at_most_the_lowest_budget():
    survey = Survey("some", (PAIRS[0],), (GeneralizedRandomizedResponse(2, 1.0),), 1.0)
    assert not survey.is_personal
    assert replace(survey, budgets=(1.0, 2.0)).is_personal
    with pytest.raises(HushrankError, match="exceeds the lowest budget"):
        replace(survey, budgets=(0.99, 2.0))


def test_the_price_of_every_mechanism_is_checked():
    mechanisms = [GeneralizedRandomizedResponse(2, epsilon) for epsilon in (0.5, 0.5, 1.0)]
    fits = Survey("fits", tuple(PAIRS[:3]), tuple(mechanisms), 1.0)
    assert fits.distinct_mechanisms == set(mechanisms)
    with pytest.raises(HushrankError, match="exceed"):
        replace(fits, epsilon=0.9)


def said_to_cost(epsilon):
    """Return a mechanism that costs 1 nat, whatever its author says."""
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    object.__setattr__(mechanism, "epsilon", epsilon)
    return mechanism


@pytest.mark.parametrize("epsilon", [np.float32(0.1), "1.0", None, 0.0, -1.0, math.nan, math.inf])
def test_a_survey_costs_a_finite_float(epsilon):
    with pytest.raises(HushrankError, match="a positive finite epsilon as a float"):
        Survey("one", (PAIRS[0],), (GeneralizedRandomizedResponse(2, 0.05),), epsilon)


@pytest.mark.parametrize("said", [0.0, -1.0, 1e-9, 0.999999999999])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_mechanism_that_says_less_than_it_costs_is_refused(said, place):
    mechanisms = [GeneralizedRandomizedResponse(2, 1.0) for _ in range(3)]
    mechanisms[place] = said_to_cost(said)
    with pytest.raises(HushrankError, match="Response costs more than the epsilon that it says"):
        Survey("three", tuple(PAIRS[:3]), tuple(mechanisms), 1.0)


@pytest.mark.parametrize("said", ["1.0", np.float32(1), None, 1j, math.nan, math.inf, -math.inf])
def test_a_mechanism_whose_epsilon_is_no_number_is_refused(said):
    with pytest.raises(HushrankError, match="Response: expected its epsilon"):
        Survey("one", (PAIRS[0],), (said_to_cost(said),), 1.0)
    whole = SubsetOrder(3, 1.0)
    object.__setattr__(whole, "epsilon", said)
    with pytest.raises(HushrankError, match="SubsetOrder: expected its epsilon"):
        Survey("one", (WholeOrder((0, 1, 2)),), (whole,), 1.0)


@pytest.mark.parametrize("n_questions", [99, 100, 101, 1000])
def test_the_price_of_the_last_of_many_mechanisms_is_checked(n_questions):
    cheap, dear = (GeneralizedRandomizedResponse(2, epsilon) for epsilon in (0.5, 1.0))
    questions = (PAIRS[0],) * (n_questions + 1)
    asked = Survey("many", questions, (cheap,) * n_questions + (dear,), 1.0)
    assert asked.distinct_mechanisms == {cheap, dear}
    with pytest.raises(HushrankError, match="exceed"):
        replace(asked, epsilon=0.9)
    with pytest.raises(HushrankError, match="exceed"):
        replace(asked, answers_per_person=2)


@pytest.mark.parametrize("n_mechanisms", [2, 8, 9, 12, 100, 1000])
@pytest.mark.parametrize("dear", [0, -1])
def test_of_however_many_different_mechanisms_the_price_of_each_is_checked(n_mechanisms, dear):
    epsilons = [1 / 4 + nth / 2**12 for nth in range(n_mechanisms)]
    epsilons[dear] = 1.0
    mechanisms = tuple(GeneralizedRandomizedResponse(2, epsilon) for epsilon in epsilons)
    fits = Survey("many", (PAIRS[0],) * n_mechanisms, mechanisms, 1.0)
    assert len(fits.distinct_mechanisms) == n_mechanisms
    with pytest.raises(HushrankError, match="exceed"):
        replace(fits, epsilon=math.nextafter(1.0, 0))
    with pytest.raises(HushrankError, match="exceed"):
        replace(fits, answers_per_person=2)


@pytest.mark.parametrize("low", [1e-3, 0.5, 16.0, 17.0, 64.0, 1000.0, 1e6])
def test_a_survey_by_however_large_budgets_costs_at_most_the_lowest(low):
    hides = GeneralizedRandomizedResponse(2, 1e-3)
    for high in (math.nextafter(low, math.inf), 2 * low, math.inf):
        survey = Survey("some", (PAIRS[0],), (hides,), low, budgets=(low, high))
        with pytest.raises(HushrankError, match="exceeds the lowest budget"):
            replace(survey, epsilon=math.nextafter(low, math.inf))


def test_only_questions_with_one_mechanism_are_answered_at_once():
    """Else all would be hidden by the first, at its epsilon."""
    same = (GeneralizedRandomizedResponse(2, 0.5),) * 3
    assert Survey("same", tuple(PAIRS[:3]), same, 1.0).items_at_once is not None
    apart = (*same[:2], GeneralizedRandomizedResponse(2, 1.0))
    assert Survey("apart", tuple(PAIRS[:3]), apart, 1.0).items_at_once is None


def test_questions_that_are_no_orders_of_items_are_not_answered_at_once():
    levels = tuple(RankLevel(item, (0, 1, 1)) for item in range(3))
    asked = Survey("levels", levels, (GeneralizedRandomizedResponse(2, 0.5),) * 3, 1.0)
    assert asked.items_at_once is None


def test_mechanisms_that_hide_more_than_a_category_are_named_where_one_is_expected():
    orders = Survey("orders", (WholeOrder((0, 1, 2)),), (SubsetOrder(3, 1.0),), 1.0)
    with pytest.raises(HushrankError, match="hide one category, got SubsetOrder"):
        _ = orders.local_mechanisms
    same = (GeneralizedRandomizedResponse(2, 0.5),) * 3
    assert Survey("same", tuple(PAIRS[:3]), same, 1.0).local_mechanisms == same


def test_all_mechanisms_are_named_of_whom_one_is_asked_for():
    """In a ledger, or in a refusal."""
    orders = WholeOrder((0, 1, 2)), WholeOrder((0, 1, 2, 3))
    rows = Survey("rows", orders, (SubsetOrder(3, 1.0), SubsetOrder(4, 1.0)), 1.0)
    with pytest.raises(HushrankError, match=r"hide one category, got SubsetOrder, SubsetOrder$"):
        _ = rows.local_mechanisms
    each = GeneralizedRandomizedResponse(2, 1.0), SymmetricUnaryEncoding(2, 1.0)
    survey = Survey("two", tuple(PAIRS[:2]), each, 1.0)
    assert survey.spend.mechanism == "GeneralizedRandomizedResponse and SymmetricUnaryEncoding"


def test_the_price_is_computed_exactly():
    """Five times the float 0.2 is 1 in floats, and more than 1 in truth."""
    fifths = (GeneralizedRandomizedResponse(2, 0.2),) * 6
    with pytest.raises(HushrankError, match="exceed"):
        Survey("fifths", tuple(PAIRS), fifths, epsilon=1.0, answers_per_person=5)


@pytest.mark.parametrize(
    "changed",
    [
        {"questions": ()},
        {"mechanisms": (GeneralizedRandomizedResponse(2, 1.0),) * 5},
        {"mechanisms": (GeneralizedRandomizedResponse(3, 1.0),) * 6},
        {"mechanisms": tuple(GeneralizedRandomizedResponse(2 + n // 5, 1.0) for n in range(6))},
        {"answers_per_person": 0},
        {"answers_per_person": 7},
        {"epsilon": float("inf")},
        {"lots": (0.5, 0.5)},
        {"lots": (0.0, 1.5)},
        {"budgets": (1.0, 1.0)},
        {"budgets": (-1.0, 1.0)},
        {"budgets": (float("nan"), 1.0)},
        {"budgets": (0.5, 2.0)},
        {"budgets": (0.0, 2.0)},
    ],
)
def test_parts_that_do_not_fit_are_refused(changed):
    parts = {
        "name": "pairs",
        "questions": tuple(PAIRS),
        "mechanisms": (GeneralizedRandomizedResponse(2, 1.0),) * 6,
        "epsilon": 1.0,
    }
    with pytest.raises(HushrankError):
        Survey(**{**parts, **changed})


@pytest.mark.parametrize("n_answers", [1, 2, 3])
def test_every_set_of_distinct_questions_is_equally_likely(n_answers):
    mechanisms = (GeneralizedRandomizedResponse(2, 1.0),) * 6
    survey = Survey("pairs", tuple(PAIRS), mechanisms, 3.0, answers_per_person=n_answers)
    assigned = assign_questions(survey, 60_000, rng=Randomness.seeded(4))
    sets, counts = np.unique(np.sort(assigned, axis=1), axis=0, return_counts=True)
    assert (np.diff(sets, axis=1) > 0).all()
    assert len(sets) == {1: 6, 2: 15, 3: 20}[n_answers]
    assert chisquare(counts).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("n_questions", "n_answers"), [(6, 6), (40, 8), (40, 9), (40, 40), (300, 256), (2**16 + 9, 20)]
)
def test_of_however_many_answers_each_is_drawn_as_floyd_draws_it(n_questions, n_answers):
    survey = SimpleNamespace(questions=range(n_questions), answers_per_person=n_answers)
    rng, newest = np.random.default_rng(n_answers), range(n_questions - n_answers, n_questions)
    drawn = {each + 1: int(rng.integers(each + 1)) for each in newest}
    dealt = SimpleNamespace(below=lambda bound, n: np.full(n, drawn[bound], dtype=np.uint64))
    expected = []
    for each in newest:
        expected.append(each if drawn[each + 1] in expected else drawn[each + 1])
    assert assign_questions(survey, 2, rng=dealt).tolist() == [expected] * 2
    assert len(set(expected)) == n_answers


@pytest.mark.parametrize("n_questions", [2**16, 2**16 + 1])
def test_the_last_of_very_many_questions_is_asked_as_itself(n_questions):
    survey = SimpleNamespace(questions=range(n_questions), answers_per_person=1)
    last = SimpleNamespace(below=lambda bound, n: np.full(n, bound - 1))
    assert assign_questions(survey, 2, rng=last).tolist() == [[n_questions - 1]] * 2


def test_an_unanswered_question_has_uniform_shares():
    survey = sampled_survey("pairs", PAIRS, 1.0)
    tallies = (Tally(np.array([30, 10]), 40), *(Tally.empty(2) for _ in PAIRS[1:]))
    for shrink in (False, True):
        shares = survey_shares(survey, tallies, shrink=shrink)
        assert shares[0][0] > 0.6
        assert all(share.tolist() == [0.5, 0.5] for share in shares[1:])


@pytest.mark.parametrize("post_process", ["simplex", "clip"])
@pytest.mark.parametrize("shrink", [False, True])
def test_shares_are_probabilities(post_process, shrink):
    survey = sampled_survey("whole", [RelativeOrder((0, 1, 2, 3))], 0.2)
    tally = Tally(np.random.default_rng(1).multinomial(50, np.full(24, 1 / 24)), 50)
    (shares,) = survey_shares(survey, (tally,), post_process=post_process, shrink=shrink)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)


def test_shares_are_of_as_many_questions_as_were_asked():
    asked = sampled_survey("pairs", PAIRS, 1.0)
    with pytest.raises(ValueError, match="shorter"):
        survey_shares(asked, [Tally.empty(2)] * (len(PAIRS) - 1))


def test_a_survey_asks_people_of_every_budget_unless_it_says_otherwise():
    asked = sampled_survey("pairs", PAIRS, 0.25)
    assert asked.budgets == (0.0, math.inf)
    assert not asked.is_personal


def test_shrinking_is_by_the_variance_of_the_mechanism():
    survey = sampled_survey("pair", PAIRS[:1], 1.0)
    tally = Tally(np.array([24, 16]), 40)
    mechanism = survey.mechanisms[0]
    gap = mechanism.rates.reach
    distance = 2 * (0.1 / gap) ** 2
    noise = 2 * mechanism.rates.hit_rate * mechanism.rates.false_hit_rate / gap**2 / 40
    kept = 1 - noise / distance
    assert 0 < kept < 0.9
    (shares,) = survey_shares(survey, (tally,), shrink=True)
    assert shares == pytest.approx([0.5 + kept * 0.1 / gap, 0.5 - kept * 0.1 / gap])


def test_of_bits_the_noise_that_shrinks_is_of_reports_at_uniform_shares():
    survey = sampled_survey("pair", PAIRS[:1], 1.0, make_mechanism=OptimisedUnaryEncoding)
    rates, support, n_reports = survey.mechanisms[0].rates, np.array([170, 125]), 400
    p, q = rates.hit_rate, rates.false_hit_rate
    apart = (support / n_reports - q) / (p - q) - 0.5
    noise = (p * (1 - p) + q * (1 - q)) / (p - q) ** 2 / n_reports
    kept = 1 - noise / (apart @ apart)
    assert 0.5 < kept < 0.9
    (shares,) = survey_shares(survey, (Tally(support, n_reports),), shrink=True)
    nearest = 0.5 + kept * (apart - apart.mean())  # of sum 1
    assert shares == pytest.approx(nearest, rel=1e-12)


def test_shrinking_pulls_noise_to_uniform_and_leaves_signal():
    survey = sampled_survey("pair", PAIRS[:1], 1.0)
    noisy = survey_shares(survey, (Tally(np.array([21, 19]), 40),), shrink=True)[0]
    clear = survey_shares(survey, (Tally(np.array([700_000, 300_000]), 10**6),), shrink=True)[0]
    unshrunk = survey_shares(survey, (Tally(np.array([700_000, 300_000]), 10**6),))[0]
    assert noisy.tolist() == [0.5, 0.5]
    assert clear == pytest.approx(unshrunk, abs=1e-4)


@pytest.mark.parametrize("pairs", [((0, 1), (0, 3)), ((0, 3), (0, 1)), ((0, 1), (0, 3), (1, 2))])
def test_a_survey_fits_items_whose_every_ranking_answers_every_question(pairs):
    survey = sampled_survey("pairs", list(map(RelativeOrder, pairs)), 1.0)
    survey.require_fits(4)
    for _ in range(2):
        with pytest.raises(HushrankError, match="not every ranking of 3 items"):
            survey.require_fits(3)


def test_a_round_asks_nobody_twice():
    one, other = (
        sampled_survey("pair", [RelativeOrder((0, 1))], 1.0, lots=lots)
        for lots in ((0.0, 0.5), (0.5, 1.0))
    )
    require_round((one, other))
    for wrong in ((one, one), (one, other, one), (), [one, other], one):
        with pytest.raises(HushrankError, match="round"):
            require_round(wrong)


@pytest.mark.parametrize("n_mechanisms", [1, 3])
def test_each_question_has_a_mechanism_of_its_own(n_mechanisms):
    questions = (RelativeOrder((0, 1)), RelativeOrder((1, 2)))
    mechanisms = (GeneralizedRandomizedResponse(2, 1.0),) * n_mechanisms
    with pytest.raises(HushrankError, match="one mechanism for each question"):
        Survey("uneven", questions, mechanisms, 1.0)


@pytest.mark.parametrize("n_parts", [2, 7, 20, 21, 60])
def test_of_however_many_parts_of_a_round_no_two_ask_the_same_people(n_parts):
    ends = [nth / n_parts for nth in range(n_parts + 1)]
    lots = list(pairwise(ends))
    parts = [sampled_survey(f"{nth}", PAIRS, 1.0, lots=each) for nth, each in enumerate(lots)]
    require_round(tuple(parts))
    assert asks_everybody(tuple(parts))
    assert not asks_everybody(tuple(parts[:-1]))
    low, high = lots[-2]
    wider = sampled_survey("wider", PAIRS, 1.0, lots=((low + high) / 2, 1.0))
    with pytest.raises(HushrankError, match="may ask the same person"):
        require_round((*parts[:-1], wider))
    shorter = sampled_survey("shorter", PAIRS, 1.0, lots=((lots[-1][0] + 1) / 2, 1.0))
    assert not asks_everybody((*parts[:-1], shorter))
