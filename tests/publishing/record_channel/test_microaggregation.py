import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.planted import draw_planted
from hushrank.errors import HushrankError
from hushrank.publishing.record_channel import microaggregation
from hushrank.publishing.record_channel.dependent_rounding import round_dependently
from hushrank.publishing.record_channel.microaggregation import (
    LEAST_HOLDERS,
    pooled_records,
    solve_pools,
    sums_by,
    tastes,
)
from hushrank.randomness import Randomness
from hushrank.workflows.publish.historical import hold_out, publish
from tests.publishing.record_channel.test_channel import moved_once
from tests.statistics import random_seed


def people_of(n_users: int, n_values: int = 2, n_dimensions: int = 3):
    """Points near four places, and beliefs that go with the first coordinate."""
    rng = np.random.default_rng(random_seed())
    places = 3 * rng.normal(size=(4, n_dimensions))[rng.integers(4, size=n_users)]
    points = places + rng.normal(size=(n_users, n_dimensions))
    likings = rng.normal(size=(n_users, n_values)) + points[:, :1] * np.arange(n_values)
    weights = np.exp(likings)
    return points, weights / weights.sum(axis=1, keepdims=True)


def within(points: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean squared distance to the centre of one's pool."""
    sizes = np.bincount(labels)[:, None]
    centres = sums_by(labels, points, len(sizes)) / sizes
    return float(((points - centres[labels]) ** 2).sum(axis=1).mean())


@pytest.mark.linear_algebra
@pytest.mark.parametrize("n_values", [2, 3])
@pytest.mark.parametrize(("n_users", "least_users"), [(120, 20), (121, 30), (200, 7.5), (50, 60)])
def test_every_pool_has_its_share_of_every_value_by_the_beliefs(n_values, n_users, least_users):
    points, beliefs = people_of(n_users, n_values)
    found = solve_pools(points, beliefs, least_users=least_users)
    assert len(found.sizes) == max(1, n_users // int(np.ceil(least_users)))
    assert found.sizes.sum() == n_users
    assert np.ptp(found.sizes) <= 1
    assert found.sizes.min() >= min(least_users, n_users)
    of_values = found.chances.T @ beliefs
    np.testing.assert_allclose(of_values, found.sizes[:, None] * found.prior, atol=2e-4)
    assert found.leakage < 1e-9
    labels = found.draw(rng=Randomness.seeded(1))
    assert np.bincount(labels).tolist() == found.sizes.tolist()


def test_who_is_alike_is_in_one_pool_as_far_as_values_allow():
    points, beliefs = people_of(240)
    found = solve_pools(points, beliefs, least_users=30)
    labels = found.draw(rng=Randomness.seeded(2))
    anyhow = np.random.default_rng(3).permutation(labels)
    assert within(points, labels) < 0.7 * within(points, anyhow)


def sharp():
    """Users of whom it is all but known which value each one has, which their points show."""
    rng = np.random.default_rng(random_seed())
    has = rng.permutation(np.arange(60) % 2)
    beliefs = np.where(has[:, None] == np.arange(2), 0.97, 0.03)
    return rng.normal(size=(60, 2)) + 2 * has[:, None], beliefs


@pytest.mark.statistical
def test_pools_differ_as_those_of_a_partition_that_looks_at_nobody():
    """Pools that were balanced better would betray a user by the values of all the others."""
    points, beliefs = sharp()
    found = solve_pools(points, beliefs, least_users=20)
    rng, times = Randomness.seeded(random_seed()), 400
    sums = [sums_by(found.draw(rng=rng), beliefs[:, :1], 3).ravel() for _ in range(times)]
    spread = np.var(sums, axis=0, ddof=1).mean()
    by_chance = 20 * (1 - 20 / 60) * beliefs[:, 0].var(ddof=1)
    error = np.sqrt(2 / (2 * times))
    assert abs(spread / by_chance - 1) < 5 * error
    balanced = found.chances.T @ beliefs[:, 0]
    assert np.var(balanced) < 1e-6 * by_chance  # and so would be caught
    np.testing.assert_allclose(np.mean(sums, axis=0), 10, atol=5 * np.sqrt(by_chance / times))


@pytest.mark.linear_algebra
def test_words_decide_who_is_pooled_with_whom():
    points, beliefs = people_of(60)
    found = solve_pools(points, beliefs, least_users=10)
    first, again, other = (found.draw(rng=Randomness.seeded(seed)) for seed in (4, 4, 5))
    assert first.tolist() == again.tolist() != other.tolist()


def test_each_of_many_users_has_a_word_of_the_partition_that_looks_at_nobody():
    sizes, source = [], np.random.default_rng(random_seed())

    def read(size):
        sizes.append(size // 8)
        return source.bytes(size)

    points, beliefs = people_of(1500)
    pools = solve_pools(points, beliefs, least_users=500)
    pools.draw(rng=Randomness(read, is_private=False))
    assert sizes[0] == 1500


@pytest.mark.parametrize("kept", ["users", "pools"])
def test_users_who_are_not_pooled_as_settled_are_released_nowhere(monkeypatch, kept):
    """A pool of fewer than was asked for would be the record of these few."""

    def drawn(users, pools, chances, shape, *, rng):
        taken = round_dependently(users, pools, chances, shape, rng=rng)
        return moved_once(taken, {"users": users, "pools": pools}[kept])

    monkeypatch.setattr(microaggregation, "round_dependently", drawn)
    with pytest.raises(HushrankError, match="each user in one pool, and pools as settled"):
        solve_pools(*people_of(60), least_users=10).draw(rng=Randomness.seeded(1))


def test_users_of_one_point_are_one_pool():
    found = solve_pools(np.ones((12, 2)), np.full((12, 2), 0.5), least_users=3)
    assert found.sizes.tolist() == [12]
    assert found.draw(rng=Randomness.seeded(1)).tolist() == [0] * 12


@pytest.mark.parametrize("least_users", [2.9, 0, -1, np.nan, np.inf])
def test_pools_of_too_few_are_refused(least_users):
    with pytest.raises(HushrankError, match="expected pools of 3 or more users"):
        solve_pools(*people_of(20), least_users=least_users)


def test_what_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(microaggregation, "MOST_CELLS", 100)
    with pytest.raises(HushrankError, match="at most 100 users times pools, got 120: ask for larg"):
        solve_pools(*people_of(20), least_users=3)


def test_a_pool_s_record_is_the_mean_of_what_most_of_it_did():
    scores = np.array(
        [
            [1.0, 2, 0, 1, 0],
            [1, 4, 0, 0, 0],
            [1, 0, 3, 0, 0],
            [0, 3, 3, 0, 0],  # of this pool so far: 3, 3, 2, 1 and 0 holders
            [5, 0, 0, 0, 1],
            [5, 0, 0, 0, 1],
            [2, 0, 0, 0, 1],
        ]
    )
    labels = np.array([7, 7, 7, 7, 2, 2, 2])
    found = pooled_records(csr_array(scores), labels).toarray()
    np.testing.assert_allclose(found[:4], np.tile([0.75, 2.25, 0, 0, 0], (4, 1)))
    np.testing.assert_allclose(found[4:], np.tile([4, 0, 0, 0, 1], (3, 1)))
    assert LEAST_HOLDERS == 3
    few = pooled_records(csr_array(scores[:2]), labels[:2])
    assert few.nnz == 0


def test_a_pool_s_record_is_as_long_as_records_are():
    """Two items a user in the mean: of the items that all hold the first two are kept."""
    scores = np.zeros((8, 4))
    scores[:4] = 1
    found = pooled_records(csr_array(scores), np.array([0] * 4 + [1] * 4)).toarray()
    assert found[:4].tolist() == [[1, 1, 0, 0]] * 4
    assert not found[4:].any()


@pytest.mark.parametrize("n_shared", [1, 18, 40, 41, 500, 5000])
def test_of_however_long_records_no_item_of_two_users_is_shown(n_shared):
    """All three did the first items, and two of them twice as many others."""
    scores = np.zeros((3, 3 * n_shared))
    scores[:, :n_shared] = scores[:2] = 1
    found = pooled_records(csr_array(scores), np.zeros(3, dtype=np.intp)).toarray()
    assert found[:, :n_shared].all()
    assert not found[:, n_shared:].any()


def test_tastes_of_users_who_did_alike_are_near():
    log, people = draw_planted(300, 40, tilt=0.8, rng=np.random.default_rng(3))
    records = log.activity("max").scores
    groups = people.aligned(log.activity("max").users, surplus="dropped").attributes[0].codes
    points = tastes(records[:150], records[150:], rng=np.random.default_rng(1))
    near = points @ points.T
    same = groups[150:, None] == groups[150:]
    assert near[same].mean() > near[~same].mean() + 0.1
    np.testing.assert_allclose((points**2).sum(axis=1), 1)


@pytest.fixture(scope="module")
def planted():
    log, people = draw_planted(600, 40, tilt=0.6, rng=np.random.default_rng(3))
    visits = log.activity("max")
    asks = np.arange(visits.n_users) % 2 == 0
    people = people.aligned(visits.users, surplus="dropped").with_protected({"group": asks})
    return hold_out(visits, seed=1)[0], people, asks


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.linear_algebra
@pytest.mark.parametrize("budget", [20, 45])
def test_every_released_record_of_who_protects_is_shared_and_all_others_are_their_own(
    planted, budget, tmp_path
):
    visits, people, asks = planted
    release = publish(visits, people, private=["group"], budget=budget, method="microaggregate")
    after = release.activity.aligned(visits.users, visits.items).scores.toarray()
    before = visits.scores.toarray()
    assert (after[~asks] == before[~asks]).all()
    _, pool, sizes = np.unique(after[asks], axis=0, return_inverse=True, return_counts=True)
    assert sizes.min() >= budget
    assert len(sizes) == asks.sum() // budget
    for number in range(len(sizes)):
        own = before[asks][pool == number]
        shown = after[asks][pool == number][0]
        kept = shown > 0
        np.testing.assert_allclose(shown[kept], own.mean(axis=0)[kept])
        assert ((own[:, kept] > 0).sum(axis=0) >= LEAST_HOLDERS).all()
    owners = release.compared_with(visits, people)
    assert f"{budget:g} (users of a pool at least" in str(release)
    assert owners.expected_distortion == pytest.approx(sizes @ sizes / sizes.sum())
    assert owners.leakage_bits == pytest.approx(0, abs=1e-9)
    assert owners.leakage_bits_heldout < 0.02
    assert 0.3 < owners.attack_bound < 0.5
    assert sorted(owners.pool_sizes) == sorted(sizes)
    assert owners.summary["pools"] == str(len(sizes))
    owners.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Sizes of pools" in page
    assert re.search(rf"pool 1</t.>\s*<t.[^>]*>{sizes.max()}</t", page)
    assert "cluster 1" not in page
    assert "Released with their pool's mean record, by group: a 100 %, b 100 %" in str(owners.notes)
    assert len(np.unique(owners.posterior.chances, axis=0)) == 1
    other = visits.with_scores(csr_array(visits.scores * 2.0))
    with pytest.raises(HushrankError, match="that this was released from"):
        release.compared_with(other, people)


@pytest.mark.usefixtures("hasty_attackers")
def test_of_a_pool_that_has_nothing_in_common_nothing_is_released(planted):
    visits, people, asks = planted
    items = tuple(f"item {row}" for row in range(visits.n_users))
    own = Activity(csr_array(np.eye(visits.n_users)), visits.users, items)
    release = publish(own, people, private=["group"], budget=3, method="microaggregate", seed=1)
    assert release.activity.records_of_users.tolist() == (~asks).tolist()
    owners = release.compared_with(own, people)
    assert all(each.withheld == each.changed == each.users for each in owners.changed[0])


@pytest.mark.usefixtures("hasty_attackers")
def test_a_promise_of_pools_is_of_the_worst_attacker_there_is(planted, monkeypatch):
    monkeypatch.setattr("hushrank.workflows.publish.historical.REHEARSALS_OF_POOLS", 4)
    visits, people, _ = planted
    asked = {"private": ["group"], "protect": 0.38, "method": "microaggregate", "seed": 2}
    release = publish(visits, people, **asked)
    assert 10 < release.terms.budget < 300
    assert release.rehearsal.promised >= 0.38
    for trial in release.rehearsal.trials:
        assert len(trial.worst) == 4
        assert trial.budget == round(trial.budget)
    assert release.compared_with(visits, people).attack_bound > 0.36


def test_with_how_many_a_user_shares_a_record_is_a_mean_over_users():
    points, beliefs = people_of(7)
    found = solve_pools(points, beliefs, least_users=3)
    assert sorted(found.sizes.tolist()) == [3, 4]
    assert found.mean_users == pytest.approx((3 * 3 + 4 * 4) / 7)


@pytest.mark.parametrize("n_users", [3, 49, 98, 103, 107])
def test_a_mean_of_equal_scores_is_that_score(n_users):
    scores = csr_array(np.full((n_users, 1), 1.0))
    found = pooled_records(scores, np.zeros(n_users, dtype=np.intp))
    assert (found.toarray() == 1).all()
