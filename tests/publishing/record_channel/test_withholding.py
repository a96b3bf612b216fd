import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.planted import draw_planted
from hushrank.errors import HushrankError
from hushrank.publishing.record_channel.withholding import (
    Withholding,
    solve_withholding,
    told_by_records,
    without,
)
from hushrank.randomness import Randomness
from hushrank.workflows.publish.historical import publish
from tests.statistics import random_seed


def beliefs_of(n_users: int, n_values: int) -> np.ndarray:
    rng = np.random.default_rng(random_seed())
    return rng.dirichlet(np.linspace(1, 2, n_values), size=n_users)


@pytest.mark.parametrize("n_values", [2, 3, 4])
@pytest.mark.parametrize("budget", [0.0, 0.3, 0.6, 1.0])
def test_that_a_record_is_withheld_tells_nothing_and_no_choice_tells_less(n_values, budget):
    found = solve_withholding(beliefs_of(200, n_values), budget=budget)
    of_withheld = found.chances @ found.beliefs
    np.testing.assert_allclose(of_withheld, found.chances.sum() * found.prior, atol=1e-6)
    assert found.share <= budget + 1e-9
    assert found.certified_gap <= 1e-7
    assert ((found.chances > 0) & (found.chances < 1)).sum() <= n_values
    assert 0 <= found.leakage <= found.untouched_leakage + 1e-12


def test_the_more_is_withheld_the_less_is_told_and_nothing_in_the_end():
    beliefs = beliefs_of(100, 2)
    leaked = [solve_withholding(beliefs, budget=share).leakage for share in (0, 0.25, 0.5, 1)]
    assert sorted(leaked, reverse=True) == leaked
    assert leaked[0] == pytest.approx(told_by_records(beliefs).mean())
    assert leaked[-1] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n_values", [2, 3])
def test_what_is_told_is_the_information_of_who_is_released_as_what(n_values):
    """By its definition, of so few users that the chances of some are fractions."""
    found = solve_withholding(beliefs_of(7, n_values), budget=0.45)
    assert ((found.chances > 0) & (found.chances < 1)).any()
    released = (1 - found.chances)[:, None] * found.beliefs
    joint = np.vstack([released, found.chances @ found.beliefs]) / 7
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    seen = apart > 0
    assert found.leakage == pytest.approx((joint[seen] * np.log(joint[seen] / apart[seen])).sum())


def test_of_two_values_the_users_in_the_middle_are_released():
    """Both ends are withheld: no released record is farther from the prior than a withheld one."""
    found = solve_withholding(beliefs_of(300, 2), budget=0.5)
    off = found.beliefs[:, 1] - found.prior[1]
    for side in (off > 0, off < 0):
        kept, gone = abs(off[side & (found.chances == 0)]), abs(off[side & (found.chances == 1)])
        assert kept.max() <= gone.min()


def test_a_gap_is_seen_where_others_should_have_been_withheld():
    found = solve_withholding(beliefs_of(200, 2), budget=0.4)
    worse = type(found)(found.beliefs, found.chances[::-1].copy(), 0.4, found.multipliers)
    assert worse.certified_gap > 0.01


@pytest.mark.statistical
def test_records_are_withheld_with_their_chances():
    found = solve_withholding(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), budget=0.5)
    times, rng = 4000, Randomness.seeded(random_seed())
    drawn = np.mean([found.draw(rng=rng) for _ in range(times)], axis=0)
    assert (abs(drawn - found.chances) <= 5 / np.sqrt(4 * times)).all()
    assert ((found.chances > 0) & (found.chances < 1)).any()


def test_a_withheld_record_is_empty_and_the_others_are_as_they_were():
    records = csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [4, 5, 6]]))
    left = without(records, np.array([False, True, False]))
    np.testing.assert_array_equal(left.toarray(), [[1, 0, 2], [0, 0, 0], [4, 5, 6]])


@pytest.mark.parametrize("budget", [-0.1, 1.1, np.nan])
def test_a_share_out_of_range_is_refused(budget):
    with pytest.raises(HushrankError, match="expected a share of 0 to 1"):
        solve_withholding(beliefs_of(10, 2), budget=budget)


def test_each_user_s_record_is_withheld_by_a_word_of_their_own():
    chances = np.array([0.5, 0.5, 0.0, 1.0, 0.25])
    solved = Withholding(np.full((5, 2), 0.5), chances, 0.5, np.zeros(2))
    words = [2**63 - 1, 2**63, 0, 2**64 - 1, 2**62 - 1]
    rng = Randomness.replayed(b"".join(word.to_bytes(8, "little") for word in words))
    assert solved.draw(rng=rng).tolist() == [True, False, False, True, True]


def test_of_many_users_too_each_has_a_word():
    n_users, half = 3000, 2.0**63
    words = np.random.default_rng(random_seed()).integers(2**64, size=n_users, dtype=np.uint64)
    solved = Withholding(np.full((n_users, 2), 0.5), np.full(n_users, 0.5), 0.5, np.zeros(2))
    found = solved.draw(rng=Randomness.replayed(words.astype("<u8").tobytes()))
    assert found.tolist() == (words < half).tolist()


def test_of_whoever_is_withheld_nothing_is_released_and_of_all_others_all():
    log, people = draw_planted(300, 30, tilt=0.6, rng=np.random.default_rng(3))
    visits = log.activity("max")
    asks = np.arange(visits.n_users) % 2 == 0
    people = people.aligned(visits.users, surplus="dropped").with_protected({"group": asks})
    release = publish(visits, people, private=["group"], budget=0.4, method="withhold", seed=2)
    left = release.activity.records_of_users
    is_withheld = left == 0
    assert 0.2 < is_withheld[asks].mean() < 0.6
    assert not is_withheld[~asks].any()
    assert left[~is_withheld].tolist() == visits.records_of_users[~is_withheld].tolist()
