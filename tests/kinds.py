"""Which kind a test is of: seen from what it calls and where it stands, so nobody has to say it.

- *statistical*: the test draws a sample and judges it with tests/statistics.py, itself or through
  a helper or a fixture;
- *end to end*: the test stands in a room that runs whole commands or experiments, or makes or
  serves pages, or it asks for a fixture that runs surveys;
- *real data*: the test reads data sets that are no part of the project;
- all others are quick and cannot fail by chance: exact values, laws, golden vectors.

A test that is of one of these kinds in another way says so with a mark of the kind's name. What
`make test-fast` runs should take no second: it says which tests were the slowest.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

import pytest

END_TO_END_ROOMS = {
    "cli",
    "documents",
    "experiments",
    "reports",
    "stories",
    "testing",
    "workflows",
    "collector/browser",
    "collector/results",
    "collector/web",
}
WHOLE_SURVEYS = {"live", "in_service"}
"""Fixtures with which a test runs surveys from their drafts on."""
STATISTICS = {"tests.statistics", "hushrank.testing.statistics"}
CONSTANTS = {"FALSE_ALARM", "MISS"}
NOT_CHECKS = {"random_seed", "correlated"}
"""What tests/statistics.py offers to tests of every kind."""
TESTS = Path(__file__).parent


def mark_kind(item: pytest.Function) -> None:
    """Mark the test by its kind, for `pytest -m`."""
    place = item.path.relative_to(TESTS).as_posix()
    is_in_room = any(place.startswith(f"{room}/") for room in END_TO_END_ROOMS)
    if is_in_room or WHOLE_SURVEYS.intersection(item.fixturenames):
        item.add_marker("end_to_end")
    if "data_folder" in item.fixturenames:
        item.add_marker("real_data")
    if any(map(is_statistical, _functions(item))):
        item.add_marker("statistical")


@cache
def is_statistical(function: object) -> bool:
    """Return whether the function judges a sample, itself or through functions of the tests."""
    return any(_is_check(name, value) for name, value in _named(function, set()))


def _functions(item: pytest.Function) -> Iterator[object]:
    law = getattr(item.obj, "hypothesis", None)
    yield law.inner_test if law else item.obj
    for fixtures in item._fixtureinfo.name2fixturedefs.values():
        yield from (fixture.func for fixture in fixtures)


def _is_check(name: str, value: object) -> bool:
    from_statistics = getattr(value, "__module__", "") in STATISTICS
    return name in CONSTANTS or (from_statistics and name not in NOT_CHECKS)


def _named(function: object, seen: set[object]) -> Iterator[tuple[str, object]]:
    """Yield the globals that a function of the tests names, and those that they name in turn."""
    function = getattr(function, "__wrapped__", function)  # a cached or marked one
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        yield name, value
        if getattr(value, "__module__", None) not in STATISTICS and _is_of_tests(value):
            yield from _named(value, seen)


def _is_of_tests(value: object) -> bool:
    return str(getattr(value, "__module__", "")).startswith("tests.")


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names in the code and in the functions defined inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
