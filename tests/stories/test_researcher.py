"""A researcher repeats a figure on their own data, then puts a mechanism of theirs beside ours."""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas
import pytest

import hushrank
from hushrank.mechanisms.local import Tally, checked_categories, require_parameters
from hushrank.mechanisms.word_rates import WordRates
from hushrank.testing import StatedChannel, check_mechanism
from tests.commands import hushrank as command


@dataclass(frozen=True)
class Careless:
    """Randomised response of k categories by somebody who forgot that a lie may be the truth."""

    n_categories: int
    epsilon: float

    def __post_init__(self):
        require_parameters(self.n_categories, self.epsilon)

    @cached_property
    def rates(self):
        return WordRates.of_response(self.n_categories, self.epsilon)

    def randomise(self, categories, *, rng):
        mine = checked_categories(categories, self.n_categories)
        lies = rng.below(self.n_categories, mine.size).astype(np.int64)
        tells_truth = rng.words(mine.size) < np.uint64(self.rates.hit_words)
        return np.where(tells_truth, mine, lies)

    def tally(self, reports):
        return Tally(np.bincount(reports, minlength=self.n_categories), len(reports))


def stated(mechanism):
    k, rates = mechanism.n_categories, mechanism.rates
    words = np.full((k, k), rates.false_hit_words, dtype=object)
    np.fill_diagonal(words, 2**64 - (k - 1) * rates.false_hit_words)
    return StatedChannel(np.arange(k), words, 2**64)


@pytest.mark.usefixtures("blank_pictures")
def test_a_figure_is_repeated_on_data_of_ones_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    made = "simulate plackett-luce --people 300 --items 4 --seed 1 --out mine.soc"
    assert command(monkeypatch, *made.split()) == 0
    repeated = "experiment safari-2 --quick --data mine.soc --out figures"
    assert command(monkeypatch, *repeated.split()) == 0
    printed = capsys.readouterr().out
    assert "wrote figures/safari-2.csv" in printed
    table = pandas.read_csv("figures/safari-2.csv")
    assert {"SAFA", "Harmony"} <= {word for curve in table["curve"] for word in curve.split()}
    said = json.loads((tmp_path / "figures/safari-2.json").read_text())
    assert (said["seed"], said["private"]) == (0, False)


def test_a_wrong_mechanism_is_found_before_it_is_compared():
    with pytest.raises(AssertionError):
        check_mechanism(Careless, stated, n_categories=(4,), epsilons=(1.0,))


def test_mechanisms_are_compared_on_the_same_people_by_the_same_measure():
    people = hushrank.simulate("plackett-luce", people=500, items=3, seed=2)
    found = {
        name: hushrank.collect(people, 4, protocol="safari", mechanism=name, seed=3)
        for name in ("grr", "rappor", Careless)
    }
    errors = [learnt.compared_with(people).q2_distance for learnt in found.values()]
    assert all(0 <= error <= 1 for error in errors)
    assert found[Careless].to_dict()["options"]["mechanism"] == "Careless"
