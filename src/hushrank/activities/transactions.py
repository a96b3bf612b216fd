"""Made-up activity with patterns, as IBM's Quest generator of market baskets draws it."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.identifiers import numbered
from hushrank.errors import require
from hushrank.kernels import kernel

_MOST_IDLE = 1000  # patterns in a row that add nothing: too few items are in any pattern


@dataclass(frozen=True)
class Patterns:
    """Sets of items that are used together; the defaults are the generator's.

    length: mean size, 1 + Poisson. overlap: mean share that the pattern before has too,
    exponential. intact: mean probability of a use to lose no (further) item, normal with standard
    deviation `spread`. Source: Agrawal, Srikant (VLDB 1994), section 4.1, and the program.
    """

    n_patterns: int = 10_000
    length: float = 4.0
    overlap: float = 0.25
    intact: float = 0.75
    spread: float = 0.1

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(self.n_patterns >= 1, f"expected 1 or more patterns, got {self.n_patterns}")
        require(1 <= self.length <= 1000, f"expected a length of 1..1000, got {self.length}")
        require(0 <= self.overlap <= 10, f"expected an overlap of 0..10, got {self.overlap}")
        require(0 < self.intact <= 1, f"expected intact in (0, 1], got {self.intact}")
        require(0 <= self.spread <= 1, f"expected a spread of 0..1, got {self.spread}")


QUEST_PATTERNS = Patterns()


def draw_transactions(
    n_users: int,
    n_items: int,
    *,
    mean_items: float,
    patterns: Patterns = QUEST_PATTERNS,
    rng: Generator,
) -> Activity:
    """Draw one transaction a user: binary activity of about `mean_items` items a user.

    A user has 1 + Poisson places, filled pattern by pattern; a pattern that does not fit is in half
    of the cases added all the same, and otherwise left to the next user. Cost: O(records).
    Users and items are called 1, 2, ..
    Source: Agrawal, Srikant (VLDB 1994), section 4.1. Differs from the source: as in the program,
    items have exponential weights; no transaction stays empty.
    """
    require(n_users >= 1, f"expected 1 or more users, got {n_users}")
    require(n_items >= 2, f"expected 2 or more items, got {n_items}")
    most = n_items / 2
    require(1 <= mean_items <= most, f"expected a mean of 1..{most:g} items, got {mean_items}")
    sizes = 1 + rng.poisson(mean_items - 1, n_users)
    intact = rng.normal(patterns.intact, patterns.spread, patterns.n_patterns).clip(0.1, 1)
    ends, members = _draw_patterns(
        1 + rng.poisson(patterns.length - 1, patterns.n_patterns),
        patterns.overlap * rng.standard_exponential(patterns.n_patterns),
        _cumulated(n_items, rng),
        rng,
    )
    weights = _cumulated(patterns.n_patterns, rng)
    indptr, items = _fill(sizes, n_items, ends, members, weights, intact, rng)
    scores = csr_array((np.ones(len(items)), items, indptr), shape=(n_users, n_items))
    return Activity(scores, numbered(n_users), numbered(n_items))


def _cumulated(size: int, rng: Generator) -> NDArray[np.float64]:
    weights = np.cumsum(rng.standard_exponential(size))
    cumulated: NDArray[np.float64] = weights / weights[-1]
    return cumulated


@kernel
def _choose(values: NDArray[np.int32], n_chosen: int, rng: Generator) -> None:
    """Put `n_chosen` of the values, drawn without replacement, to the front."""
    for place in range(n_chosen):
        other = place + int(rng.random() * (len(values) - place))
        values[place], values[other] = values[other], values[place]


@kernel
def _draw_patterns(
    lengths: NDArray[np.int64],
    overlaps: NDArray[np.float64],
    items: NDArray[np.float64],
    rng: Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where each pattern ends, and the items of all patterns one after the other."""
    ends = np.cumsum(lengths)
    members = np.empty(ends[-1], dtype=np.int32)
    previous = np.empty(0, dtype=np.int32)
    for number in range(len(lengths)):
        pattern = members[ends[number] - lengths[number] : ends[number]]
        n_same = min(int(len(pattern) * overlaps[number] + 0.5), len(pattern), len(previous))
        _choose(previous, n_same, rng)
        pattern[:n_same] = previous[:n_same]
        for place in range(n_same, len(pattern)):
            pattern[place] = np.searchsorted(items, rng.random())
        previous = pattern.copy()
    return ends, members


@kernel
def _n_intact(n_items: int, intact: float, rng: Generator) -> int:
    """Draw how many items of a pattern are left: it loses one more as long as a coin says so."""
    while n_items and rng.random() > intact:
        n_items -= 1
    return n_items


@kernel
def _add(
    chosen: NDArray[np.int32],
    user: int,
    user_of_item: NDArray[np.int64],
    items: NDArray[np.int32],
    end: int,
) -> int:
    """Append the items that the user does not have yet, and return where they end."""
    for item in chosen:
        if user_of_item[item] != user:
            user_of_item[item] = user
            items[end] = item
            end += 1
    return end


@kernel
def _next(left_over: int, weights: NDArray[np.float64], rng: Generator) -> int:
    """Return the pattern that the user before left over, or else draw one."""
    return left_over if left_over >= 0 else int(np.searchsorted(weights, rng.random()))


@kernel
def _fill(
    sizes: NDArray[np.int64],
    n_items: int,
    ends: NDArray[np.int64],
    members: NDArray[np.int32],
    weights: NDArray[np.float64],
    intact: NDArray[np.float64],
    rng: Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the transactions as row pointers and items, unsorted, each item once."""
    starts = np.append(np.zeros(1, dtype=np.int64), ends[:-1])
    items = np.empty(np.sum(sizes) + np.max(ends - starts) * len(sizes), dtype=np.int32)
    indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    user_of_item = np.full(n_items, -1)  # the last user who has it
    left_over = -1
    for user in range(len(sizes)):
        end, full, n_idle = indptr[user], indptr[user] + sizes[user], 0
        while end < full and n_idle < _MOST_IDLE:
            drawn, left_over = _next(left_over, weights, rng), -1
            pattern = members[starts[drawn] : ends[drawn]].copy()
            n_kept = _n_intact(len(pattern), intact[drawn], rng)
            n_idle += 1
            if end + n_kept <= full or rng.random() >= 0.5:
                _choose(pattern, n_kept, rng)
                before, end = end, _add(pattern[:n_kept], user, user_of_item, items, end)
                n_idle = n_idle if end == before else 0
            elif end > indptr[user]:
                left_over, full = drawn, end  # the next user's
        indptr[user + 1] = end
    return indptr, items[: indptr[-1]].copy()
