"""`--shuffled`: what is asked for is unmistakable, and both guarantees are said."""

import json

import pytest

from hushrank import simulate, write_rankings
from hushrank.accounting.rounding import within
from hushrank.accounting.words import epsilon_in_words
from hushrank.engines import local
from hushrank.errors import HushrankError
from tests.commands import hushrank

NEED_SHUFFLED = "--central-epsilon and --delta need --shuffled"


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    write_rankings(simulate("mallows", people=500, items=4, seed=1), path)
    return path


def test_a_shuffled_collection_says_both_guarantees(monkeypatch, capsys, people, tmp_path):
    out = tmp_path / "out.json"
    asked = ("--shuffled", "--central-epsilon", 0.7, "--delta", 1e-5, "--json", out)
    assert hushrank(monkeypatch, "collect", people, *asked) == 0
    told = json.loads(out.read_text())
    assert told["private_model"] == "shuffled"
    assert (told["central_epsilon"], told["delta"]) == (0.7, 1e-5)
    assert told["epsilon"] > 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "epsilon if shuffled" in shown
    assert "(0.7, 0.00001)-DP" in shown or "(0.7, 1e-05)-DP" in shown
    assert "Whatever the shuffler does, the reports protect each of 500 people" in shown
    alone = epsilon_in_words(within(0.7), within(1e-5))
    assert f"To whoever sees shuffled reports alone. {alone}" in shown


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 2, "expected --epsilon"),
        (("--shuffled",), 2, "--central-epsilon"),
        (("--central-epsilon", 1), 2, "--shuffled"),
        (("--epsilon", 1, "--delta", 1e-6), 1, NEED_SHUFFLED),
        (("--epsilon", 1, "--delta", 1e-6, "--engine", "dask"), 1, NEED_SHUFFLED),
        (("--epsilon", 1, "--central-epsilon", 1), 1, NEED_SHUFFLED),
        (("--epsilon", 1, "--central-epsilon", 1, "--engine", "dask"), 1, NEED_SHUFFLED),
        (("--epsilon", 9, "--shuffled", "--central-epsilon", 1), 1, "500 people are too few"),
        (("--epsilon", 1, "--shuffled", "--engine", "dask"), 1, "--shuffled goes with --engine"),
    ],
)
def test_what_does_not_fit_together_is_refused(monkeypatch, capsys, people, options, code, said):
    assert hushrank(monkeypatch, "collect", people, *options) == code
    shown = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert said in shown


def test_what_was_spent_before_an_error_is_said_beside_it(monkeypatch, capsys, people):
    """By the command, too, which gives arguments the names of its options."""

    def fails(survey, *given):
        raise HushrankError("leaf_size: expected less")

    monkeypatch.setattr(local, "answers_of_devices", fails)
    assert hushrank(monkeypatch, "collect", people, "--epsilon", 1.5) == 1
    said = capsys.readouterr().err
    assert (
        said == "hushrank: --leaf-size: expected less; a person may have spent epsilon 1.5 before\n"
    )


def test_a_shuffled_plan_never_calls_a_central_epsilon_epsilon(monkeypatch, capsys):
    options = ("--items", 4, "--people", 500, "--shuffled", "--central-epsilon", 0.7)
    assert hushrank(monkeypatch, "plan", *options) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "shuffled, central epsilon 0.7, delta 1e-06" in shown
    assert "Against everybody, the shuffler included, local epsilons: max-entropy" in shown
    assert epsilon_in_words(0.7, 1e-6) in shown
    assert "People needed" not in shown
