"""Who is asked: people of files and of models, and which file is whose."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.experiments.data_files import files_for, named_files
from hushrank.experiments.experiment import Experiment
from hushrank.experiments.populations import (
    JESTER,
    RANKINGS,
    SUSHI,
    mallows_population,
    read_jester,
)
from hushrank.rankings.marginals import majority

NAMES = ("rankings", "sushi", "jester")


def experiment_on(*populations):
    return Experiment("made-up", "Title", "shows", "x", (), lambda people, quick: [], populations)


def score_file(path, scores):
    lines = "".join(",".join(["0", *map(str, row)]) + "\n" for row in scores)
    path.write_bytes(gzip.compress(lines.encode()))
    return path


def test_jester_is_the_most_rated_items_and_the_first_who_rated_them_all(tmp_path):
    """Items 1 to 41 are rated by all but person 0, who left item 1 out; item 42 by person 0."""
    rng = np.random.default_rng(0)
    scores = rng.permuted(np.tile(np.arange(42.0), (4100, 1)), axis=1)
    scores[1:, 41] = 99
    scores[0, 0] = 99
    people = read_jester(score_file(tmp_path / "jester.csv.gz", scores))
    assert people.names == tuple(str(item) for item in range(2, 42))
    assert (people.n_people, people.is_strict, people.is_complete) == (4000, True, True)
    np.testing.assert_array_equal(people.orders(), np.argsort(-scores[:4000, 1:41], axis=1))


def test_jester_s_ties_are_broken_at_random_and_always_the_same_way(tmp_path):
    path = score_file(tmp_path / "jester.csv.gz", np.zeros((2000, 40)))
    people = read_jester(path)
    share = majority(people)[0, 1] / people.n_people
    assert share == pytest.approx(0.5, abs=0.06)  # 5.4 standard errors
    assert read_jester(path) == people


def test_jester_needs_enough_items_and_people(tmp_path):
    with pytest.raises(HushrankError, match="40\\+ items, got 39"):
        read_jester(score_file(tmp_path / "few.csv.gz", np.zeros((3, 39))))
    with pytest.raises(HushrankError, match="got none"):
        read_jester(score_file(tmp_path / "none.csv.gz", np.where(np.eye(40), 99, 0)))


def test_mallows_people_agree_as_much_as_they_should():
    """Neighbours of the centre keep their order with 1 / (1 + φ): the others more often."""
    people = mallows_population(20_000, 6, 0.5).draw(np.random.default_rng(1))
    shares = majority(people) / people.n_people
    nearest = np.sort(np.maximum(shares, shares.T)[np.triu_indices(6, k=1)])[:5]
    assert nearest == pytest.approx(np.full(5, 2 / 3), abs=0.02)


def test_no_item_number_says_how_good_a_mallows_item_is():
    population = mallows_population(200, 6, 0.1)
    best = {
        tuple(np.argsort(population.draw(np.random.default_rng(seed)).ranks.mean(axis=0)))
        for seed in range(4)
    }
    assert len(best) == 4


def test_named_files_are_told_from_paths(tmp_path):
    odd = tmp_path / "a=b.soc"
    odd.touch()
    found = named_files(["sushi=x/s=1.soc", str(odd)], NAMES)
    assert found == {"sushi": Path("x/s=1.soc"), "": odd}
    assert named_files([], NAMES) == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["sashimi=x.soc"], "expected --data NAME=FILE with one of rankings, sushi, jester"),
        (["sushi=x", "sushi=y"], "expected one file for --data sushi, got several"),
        (["x", "y"], "expected one file for --data FILE, got several"),
    ],
)
def test_files_that_are_nobody_s_are_refused(given, message):
    with pytest.raises(HushrankError, match=message):
        named_files(given, NAMES)


def test_a_nameless_file_serves_a_single_population_only():
    nameless = {"": Path("x"), "jester": Path("j")}
    assert files_for(experiment_on(RANKINGS), nameless) == {"rankings": Path("x")}
    assert files_for(experiment_on(JESTER), nameless) == {"jester": Path("j")}
    with pytest.raises(HushrankError, match="sushi"):
        files_for(experiment_on(SUSHI, JESTER), nameless)


def test_missing_files_are_named_with_their_options():
    message = f"made-up needs --data sushi=FILE ({SUSHI.holds}), --data jester=FILE"
    with pytest.raises(HushrankError, match=re.escape(message)):
        files_for(experiment_on(SUSHI, JESTER), {})
    with pytest.raises(HushrankError, match=r"made-up needs --data FILE \(complete"):
        files_for(experiment_on(RANKINGS), {})


def test_models_need_no_file():
    assert files_for(experiment_on(mallows_population(5, 3, 0.5)), {}) == {}
