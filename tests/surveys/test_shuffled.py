"""What an accountant of shuffled reports is told of a round: exactly, and rounded up."""

from dataclasses import replace
from fractions import Fraction

import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.questions.named_set import NamedSet
from hushrank.questions.relative_order import RelativeOrder
from hushrank.samplers.word_probabilities import exp_below
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shuffled import GRAIN, clone_rate, local_epsilon
from hushrank.surveys.survey import Survey

WORDS = 2**64
PAIR, THREE = RelativeOrder((0, 1)), RelativeOrder((0, 1, 2))


def survey(question, epsilon, lots=(0.0, 1.0)):
    return sampled_survey("asked", (question,), epsilon, lots=lots)


def test_a_round_costs_what_its_dearest_survey_does():
    surveys = survey(PAIR, 1.0, (0.0, 0.5)), survey(PAIR, 2.0, (0.5, 1.0))
    assert local_epsilon(surveys) == local_epsilon(surveys[::-1]) == 2.0
    most = 1 / (exp_below(2.0) + 1)
    assert clone_rate(surveys) == pytest.approx(float(most))  # and not the rate of one nat


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_reports_of_a_cheap_part_are_clones_as_seldom_as_those_of_the_dearest(share):
    """A pair at one nat is the others' own with probability 1 / (e + 1), but counts for less."""
    cheap, dear = survey(PAIR, 1.0, (0.0, share)), survey(THREE, 2.0, (share, 1.0))
    rare = Fraction(dear.mechanisms[0].rates.false_hit_words, WORDS)
    most = 1 / (exp_below(2.0) + 1)
    exact = (Fraction(share) + GRAIN) * most + (1 - Fraction(share) + GRAIN) * rare
    assert exact < Fraction(clone_rate((cheap, dear))) < exact * (1 + Fraction(1, 2**50)) < most


@pytest.mark.parametrize("n_surveys", [3, 4, 64])
def test_the_dearest_of_however_many_surveys_decides_wherever_it_stands(n_surveys):
    lots = [(nth / n_surveys, (nth + 1) / n_surveys) for nth in range(n_surveys)]
    for dearest in range(n_surveys):
        surveys = tuple(survey(PAIR, 1.0 + (part == lots[dearest]), part) for part in lots)
        assert local_epsilon(surveys) == 2.0


@pytest.mark.parametrize("epsilon", [2 / 3, 0.01234567891, 1e-7])
def test_a_shuffler_is_told_the_very_epsilon_of_the_dearest_survey(epsilon):
    surveys = (
        sampled_survey("some", (PAIR,), epsilon, lots=(0.0, 0.5)),
        sampled_survey("others", (PAIR,), epsilon / 2, lots=(0.5, 1.0)),
    )
    assert local_epsilon(surveys) == epsilon


@pytest.mark.parametrize("low", [nth / 16 + 0.01 for nth in range(15)])
def test_the_rate_of_a_part_is_a_grain_more_and_the_sum_is_rounded_up(low):
    """Of orders of three items, for a part of people, and a set of which two of four hold."""
    named = NamedSet((0, 1), 4)
    epsilon, lots = 2.0, Fraction(low)
    parts = lots + GRAIN, 1 - lots + GRAIN
    most = 1 / (exp_below(epsilon) + 1)
    of_orders = GeneralizedRandomizedResponse(6, epsilon).rates.false_hit_words
    of_names = 2 * NamedMember(4, epsilon, 2).rates.false_hit_words
    rates = [min(most, Fraction(words, WORDS)) for words in (of_orders, of_names)]
    exact = sum(part * rate for part, rate in zip(parts, rates, strict=True))
    found = clone_rate((survey(THREE, epsilon, (0.0, low)), survey(named, epsilon, (low, 1.0))))
    assert min(exact, most) < Fraction(found) < exact * (1 + Fraction(1, 2**50))
    assert Fraction(1, 2**53) <= GRAIN


def test_the_members_of_a_set_are_all_clones():
    named = NamedSet((0, 1), 12)
    words = NamedMember(12, 1.0, 2).rates.false_hit_words
    assert 2 * words < WORDS / (exp_below(1.0) + 1)
    exact = Fraction(2 * words, WORDS) * (1 + GRAIN)
    assert exact < Fraction(clone_rate((survey(named, 1.0),))) < exact * (1 + Fraction(1, 2**50))


def test_a_question_is_worth_no_more_than_any_other_where_reports_are_of_another_kind():
    """Of two questions one is answered by bits: these are worth the most, and not a report each."""
    hides = GeneralizedRandomizedResponse(6, 1.0), SymmetricUnaryEncoding(6, 1.0)
    asked = Survey("both", (THREE, RelativeOrder((0, 1, 3))), hides, 1.0)
    most = 1 / (exp_below(1.0) + 1)
    exact = (Fraction(hides[0].rates.false_hit_words, WORDS) + most) / 2 * (1 + GRAIN)
    assert exact < Fraction(clone_rate((asked,))) < min(most, exact * (1 + Fraction(1, 2**50)))


def test_the_rate_of_several_questions_is_their_mean():
    sets = NamedSet((0, 1), 12), NamedSet((0, 1, 2), 12)
    hides = tuple(NamedMember(12, 1.0, question.n_members) for question in sets)
    most = 1 / (exp_below(1.0) + 1)
    each = [Fraction(one.n_members * one.rates.false_hit_words, WORDS) for one in hides]
    assert max(each) < most
    exact = sum(each) / 2 * (1 + GRAIN)
    found = clone_rate((Survey("sets", sets, hides, 1.0),))
    assert exact < Fraction(found) < exact * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("n_kinds", [3, 4, 5, 20])
def test_each_of_many_questions_counts_once_however_many_are_hidden_alike(n_kinds):
    """Nine of ten questions are hidden by the first mechanism."""
    kinds = [GeneralizedRandomizedResponse(6, 1.0 - nth / 64) for nth in range(n_kinds)]
    hides = (kinds[0],) * 9 * n_kinds + tuple(kinds)
    asked = Survey("orders", (THREE,) * len(hides), hides, 1.0)
    words = sum(one.rates.false_hit_words for one in hides)
    exact = Fraction(words, WORDS * len(hides)) * (1 + GRAIN)
    assert exact < Fraction(clone_rate((asked,))) < exact * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("mechanism", [SymmetricUnaryEncoding, OptimisedLocalHashing])
def test_of_reports_that_are_no_category_the_general_bound_holds(mechanism):
    asked = sampled_survey("asked", (THREE,), 2.0, make_mechanism=mechanism)
    most = 1 / (exp_below(asked.epsilon) + 1)
    assert clone_rate((asked,)) == pytest.approx(float(most), rel=1e-12)


@pytest.mark.parametrize("n_answers", [2, 3])
def test_several_answers_are_one_report_of_which_nothing_more_is_known(n_answers):
    """Each of them hides less well than a whole report of the round's epsilon."""
    asked = tuple(RelativeOrder(pair) for pair in ((0, 1), (0, 2), (1, 2)))
    mechanism = GeneralizedRandomizedResponse(2, 0.3)
    several = Survey("pairs", asked, (mechanism,) * 3, 0.3 * n_answers * 1.01, n_answers)
    most = 1 / (exp_below(several.epsilon) + 1)
    assert clone_rate((several,)) == pytest.approx(float(most), rel=1e-12)
    four, hides = RelativeOrder((0, 1, 2, 3)), GeneralizedRandomizedResponse(24, 1.0)
    wide = Survey("orders", (four,) * 3, (hides,) * 3, n_answers * 1.0, n_answers)
    most = 1 / (exp_below(wide.epsilon) + 1)
    assert clone_rate((wide,)) == pytest.approx(float(most), rel=1e-12)


def test_people_with_budgets_of_their_own_are_no_crowd():
    mine = sampled_survey("asked", (PAIR,), 1.0, budgets=(1.0, 2.0))
    with pytest.raises(HushrankError, match="people with other budgets are no crowd"):
        clone_rate((mine,))
    with pytest.raises(HushrankError, match="people with other budgets are no crowd"):
        clone_rate((survey(PAIR, 1.0, (0.0, 0.5)), replace(mine, lots=(0.5, 1.0))))
    with pytest.raises(HushrankError, match="this one asks a part of them"):
        clone_rate((survey(PAIR, 1.0, (0.0, 0.5)),))
