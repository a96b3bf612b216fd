"""What a store refuses may be somebody's: its words say what was expected, never what came."""

from datetime import datetime

import pytest

from hushrank.collector.store.checks import (
    microseconds,
    require_blob,
    require_deck,
    require_digest,
    require_id,
    require_incoming,
    require_round,
    require_small,
)
from hushrank.collector.store.store import Answer, Incoming
from hushrank.errors import HushrankError

WRONG = {
    "an id": lambda: require_id("Mallory 8273", "survey"),
    "an id of a round": lambda: require_round("Mallory 8273", 0),
    "a round": lambda: require_small(-8273, "round"),
    "a deck": lambda: require_deck(-8273),
    "a blob": lambda: require_blob("Mallory 8273", "blob"),
    "a digest": lambda: require_digest(b"Mallory 8273", "digest"),
    "a number": lambda: require_incoming([Incoming("s", 0, -8273, (Answer(0, 0, b"a"),))]),
    "a question": lambda: require_incoming([Incoming("s", 0, 1, (Answer(0, -8273, b"a"),))]),
    "a report": lambda: require_incoming([Incoming("s", 0, 1, (Answer(0, 0, "Mallory 8273"),))]),
    "a time": lambda: microseconds(datetime(8273, 1, 1), "expires"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_refused_is_not_said_again(wrong):
    with pytest.raises(HushrankError, match="expected") as refused:
        wrong()
    assert "Mallory" not in str(refused.value)
    assert "8273" not in str(refused.value)
