from collections import Counter
from contextlib import nullcontext

import numpy as np

from hushrank.collector import rehearsal
from hushrank.rankings.profile import Rankings

NAMES = tuple(f"item {number}" for number in range(24))
PEOPLE = Rankings(
    np.random.default_rng(1).permuted(np.tile(np.arange(24, dtype=np.uint8), (100, 1)), axis=1),
    NAMES,
)


def test_all_of_many_items_are_asked_for():
    assert rehearsal.rehearsal_of(PEOPLE, 1.0).names == NAMES


def test_each_of_many_people_answers_once_with_all_items(monkeypatch):
    sent, memories = [], []

    class Phone:
        def __init__(self, connection, memory):
            assert not any(memory is other for other in memories)
            memories.append(memory)
            self.joined, self.order = None, None

        def join(self, survey):
            self.joined = survey

        def answer(self, survey, names):
            self.order = tuple(names)

        def send(self, survey):
            assert self.joined == survey
            sent.append(self.order)

    monkeypatch.setattr(rehearsal, "Device", Phone)
    monkeypatch.setattr(rehearsal, "HttpConnection", nullcontext)
    rehearsal._answer_all("http://nowhere", "s", PEOPLE)
    held = [tuple(NAMES[item] for item in order) for order in PEOPLE.orders()]
    assert Counter(sent) == Counter(held)
