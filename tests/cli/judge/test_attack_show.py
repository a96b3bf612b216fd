"""The tables of `hushrank attack`: what stands under which head."""

from io import StringIO

from rich.console import Console

from hushrank.cli.judge.attack_show import _table
from hushrank.evaluation.attackers import Attacks
from hushrank.workflows.judge import AttackResult


def test_each_attacker_and_the_worst_stand_under_what_they_attacked():
    before = Attacks({"bayes": 0.97, "logistic": 0.99})
    after = Attacks({"bayes": 0.6, "logistic": 0.7, "channel posterior": 0.75})
    console = Console(file=StringIO(), width=100)
    console.print(_table(AttackResult(("gender",), 80, 20, before, after)))
    rows = [line.replace("│", " ").split() for line in console.file.getvalue().splitlines()]
    assert ["bayes", "0.030", "0.400"] in rows
    assert ["channel", "posterior", "-", "0.250"] in rows
    assert ["worst", "0.010", "0.250"] in rows


def test_what_attackers_do_not_know_is_rounded_down():
    """.4996 is no half, beside which 0.5 learns nothing."""
    nearly = Attacks({"bayes": 1 - 0.4996})
    found = AttackResult(("gender",), 80, 20, nearly, nearly)
    console = Console(file=StringIO(), width=100)
    console.print(_table(found))
    rows = [line.replace("\u2502", " ").split() for line in console.file.getvalue().splitlines()]
    assert ["bayes", "0.499", "0.499"] in rows
    assert ["worst", "0.499", "0.499"] in rows
    assert found.summary == {"bayes": "0.499", "worst": "0.499"}


def test_each_of_many_attackers_is_shown():
    """There are 24, and the strongest may be any of them."""
    areas = {f"attacker{n}": 0.5 + n / 200 for n in range(60)}
    found = AttackResult(("gender",), 80, 20, Attacks(areas), Attacks(areas))
    assert found.released == found.untouched == {name: 1 - area for name, area in areas.items()}
    assert [*found.summary] == [*areas, "worst"]
    assert found.summary["worst"] == "0.205"
    console = Console(file=StringIO(), width=100)
    console.print(_table(found))
    shown = console.file.getvalue().split()
    assert [name for name in shown if name.startswith("attacker")][1:] == [*areas]
    assert len(found.to_frame()) == 60
