"""Judge mutants of the page's modules in one browser, which is what takes long to start.

Each test of the page loads it anew: a mutant's text is written to the copy that is served, and
tests run until one fails, first the one that noticed the mutant before. Tests with a real collector
are not asked: it serves what it read when it began.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.mutants.judging import Fate, Judgement, judgement
from tests.mutants.killing import told_by
from tests.mutants.mutant import Mutant, explained
from tests.mutants.swapping import fails

PATIENCE = 2_000.0
"""Milliseconds until what a page does not show is missing: most mutants show it never."""


class Pager:
    """A plugin of pytest that judges mutants by the tests of one file, in place of running them.

    tell: is given the number of each mutant, its fate and the seconds that it took.
    """

    def __init__(
        self, tree: Path, mutants: list[Mutant], tell: Callable[[int, Fate, float], None]
    ) -> None:
        """Take the copy whose files the tests serve."""
        self._tree, self._mutants, self._tell = tree, mutants, tell

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once, then for each mutant until one fails."""
        assert len({item.path for item in session.items}) == 1  # what they share stays
        self._items = session.items
        self._impatient()
        failed = [item.nodeid for item in self._items if self._fails(item)]
        if failed:
            pytest.exit(f"fail without any mutant: {' '.join(failed)}", returncode=1)
        for number, mutant in enumerate(self._mutants):
            began = time.monotonic()
            fate = self._fate(mutant)
            self._tell(number, fate, time.monotonic() - began)
        return True

    def _impatient(self) -> None:
        visits = sys.modules.get("tests.collector.browser.driving.visits")
        if visits is not None:
            visits.PATIENCE = PATIENCE  # type: ignore[attr-defined]

    def _fate(self, mutant: Mutant) -> Fate:
        served = self._tree / mutant.file
        served.write_text(mutant.text, "utf-8")
        try:
            noticing = next(filter(self._fails_twice, self._items), None)
        finally:
            served.write_text(mutant.original, "utf-8")
        if noticing is None:
            return "survived"
        self._items.remove(noticing)
        self._items.insert(0, noticing)
        return "killed"

    def _fails_twice(self, item: pytest.Item) -> bool:
        """Whether it fails: once may be another's load."""
        return self._fails(item) and self._fails(item)

    def _fails(self, item: pytest.Item) -> bool:
        """Run a test, and leave what it shares with others of its file."""
        another = next((each for each in self._items if each is not item), None)
        return fails(item, before=another)


def judge_pages(tree: Path, mutants: list[Mutant]) -> Iterator[Judgement]:
    """Judge mutants by one stage of tests after the other, each of which is one file.

    Exits where a test fails without any mutant.
    """
    known = frozenset(explained())
    while mutants:
        stage = mutants[0].stages[0]
        now = [each for each in mutants if each.stages[0] == stage]
        left = [each for each in mutants if each.stages[0] != stage]
        pager = partial(Pager, tree, now)
        for number, fate, seconds in told_by(tree, stage, pager):
            mutant = now[number]
            if fate == "survived" and mutant.stages[1:]:
                left.append(replace(mutant, stages=mutant.stages[1:]))
            else:
                yield judgement(mutant, fate, seconds, known)
        mutants = left
