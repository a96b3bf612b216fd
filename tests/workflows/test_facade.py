"""The names of the façade: complete, typed, cheap to import, and their examples run."""

import ast
import doctest
import inspect
import json
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import pytest

import hushrank
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols.registry import SubsetOrders

ROOT = Path(__file__).parents[2]
FUNCTIONS = [name for name in hushrank.__all__ if inspect.isroutine(getattr(hushrank, name))]
VERBS = ["aggregate", "attack", "collect", "evaluate", "plan", "publish", "publish_online"]
RESULTS = ["Collection", "Consensus", "Release"]
WORDS = ["items", "confidence", "privacy", "spend", "is_private", "summary"]
FLAGS = doctest.ELLIPSIS
CALLS = ["to_dict", "to_frame", "report", "_repr_html_", "__arrow_c_stream__", "compared_with"]


def test_there_are_23_names_and_each_leads_somewhere():
    assert len(hushrank.__all__) == 23
    assert dir(hushrank) == sorted([*hushrank.__all__, "__version__"])
    for name in hushrank.__all__:
        assert getattr(hushrank, name).__module__.startswith("hushrank.")
    with pytest.raises(AttributeError, match="no attribute 'colect'"):
        hushrank.colect  # noqa: B018  # the access is what is tested


def test_type_checkers_see_the_names_that_are_imported_lazily():
    tree = ast.parse(Path(hushrank.__file__).read_text())
    (seen,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        (node.module, alias.name)
        for node in seen.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {(f"hushrank.{home}", name) for name, home in hushrank._HOME_OF.items()}


@pytest.mark.parametrize("name", RESULTS)
def test_results_answer_to_the_same_words(name):
    kind = getattr(hushrank, name)
    for word in WORDS:
        found = inspect.getattr_static(kind, word, None)
        is_field = word in kind.__dataclass_fields__
        assert is_field or isinstance(found, property | cached_property), word
    for call in CALLS:
        assert callable(getattr(kind, call)), call


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_is_enough(name):
    said = inspect.getdoc(getattr(hushrank, name))
    undocumented = [
        parameter
        for parameter in inspect.signature(getattr(hushrank, name)).parameters
        if not re.search(rf"\b{parameter}\b", said)
    ]
    assert not undocumented
    assert name not in VERBS or ">>> " in said


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("name", [*VERBS, "simulate", "simulate_activity"])
def test_the_example_of_the_help_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(optionflags=FLAGS)
    (example,) = finder.find(getattr(hushrank, name), name, globs={})
    assert example.examples
    assert runner.run(example).failed == 0


@pytest.mark.parametrize("name", VERBS)
def test_a_wrong_type_is_named(name):
    verb = getattr(hushrank, name)
    needed = {
        parameter.name: "people.soc"
        for parameter in inspect.signature(verb).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }
    with pytest.raises((TypeError, hushrank.HushrankError)) as caught:
        verb(**needed)
    assert any(parameter in str(caught.value) for parameter in needed)


@pytest.mark.parametrize(
    "call",
    [
        lambda people: hushrank.collect(people, 1, seed=-1),
        lambda people: hushrank.aggregate(people, seed=-1),
        lambda people: hushrank.simulate("mallows", people=2, items=2, seed=-1),
    ],
)
def test_a_negative_seed_is_refused(call):
    people = hushrank.read_rankings([["tea", "coffee"]])
    with pytest.raises(hushrank.HushrankError, match="seed: expected at least 0, got -1"):
        call(people)


@pytest.mark.parametrize(
    "wrong",
    [
        {"protocol": 3},
        {"protocol": SubsetOrders},
        {"protocol": "safari", "leaf_size": "2"},
        {"protocol": "pairs", "queries": 1.5},
        {"protocol": "safari", "mechanism": 3},
    ],
)
def test_collect_names_the_option_that_is_of_a_wrong_type(wrong):
    people = hushrank.read_rankings([["tea", "coffee"]])
    with pytest.raises((TypeError, hushrank.HushrankError), match=list(wrong)[-1]):
        hushrank.collect(people, 1, **wrong)


def test_a_mechanism_of_ones_own_is_named_in_json():
    people = hushrank.simulate("mallows", people=500, items=3, seed=1)
    mechanism = GeneralizedRandomizedResponse
    learnt = hushrank.collect(people, 4, protocol="safari", mechanism=mechanism, seed=1)
    found = json.loads(json.dumps(learnt.to_dict()))
    assert found["options"]["mechanism"] == "GeneralizedRandomizedResponse"


def test_importing_the_package_imports_nothing_heavy():
    script = (
        "import sys, hushrank; dir(hushrank);"
        "heavy = {'numpy', 'numba', 'scipy', 'matplotlib', 'pyarrow', 'msgspec'};"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
