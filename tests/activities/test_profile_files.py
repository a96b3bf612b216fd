import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.activities.attribute import Attribute
from hushrank.activities.profile_files import read_profiles, write_profiles
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError

SECRET = "zebra"


def written(folder, text):
    path = folder / "profiles.csv"
    path.write_text(text)
    return path


def told(attribute):
    """Return the value of each user, None where it is not told."""
    return [attribute.values[code] if code >= 0 else None for code in attribute.codes]


def test_a_file_has_one_user_a_row(tmp_path):
    path = written(tmp_path, "gender,USER,age\nF,ann,30\n,bob,10\nM,cleo,\n")
    profiles = read_profiles(path)
    assert (profiles.users, profiles.names) == (("ann", "bob", "cleo"), ("gender", "age"))
    assert told(profiles.attribute("gender")) == ["F", None, "M"]
    assert profiles.attribute("age").values == ("10", "30")


def test_numbers_are_cut_into_named_bins(tmp_path):
    path = written(tmp_path, "user,age\n1,17.5\n2,18\n3,\n4,50\n5,1e2\n")
    age = read_profiles(path, bins={"age": (18, 35, 50)}).attribute("age")
    assert age.values == ("<18", "18-34", "35-49", "50+")
    assert told(age) == ["<18", "18-34", None, "50+", "50+"]


def test_everybody_protects_everything_without_a_column_that_says_otherwise(tmp_path):
    """Also who does not tell: what the activity betrays of them is theirs all the same."""
    profiles = read_profiles(written(tmp_path, "user,gender,age\nann,,30\nbob,M,\n"))
    assert all(mask.all() for mask in profiles.protected.values())


def test_each_user_says_what_to_protect(tmp_path):
    rows = "a,F,1,gender\nb,M,2,none\nc,,3,gender + age\nd,M,4,ALL\ne,M,5,age|gender\nf,F,6,age\n"
    profiles = read_profiles(written(tmp_path, "user,gender,age,protects\n" + rows))
    assert profiles.protected["gender"].tolist() == [True, False, True, True, True, False]
    assert profiles.protected["age"].tolist() == [False, False, True, True, True, True]


def test_only_the_attributes_asked_for_are_read(tmp_path):
    text = "user,gender,town,protects\na,F,x,town\nb,M,x,gender\n"
    profiles = read_profiles(written(tmp_path, text), attributes=["gender"])
    assert profiles.names == ("gender",)
    assert profiles.protected["gender"].tolist() == [False, True]


@pytest.mark.parametrize("asked", [["income"], []])
def test_unknown_and_no_attributes_are_refused(tmp_path, asked):
    path = written(tmp_path, "user,gender\na,F\nb,M\n")
    with pytest.raises(
        HushrankError, match=r"no attribute 'income'; its attributes are gender|expected at least 1"
    ):
        read_profiles(path, attributes=asked)
    with pytest.raises(HushrankError, match="no attribute 'income'; its attributes are gender"):
        read_profiles(path, bins={"income": (1, 2)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the file is empty"),
        (f"user\n{SECRET}\n", "line 1: expected a column of an attribute"),
        (f"name,gender\n{SECRET},F\n", "line 1: expected one column named 'user'"),
        (f"1::{SECRET}\n2::F\n", "write the names of all 2 columns above it"),
        (f"user,age,age\n{SECRET},1,1\n", "line 1: expected distinct columns"),
        (f"user,age\n{SECRET},1\nb,2\n{SECRET},1\n", "line 4: expected each user once"),
        ("user,age\na,1\n,2\n", "line 3: expected a value in the column 'user'"),
        (
            f"user,age\na,1\nb,{SECRET}\n",
            "line 3: expected a number or nothing in the column 'age'",
        ),
        (f"user,age\na,1\nb,inf{SECRET}\n", "line 3: expected a number or nothing"),
        ("user,age,protects\na,1,all\nb,2,\n", "line 3: expected none, all or attributes of"),
        (f"user,age,protects\na,1,{SECRET}\n", "line 2: expected none, all or attributes of"),
        ("user,age,protects\na,1,age+\n", "line 2: expected none, all or attributes of"),
        ("user,age,protects\na,1,all+age\n", "line 2: expected none, all or attributes of"),
        ("user,a+b,age,protects\na,1,2,all\n", r"line 1|expected attributes without \+"),
        ("user,All,age,protects\na,1,2,all\n", "expected attributes without"),
        ("user,age,town\na,1,\n", "attribute town: expected 1..32767 values, got 0"),
    ],
)
def test_a_bad_file_gives_one_clear_line(tmp_path, text, expected):
    path = written(tmp_path, text)
    with pytest.raises(HushrankError, match=expected) as refusal:
        read_profiles(path, bins={"age": (18,)} if "age" in text else None)
    message = str(refusal.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert SECRET not in message


def test_too_many_values_are_refused_not_wrapped(tmp_path):
    rows = "".join(f"{n},{n}\n" for n in range(2**15))
    with pytest.raises(
        HushrankError, match=r"attribute zip: expected 1\.\.32767 values, got 32768"
    ):
        read_profiles(written(tmp_path, "user,zip\n" + rows))


def test_edges_of_bins_ascend(tmp_path):
    with pytest.raises(HushrankError, match="ascending"):
        read_profiles(written(tmp_path, "user,age\na,1\n"), bins={"age": (2, 1)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("profiles")


TEXT = st.text("ab, \"'é|+;", min_size=1).map(str.strip).filter(bool)
COLUMN = st.tuples(st.integers(0, 3), st.booleans())


@settings(max_examples=30)
@given(
    st.lists(TEXT, min_size=1, max_size=5, unique=True),
    st.lists(TEXT, min_size=4, max_size=4, unique=True),
    st.data(),
    st.sampled_from(["csv", "parquet", "csv.gz", "parquet.gz"]),
)
def test_profiles_round_trip(folder, users, values, data, extension):
    """Values that nobody has are lost, and the others come back sorted."""
    columns = [
        data.draw(st.lists(st.tuples(st.integers(-1, 3), st.booleans()), **size))
        for size in [{"min_size": len(users), "max_size": len(users)}] * 2
    ]
    for column in columns:
        column[0] = (0, column[0][1])
    profiles = Profiles(
        tuple(users),
        tuple(
            Attribute(name, tuple(values), np.array([code for code, _ in column]))
            for name, column in zip(("gender, told", "age"), columns, strict=True)
        ),
        {
            name: np.array([asks for _, asks in column])
            for name, column in zip(("gender, told", "age"), columns, strict=True)
        },
    )
    path = folder / f"profiles.{extension}"
    write_profiles(profiles, path)
    again = read_profiles(path)
    assert (again.users, again.names) == (profiles.users, profiles.names)
    for name in profiles.names:
        assert told(again.attribute(name)) == told(profiles.attribute(name))
        assert np.array_equal(again.protected[name], profiles.protected[name])


def test_others_may_read_profiles_unless_they_are_said_to_be_secret(tmp_path):
    values = np.array([0, 1, 0], dtype=np.int32)
    people = Profiles.protecting_all(list("abc"), [Attribute("gender", ("F", "M"), values)])
    for secret in (False, True):
        path = tmp_path / f"{secret}.csv"
        write_profiles(people, path, secret=secret)
        assert (path.stat().st_mode & 0o077 == 0) is secret


def test_attributes_that_would_be_mistaken_are_not_written(tmp_path):
    for name in ("none", "user", "Protects", "a+b", "a|b"):
        attribute = Attribute(name, ("x",), np.zeros(1, dtype=np.int16))
        with pytest.raises(HushrankError, match="expected attributes without"):
            write_profiles(Profiles.protecting_all(("1",), [attribute]), tmp_path / "p.csv")


NAMES = [f"attribute {n}" for n in range(30)]


def wide(*rows, names=NAMES):
    """A table of thirty attributes, of users who say what to protect."""
    lines = [",".join(["user", *names, "protects"])]
    lines += [",".join([f"user {n}", *"a" * len(names), asked]) for n, asked in enumerate(rows)]
    return "\n".join([*lines, ""])


def test_all_of_many_attributes_and_of_many_ways_to_protect_them_are_read(tmp_path):
    asked = [*NAMES, "+".join(NAMES), "|".join(NAMES[1:]), "none"]
    profiles = read_profiles(written(tmp_path, wide(*asked)))
    found = np.array([profiles.protected[name] for name in NAMES]).T
    expected = np.vstack([np.eye(30), np.ones(30), np.arange(30) > 0, np.zeros(30)])
    assert profiles.names == tuple(NAMES)
    assert np.array_equal(found, expected)
    write_profiles(profiles, tmp_path / "again.csv")
    assert read_profiles(tmp_path / "again.csv") == profiles


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_wishes_that_is_not_understood_is_refused(tmp_path, at):
    rows = [*NAMES]
    rows[at] = "something"
    with pytest.raises(HushrankError, match=f"line {at + 2}: expected none, all or attributes"):
        read_profiles(written(tmp_path, wide(*rows)))


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_attributes_that_is_unknown_or_mistaken_is_refused(tmp_path, at):
    path = written(tmp_path, wide("none"))
    asked = [*NAMES]
    asked[at] = "something"
    with pytest.raises(HushrankError, match="there is no attribute 'something'"):
        read_profiles(path, attributes=asked)
    asked[at] = "a+b"
    with pytest.raises(HushrankError, match="expected attributes without"):
        read_profiles(written(tmp_path, wide("none", names=asked)))


def test_the_last_of_many_columns_may_be_the_user(tmp_path):
    text = ",".join([*NAMES, "user"]) + "\n" + "a," * 30 + "ann\n"
    assert read_profiles(written(tmp_path, text)).users == ("ann",)
