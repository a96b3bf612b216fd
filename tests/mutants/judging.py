"""What becomes of mutants: killed by a test, or survived."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

from tests.mutants.killing import LOG, is_for_node, load_packages, run_tests
from tests.mutants.mutant import Change, Mutant, Tests, explained
from tests.mutants.trees import with_another_file

Fate = Literal["killed", "endless", "explained", "survived"]
"""`endless`: stopped when its tests had taken several times what they take; counts as killed."""
LEAST_SECONDS = 30
LEAST_SECONDS_OF_NODE = 2
TIMES_AS_LONG = 4


@dataclass(frozen=True)
class Judgement:
    """A mutant, what became of it, and the processor seconds that this took."""

    mutant: Mutant
    fate: Fate
    seconds: float


def judgement(mutant: Mutant, fate: Fate, seconds: float, known: frozenset[Change]) -> Judgement:
    """Say what became of a mutant; a survivor that is known is explained."""
    is_explained = fate == "survived" and mutant.change in known
    return Judgement(mutant, "explained" if is_explained else fate, seconds)


@dataclass(frozen=True)
class Judge:
    """Judges mutants in copies of a tree, in which each run of tests may take so many seconds."""

    tree: Path
    limits: dict[Tests, int]
    explained: frozenset[Change] = field(default_factory=lambda: frozenset(explained()))

    @classmethod
    def of_own(cls, tree: Path, mutants: Iterable[Mutant]) -> "Judge":
        """Run all tests that mutants name, at once, as `of` does: they take a second or two each.

        Those of the client are run apart.
        """
        named = dict.fromkeys(chain.from_iterable(_stages(mutants)))
        scripts = tuple(name for name in named if is_for_node((name,)))
        others = tuple(name for name in named if name not in scripts)
        for tests in filter(None, (scripts, others)):
            _limit(tree, tests)
        return cls(tree, dict.fromkeys(_stages(mutants), LEAST_SECONDS))

    @classmethod
    def of(cls, tree: Path, mutants: Iterable[Mutant]) -> "Judge":
        """Run all tests on the tree as it is, which compiles its kernels, too.

        Tests of a file may take what those of its room take. Exits where one of them fails: then
        they would kill every mutant.
        """
        limits: dict[Tests, int] = {}
        for mutant in mutants:
            later: Tests | None = None
            for tests in reversed(mutant.stages):
                if tests not in limits:
                    is_part = later is not None and _are_of(tests, later)
                    limits[tests] = limits[later] if is_part else _limit(tree, tests)
                later = tests
        return cls(tree, limits)

    def judge(self, mutant: Mutant) -> Judgement:
        """Run one stage of tests after the other until one fails."""
        seconds = 0.0
        with with_another_file(self.tree, mutant.file, mutant.text) as tree:
            for tests in mutant.stages:
                run = run_tests(tree, tests, seconds=self.limits[tests])
                seconds += run.seconds
                if not run.passed:
                    return Judgement(mutant, "killed" if run.in_time else "endless", seconds)
        return judgement(mutant, "survived", seconds, self.explained)


def judge_all(judge: Judge, mutants: list[Mutant], *, jobs: int) -> Iterator[Judgement]:
    """Judge mutants in so many processes, and yield each when it is done.

    Tests of mutants may start processes, which those of `multiprocessing.Pool` must not.
    Exits where tests fail without any mutant by now: then nothing of it was true.
    """
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        yield from pool.map(judge.judge, mutants)
    for stages in {mutants[0].stages[:1], mutants[-1].stages[:1]}:
        _limit(judge.tree, stages[0])


def _stages(mutants: Iterable[Mutant]) -> Iterable[Tests]:
    return dict.fromkeys(chain.from_iterable(mutant.stages for mutant in mutants))


def _are_of(tests: Tests, later: Tests) -> bool:
    """Whether later tests, or folders of them, hold these."""
    return all(any(each.startswith(one) for one in later) for each in tests)


def _limit(tree: Path, tests: Tests) -> int:
    load_packages()
    run = run_tests(tree, tests, seconds=10_000)
    if not run.passed:
        raise SystemExit(f"{' '.join(tests)} fails without any mutant:\n{(tree / LOG).read_text()}")
    least = LEAST_SECONDS_OF_NODE if is_for_node(tests) else LEAST_SECONDS
    return max(least, round(TIMES_AS_LONG * run.seconds))
