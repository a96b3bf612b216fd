"""What may be published is a function of the release alone: the same noise hides other ballots."""

import json
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
    published = []
    for folder, ballots in (("one", shown), ("other", people(77, seed=2))):
        (tmp_path / folder).mkdir()
        write_rankings(ballots, tmp_path / folder / "ballots.soc")
        published.append(released(monkeypatch, tmp_path / folder / "ballots.soc", method))
    assert published[0] == published[1]
    assert (tmp_path / "one" / "ballots.soc").read_bytes() != (
        tmp_path / "other" / "ballots.soc"
    ).read_bytes()


@pytest.mark.parametrize("method", [name for name, each in METHODS.items() if each.is_private])
def test_in_which_order_people_stand_in_which_file_is_nobody_s_business(
    method, tmp_path, monkeypatch
):
    """The same words give the same bytes, though a record names items best first."""
    found = people(40, seed=3)
    orders = [found.names[item] for ranks in found.ranks for item in np.argsort(ranks)]
    rows = [orders[first : first + 5] for first in range(0, len(orders), 5)]
    texts = {}
    for way, people_of in (("one", rows), ("other", rows[::-1])):
        head = "First,Second,Third,Fourth,Fifth"
        texts[f"{way}.csv"] = "\n".join([head, *map(",".join, people_of)])
        records = [{name: place for place, name in enumerate(row, 1)} for row in people_of]
        texts[f"{way}.json"] = json.dumps(records)
    published = []
    for name, text in texts.items():
        folder = tmp_path / name.replace(".", "")
        folder.mkdir()
        (folder / name).write_text(text)
        known = Randomness(np.random.default_rng(7).bytes, is_private=True)
        monkeypatch.setattr(Randomness, "secure", lambda known=known: known)
        published.append(released(monkeypatch, folder / name, method))
    assert published == published[:1] * 4


def released(monkeypatch, path, method):
    """Return the bytes of all that may be published of an order, written beside the ballots."""
    monkeypatch.chdir(path.parent)
    files = {"--release": "order.json", "--csv": "order.csv", "--figure": "order.svg"}
    delta = ["--delta", str(DELTA[method])] if method in DELTA else []
    out = [word for pair in files.items() for word in pair]
    command = ["aggregate", path.name, "--method", method, "--epsilon", "0.5", *delta, *out]
    assert hushrank(monkeypatch, *command) == 0
    return [(path.parent / each).read_bytes() for each in files.values()]
