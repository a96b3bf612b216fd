from collections import Counter

import pytest

from hushrank.collector.store import counting
from hushrank.collector.store.store import Kinds
from tests.collector.store.running import NOW, kinds, on_store, open_survey, upload


def added_up(taken):
    """Return how many times each kind was taken."""
    found: Counter[tuple[int, int, bytes]] = Counter()
    for given in taken:
        assert type(given) is Kinds
        for report, times in given.times.items():
            found[given.part, given.question, report] += times
    return found


@pytest.mark.parametrize("n_questions", [3, 25])
@pytest.mark.parametrize("n_kinds", [1, 7, 100])
@pytest.mark.parametrize("most", [1, 5, 20, 1000])
def test_what_is_taken_adds_up_to_what_was_added(monkeypatch, most, n_kinds, n_questions):
    monkeypatch.setattr(counting, "MOST_KINDS", most)
    rows = [(n % 2, n % n_questions, b"%d" % (n % n_kinds)) for n in range(100)]
    count, taken = counting.Counting(), []
    for start in range(0, 100, 10):
        taken += count.add(rows[start : start + 10])
    taken += count.take()
    assert count.take() == []
    assert added_up(taken) == Counter(rows)


@pytest.mark.parametrize("most", [1, 2, 1000])
def test_reports_are_counted_in_as_many_pieces_as_there_is_room_for(address, monkeypatch, most):
    monkeypatch.setattr(counting, "MOST_KINDS", most)

    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(n, b"%d" % (n % 7), b"") for n in range(100)], now=NOW)
        expected = Counter((0, 0, b"%d" % (n % 7)) for n in range(100))
        assert await kinds(store) == expected | {(0, 1, b""): 100}

    on_store(address, scenario)
