"""A plug-in that is installed works by name, from Python and on the command line."""

import json
import re
import sys
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest

import hushrank
from hushrank.accounting.words import finely, loss_in_words
from hushrank.protocols.registry import Pairs
from hushrank.workflows.at_scale import collect_files
from tests.commands import hushrank as run

ROOT = Path(__file__).parents[2]
CODE = "\n".join(
    program.replace("check_protocol(Favourites(), n_items=2)\n", "")
    for program in re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "plug-ins.md").read_text(), re.DOTALL
    )
)
NAMES = """[hushrank.mechanisms]
named-bit = my_package:Mended
[hushrank.protocols]
favourites = my_package:Favourites
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The plug-ins of docs/plug-ins.md, as a distribution on the path, and people of 4 items."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_package.py").write_text(CODE.partition("people = ")[0])
    metadata = tmp_path / "my_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(NAMES)
    monkeypatch.syspath_prepend(str(tmp_path))
    people = hushrank.simulate("mallows", people=400, items=4, dispersion=0.5, seed=1)
    hushrank.write_rankings(people, "people.soc")
    yield people
    sys.modules.pop("my_package", None)


def test_plug_ins_are_collected_by_name(installed, monkeypatch, capsys):
    for options in (
        ("--protocol", "favourites"),
        ("--protocol", "safari", "--mechanism", "named-bit"),
    ):
        asked = ("collect", "people.soc", "--epsilon", 2, *options, "--json", "out.json")
        assert run(monkeypatch, *asked) == 0
        assert json.loads(Path("out.json").read_text())["protocol"] == options[1]
    assert run(monkeypatch, "collect", "people.soc", "--epsilon", 2, "--protocol", "other") == 2
    assert "favourites" in capsys.readouterr().err
    assert hushrank.collect(installed, 2, protocol="favourites").is_private


@dataclass(frozen=True)
class Twice(Pairs):
    """A protocol that asks for its whole epsilon in each of two rounds."""

    name = "twice"

    def begin(self, n_items, *, epsilon, n_people, seed):
        """Throw away what the first round said."""
        asked = {"epsilon": epsilon, "n_people": n_people, "seed": seed}
        yield next(Pairs().begin(n_items, **asked))
        return (yield from Pairs().begin(n_items, **asked))


def of_files(people, epsilon, **asked):
    hushrank.write_rankings(people, "people.parquet")
    return collect_files("people.parquet", epsilon, **asked)


@pytest.mark.parametrize("collect", [hushrank.collect, of_files])
@pytest.mark.parametrize("epsilon", [0.25, 1 / 3, 2])
def test_nobody_pays_more_than_epsilon_whatever_a_plug_in_asks(collect, epsilon, tmp_path):
    people = hushrank.simulate("mallows", people=400, items=4, dispersion=0.5, seed=1)
    with chdir(tmp_path), pytest.raises(hushrank.HushrankError) as refused:
        collect(people, epsilon, protocol=Twice(queries=1))
    said = f"the rounds cost a person more than the {finely(epsilon)} nats announced"
    assert str(refused.value) == said
    spent = f"a person may have spent epsilon {loss_in_words(epsilon)} before"
    assert refused.value.__notes__ == [spent]


class Dearer(Pairs):
    """A protocol whose one round costs twice what was asked for."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        return Pairs().begin(n_items, epsilon=2 * epsilon, n_people=n_people, seed=seed)


def test_behind_a_shuffler_nobody_pays_more_than_epsilon_either():
    people = hushrank.simulate("mallows", people=400, items=4, dispersion=0.5, seed=1)
    with pytest.raises(hushrank.HushrankError, match=r"more than the 0\.5 nats announced"):
        hushrank.collect(people, 0.5, protocol=Dearer(queries=1), shuffled=True)


def test_a_protocol_is_compared_with_ours_on_the_frontier(installed, monkeypatch):
    asked = ["experiment", "frontier-epsilon", "--with", "favourites", "--quick"]
    assert run(monkeypatch, *asked, "--data", "people.soc", "--out", "out") == 0
    rows = Path("out/frontier-epsilon.csv").read_text().splitlines()
    assert any(",compared,favourites,excess," in row for row in rows)
    assert not any("favourites,q2" in row for row in rows)
    assert run(monkeypatch, "experiment", "safari-2", "--with", "favourites") == 1


@pytest.mark.parametrize("kind", ["protocols", "mechanisms"])
@pytest.mark.parametrize("is_same", [True, False])
def test_a_name_that_two_packages_give_to_plug_ins_means_neither(
    installed, tmp_path, is_same, kind
):
    name, target = re.search(rf"{kind}\]\n(\S+) = (\S+)", NAMES).groups()
    other = tmp_path / "other-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    there = target if is_same else "my_package:np"
    (other / "entry_points.txt").write_text(f"[hushrank.{kind}]\n{name} = {there}\n")
    if is_same:
        assert hushrank.collect(installed, 2, protocol=name).is_private
    else:
        with pytest.raises(hushrank.HushrankError, match=f"several .* called {name}: keep one"):
            hushrank.collect(installed, 2, protocol=name)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("my_package:Missing", "the plug-in favourites cannot be loaded"),
        ("no_such_package:Favourites", "the plug-in favourites cannot be loaded"),
        ("my_package:WORDS", "expected the plug-in favourites to be a dataclass"),
    ],
)
def test_a_plug_in_that_is_none_is_named(installed, tmp_path, monkeypatch, capsys, target, said):
    names = f"[hushrank.protocols]\nfavourites = {target}\n"
    (tmp_path / "my_package-1.0.dist-info" / "entry_points.txt").write_text(names)
    with pytest.raises(hushrank.HushrankError, match=said):
        hushrank.collect(installed, 2, protocol="favourites")
    asked = ("collect", "people.soc", "--epsilon", 2, "--protocol", "favourites")
    assert run(monkeypatch, *asked) == 1
    assert said in capsys.readouterr().err
