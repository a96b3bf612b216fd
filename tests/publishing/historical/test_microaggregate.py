"""Groups of users who protect different things, in pools: whose records make whose."""

from dataclasses import replace

import numpy as np
import pytest

from hushrank.publishing.historical import believed, microaggregate
from hushrank.publishing.historical.microaggregate import microaggregate_plans
from hushrank.publishing.historical.release import (
    NOTHING,
    changed_users,
    exchange_records,
    pooled_rows,
    records_of,
)
from hushrank.publishing.record_channel.microaggregation import LEAST_HOLDERS
from hushrank.randomness import Randomness
from tests.publishing.historical.test_figures import something_known
from tests.publishing.historical.test_historical import users

BUDGET = 12


@pytest.fixture(scope="module")
def pooled():
    found = users()
    plans = microaggregate_plans(found, budget=BUDGET, choices=np.random.default_rng(2))
    drawn = exchange_records(found, plans, "microaggregate", BUDGET, rng=Randomness.seeded(3))
    return found, drawn


@pytest.mark.usefixtures("hasty_attackers")
def test_pools_are_of_users_who_protect_the_same_and_no_smaller_than_was_asked(pooled):
    found, drawn = pooled
    assert len(drawn.plans) == 3
    for plan in drawn.plans:
        rows = found.rows[plan.users]
        assert np.isin(drawn.sources[rows], rows).all()
        assert np.unique(drawn.sources[rows], return_counts=True)[1].min() >= BUDGET


def test_everybody_is_released_with_the_mean_of_their_own_pool_and_nobody_with_a_record(pooled):
    """Of each item of a pool the mean score of its members, or nothing."""
    found, drawn = pooled
    before, after = found.activity.scores.toarray(), drawn.activity.scores.toarray()
    for source in np.unique(drawn.sources[found.rows]):
        pool = np.flatnonzero(drawn.sources == source)
        assert (after[pool] == after[pool[0]]).all()
        kept = after[pool[0]] > 0
        assert kept.any()
        assert after[pool[0]][kept] == pytest.approx(before[pool].mean(axis=0)[kept])
        assert ((before[pool] > 0).sum(axis=0)[kept] >= LEAST_HOLDERS).all()
        assert not (after[pool] == before[pool]).all(axis=1).any()


def test_what_pools_cost_is_with_how_many_a_user_shares_a_record_in_the_mean(pooled):
    found, drawn = pooled
    are_equal = []
    for plan in drawn.plans:
        sizes = np.unique(drawn.sources[found.rows[plan.users]], return_counts=True)[1]
        assert plan.expected_distortion == pytest.approx((sizes**2).sum() / sizes.sum(), rel=1e-12)
        are_equal.append(sizes.min() == sizes.max())
    assert not all(are_equal)


def test_what_pools_tell_of_users_held_out_is_what_is_estimated(monkeypatch):
    monkeypatch.setattr(believed, "estimate_leakage_by_laws", lambda laws, values: len(values) / 8)
    found = users()
    for plan in microaggregate_plans(found, budget=BUDGET, choices=np.random.default_rng(2)):
        n_told = found.values(plan.names, plan.users).told.sum()
        assert plan.leaked.leakage_bits_heldout == n_told / 8


def test_users_who_protect_nothing_keep_their_records(pooled):
    found, drawn = pooled
    is_open = ~np.isin(np.arange(found.activity.n_users), found.rows)
    assert is_open.any()
    before, after = found.activity.scores.toarray(), drawn.activity.scores.toarray()
    assert (after[is_open] == before[is_open]).all()
    assert (drawn.sources[is_open] == np.flatnonzero(is_open)).all()


def test_everybody_of_a_pool_is_changed_the_one_whose_place_it_has_too(pooled):
    found, drawn = pooled
    for plan in drawn.plans:
        for one in changed_users(found, plan, drawn.sources):
            assert (one.changed, one.withheld) == (one.users, 0)


@pytest.mark.parametrize("rng", [Randomness.seeded(6), Randomness.secure()])
def test_a_pool_of_two_is_released_with_nothing_and_the_others_as_they_are(pooled, rng):
    """No item has three holders there; that its members share it may not move other pools' rows."""
    found, drawn = pooled
    plan = drawn.plans[0]
    among = plan.draw(rng=Randomness.seeded(5))
    first = plan.users[0]
    two = np.flatnonzero(among == among[0])[:2]
    among = among.copy()
    among[two] = plan.users[two[0]]
    rest = (among == first) & ~np.isin(np.arange(len(among)), two)
    among[rest] = plan.users[np.flatnonzero(rest)[0]]
    plans = [replace(plan, draw=lambda *, rng: among), *drawn.plans[1:]]
    again = exchange_records(found, plans, "microaggregate", BUDGET, rng=rng)
    assert again.is_private == rng.is_private
    rows = found.rows[plan.users[two]]
    assert (again.sources[rows] == NOTHING).all()
    assert again.activity.scores[rows].nnz == 0
    before, after = found.activity.scores.toarray(), again.activity.scores.toarray()
    others = np.setdiff1d(found.rows, rows)
    assert (again.sources[others] != NOTHING).all()
    for source in np.unique(again.sources[others]):
        pool = np.flatnonzero(again.sources == source)
        kept = after[pool[0]] > 0
        assert kept.any()
        assert after[pool[0]][kept] == pytest.approx(before[pool].mean(axis=0)[kept])
    told_again = records_of(found.activity, again.sources, pooled_rows(found, plans))
    assert (told_again.toarray() == after).all()
    withheld = [one.withheld for one in changed_users(found, plan, again.sources)]
    assert sum(withheld) == 2


@pytest.mark.usefixtures("hasty_attackers")
def test_who_is_alike_is_learnt_from_users_who_protect_nothing(monkeypatch):
    found, learnt = users(), []
    plain = microaggregate.tastes

    def seen(of_open, of_members, *, rng):
        learnt.append((of_open.toarray(), of_members.toarray()))
        return plain(of_open, of_members, rng=rng)

    monkeypatch.setattr(microaggregate, "tastes", seen)
    plans = microaggregate_plans(found, budget=BUDGET, choices=np.random.default_rng(2))
    scores = found.activity.scores.toarray()
    is_open = ~np.isin(np.arange(len(scores)), found.rows)
    assert len(learnt) == len(plans) == 3
    for plan, (of_open, of_members) in zip(plans, learnt, strict=True):
        assert (of_open == scores[is_open]).all()
        assert (of_members == scores[found.rows[plan.users]]).all()


def test_pools_are_made_by_the_beliefs_of_their_own_members(monkeypatch):
    found, given, plain = users(), [], microaggregate.solve_pools

    def remembered(points, beliefs, *, least_users):
        given.append(beliefs)
        return plain(points, beliefs, least_users=least_users)

    monkeypatch.setattr(microaggregate, "solve_pools", remembered)
    asked = {"choices": np.random.default_rng(2), "believe": something_known}
    plans = microaggregate_plans(found, budget=BUDGET, **asked)
    for plan, beliefs in zip(plans, given, strict=True):
        own = something_known(found, plan.names, plan.users, None, None)
        np.testing.assert_array_equal(beliefs, own)


def test_beliefs_are_learnt_from_nobody_who_protects_anything(monkeypatch):
    found, learnt = users(), []
    monkeypatch.setattr(believed, "beliefs", lambda *given, **asked: learnt.append(given))
    for names, members in found.groups.items():
        believed.believed(found, names, members, np.random.default_rng(2), lambda share: None)
    scores = found.activity.scores.toarray()
    is_open = ~np.isin(np.arange(len(scores)), found.rows)
    assert len(learnt) == len(found.groups) == 3
    for (names, members), (known, values, asked, _) in zip(
        found.groups.items(), learnt, strict=True
    ):
        value = found.private.joint(names)
        taught = is_open & value.told
        np.testing.assert_array_equal(known.toarray(), scores[taught])
        np.testing.assert_array_equal(values, value.codes[taught])
        np.testing.assert_array_equal(asked.toarray(), scores[found.rows[members]])


@pytest.mark.usefixtures("hasty_attackers")
def test_beliefs_are_learnt_once_of_each_group(monkeypatch):
    found, seen = users(), []
    again = replace(found)
    learns = believed.believed
    monkeypatch.setattr(believed, "believed", lambda *given: seen.append(given) or learns(*given))
    plain = microaggregate_plans(found, budget=BUDGET, choices=np.random.default_rng(2))
    believe = believed.learnt_once()
    for of_whom, budget in ((found, BUDGET), (found, 2 * BUDGET), (again, BUDGET)):
        choices = np.random.default_rng(2)
        plans = microaggregate_plans(of_whom, budget=budget, choices=choices, believe=believe)
        if budget == BUDGET:
            for one, other in zip(plans, plain, strict=True):
                assert (one.posterior == other.posterior).all()
    assert [given[0] for given in seen] == [found] * 3 + [again] * 3
    assert [given[1] for given in seen] == 2 * [plan.names for plan in plain]


def test_records_of_nobody_pooled_are_those_of_their_sources(pooled):
    found, _ = pooled
    sources = np.roll(np.arange(found.activity.n_users), 1)
    given = records_of(found.activity, sources, np.zeros(0, dtype=np.intp)).toarray()
    assert (given == found.activity.scores.toarray()[sources]).all()
