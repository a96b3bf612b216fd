"""What may be published is a function of the release alone: the same noise hides other ballots."""

from dataclasses import replace

import numpy as np
import pytest

from hushrank.aggregators.raw_order import Ballots
from hushrank.aggregators.registry import METHODS, AggregationTerms
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.files import write_rankings
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.commands import hushrank

NAMES = tuple("abcde")
DELTA = {"gaussian-borda": 1e-6, "gaussian-kemeny": 1e-6}


def people(n_people: int, seed: int) -> Rankings:
    drawn = Mallows((2, 0, 3, 1, 4), 0.7).sample(n_people, rng=np.random.default_rng(seed))
    return Rankings(drawn, NAMES)


@pytest.mark.parametrize("method", [name for name, each in METHODS.items() if each.is_private])
def test_all_that_may_be_published_is_the_same_for_other_ballots(method, tmp_path, monkeypatch):
    shown = people(60, seed=1)
    delta = DELTA.get(method)
    terms = AggregationTerms(0.5, delta, 10.0, Randomness.secure(), np.random.default_rng(0))
    found = METHODS[method].run(Ballots(shown, majority(shown)), terms)
    same = replace(METHODS[method], run=lambda ballots, terms: found)
    monkeypatch.setitem(METHODS, method, same)  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    published = []
    for folder, ballots in (("one", shown), ("other", people(77, seed=2))):
        (tmp_path / folder).mkdir()
        write_rankings(ballots, tmp_path / folder / "ballots.soc")
        out = ["order.json", "order.csv", "order.svg"]
        flags = ("--release", "--csv", "--figure")
        files = [f"{folder}/{name}" for name in out]
        asked = [word for pair in zip(flags, files, strict=True) for word in pair]
        budget = ["--epsilon", "0.5", *(["--delta", str(delta)] if delta else [])]
        command = ["aggregate", f"{folder}/ballots.soc", "--method", method, *budget, *asked]
        assert hushrank(monkeypatch, *command) == 0
        published.append([(tmp_path / each).read_bytes() for each in files])
    for one, other in zip(*published, strict=True):
        assert one == other
    assert (tmp_path / "one" / "ballots.soc").read_bytes() != (
        tmp_path / "other" / "ballots.soc"
    ).read_bytes()
