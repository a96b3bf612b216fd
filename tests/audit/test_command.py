import json
from dataclasses import replace

import pytest
from matplotlib.lines import Line2D

from hushrank.audit import Subject
from hushrank.audit import chosen as shipped_by_name
from hushrank.audit.chosen import as_document, audits, chosen
from hushrank.audit.picture import bounds_figure
from hushrank.audit.replay import Replay
from hushrank.audit.shipped import shipped
from hushrank.cli.audit.show import _table
from hushrank.errors import HushrankError
from tests.audit.wrong import subject
from tests.commands import hushrank


def test_an_audit_shows_and_writes_how_much_each_betrays_at_least(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    arguments = ["audit", "mechanism grr", "--draws", "100000", "--seed", "1"]
    assert hushrank(monkeypatch, *arguments, "--json", "a.json", "--figure", "a.svg") == 0
    printed = capsys.readouterr().out
    assert "mechanism grr" in printed
    assert "0 of 1 betray more than they claim" in printed
    (found,) = json.loads((tmp_path / "a.json").read_text())["findings"]
    assert 0.8 < found["bound"] <= found["exact"] <= found["claimed"] == 1.0
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_an_exceeded_claim_is_said_and_ends_with_3(monkeypatch, capsys):
    wrong = {"wrong": subject("a sensitivity of half")}
    monkeypatch.setattr(shipped_by_name, "shipped", lambda epsilon, delta: wrong)
    assert hushrank(monkeypatch, "audit", "wrong", "--draws", "20000", "--seed", "1") == 3
    printed = capsys.readouterr().out
    assert "MORE THAN CLAIMED: at least 1." in printed
    assert "1 of 1 betray more than they claim" in printed


def test_one_exceeded_claim_among_others_ends_with_3(monkeypatch, capsys):
    both = {"wrong": subject("a sensitivity of half"), "right": shipped()["mechanism grr"]}
    monkeypatch.setattr(shipped_by_name, "shipped", lambda epsilon, delta: both)
    assert hushrank(monkeypatch, "audit", "--all", "--draws", "20000", "--seed", "1") == 3
    assert "1 of 2 betray more than they claim" in capsys.readouterr().out
    found = [*audits([*both.values()][::-1], draws=20_000, seed=1)]
    assert as_document(found, seed=1)["exceeded"] == 1


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_each_of_several_is_audited_by_secure_draws_unless_a_seed_is_given(monkeypatch, seed):
    """And wrong once in a million audits, unless another rate is asked for."""
    told, steps, every = [], [], shipped().values()
    (again, *_) = (each for each in every if isinstance(each, Replay))
    (first, second, *_) = (each for each in every if isinstance(each, Subject))
    subjects = [first, again, second]

    def found(subject, *, rng, progress, **asked):
        told.append((subject, rng.is_private, asked.get("false_alarm")))
        return subject.name

    monkeypatch.setattr(shipped_by_name, "audit", found)
    monkeypatch.setattr(shipped_by_name, "replay", found)
    assert [*audits(subjects, seed=seed, progress=steps.append)] == [each.name for each in subjects]
    rates = [None if isinstance(each, Replay) else 1e-6 for each in subjects]
    assert told == [(each, seed is None, rate) for each, rate in zip(subjects, rates, strict=True)]
    assert [str(step) for step in steps] == [
        f"{each.name} ({number} of 3)" for number, each in enumerate(subjects, 1)
    ]


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_the_seed_that_repeats_an_audit_is_written(seed):
    assert as_document([], seed=seed) == {"findings": [], "seed": seed, "exceeded": 0}


def test_a_finding_says_how_many_pairs_were_tried():
    both = subject("a sensitivity of half")
    pairs = (("0", "1"), ("1", "0"), ("1", "1"))
    (finding,) = audits([replace(both, pairs=pairs)], draws=4_000, seed=1)
    assert finding.looked_at == 3


def test_a_picture_shows_all_that_is_betrayed_and_what_was_claimed():
    (finding,) = audits([subject("a sensitivity of half")], draws=4_000, seed=1)
    each = ((0.5, None), (2.5, 0.75))
    found = [replace(finding, bound=bound, claimed=1.0, exact=exact) for bound, exact in each]
    (axes,) = bounds_figure(found).axes
    assert [bar.get_width() for bar in axes.patches] == [0.5, 2.5]
    claims, exact = ((*map(float, x), *map(float, y)) for x, y in map(Line2D.get_data, axes.lines))
    assert (claims, exact) == ((1.0, 1.0, 0.0, 1.0), (0.75, 1.0))


def test_a_computed_loss_is_never_rounded_down():
    (finding,) = audits([shipped()["mechanism grr"]], draws=20_000, seed=1)
    (shown,) = _table([replace(finding, exact=0.43211)]).columns[2].cells
    assert shown == "0.4322"


def test_names_are_whole_or_beginnings(monkeypatch, capsys):
    assert {each.name for each in chosen(["mechanism g"])} == {"mechanism grr"}
    assert len(chosen(())) > 20
    assert all(isinstance(each, Subject) for each in chosen(["aggregate", "noise"]))
    assert hushrank(monkeypatch, "audit", "--list") == 0
    assert "device pairs" in capsys.readouterr().out.splitlines()
    for unknown in ("mechanisms", "grr"):
        with pytest.raises(HushrankError, match="hushrank audit --list"):
            chosen([unknown])


def test_nothing_is_audited_unless_it_is_said_what(monkeypatch, capsys):
    assert hushrank(monkeypatch, "audit") == 1
    assert "expected what to audit" in capsys.readouterr().err
