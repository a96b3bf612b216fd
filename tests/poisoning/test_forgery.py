import re
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.shares import unbiased_shares
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.poisoning.forgery import Forgery, weight_of
from hushrank.protocols.orders.subset_order import estimated_mean_ranks
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.surveys.survey import Survey
from tests.poisoning.attacks import for_everything, survey_of, without_noise

MECHANISMS = [
    GeneralizedRandomizedResponse,
    SymmetricUnaryEncoding,
    OptimisedUnaryEncoding,
    OptimisedLocalHashing,
    SuccinctHistogram,
    Harmony,
]


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_a_forged_report_moves_an_estimated_share_by_its_weight_and_no_more(kind, epsilon):
    """Beside many honest reports whose supports are exactly their means."""
    mechanism = kind(6, epsilon)
    survey = Survey("whole", (RelativeOrder((0, 1, 2)),), (mechanism,), epsilon)
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    n, shares = 1000, np.array([0.5, 0.3, 0.2, 0, 0, 0])
    honest = Tally(n * (q + (p - q) * shares), n)
    moved = []
    for supports in (0, 1):
        forged = Tally(np.full(6, supports, dtype=np.int64), 1)
        change = unbiased_shares(mechanism, honest + forged) - unbiased_shares(mechanism, honest)
        moved.append(change * (n + 1) + shares)  # in honest people: 1 for a new one who thinks so
    weight = weight_of(survey).weight
    assert np.abs(np.concatenate(moved)).max() == pytest.approx(weight, rel=1e-9)
    assert weight >= 1


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_a_forged_order_moves_mean_ranks_by_its_weight(epsilon):
    mechanism = SubsetOrder(5, epsilon)
    survey = Survey("order", (WholeOrder((0, 1, 2, 3, 4)),), (mechanism,), epsilon)
    honest = Tally(np.full(5, 2 * 1000), 1000)  # people who agree on nothing
    forged = Tally(np.array([0, 1, 2, 3, 4]), 1)
    moved = estimated_mean_ranks(mechanism, honest + forged).mean_ranks - 2
    one_honest = (0 - 2) / 1001
    assert moved[0] / one_honest == pytest.approx(weight_of(survey).weight, rel=1e-9)
    assert weight_of(survey).claims == 1


@pytest.mark.parametrize("kind", MECHANISMS)
def test_a_forged_report_can_speak_for_as_many_answers_as_is_said(kind):
    mechanism = kind(6, 1.0)
    survey = Survey("whole", (RelativeOrder((0, 1, 2)),), (mechanism,), 1.0)
    claims = weight_of(survey).claims
    if kind is GeneralizedRandomizedResponse:
        reports = without_noise(np.arange(3))(survey.questions[0], mechanism, 1, None)
    elif kind is Harmony:
        reports = np.zeros(1, dtype=np.uint32)  # the row of ones
    else:
        reports = for_everything(survey.questions[0], mechanism, 1, None)
    assert mechanism.tally(reports).support.sum() == claims


def test_a_forged_report_of_who_stands_on_some_places_speaks_for_one_answer():
    mechanism = NamedMember(5, 1.0, n_members=2)
    survey = Survey("first", (NamedSet((0, 1), 5),), (mechanism,), 1.0)
    assert weight_of(survey).claims == mechanism.tally(np.array([3])).support.sum()


def test_the_worst_question_counts():
    survey = survey_of("max-entropy", 7, 1.0, 3000)
    each = {
        weight_of(Survey("one", (question,), (mechanism,), mechanism.epsilon)).weight
        for question, mechanism in zip(survey.questions, survey.mechanisms, strict=True)
    }
    assert weight_of(survey).weight == max(each)


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_many_forged_reports_move_a_share_by_their_pull_and_no_more(kind, epsilon):
    """Whatever honest people hold: an answer that everybody has can be pulled further."""
    mechanism = kind(6, epsilon)
    survey = Survey("whole", (RelativeOrder((0, 1, 2)),), (mechanism,), epsilon)
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    moved = []
    for share in (0.0, 0.3, 1.0):
        for supports in (0, 1):
            honest = Tally(np.full(6, 900 * (q + (p - q) * share)), 900)
            forged = Tally(np.full(6, supports * 100, dtype=np.int64), 100)
            moved.append(abs(unbiased_shares(mechanism, honest + forged)[0] - share))
    forgery = weight_of(survey)
    assert max(moved) == pytest.approx(forgery.pull / 10, rel=1e-9)
    assert forgery.shift(100, 900) == pytest.approx(min(1, max(moved)))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_many_forged_orders_move_a_mean_rank_by_their_pull(epsilon):
    """From the honest worst rank to the best that a report can say, of the four steps of five."""
    mechanism = SubsetOrder(5, epsilon)
    survey = Survey("order", (WholeOrder((0, 1, 2, 3, 4)),), (mechanism,), epsilon)
    last = 2 + mechanism.signal * (np.arange(5)[::-1] - 2)
    honest = Tally(900 * last, 900)
    forged = Tally(100 * np.arange(5), 100)
    before = estimated_mean_ranks(mechanism, honest).mean_ranks
    after = estimated_mean_ranks(mechanism, honest + forged).mean_ranks
    assert before[0] == pytest.approx(4)
    assert (before - after)[0] / 4 == pytest.approx(weight_of(survey).pull / 10, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_no_local_mechanism_has_forged_reports_that_weigh_less_than_a_pair_s(epsilon):
    """The bound of the theory, and who reaches it."""
    least = 1 / -np.expm1(-epsilon)
    for kind in MECHANISMS:
        for n_categories in (2, 3, 24):
            mechanism = kind(n_categories, epsilon)
            survey = Survey("one", (QUESTIONS[n_categories],), (mechanism,), epsilon)
            assert weight_of(survey).pull >= least * (1 - 1e-12)
    assert weight_by(GeneralizedRandomizedResponse(2, epsilon)) == pytest.approx(least)


def test_how_many_are_asked_a_question_counts_lots_answers_and_questions():
    hides, asked = GeneralizedRandomizedResponse(2, 0.5), RelativeOrder((0, 1))
    quarter = Survey("quarter", (asked,) * 5, (hides,) * 5, 1.0, 2, lots=(0.5, 0.75))
    assert weight_of(quarter).asked == pytest.approx(0.25 * 2 / 5)
    tenth = Survey("tenth", (asked,), (hides,), 0.5, lots=(0.75, 0.85))
    half = Survey("half", (asked,), (hides,), 0.5, lots=(0.0, 0.5))
    for surveys in permutations((half, tenth)):
        assert weight_of(*surveys).asked == pytest.approx(0.1)


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_surveys_are_as_easy_to_forge_as_what_hides_most(order):
    hides = [GeneralizedRandomizedResponse(2, epsilon) for epsilon in (0.25, 0.5, 1.0)]
    asked, ordered = (RelativeOrder((0, 1)),) * 3, tuple(hides[nth] for nth in order)
    each = [Survey("alone", asked[:1], (one,), 1.0) for one in ordered]
    weakest = weight_of(Survey("alone", asked[:1], (hides[0],), 1.0))
    for found in (weight_of(Survey("all", asked, ordered, 1.0)), weight_of(*each)):
        assert (found.weight, found.pull) == (weakest.weight, weakest.pull)


@pytest.mark.parametrize("kinds", [*permutations((GeneralizedRandomizedResponse, Harmony))])
def test_a_report_speaks_for_as_many_answers_as_the_most_talkative_mechanism_lets_it(kinds):
    asked = (RelativeOrder((0, 1, 2)),)
    each = [Survey("one", asked, (kind(6, 1.0),), 1.0) for kind in kinds]
    claims = [weight_of(survey).claims for survey in each]
    assert len(set(claims)) == 2
    assert weight_of(*each).claims == max(claims)


def test_what_many_forged_reports_move_is_their_share_times_their_pull():
    forgery = Forgery(1.5, 1, 2.0)
    assert forgery.shift(10, 90) == pytest.approx(0.2)
    assert forgery.shift(90, 10) == 1.0
    assert Forgery(1.5, 1, 2.0, asked=0.25).shift(10, 90) == pytest.approx(0.2)
    picked = Forgery(1.5, 1, 2.0, asked=0.25).shift(10, 90, picks=True)
    assert picked == pytest.approx(2 * 10 / (10 + 90 / 4))
    assert forgery.shift(0, 0) == forgery.shift(0, 10) == 0.0
    with pytest.raises(HushrankError, match="numbers of reports"):
        forgery.shift(-1, 10)


def test_the_documented_weights_are_these():
    page = (Path(__file__).parents[2] / "docs" / "theory" / "forged-reports.md").read_text()
    (table,) = re.findall(r"^\| epsilon \| a pair \|.*?\n\n", page, re.DOTALL | re.MULTILINE)
    for row in table.strip().splitlines()[2:]:
        epsilon, *documented = (float(cell) for cell in row.strip("|").split("|"))
        pair, levels = (GeneralizedRandomizedResponse(k, epsilon) for k in (2, 3))
        small = [SubsetOrder(7, epsilon), GeneralizedRandomizedResponse(24, epsilon)]
        hashed = [OptimisedLocalHashing(24, epsilon), SuccinctHistogram(24, epsilon)]
        each = [pair, levels, *small, SymmetricUnaryEncoding(24, epsilon), *hashed]
        assert documented == [pytest.approx(weight_by(one), rel=0.05) for one in each]


def weight_by(mechanism):
    question = QUESTIONS[mechanism.n_categories]
    return weight_of(Survey("one", (question,), (mechanism,), mechanism.epsilon)).weight


QUESTIONS = {
    2: RelativeOrder((0, 1)),
    3: RankLevel(0, (0, 1, 2)),
    7: WholeOrder(tuple(range(7))),
    24: RelativeOrder((0, 1, 2, 3)),
}
