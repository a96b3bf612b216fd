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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["collect", "x.csv", "--epsilon", "much"], "--epsilon': expected a number"),
        (["collect", "x.csv", "--epsilon", 1, "--seed", 0.5], "--seed': expected a whole number"),
        (["collect", "x.csv", "--epsilon", 1, "--seed", -1], "expected a number greater than or"),
        (["serve", "--port", -1], "expected a number "),
        (["collect", "x.csv", "--epsilon", 1, "--rows", "all"], "'all' is not one of 'herded'"),
    ],
)
def test_wrong_values_are_spoken_of_in_plain_words(monkeypatch, capsys, arguments, said):
    assert hushrank(monkeypatch, *arguments) == 2
    shown = " ".join(capsys.readouterr().err.replace("│", "").split())
    assert said in shown
    assert "Value error" not in shown
    assert "Input should be" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--epsilon", 0], "expected a positive finite --epsilon, got 0.0"),
        (["--epsilon", 1, "--delta", 0.1], "--central-epsilon and --delta need --shuffled"),
        (["--shuffled", "--central-epsilon", -1], "expected a positive --central-epsilon"),
        (["--epsilon", 1, "--popular-orders"], "--popular-orders takes 4 to 16 items, got 3"),
        (["--epsilon", 1, "--protocol", "safari", "--leaf-size", 9], "--leaf-size: expected 1 to"),
        (["--epsilon", 1, "--protocol", "safari", "--mechanism", "x"], "--mechanism: expected one"),
    ],
)
def test_a_wrong_option_is_named_as_it_was_written(monkeypatch, capsys, tmp_path, arguments, said):
    path = tmp_path / "ballots.csv"
    path.write_text("a,b,c\n1,2,3\n2,1,3\n")
    assert hushrank(monkeypatch, "collect", path, *arguments) == 1
    assert said in capsys.readouterr().err
