"""What a step shows while it is done."""

from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress

from hushrank.cli.output.bars import COLUMNS
from hushrank.engines.local import run
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.workflows.progress import PartDone, within
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
