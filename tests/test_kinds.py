"""A test's kind is seen from what it calls and where it stands."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds import END_TO_END_ROOMS, TESTS, mark_kind
from tests.statistics import FALSE_ALARM, assert_follows, random_seed


def judged():
    assert_follows(np.zeros(3), [0.5, 0.5])


def judged_inside():
    def inner():
        return np.random.default_rng(random_seed()).random() > FALSE_ALARM

    return inner()


@cache
def judged_by_a_cached_helper():
    return [judged_inside() for _ in range(2)]


def judged_by_a_helper_of_a_helper():
    return judged_by_a_cached_helper()


@given(st.none())
def judged_in_a_law(nothing):
    judged()


def drawn_but_not_judged():
    return np.random.default_rng(random_seed()).random()


@given(st.none())
def law(nothing):
    drawn_but_not_judged()


def kinds(function, *, room="mechanisms", fixtures=()):
    """Return the marks that a test of this function would bear in this room."""
    marks = []
    definitions = {fixture.__name__: [SimpleNamespace(func=fixture)] for fixture in fixtures}
    item = SimpleNamespace(
        path=TESTS / room / "test_something.py",
        obj=function,
        fixturenames=definitions.keys(),
        _fixtureinfo=SimpleNamespace(name2fixturedefs=definitions),
        add_marker=marks.append,
    )
    mark_kind(item)
    return marks


@pytest.mark.parametrize(
    "function",
    [
        judged,
        judged_inside,
        judged_by_a_cached_helper,
        judged_by_a_helper_of_a_helper,
        judged_in_a_law,
    ],
)
def test_what_judges_a_sample_is_statistical(function):
    assert kinds(function) == ["statistical"]


def test_what_uses_a_fixture_that_judges_is_statistical():
    assert kinds(drawn_but_not_judged, fixtures=[law, judged]) == ["statistical"]


@pytest.mark.parametrize("function", [drawn_but_not_judged, law])
def test_a_seeded_example_and_a_law_are_not_statistical(function):
    assert kinds(function, fixtures=[law]) == []


@pytest.mark.parametrize("room", sorted(END_TO_END_ROOMS))
def test_rooms_that_run_whole_commands_are_end_to_end(room):
    assert kinds(law, room=room) == ["end_to_end"]
    assert kinds(judged, room=f"{room}/inner") == ["end_to_end", "statistical"]


def live():
    return None


def test_what_runs_surveys_is_end_to_end():
    assert kinds(law, room="collector", fixtures=[live]) == ["end_to_end"]


def data_folder():
    return TESTS


def test_what_asks_for_the_folder_of_real_data_is_of_real_data():
    assert kinds(law, fixtures=[data_folder]) == ["real_data"]


def test_marks_are_on_the_tests_themselves(request):
    """Conftest marks what it collects: this test, which names `judged` and `law`, included."""
    assert judged is not law
    assert {mark.name for mark in request.node.iter_markers()} == {"statistical"}
