import pytest

from hushrank.activities.identifiers import require_identifiers
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
