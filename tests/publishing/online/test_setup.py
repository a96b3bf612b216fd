from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.online.rules import StreamRules
from hushrank.publishing.online.setup import (
    StreamSetup,
    _require_known_enough,
    all_users,
    setup_by,
)
from hushrank.publishing.online.shards import shards_of
from tests.publishing.item_channel.problems import population
from tests.publishing.online.test_publisher import HISTORY, N_ITEMS, PROTECTS

POPULATIONS = {name: population(N_ITEMS, seed=n) for n, name in enumerate(("b", "gender", "age"))}


def of_six(history=HISTORY):
    users, items = ([f"{kind}{n}" for n in range(size)] for kind, size in (("u", 6), ("i", 24)))
    rules = StreamRules(0.02, limit=1.5)
    return StreamSetup(tuple(users), tuple(items), POPULATIONS, tuple(PROTECTS), rules, history)


@pytest.mark.parametrize("history", [None, HISTORY])
def test_a_setup_survives_its_bytes_exactly(history):
    before = of_six(history)
    after = StreamSetup.from_bytes(before.to_bytes())
    for name in ("users", "items", "protects", "rules"):
        assert getattr(after, name) == getattr(before, name)
    assert {*after.populations} == {*POPULATIONS}
    for name, known in POPULATIONS.items():
        assert np.array_equal(after.populations[name].joint, known.joint)
    held = [None if each is None else each.toarray().tolist() for each in (history, after.history)]
    assert held[0] == held[1]


def test_users_are_those_with_activity_and_then_all_who_have_a_profile_alone():
    profiles = SimpleNamespace(users=("u3", "u1", "u4", "u2"))
    assert all_users(("u1", "u9"), profiles) == ("u1", "u9", "u3", "u4", "u2")


def test_who_protects_two_attributes_is_hidden_in_both_together():
    asks = {(): [0], ("gender",): [1], ("gender", "age"): [2]}
    joint = SimpleNamespace(codes=np.arange(3), n_values=2)
    known = SimpleNamespace(protection=lambda names: asks, joint=lambda names: joint)
    profiles, private = SimpleNamespace(aligned=lambda users: known), ("gender", "age")
    users, items, rules = ("u0", "u1", "u2"), ("i0", "i1"), StreamRules(0.02)
    made = setup_by(lambda *told: POPULATIONS["age"], users, items, profiles, private, rules)
    assert made.protects == (None, "gender", "gender+age")
    assert {*made.populations} == {"gender", "gender+age"}


def test_every_user_is_in_one_shard_with_what_they_protect_and_have_released():
    whole = of_six()
    rows = {user: n for n, user in enumerate(whole.users)}
    shards = [*shards_of(whole, 2)]
    assert sorted(user for each in shards for user in each.users) == sorted(whole.users)
    for shard in shards:
        for n, user in enumerate(shard.users):
            assert shard.protects[n] == PROTECTS[rows[user]]
            assert (shard.history[[n]].toarray() == HISTORY[[rows[user]]].toarray()).all()


@pytest.mark.parametrize("n_groups", [None, 2, 15])
def test_a_limit_rests_on_sixteen_groups_of_users(n_groups):
    def known(n):
        of_few = population(N_ITEMS, seed=1)
        without = None if n is None else np.repeat(of_few.joint[:, None], n, axis=1)
        return replace(of_few, without=without)

    limited = StreamRules(0.02, limit=1.5)
    _require_known_enough([known(16), known(17)], limited)
    with pytest.raises(HushrankError, match="16 or more users"):
        _require_known_enough([known(16), known(n_groups)], limited)
    _require_known_enough([known(n_groups)], StreamRules(0.02))
