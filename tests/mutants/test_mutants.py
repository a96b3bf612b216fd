"""The lists of mutants are about the code as it is. `make mutants` judges them."""

from collections import Counter

import pytest

from tests.mutants import client
from tests.mutants.__main__ import FEW, score, table
from tests.mutants.judging import Judge, Judgement, judge_all
from tests.mutants.mutant import ROOT, Mutant, breaches, explained, original
from tests.mutants.paging import judge_pages
from tests.mutants.rooms import ROOMS
from tests.mutants.swapping import judge_swaps
from tests.mutants.trees import first_copy, with_another_file

BREACHES = breaches()
COMPOSITION = "src/hushrank/accounting/composition.py"


def test_each_breach_changes_one_place_of_the_code_as_it_is():
    """What was rewritten must be broken anew: else the list would shrink unseen."""
    for breach in BREACHES:
        assert original(breach.file).count(breach.before) == 1, breach
        assert breach.before != breach.after, breach
        assert breach.why.endswith("."), breach
        if breach.file.endswith(".py"):
            compile(breach.mutant.text, breach.file, "exec")


def test_no_breach_is_counted_twice():
    assert len({(each.file, each.before, each.after) for each in BREACHES}) == len(BREACHES)


def test_the_tests_that_must_notice_a_breach_are_there():
    for name in {name for breach in BREACHES for name in breach.tests}:
        file, _, function = name.partition("::")
        assert (ROOT / file).exists(), name
        assert not function or f"def {function}(" in original(file), name


def test_our_own_list_covers_every_room_that_is_mutated_and_the_client():
    files = {breach.file for breach in BREACHES}
    assert len(BREACHES) >= 80
    assert len(set(BREACHES)) == len(BREACHES)
    assert all(files.intersection(room.paths) for room in ROOMS)
    assert files.issuperset(FEW)
    assert sum(file.startswith("client/") for file in files) >= 5


def test_what_explains_a_survivor_speaks_of_the_code_as_it_is():
    for change, why in explained().items():
        lines = [line.strip() for line in original(change.file).splitlines()]
        wanted = change.before.splitlines()
        starts = range(len(lines) - len(wanted) + 1)
        assert any(lines[start : start + len(wanted)] == wanted for start in starts), change
        assert change.before != change.after, change
        assert why.endswith("."), change


def test_no_breach_is_explained_away():
    assert not {breach.mutant.change for breach in BREACHES}.intersection(explained())


def test_a_mutant_stands_in_a_copy_of_its_own(monkeypatch, tmp_path):
    """Of a project of two files: `make test-mutants` copies all of ours."""
    monkeypatch.setattr("tests.mutants.trees.ROOT", tmp_path)
    (tmp_path / COMPOSITION).parent.mkdir(parents=True)
    for file in (COMPOSITION, "pyproject.toml"):
        (tmp_path / file).write_text(original(file))
    with first_copy() as tree, with_another_file(tree, COMPOSITION, "x = 1\n") as copy:
        assert (copy / COMPOSITION).read_text() == "x = 1\n"
        for unchanged in (tree, tmp_path):
            assert (unchanged / COMPOSITION).read_text() == original(COMPOSITION)
        assert (copy / "pyproject.toml").samefile(tree / "pyproject.toml")
        assert not (tree / "pyproject.toml").samefile(tmp_path / "pyproject.toml")
    assert not tree.exists()


def test_each_room_has_files_and_tests_that_are_there():
    for room in ROOMS:
        assert room.paths, room.name
        assert all((ROOT / path).exists() for path in (*room.tests, *room.wider)), room.name


def test_each_module_of_the_client_has_tests_or_needs_a_browser():
    for module in client.modules():
        assert client.stages(module, is_wide=False), module
    assert all((client.CLIENT / module).exists() for module in client.OF_THE_PAGE)
    assert set(client.modules()).isdisjoint(client.OF_THE_PAGE)
    assert all((ROOT / test).exists() for stage in client.IN_CHROMIUM for test in stage)


def test_the_nearest_tests_of_a_module_judge_it_first():
    judges = [test for (test,) in client.stages("exact.js", is_wide=False)]
    assert judges[0] == "client/tests/exact.test.js"
    assert "client/tests/mechanisms.test.js" in judges
    assert "client/tests/order.test.js" not in judges
    assert client.stages("exact.js", is_wide=True)[-1] == client.WIDER


STARTS_A_PROCESS = """
from multiprocessing import get_context

def test_a_process_ends_well():
    started = get_context("spawn").Process(target=str)
    started.start()
    started.join()
    assert started.exitcode == 0
"""


def test_tests_that_start_processes_kill_no_mutant_by_that(tmp_path):
    """Else every mutant of theirs would count as noticed."""
    (tmp_path / "test_it.py").write_text(STARTS_A_PROCESS)
    (tmp_path / "code.py").write_text("x = 0\n")
    tests = ("test_it.py",)
    mutant = Mutant("room", "code.py", "kind", "x = 0\n", "x = 1\n", (tests,))
    (found,) = judge_all(Judge(tmp_path, {tests: 60}), [mutant], jobs=1)
    assert found.fate == "survived"


PROGRAM = """
from functools import cache

from program.kernels import kernel

LIMIT = 3
STEP = 7
ALL = (lambda: 1,)  # another each time that it is loaded

@cache
def _twice(number):
    return 2 * number

def bounded(number, least=0):
    return max(least, min(_twice(number), LIMIT))

class Person:
    @property
    def age(self):
        return [each + 1 for each in (1, 2)][0]

@kernel
def _tripled(number):
    return 3 * number

@kernel
def moved(number):
    return _tripled(number) + STEP
"""
TESTS_OF_IT = """
from program.code import ALL, LIMIT, Person, bounded, moved

REMEMBERED = bounded(1)

def test_a_number_is_bounded():
    assert [bounded(each) for each in (-1, 1, 5)] == [0, 2, LIMIT]

def test_all_is_as_it_was_loaded():
    from program import code

    assert code.ALL is ALL

def test_the_limit_is_three():
    assert LIMIT == 3

def test_a_person_has_an_age():
    assert Person().age == 2

def test_a_number_is_moved():
    assert moved(1) == 10
"""
FATES = {
    "2 * number": ("3 * number", "killed"),  # behind a cache
    "LIMIT = 3": ("LIMIT = 4", "killed"),  # taken by name elsewhere
    "least=0": ("least=-1", "killed"),
    "each + 1": ("each + 2", "killed"),  # within a property
    "max(least": ("max(least + 0", "survived"),
    "min(": ("[].clear() or min(", "survived"),
    "(1, 2)": ("(1, 3)", "survived"),
    "LIMIT))": ("LIMIT + (number < -9)))", "survived"),
    "3 * number": ("4 * number", "killed"),  # compiled, and called by what is compiled
    "+ STEP": ("- STEP", "killed"),
    "STEP = 7": ("STEP = 8", "killed"),
    "    return 2": ("    while True: pass\n    return 2", "endless"),
    "1,)": ("2,)", "other"),
    "@cache": ("", "other"),
}


def test_a_fork_swaps_functions_values_and_defaults(monkeypatch, tmp_path):
    """What it cannot swap, such as a decorator, is judged in a copy."""
    monkeypatch.setattr("tests.mutants.swapping.LEAST_SECONDS", 1)
    file = "src/program/code.py"
    kernels = {"src/program/kernels.py": original("src/hushrank/kernels.py")}
    texts = {file: PROGRAM, "tests_of_it/test_code.py": TESTS_OF_IT} | kernels
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    mutants = [
        Mutant("room", file, before, PROGRAM, PROGRAM.replace(before, after), ())
        for before, (after, _) in FATES.items()
    ]
    others: list[Mutant] = []
    done = judge_swaps(tmp_path, mutants, ("tests_of_it",), others, jobs=2)
    fates = {each.mutant.kind: each.fate for each in done}
    fates |= {each.kind: "other" for each in others}
    assert fates == {before: fate for before, (_, fate) in FATES.items()}


@pytest.mark.parametrize("wrong", ["def test_it(): assert False\n", "import nothing_of_the_kind\n"])
def test_tests_that_fail_without_any_mutant_judge_none(tmp_path, wrong):
    (tmp_path / "test_good.py").write_text("def test_it(): pass\n")
    (tmp_path / "test_wrong.py").write_text(wrong)
    mutant = Mutant("room", "src/code.py", "kind", "x = 0\n", "x = 1\n", ())
    tests = ("test_good.py", "test_wrong.py")
    with pytest.raises(SystemExit):
        list(judge_swaps(tmp_path, [mutant], tests, [], jobs=1))


def test_a_page_is_judged_by_tests_that_read_its_files_anew_one_file_after_the_other(tmp_path):
    """And once more where one fails: here the first fails once, as on a busy machine."""
    files = {name: f"test_{name}.py" for name in ("first", "second")}
    page = "from pathlib import Path\n\nRUNS = []\n\n"
    (tmp_path / "page.js").write_text("1 2 3")
    for letter, name in zip("12", files.values(), strict=True):
        here = f'def test_{letter}(): assert "{letter}" in Path("page.js").read_text()\n'
        once = "def test_once():\n    RUNS.append(1)\n    assert len(RUNS) != 2\n"
        (tmp_path / name).write_text(page + here + once)
    stages = tuple((name,) for name in files.values())
    texts = {"2 3": "killed", "1 3": "killed", "1 2": "survived", "3": "killed"}
    mutants = [Mutant("room", "page.js", each, "1 2 3", each, stages) for each in texts]
    done = judge_pages(tmp_path, mutants)
    assert {each.mutant.kind: each.fate for each in done} == texts
    assert (tmp_path / "page.js").read_text() == "1 2 3"


def test_a_survivor_is_counted_and_an_explained_one_is_not_noticed():
    mutant = Mutant("room", COMPOSITION, "kind", "x = 0\n", "x = 1\n", ())
    fates = ["killed"] * 17 + ["endless", "explained", "survived"]
    done = [Judgement(mutant, fate, 1.0) for fate in fates]
    assert "| room | 40 | 20 | 17 | 1 | 1 | 1 |" in table(done, Counter({"room": 40}))
    assert "noticed of all: 90.0 % (68.3 to 98.8 %)" in score(done, is_sample=True)
    assert "noticed of those not explained: 94.7 % (74.0 to 99.9 %)" in score(done, is_sample=True)
    assert score(done, is_sample=False) == (
        "noticed of all: 18 of 20\nnoticed of those not explained: 18 of 19"
    )
