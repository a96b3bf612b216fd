"""What a step shows while it is done."""

from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress

from hushrank import aggregate
from hushrank.cli.output.bars import COLUMNS, LimitLeft
from hushrank.cli.output.talk import in_options
from hushrank.engines.local import run
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.workflows.progress import AtMost, PartDone, within
from hushrank.workflows.simulate import simulate
from tests.commands import hushrank


def shown(total, completed):
    with Progress(*COLUMNS, console=Console(file=StringIO()), auto_refresh=False) as bar:
        bar.add_task("asking", total=total, completed=completed)
        return " ".join(str(column(bar.tasks[0])) for column in COLUMNS)


def test_a_share_survives_being_a_part_of_a_longer_step():
    step = within("1 of 4: ", PartDone.of("asking people", 0.25))
    assert (step, step.share) == ("1 of 4: asking people", 0.25)
    assert within("1 of 4: ", "fitting") == "1 of 4: fitting"


def test_bar_and_time_left_stand_beside_a_known_share_only():
    assert "left" not in shown(None, 0)
    assert "left" in shown(1, 0.5)


def test_a_step_with_a_limit_says_how_long_it_lasts_at_most():
    bars = Progress(*COLUMNS, console=Console(file=StringIO()), auto_refresh=False)
    with bars as bar:
        bar.add_task("looking", total=None, limit=90.0)
        assert str(LimitLeft().render(bar.tasks[0])) == "0:01:30 left at most"
        bar.update(bar.tasks[0].id, limit=None)
        assert not str(LimitLeft().render(bar.tasks[0]))


def test_exact_orders_end_at_their_limit():
    ballots, steps = simulate("mallows", people=20, items=4, seed=1), []
    aggregate(ballots, time_limit=30, progress=steps.append).compared_with(
        ballots, time_limit=20, progress=steps.append
    )
    limits = {each: each.seconds for each in steps if isinstance(each, AtMost)}
    assert limits == {"aggregating": 30, "looking for the exact optimum": 20}


@pytest.mark.parametrize("protocol", ["max-entropy", "pairs", "grr"])
def test_shares_of_answers_grow_to_one(protocol):
    people, shares = simulate("mallows", people=200, items=4, seed=1), []
    rounds = make_protocol(protocol, {}).begin(4, epsilon=2, n_people=200, seed=0)
    run(rounds, people, rng=Randomness.seeded(1), on_share=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_nobody_agrees_to_what_quiet_hides(monkeypatch, capsys):
    link = "http://127.0.0.1:1/s/A1b2C3d4E5f6"
    assert hushrank(monkeypatch, "answer", link, "--quiet", "--yes") == 1
    assert "expected --order and --yes, or --dry-run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("in_python", "in_a_command"),
    [
        ('say best="low" if 1 is best', "say --best low if 1 is best"),
        ('or ignore=["3"] if each row', "or --ignore 3 if each row"),
        (
            "name user=, hold_out= and time=;",
            "name --user, --hold-out and --time;",
        ),
        ("choose one with columns=", "choose one with --columns"),
        ("form=new.csv: line 3", "form=new.csv: line 3"),
        ("say header=1 if it does, or header=0", "say --header 1 if it does, or --header 0"),
        ("such as age=18,35,50", "such as age=18,35,50"),
    ],
)
def test_arguments_of_python_are_said_as_options(in_python, in_a_command):
    assert in_options(in_python) == in_a_command
