"""All that a command needs is said at once."""

import pytest

from tests.commands import hushrank


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["publish", "historical", "x.csv"], ["profiles", "private", "output"]),
        (["collect"], ["file"]),
        (["attack", "a.csv", "r.csv"], ["profiles", "private"]),
    ],
)
def test_all_that_is_missing_is_named_at_once(monkeypatch, capsys, arguments, said):
    assert hushrank(monkeypatch, *arguments) == 2
    shown = " ".join(capsys.readouterr().err.replace("│", "").lower().split())
    assert all(name in shown for name in said)
