import numpy as np
import pytest
from scipy.stats import beta

from hushrank.aggregators.uncertainty import resampled
from hushrank.aggregators.uncertainty.resampled import ranks_of_other_people
from hushrank.models.mallows import Mallows
from hushrank.rankings.profile import Rankings

NAMES = ("a", "b", "c", "d", "e")


def voters(n_first, n_second):
    orders = np.array([[0, 1]] * n_first + [[1, 0]] * n_second)
    return Rankings.from_orders(orders, NAMES[:2])


def drawn_ballots(n_people, seed):
    model = Mallows((3, 1, 4, 0, 2), 0.93)
    return Rankings(model.sample(n_people, rng=np.random.default_rng(seed)), NAMES)


@pytest.mark.parametrize("rule", ["scores", "pairs"])
@pytest.mark.parametrize(("n_first", "n_second"), [(1, 0), (2, 0), (3, 1), (15, 10), (330, 300)])
def test_of_one_pair_it_is_what_a_uniform_prior_says(rule, n_first, n_second):
    (found,) = ranks_of_other_people(voters(n_first, n_second), rule=rule).ahead((0, 1))
    assert found == pytest.approx(beta.sf(0.5, n_first + 1, n_second + 1), abs=0.06)


def test_opposite_ballots_leave_everything_open():
    drawn = ranks_of_other_people(voters(1, 1), rule="pairs")
    assert drawn.ahead((0, 1))[0] == pytest.approx(0.5, abs=0.06)
    assert drawn.intervals() == ((0, 1), (0, 1))


def test_intervals_hold_the_order_of_the_population_as_often_as_they_say():
    """Of 40 samples of 60 people: 95 % of the places, and never fewer than 88 %."""
    truth = np.argsort((3, 1, 4, 0, 2))
    held = []
    for seed in range(40):
        bounds = np.array(ranks_of_other_people(drawn_ballots(60, seed), rule="pairs").intervals())
        held.append((bounds[:, 0] <= truth) & (truth <= bounds[:, 1]))
    assert 0.88 < np.mean(held) <= 1.0


@pytest.mark.parametrize("unranked", ["unknown", "last"])
def test_scores_are_the_sums_of_margins(unranked):
    rng = np.random.default_rng(6)
    keys = rng.integers(1, 5, (40, 6)).astype(float)
    keys[rng.random((40, 6)) < 0.3] = np.nan
    ballots = Rankings.from_keys(keys, (*NAMES, "f"))
    scores, margins = (
        resampled._sums_of_groups(ballots, by_pairs, unranked, np.random.default_rng(7))
        for by_pairs in (False, True)
    )
    np.testing.assert_array_equal(scores, margins.sum(axis=2))
    assert scores.any()


@pytest.mark.block_sizes
def test_more_people_are_surer():
    few, many = (
        min(ranks_of_other_people(drawn_ballots(n, 3), rule="pairs").ahead((3, 1, 4, 0, 2)))
        for n in (30, 3000)
    )
    assert few < 0.9 < many


def test_rows_that_stand_for_several_are_as_many_people(monkeypatch):
    ballots = drawn_ballots(2000, 5)
    alike = [
        ranks_of_other_people(each, rule="pairs").chances() for each in (ballots, ballots.counted())
    ]
    np.testing.assert_allclose(*alike, atol=0.12)
    monkeypatch.setattr(resampled, "MOST_SINGLE_PEOPLE", 10)
    thrown = ranks_of_other_people(ballots.counted(), rule="pairs").chances()
    np.testing.assert_allclose(alike[0], thrown, atol=0.12)


def test_what_a_ballot_leaves_out_says_nothing_or_comes_last():
    keys = np.array([[0.0, np.nan, np.nan]] * 50)
    partial = Rankings.from_keys(keys, NAMES[:3])
    unknown = ranks_of_other_people(partial, rule="pairs")
    last = ranks_of_other_people(partial, rule="pairs", unranked="last")
    assert unknown.chances()[0, 0] < 0.7
    assert last.chances()[0, 0] > 0.99
