from datetime import UTC, datetime, timedelta

import pytest

from hushrank.collector.life import Life
from hushrank.collector.refusals import Refusal

NOW = datetime(2027, 1, 31, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
ACTIONS = {
    "open": lambda life: life.open(NOW, None),
    "hand_over": lambda life: life.hand_over("a"),
    "close_round": Life.close_round,
    "finish": lambda life: life.finish(NOW),
    "publish": Life.publish,
    "unpublish": Life.unpublish,
}
ALLOWED = {
    "draft": {"open": "open"},
    "open": {"close_round": "between", "hand_over": "counting"},
    "counting": {"close_round": "between", "hand_over": "counting"},
    "between": {"open": "open", "finish": "closed"},
    "closed": {"publish": "published"},
    "published": {"unpublish": "closed"},
}


@pytest.mark.parametrize("state", ALLOWED)
@pytest.mark.parametrize("action", ACTIONS)
def test_only_what_may_happen_happens(state, action):
    life = Life(state, None if state == "draft" else 0)
    if action in ALLOWED[state]:
        assert ACTIONS[action](life).state == ALLOWED[state][action]
    else:
        with pytest.raises(Refusal) as refused:
            ACTIONS[action](life)
        assert refused.value.kind == "not-allowed"


def test_rounds_count_from_0_and_the_survey_keeps_when_it_opened():
    life = Life().open(NOW, LATER).close_round().open(LATER, None)
    assert (life.round, life.opened, life.closes) == (1, NOW, None)
    ended = life.close_round().finish(LATER)
    assert (ended.round, ended.opened, ended.ended, ended.has_ended) == (1, NOW, LATER, True)


def test_a_round_that_is_counted_elsewhere_keeps_its_mark_and_is_told_as_between_two():
    away = Life().open(NOW, LATER).hand_over("a")
    assert (away.handed, away.hand_over("b").handed, away.told) == ("a", "a", "between")
    assert not away.is_due(LATER)
    assert away.close_round().handed is None


def test_a_round_is_due_at_its_closing_time_and_not_before():
    life = Life().open(NOW, LATER)
    assert not life.is_due(LATER - timedelta(microseconds=1))
    assert life.is_due(LATER)
    assert not Life().open(NOW, None).is_due(LATER)
    assert not life.close_round().is_due(LATER)


def test_a_round_does_not_open_when_it_would_have_ended():
    with pytest.raises(Refusal, match="passed"):
        Life().open(NOW, NOW)


def test_only_a_draft_can_be_edited():
    Life().require_editable()
    for state in ALLOWED.keys() - {"draft"}:
        with pytest.raises(Refusal):
            Life(state, 0).require_editable()
