"""Orders proposed by inserting one item after the other, refused as soon as a coin says so.

Theory: docs/theory/exact-sampling.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from hushrank.aggregators.private.exponential.proposals import (
    SLACK,
    Proposals,
    chosen_place,
    word_shares,
)
from hushrank.arrays import Counts, Orders, Words
from hushrank.kernels import kernel
from hushrank.randomness import Randomness
from hushrank.samplers.coins_from_tape import exponential_coin

WORDS_AT_ONCE = 2**11
MOST_WORDS_AT_ONCE = 2**15


class _Tables(NamedTuple):
    """What a try looks up: see `InsertionProposal`."""

    margins: Counts
    least: Counts
    shares: Words
    numerator: int  # of the rate
    denominator: int


class _Found(NamedTuple):
    """Complete orders, how many items each of their items jumped, and the start of each."""

    orders: Counts
    jumps: Counts
    starts: Counts


@dataclass(frozen=True, eq=False, repr=False)
class InsertionProposal:
    """Propose orders by putting each item so many places before the end of those already there.

    Items are numbered in the order of their insertion; any such order gives the same law, but in
    Borda's order items jump few others. margins[j, k] pairs are lost where k jumps j. No t jumped
    items lose fewer pairs than least[k, t], the sum of the t smallest margins of k. Item k jumps t
    of them with shares[k, t] of 2^64 words, near e^-(rate * least[k, t]); what the items that it
    does jump lose beyond `least` is paid by an exact coin at once, whose tail ends the try.
    Source: rejection as in Mansinghka, Roy, Jonas, Tenenbaum (AISTATS 2009).
    """

    rate: Fraction
    items: Counts
    margins: Counts
    least: Counts
    shares: Words
    log_bound: float

    @classmethod
    def of(cls, margins: Counts, rate: Fraction) -> "InsertionProposal":
        """Tabulate the chances; items are inserted by descending sum of their margins."""
        return cls.after(1, np.argsort(-margins.sum(axis=1), kind="stable"), margins, rate)

    @classmethod
    def after(
        cls, n_placed: int, items: Counts, margins: Counts, rate: Fraction
    ) -> "InsertionProposal":
        """Tabulate the chances of all but the first `n_placed` of these items."""
        margins = np.ascontiguousarray(margins[np.ix_(items, items)])
        least, shares = np.zeros_like(margins), np.zeros(margins.shape, dtype=np.uint64)
        log_bound = 0.0
        for item in range(n_placed, len(items)):
            least[item, 1 : item + 1] = np.sort(margins[:item, item]).cumsum()
            log_weights = float(rate) * -least[item, : item + 1].astype(np.float64)
            word_shares(log_weights, shares[item, : item + 1])
            log_bound += float(np.logaddexp.reduce(log_weights)) + SLACK
        return cls(rate, items, margins, least, shares, log_bound)

    def propose(self, size: int, *, most_tries: int, rng: Randomness) -> Proposals:
        """Draw up to `size` orders in at most so many tries; refused tries leave no trace."""
        starts = np.broadcast_to(np.zeros(1, dtype=np.int64), (most_tries, 1))
        return self.inserted(starts, size, rng=rng)[0]

    def inserted(self, starts: Orders, size: int, *, rng: Randomness) -> tuple[Proposals, Counts]:
        """Try once each to complete orders (tries, placed); stop when `size` of them are complete.

        Return those, and of which starts they are. Items have their numbers in the starts.
        A try that the tape of words cuts short begins again on the same words with more of them:
        no try is favoured.
        """
        rate = (self.rate.numerator, self.rate.denominator)
        tables = _Tables(self.margins, self.least, self.shares, *rate)
        orders = np.zeros((size, len(self.items)), dtype=np.int64)
        found = _Found(orders, np.zeros_like(orders), np.zeros(size, dtype=np.int64))
        n_kept = n_tries = 0
        n_words, tape = WORDS_AT_ONCE, rng.words(0)
        while n_kept < size and n_tries < len(starts):
            tape = np.concatenate([tape, rng.words(n_words)])
            progress = _insert_items(tables, tape, starts, found, n_kept, n_tries)
            n_kept, n_tries, n_read = progress
            tape, n_words = tape[n_read:], min(2 * n_words, MOST_WORDS_AT_ONCE)
        first = starts.shape[1]
        complete = self._proposals(orders[:n_kept], found.jumps[:n_kept, first:])
        return complete, found.starts[:n_kept]

    def _proposals(self, orders: Orders, jumps: Counts) -> Proposals:
        numbers = np.arange(len(self.items) - jumps.shape[1], len(self.items))
        costs = self.least[numbers, jumps].sum(axis=1)
        return Proposals(self.items[orders], self.shares[numbers, jumps], costs)


@kernel
def _insert_items(
    tables: _Tables, tape: Words, starts: Orders, found: _Found, n_kept: int, n_tries: int
) -> tuple[int, int, int]:
    """Complete orders while words last; return how many there are, the tries, and words used up."""
    margins, least, shares, numerator, denominator = tables
    orders, jumps, kept = found
    read = np.zeros(1, dtype=np.int64)
    while n_kept < len(orders) and n_tries < len(starts):
        start = read[0]
        order, jumped = orders[n_kept], jumps[n_kept]
        item, is_kept = starts.shape[1], True
        order[:item] = starts[n_tries]
        while is_kept and item < len(order):
            far = _jumped(shares[item, : item + 1], tape, read)
            extra = _lost(order, item, far, margins) - least[item, far]
            is_kept = extra == 0 or exponential_coin(numerator * extra, denominator, tape, read)
            _put(order, item, far)
            jumped[item] = far
            item += 1
        if read[0] > len(tape):
            return n_kept, n_tries, start
        kept[n_kept] = n_tries
        n_kept, n_tries = n_kept + is_kept, n_tries + 1
    return n_kept, n_tries, read[0]


@kernel
def _lost(order: Counts, item: int, far: int, margins: Counts) -> int:
    """Return how many pairs are lost where an item jumps the `far` last of those before it."""
    lost = 0
    for place in range(item - far, item):
        lost += margins[order[place], item]
    return lost


@kernel
def _put(order: Counts, item: int, far: int) -> None:
    """Put the next item before the `far` last of those before it."""
    for place in range(item, item - far, -1):
        order[place] = order[place - 1]
    order[item - far] = item


@kernel
def _jumped(shares: Words, tape: Words, read: Counts) -> int:
    """Draw how many items are jumped; none where the tape has ended."""
    if read[0] >= len(tape):
        read[0] = len(tape) + 1
        return 0
    word = tape[read[0]]
    read[0] += 1
    return chosen_place(word, shares)
