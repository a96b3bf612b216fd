"""Who may leave items out, and that it shows in nothing but noisy reports."""

from itertools import permutations

import numpy as np
import pytest

from hushrank.engines.cluster import Draws, People
from hushrank.engines.cluster import run as run_in_pieces
from hushrank.engines.crowd import require_answerable
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey

COMPLETE = Rankings.from_orders(np.array(list(permutations(range(4)))), tuple("abcd"))
KEYS = np.where(COMPLETE.ranks < np.arange(24)[:, None] % 5, COMPLETE.ranks, np.nan)
PARTIAL = Rankings.from_keys(KEYS, tuple("abcd"))
EMPTY = Rankings.from_keys(np.full((24, 4), np.nan), tuple("abcd"))
TIED = Rankings.from_keys([[1, 1, 2, np.nan]], tuple("abcd"))
PAIRS = [RelativeOrder((0, 1)), RelativeOrder((2, 3))]
FOR_ALL = sampled_survey("for all", [Stated(pair, "last") for pair in PAIRS], 1.0)
FOR_COMPLETE = sampled_survey("for complete", PAIRS, 1.0)
MIXED = sampled_survey("mixed", [Stated(PAIRS[0], "last"), PAIRS[1]], 1.0)
SURE = 60.0


def ask(*surveys: Survey):
    tallies = []
    for survey in surveys:
        tallies.append((yield (survey,))[0])
    return tallies


def test_which_surveys_take_incomplete_rankings():
    assert FOR_ALL.takes_incomplete
    assert not FOR_COMPLETE.takes_incomplete
    assert not MIXED.takes_incomplete


@pytest.mark.parametrize("drive", [run, simulate])
def test_people_who_left_items_out_say_so_through_the_noise(drive):
    survey = sampled_survey("sure", [Stated(PAIRS[0], "last")], SURE)
    rng = Randomness.seeded(1) if drive is run else np.random.default_rng(1)
    ((tally,),) = drive(ask(survey), PARTIAL, rng=rng).result
    expected = np.bincount(survey.questions[0].answer(PARTIAL.ranks), minlength=3)
    assert tally.support.tolist() == expected.tolist()
    assert tally.support[2] > 0
    exact = run_without_noise(ask(survey), PARTIAL)[0][0]
    assert exact.support == pytest.approx(expected)


@pytest.mark.parametrize("unranked", ["last", "unknown"])
def test_how_much_is_drawn_does_not_depend_on_how_much_people_rank(unranked):
    drawn = []
    for people in (COMPLETE, PARTIAL, EMPTY):
        read, n_bytes = np.random.default_rng(5).bytes, []

        def source(size, read=read, n_bytes=n_bytes):
            n_bytes.append(size)
            return read(size)

        mix = (MixPart("pairs"),)
        protocol = max_entropy(4, epsilon=1.0, n_people=24, mix=mix, unranked=unranked)
        run(protocol, people, rng=Randomness(source, is_private=False))
        drawn.append(sum(n_bytes))
    assert set(drawn) == {24 * 8 * 2}  # which question, and the report


@pytest.mark.parametrize("survey", [FOR_COMPLETE, MIXED])
def test_a_survey_for_complete_rankings_refuses_others_before_anything_is_drawn(survey):
    with pytest.raises(HushrankError, match="expected complete rankings"):
        run(ask(survey), PARTIAL, rng=Randomness.replayed(b""))
    run(ask(survey), COMPLETE, rng=Randomness.seeded(1))


@pytest.mark.parametrize("people", [COMPLETE, PARTIAL], ids=["complete", "partial"])
@pytest.mark.parametrize("later", [FOR_COMPLETE, MIXED])
def test_a_later_survey_is_refused_whatever_people_think(people, later):
    """Refusing only those who left something out would tell that somebody did."""
    with pytest.raises(HushrankError, match="needs complete rankings") as refused:
        run(ask(FOR_ALL, later), people, rng=Randomness.seeded(1))
    assert refused.value.__notes__ == ["a person may have spent epsilon 1 before"]


@pytest.mark.parametrize("people", [COMPLETE, PARTIAL], ids=["complete", "partial"])
def test_a_later_survey_of_people_in_pieces_is_refused_whatever_they_think(people):
    pieces = People.of(lambda rows: people[slice(*rows)], ((0, 10), (10, 24)))
    with pytest.raises(HushrankError, match="needs complete rankings"):
        run_in_pieces(ask(FOR_ALL, FOR_COMPLETE), pieces, draws=Draws.of(1))


@pytest.mark.parametrize("n_rounds", [2, 3, 21])
def test_who_left_items_out_can_be_asked_again_by_what_takes_that(n_rounds):
    outcome = run(ask(*[FOR_ALL] * n_rounds), PARTIAL, rng=Randomness.seeded(1))
    assert outcome.epsilon == n_rounds


def test_complete_people_may_be_asked_either_way_after_a_survey_for_them():
    outcome = run(ask(FOR_COMPLETE, FOR_ALL), COMPLETE, rng=Randomness.seeded(1))
    assert [len(tallies) for tallies in outcome.result] == [2, 2]


def test_ties_are_refused_before_anything_is_drawn():
    with pytest.raises(HushrankError, match="expected strict rankings"):
        run(ask(FOR_ALL), TIED, rng=Randomness.replayed(b""))


@pytest.mark.parametrize(
    ("earlier", "is_refused"),
    [((FOR_ALL,), True), ((FOR_ALL, FOR_ALL), True), ((FOR_COMPLETE, FOR_ALL), False)],
)
def test_what_the_first_survey_took_a_later_one_takes_too(earlier, is_refused):
    """Where the first one took complete rankings alone, all have them: a refusal tells nothing."""
    if is_refused:
        with pytest.raises(HushrankError, match="the first one did not"):
            require_answerable(FOR_COMPLETE, earlier, 4, is_complete=True)
    else:
        require_answerable(FOR_COMPLETE, earlier, 4, is_complete=True)


def test_one_person_s_truth_is_counted_without_noise():
    """As shares of three who all say the same."""
    alone, together = (Rankings.from_orders(np.array([[2, 0, 3, 1]] * n)) for n in (1, 3))
    ((of_one,), (of_three,)) = (
        run_without_noise(ask(FOR_COMPLETE), each) for each in (alone, together)
    )
    assert [each.n_reports for each in (*of_one, *of_three)] == [1, 1, 3, 3]
    for one, three in zip(of_one, of_three, strict=True):
        assert 3 * one.support == pytest.approx(three.support)
