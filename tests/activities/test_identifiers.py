import pyarrow as pa
import pytest

from hushrank.activities.identifiers import require_identifiers, require_users
from hushrank.activities.shelves.records import _look_alike
from hushrank.errors import HushrankError

SECRET = "Mallory 8273"
WRONG = {
    "twice": (SECRET, SECRET),
    "of two lines": (f"{SECRET}\n", "b"),
    "with blanks": (f" {SECRET}", "b"),
    "with signs that end lines": (f"{SECRET}\u2028", "b"),
    "empty": (SECRET, ""),
    "no texts": (SECRET, 8273),
}


@pytest.mark.parametrize("texts", WRONG.values(), ids=WRONG.keys())
def test_identifiers_are_refused_without_being_shown(texts):
    with pytest.raises(HushrankError, match="users") as refused:
        require_identifiers(texts, "users")
    assert "Mallory" not in str(refused.value)
    assert "8273" not in str(refused.value)


@pytest.mark.parametrize("others", [("1.25e+17",), ("NULL",), ("7", "7.0"), ("A@x", "a@x")])
def test_users_who_may_be_one_or_two_are_refused_without_being_shown(others):
    require_identifiers((SECRET, *others), "items")
    with pytest.raises(HushrankError, match="users") as refused:
        require_users((SECRET, *others))
    assert not any(text in str(refused.value) for text in (SECRET, "1.25", "7.0", "@x"))


@pytest.mark.parametrize("wrong", ["b ", "1.25e+17", "NULL"])
@pytest.mark.parametrize("place", [0, 60, 120])
def test_each_of_many_users_is_looked_at(place, wrong):
    users = [f"user {n}" for n in range(120)]
    require_users(users)
    users.insert(place, wrong)
    with pytest.raises(HushrankError, match="users"):
        require_users(users)


@pytest.mark.parametrize("place", [0, 30, 60])
def test_one_of_many_users_of_a_part_who_looks_like_another_is_found(place):
    users = [f"{number}.0" for number in range(100, 160)]
    assert not _look_alike(pa.array(["7", *users]))
    assert _look_alike(pa.array(["7", *users[:place], "7.0", *users[place:]]))
