"""No ballot changes how others are read, in any source; where the proof of it is off, some do."""

from random import Random

import pytest

from hushrank.rankings.forms import tables
from tests.rankings.neighbours.search import Counted, search


@pytest.mark.parametrize("seed", range(4))
def test_no_ballot_moves_others(tmp_path, seed):
    random, counted = Random(seed), Counted()
    assert not [each for _ in range(40) for each in search(random, tmp_path, counted)]
    assert counted.files > 5
    assert counted.pairs > 40


def test_the_search_finds_ballots_that_move_others_where_nothing_is_compared(tmp_path, monkeypatch):
    for rule in ("require_alike", "require_not_otherwise", "require_told_without"):
        monkeypatch.setattr(tables, rule, lambda *_, **__: None)
    random, counted = Random(1), Counted()
    assert any(each for _ in range(300) for each in search(random, tmp_path, counted))
