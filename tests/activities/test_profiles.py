import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.activities.attribute import Attribute, joint_attribute
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError

USERS = ("ann", "bob", "cleo", "dan")
GENDER = Attribute("gender", ("F", "M"), np.array([0, 1, -1, 1], dtype=np.int16))
AGE = Attribute("age", ("<18", "18-34", "35+"), np.array([1, 2, 2, -1], dtype=np.int16))
ASKED = {
    "gender": np.array([True, True, True, False]),
    "age": np.array([True, False, True, False]),
}
PROFILES = Profiles(USERS, (GENDER, AGE), ASKED)


def test_an_attribute_counts_who_tells():
    assert GENDER.told.tolist() == [True, True, False, True]
    assert (GENDER.counts.tolist(), AGE.counts.tolist()) == ([1, 2], [0, 1, 2])
    assert repr(AGE) == "Attribute(age, 3 values, 4 users)"


def test_values_that_nobody_has_can_be_left_out():
    used = AGE.used()
    assert (used.values, used.codes.tolist()) == (("18-34", "35+"), [0, 1, 1, -1])
    assert GENDER.used() == GENDER


@pytest.mark.parametrize("codes", [[0, 0, -1], [-1, -1, -1]])
def test_one_value_is_nothing_to_infer(codes):
    attribute = Attribute("gender", ("F", "M"), np.array(codes, dtype=np.int16))
    with pytest.raises(HushrankError, match="attribute gender: expected 2 or more values"):
        attribute.used()
    with pytest.raises(HushrankError, match="attribute gender"):
        Profiles.protecting_all(("1", "2", "3"), [attribute]).joint(["gender"])
    with pytest.raises(HushrankError, match="attribute gender, gender"):
        joint_attribute([attribute, attribute])


@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        ((), [-1], "values, got 0"),
        (("F", "F"), [0], "distinct values"),
        (("F", " M"), [0], "without outer blanks"),
        (("F", "M"), [2], r"codes -1\.\.1"),
        (("F", "M"), [-2], r"codes -1\.\.1"),
        (("F", "M"), [[0]], "shape"),
        (("F", "M"), [0.5], "whole codes"),
    ],
)
def test_other_attributes_are_refused(values, codes, expected):
    with pytest.raises(HushrankError, match=expected):
        Attribute("gender", values, np.array(codes))


def test_the_product_of_attributes_has_the_combinations_that_occur():
    joint = PROFILES.joint(["gender", "age"])
    assert (joint.name, joint.values) == ("gender, age", ("F, 18-34", "M, 35+"))
    assert joint.codes.tolist() == [0, 1, -1, -1]
    assert PROFILES.joint(["age"]) == AGE.used()


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 3)), min_size=2, max_size=20))
def test_a_product_tells_what_its_parts_tell(pairs):
    first, second = np.array(pairs).T
    one = Attribute("one", ("a", "b", "c"), first)
    two = Attribute("two", ("1", "2", "3", "4"), second)
    expected = [f"{'abc'[a]}, {b + 1}" if a >= 0 and b >= 0 else None for a, b in pairs]
    if len(set(expected) - {None}) < 2:
        return
    joint = joint_attribute([one, two])
    assert [joint.values[c] if c >= 0 else None for c in joint.codes] == expected
    assert set(joint.values) == set(expected) - {None}


def test_each_of_many_attributes_is_asked_who_tells_and_who_protects():
    """Of 24: user n does not tell the n-th, and protects that alone; the last two tell all."""
    names = [f"attribute {n}" for n in range(24)]
    codes = np.where(np.eye(24, 26, dtype=bool), -1, [0, 1] * 13)
    attributes = tuple(
        Attribute(name, ("a", "b"), row) for name, row in zip(names, codes, strict=True)
    )
    profiles = Profiles(
        [*map(str, range(26))], attributes, dict(zip(names, codes < 0, strict=True))
    )
    assert profiles.joint(names).codes.tolist() == [-1] * 24 + [0, 1]
    assert profiles.protects(names).tolist() == [True] * 24 + [False] * 2


def test_users_are_grouped_by_what_they_protect():
    def by_names(names):
        return {asked: rows.tolist() for asked, rows in PROFILES.protection(names).items()}

    assert by_names(["gender", "age"]) == {("gender", "age"): [0, 2], ("gender",): [1], (): [3]}
    assert by_names(["age"]) == {("age",): [0, 2], (): [1, 3]}
    assert by_names([]) == {(): [0, 1, 2, 3]}


def test_names_are_known_and_distinct():
    with pytest.raises(HushrankError, match="attribute of gender, age"):
        PROFILES.joint(["income"])
    for call in (PROFILES.joint, PROFILES.protection):
        with pytest.raises(HushrankError, match="distinct"):
            call(["age", "age"])
    with pytest.raises(HushrankError, match="1 or more"):
        PROFILES.joint([])


def test_everybody_protects_everything_unless_said_otherwise():
    profiles = Profiles.protecting_all(USERS, [GENDER, AGE])
    assert all(profiles.protected[name].all() for name in ("gender", "age"))
    only_age = profiles.with_protected({"gender": np.zeros(4, dtype=bool)})
    assert not only_age.protected["gender"].any()
    assert only_age.protected["age"].all()


def test_users_are_selected_with_all_that_belongs_to_them():
    chosen = PROFILES.select(np.array([2, 0]))
    assert chosen.users == ("cleo", "ann")
    assert chosen.attribute("gender").codes.tolist() == [-1, 0]
    assert chosen.protected["age"].tolist() == [True, True]
    with pytest.raises(HushrankError, match="rows 0"):
        PROFILES.select(np.array([4]))


def test_aligned_profiles_follow_the_users():
    aligned = PROFILES.aligned(("dan", "eve", "ann", "bob", "cleo"))
    assert aligned.attribute("gender").codes.tolist() == [1, -1, 0, 1, -1]
    assert aligned.attribute("age").values == AGE.values


def test_who_has_no_profile_protects_everything():
    aligned = PROFILES.aligned(("dan", "eve"), surplus="dropped")
    assert [mask.tolist() for mask in aligned.protected.values()] == [[False, True]] * 2
    assert [attribute.codes[1] for attribute in aligned.attributes] == [-1, -1]


def test_profiles_of_unknown_users_are_refused_unless_dropped():
    with pytest.raises(HushrankError, match="got 3 of others") as refusal:
        PROFILES.aligned(("dan", "eve"))
    assert "ann" not in str(refusal.value)
    with pytest.raises(HushrankError, match="got none of 2"):
        PROFILES.aligned(("eve", "fay"), surplus="dropped")


@given(st.permutations(range(4)))
def test_aligning_undoes_a_shuffle(order):
    assert PROFILES.select(np.array(order)).aligned(USERS) == PROFILES


def test_profiles_are_equal_by_content_and_say_their_size():
    assert Profiles(USERS, (GENDER, AGE), ASKED) == PROFILES
    assert Profiles.protecting_all(USERS, [GENDER, AGE]) != PROFILES
    assert Profiles.protecting_all(USERS, [GENDER]) != Profiles.protecting_all(USERS, [AGE])
    assert repr(PROFILES) == "Profiles(4 users, attributes gender, age)"


@pytest.mark.parametrize(
    ("users", "attributes", "protected", "expected"),
    [
        ((), (GENDER,), {"gender": np.ones(0, dtype=bool)}, "at least 1 user"),
        (("a", "b", "a", "c"), (GENDER,), {"gender": np.ones(4, dtype=bool)}, "distinct users"),
        (("a", "b"), (GENDER,), {"gender": np.ones(2, dtype=bool)}, "each of 2 users"),
        (USERS, (), {}, "at least 1 attribute"),
        (USERS, (GENDER, GENDER), {"gender": np.ones(4, dtype=bool)}, "distinct attributes"),
        (USERS, (GENDER, AGE), {"gender": np.ones(4, dtype=bool)}, "who protects"),
        (USERS, (GENDER,), {"gender": np.ones(3, dtype=bool)}, "4 users"),
        (USERS, (GENDER,), {"gender": np.ones(4)}, "true or false"),
    ],
)
def test_other_profiles_are_refused(users, attributes, protected, expected):
    with pytest.raises(HushrankError, match=expected):
        Profiles(users, attributes, protected)
    with pytest.raises(HushrankError, match="who protects"):
        PROFILES.with_protected({"income": np.ones(4, dtype=bool)})


def test_profiles_are_frozen():
    for array in (PROFILES.protected["age"], GENDER.codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_whoever_protects_the_last_of_many_attributes_is_among_the_protected():
    """Up to as many as are told apart; of more none is passed over without a word."""
    many = tuple(Attribute(f"a{n}", GENDER.values, GENDER.codes) for n in range(64))
    nobody = dict.fromkeys((each.name for each in many), np.zeros(4, dtype=bool))
    asks = np.array([True, False, False, True])
    profiles = Profiles(USERS, many, {**nobody, "a62": asks})
    found = profiles.protection([each.name for each in many[:63]])
    assert {names: rows.tolist() for names, rows in found.items()} == {(): [1, 2], ("a62",): [0, 3]}
    with pytest.raises(HushrankError, match="at most 63 attributes at once, got 64"):
        profiles.protection([each.name for each in many])


NAMES = [f"attribute {n}" for n in range(30)]
MANY = [str(n) for n in range(1, 41)]


def many(**changes):
    """Thirty attributes of forty users, the n-th of which the n-th user alone has and protects."""
    codes = np.eye(30, 40, dtype=np.int16)
    attributes = [Attribute(name, ("a", "b"), row) for name, row in zip(NAMES, codes, strict=True)]
    return Profiles(MANY, attributes, dict(zip(NAMES, codes > 0, strict=True)) | changes)


def test_all_of_many_attributes_are_the_users_own():
    profiles, rows = many(), np.arange(40)[::-1]
    turned = profiles.aligned(MANY[::-1])
    assert turned == profiles.select(rows)
    assert turned.users == tuple(MANY[::-1])
    for name in NAMES:
        assert (
            turned.attribute(name).codes.tolist() == profiles.attribute(name).codes[rows].tolist()
        )
        assert turned.protected[name].tolist() == profiles.protected[name][rows].tolist()


def test_profiles_that_differ_in_the_last_of_many_attributes_are_others():
    assert many() == many()
    assert many() != many(**{NAMES[-1]: np.ones(40, dtype=bool)})


@pytest.mark.parametrize("user", [0, 39])
def test_one_of_many_users_with_a_profile_is_enough(user):
    profiles = many().aligned([MANY[user], "stranger"], surplus="dropped")
    assert profiles.protected[NAMES[0]].tolist() == [user == 0, True]


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_attributes_must_not_be_of_fewer_users(at):
    attributes = [
        Attribute(name, ("a", "b"), np.zeros(2 - (name == NAMES[at]), np.int16)) for name in NAMES
    ]
    with pytest.raises(HushrankError, match="a code of each of 2 users in every attribute"):
        Profiles.protecting_all(("1", "2"), attributes)


def test_all_of_many_values_and_combinations_are_told():
    values = tuple(map(str, range(100, 140)))
    each = Attribute("number", values, np.arange(40)[::-1])
    assert each.used() == each
    unused = Attribute("number", values, np.append(np.arange(1, 40), 39))
    assert unused.used().values == values[1:]
    assert joint_attribute([each, each]).values == tuple(f"{one}, {one}" for one in values)
    joint = many().joint(NAMES)
    assert joint.name == ", ".join(NAMES)
    assert joint.values[joint.codes[29]] == ", ".join(["a"] * 29 + ["b"])


def test_who_protects_all_of_many_attributes_is_said_to():
    profiles = Profiles.protecting_all(MANY, many().attributes)
    assert [*profiles.protection(NAMES)] == [tuple(NAMES)]
    each = many().protection(NAMES)
    assert {names: rows.tolist() for names, rows in each.items()} == {
        (): list(range(30, 40)),
        **{(name,): [n] for n, name in enumerate(NAMES)},
    }
