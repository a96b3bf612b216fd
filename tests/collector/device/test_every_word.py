"""All that leaves a device, for every word that it may draw: in fractions, from words to bytes.

A device draws words before it is told a ranking, and one word after. All 2^64 values of that one
are looked at, by the edges of the runs that lead to the same bytes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from io import BytesIO
from itertools import pairwise, permutations
from math import ceil, exp

import numpy as np
import pytest

from hushrank.accounting.rounding import within
from hushrank.collector.device.device import Device
from hushrank.collector.device.memory import SimulatedMemory
from hushrank.randomness import Randomness
from tests.bounds import exponential_below
from tests.collector.device.live import ORIGIN
from tests.collector.device.tapes import LOTS

WORDS = 2**64
OWN_WORDS = 5
"""What a device draws before it is told a ranking: its lot, its name, and the key of its upload."""
Told = tuple[object, ...]


class Recorded:
    """A collector as it answered once; `told` is all that a device asked and sent, in order."""

    origin = ORIGIN

    def __init__(self, direct) -> None:
        self._direct, self._kept, self.told = direct, {}, []

    def announcement(self, survey):
        return self._once("announcement", survey)

    def where(self, survey):
        return self._once("where", survey)

    def join(self, survey, asking):
        return self._once("join", survey, asking)

    def send(self, upload):
        self.told.append(("send", upload))
        return "receipt"

    def _once(self, name, *asked):
        self.told.append((name, *asked))
        if name not in self._kept:
            self._kept[name] = asked, getattr(self._direct, name)(*asked)
        known, answer = self._kept[name]
        assert asked == known
        return answer


def teller(live, survey: str, lot: int, name: int) -> Callable[[Sequence[str], int], Told]:
    """Return what tells all that a new device sends, of a ranking and the word for its report."""
    connection = Recorded(live.connection())
    own = np.array([lot, name, 1, 2, 3], dtype="<u8").tobytes()

    def told(order: Sequence[str], word: int) -> Told:
        tape = BytesIO(own + word.to_bytes(8, "little"))
        connection.told = []
        rng = Randomness(tape.read, is_private=True)
        device = Device(connection, SimulatedMemory(), randomness=rng, clock=live.clock)
        assert device.join(survey).handout is not None
        assert tape.tell() == 8 * OWN_WORDS
        device.answer(survey, order)
        device.send(survey)
        assert tape.read() == b""
        return tuple(connection.told)

    return told


def law(of_word: Callable[[int], Told], grid: Sequence[int], edges: set[int]) -> Counter[Told]:
    """Return of how many of all words each thing comes. `edges`: those known, and those found.

    Between two words of the grid is one edge at most.
    """
    words, at = Counter(), {word: of_word(word) for word in grid}
    for low, high in pairwise(grid):
        edge = high
        if at[low] != at[high]:
            known = (each for each in sorted(edges) if low < each <= high)
            fitting = (e for e in known if of_word(e - 1) == at[low] and of_word(e) == at[high])
            edge = next(fitting, None) or bisected(of_word, low, high)
            edges.add(edge)
        words[at[low]] += edge - low
        words[at[high]] += high - edge
    words[at[grid[-1]]] += 1
    return words


def bisected(of_word: Callable[[int], Told], low: int, high: int) -> int:
    """Return the first word of which comes what comes of `high`."""
    first, last = of_word(low), of_word(high)
    while high - low > 1:
        middle = (low + high) // 2
        found = of_word(middle)
        assert found in (first, last)
        low, high = (low, middle) if found == last else (middle, high)
    return high


def grid_of(n_runs: int, epsilon: float) -> list[int]:
    """Return words nearer to each other than half a run of a lie, and each of the last ones.

    There a mechanism that names one of several things has words that no run takes: fewer than runs.
    """
    n_steps = ceil(2 * (n_runs + exp(epsilon)))
    return [WORDS * nth // n_steps for nth in range(n_steps)] + [*range(WORDS - n_runs - 2, WORDS)]


def rankings(names: Sequence[str], n_orders: int = 6) -> Iterator[tuple[str, ...]]:
    """Yield all orders of few items; of many some, two of which differ in one pair only."""
    if len(names) == 4:
        yield from permutations(names)
        return
    rng = np.random.default_rng(31)
    yield tuple(names)
    yield (*names[:-2], names[-1], names[-2])
    for _ in range(n_orders - 2):
        yield tuple(rng.permutation(names).tolist())


POPULAR = {"popular_orders": True}
CASES = [
    (4, 0.3, POPULAR),
    (4, 1.1, POPULAR),
    (8, 1.1, POPULAR),
    (5, 1.1, {}),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in ((4, 2.7, POPULAR), (8, 0.7, POPULAR), (8, 2.0, POPULAR), (16, 1.1, POPULAR))
    ),
]


@pytest.mark.parametrize(("n_items", "written", "options"), CASES)
def test_all_that_leaves_a_device_differs_by_epsilon_at_most(live, n_items, written, options):
    names = tuple("abcdefghijklmnop"[:n_items])
    items = [{"name": name} for name in names]
    asked = {"items": items, "epsilon": written, "options": options, "expected_people": 5000}
    survey = live.open(protocol="max-entropy", **asked)
    most, worst = exponential_below(Fraction(str(written))), Fraction(0)
    for surveyed in surveys_of(live, survey):
        lot = ceil(surveyed.lots[0] * LOTS)
        told = teller(live, survey, lot, len(surveyed.name))
        n_runs = surveyed.questions[0].n_categories
        worst = max(worst, worst_ratio(told, names, grid_of(n_runs, written), n_runs))
    assert worst <= most
    assert worst > exponential_below(0.999 * within(written))  # it is no deaf device


def surveys_of(live, survey):
    """Return the surveys of the only round, each of which asks other people."""
    draft = live.run(live.service.survey(survey)).draft
    n_people = draft.expected_people
    begun = draft.named_protocol.begin(
        len(draft.items), epsilon=draft.epsilon, n_people=n_people, seed=0
    )
    surveys = next(begun)
    begun.close()
    return surveys


def worst_ratio(told, names, grid, n_runs) -> Fraction:
    """Return the largest ratio of chances of the same bytes, of any two rankings."""
    edges: set[int] = set()
    laws = []
    for order in rankings(names):
        found = law(lambda word, order=order: told(order, word), grid, edges)
        assert sum(found.values()) == WORDS
        assert len(found) == n_runs
        laws.append(found)
    assert {frozenset(each) for each in laws} == {frozenset(laws[0])}
    return max(
        Fraction(max(each[bytes_] for each in laws), min(each[bytes_] for each in laws))
        for bytes_ in laws[0]
    )
