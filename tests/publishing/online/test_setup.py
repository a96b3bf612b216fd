from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.publishing.online.rules import StreamRules, checked
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
HELD = Activity(csr_array([[2.0]]), ("u1",), ("i0",))
"""What the recipient has of two users, of whom one did something before."""


def of_many(n_users=300, n_names=40):
    """Return a setup of many users who protect many things, some of which are learnt of groups."""
    users, names = (tuple(map(str, range(size))) for size in (n_users, n_names))
    known = {name: population(N_ITEMS, 2 + n % 3, seed=n) for n, name in enumerate(names)}
    for name in names[::2]:
        without = np.repeat(known[name].joint[:, None], 3, axis=1)
        known[name] = replace(known[name], without=without)
    protects = tuple([None, *names][n % (n_names + 1)] for n in range(n_users))
    history = csr_array(np.random.default_rng(1).poisson(0.4, (n_users, N_ITEMS)) * 1.0)
    return replace(of_six(), users=users, populations=known, protects=protects, history=history)


def of_two(name, learnt, rules, history):
    """Return the setup of two users who protect this attribute, of which that was learnt."""
    users, attribute = ("u0", "u1"), Attribute(name, ("yes", "no"), np.arange(2))
    profiles = Profiles(users, (attribute,), {name: np.ones(2, dtype=bool)})
    asked = lambda *told: learnt, users, ("i0", "i1"), profiles, (name,), rules
    return setup_by(*asked, history=history)


def of_six(history=HISTORY):
    users, items = ([f"{kind}{n}" for n in range(size)] for kind, size in (("u", 6), ("i", 24)))
    rules = StreamRules(0.02, limit=1.5)
    return StreamSetup(tuple(users), tuple(items), POPULATIONS, tuple(PROTECTS), rules, history)


@pytest.mark.parametrize("make", [of_six, lambda: of_six(None), of_many])
def test_a_setup_survives_its_bytes_exactly(make):
    before = make()
    after = StreamSetup.from_bytes(before.to_bytes())
    for name in ("users", "items", "protects", "rules"):
        assert getattr(after, name) == getattr(before, name)
    assert {*after.populations} == {*before.populations}
    for name, known in before.populations.items():
        assert_same(after.populations[name].joint, known.joint)
        assert_same(after.populations[name].without, known.without)
    held = [None if each.history is None else each.history.toarray() for each in (before, after)]
    assert_same(*held)


@pytest.mark.parametrize("protects", [[0], [0] * 7, [0] * 5 + [3], [0] * 5 + [-2]])
def test_a_setup_that_does_not_say_what_each_user_protects_is_refused(protects):
    """Else somebody would be hidden in something else, or in nothing."""
    stored = msgspec.msgpack.decode(of_six().to_bytes())
    with pytest.raises(HushrankError, match="the state of `publish online`"):
        StreamSetup.from_bytes(msgspec.msgpack.encode({**stored, "protects": protects}))


def assert_same(one, other):
    assert (one is None) == (other is None)
    assert one is None or np.array_equal(one, other)


def test_users_are_those_with_activity_and_then_all_who_have_a_profile_alone():
    profiles = SimpleNamespace(users=("u3", "u1", "u4", "u2"))
    assert all_users(("u1", "u9"), profiles) == ("u1", "u9", "u3", "u4", "u2")
    names = tuple(f"u{n}" for n in range(2000))
    assert all_users(names[:1000], SimpleNamespace(users=names[500:])) == names


@pytest.mark.parametrize("history", [None, HELD])
def test_each_of_many_users_is_hidden_in_all_that_they_protect(history):
    """One who was passed over would be released unchanged."""
    private = tuple("abcdef")
    codes, kinds = np.divmod(np.arange(40 * 2**6), 2**6)
    asks = {name: kinds >> n & 1 == 1 for n, name in enumerate(private)}
    users = tuple(f"u{n}" for n in range(len(kinds)))
    attributes = tuple(Attribute(name, ("yes", "no"), codes % 2) for name in private)
    asked = users, ("i0", "i1"), Profiles(users, attributes, asks), private, StreamRules(0.02)
    made = setup_by(lambda *told: POPULATIONS["age"], *asked, history=history)
    own = ["+".join(name for name in private if asks[name][n]) or None for n in range(len(kinds))]
    assert made.protects == tuple(own)
    assert {*made.populations} == {*own} - {None}


def test_who_protects_two_attributes_is_hidden_in_both_together():
    asks = {(): [0], ("gender",): [1], ("gender", "age"): [2]}
    joint = SimpleNamespace(codes=np.arange(3), n_values=2)
    known = SimpleNamespace(protection=lambda names: asks, joint=lambda names: joint)
    profiles, private = SimpleNamespace(aligned=lambda users: known), ("gender", "age")
    users, items, rules = ("u0", "u1", "u2"), ("i0", "i1"), StreamRules(0.02)
    made = setup_by(lambda *told: POPULATIONS["age"], users, items, profiles, private, rules)
    assert made.protects == (None, "gender", "gender+age")
    assert {*made.populations} == {"gender", "gender+age"}


def test_a_stream_begins_with_what_the_recipient_holds():
    users, items, rules = ("u0", "u1"), ("i0", "i1"), StreamRules(0.02)
    asks = {("gender",): [0, 1]}
    joint = SimpleNamespace(codes=np.arange(2), n_values=2)
    known = SimpleNamespace(protection=lambda names: asks, joint=lambda names: joint)
    profiles = SimpleNamespace(aligned=lambda users: known)
    asked = lambda *told: POPULATIONS["age"], users, items, profiles, ("gender",), rules
    assert setup_by(*asked, history=HELD).history.toarray().tolist() == [[0, 0], [2, 0]]
    for whose, of_what in ((("u2",), ("i0",)), (("u1",), ("i2",))):
        with pytest.raises(HushrankError, match=r"a history of known .*, got 1 others"):
            setup_by(*asked, history=Activity(csr_array([[2.0]]), whose, of_what))


@pytest.mark.parametrize(
    ("make", "n_shards"), [(of_six, 2), (lambda: of_six(None), 2), (of_many, 3), (of_many, 30)]
)
def test_every_user_is_in_one_shard_with_what_they_protect_and_have_released(make, n_shards):
    whole = make()
    rows = {user: n for n, user in enumerate(whole.users)}
    shards = [*shards_of(whole, n_shards)]
    assert len(shards) == n_shards
    assert sorted(user for each in shards for user in each.users) == sorted(whole.users)
    for shard in shards:
        own = [rows[user] for user in shard.users]
        assert shard.protects == tuple(whole.protects[row] for row in own)
        assert (shard.history is None) == (whole.history is None)
        if whole.history is not None:
            assert (shard.history.toarray() == whole.history[own].toarray()).all()


@pytest.mark.parametrize("history", [None, HELD])
def test_no_attribute_is_named_as_several_together(history):
    """Who protects both would be hidden by what tells of another."""
    with pytest.raises(HushrankError, match="which joins them"):
        of_two("a+b", POPULATIONS["age"], StreamRules(0.02), history)


@pytest.mark.parametrize("history", [None, HISTORY])
def test_no_shard_is_without_users(history):
    with pytest.raises(HushrankError, match="expected users for each of 500 shards"):
        [*shards_of(of_six(history), 500)]
    with pytest.raises(HushrankError, match="expected 1 or more shards, got 0"):
        [*shards_of(of_six(history), 0)]


@pytest.mark.parametrize("n_groups", [None, 2, 15])
def test_a_limit_rests_on_sixteen_groups_of_users(n_groups):
    def known(n):
        of_few = population(N_ITEMS, seed=1)
        without = None if n is None else np.repeat(of_few.joint[:, None], n, axis=1)
        return replace(of_few, without=without)

    limited = StreamRules(0.02, limit=1.5)
    _require_known_enough([known(16), known(17)], limited)
    for n_enough in (1, 30):
        with pytest.raises(HushrankError, match="16 or more users"):
            _require_known_enough([*[known(16)] * n_enough, known(n_groups)], limited)
    _require_known_enough([known(n_groups)], StreamRules(0.02))
    for history in (None, HELD):
        with pytest.raises(HushrankError, match="16 or more users"):
            of_two("age", known(n_groups), limited, history)


@pytest.mark.parametrize("kind", [np.int32, np.uint64, np.int64])
def test_users_and_items_of_large_numbers_stay_who_they_are(kind):
    numbers = np.array([0, 127, 128, 32_767, 32_768, 65_536, 2**31 - 1], dtype=kind)
    assert checked(numbers, 2**31).tolist() == numbers.tolist()
