"""Orders proposed by inserting one item after the other, refused as soon as a coin says so."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numba import njit

from hushrank.aggregators.coin_kernel import exponential_coin
from hushrank.aggregators.proposals import SLACK, Proposals, chosen_place, word_shares
from hushrank.arrays import Counts, Orders, Words
from hushrank.randomness import Randomness

WORDS_AT_ONCE = 2**11
MOST_WORDS_AT_ONCE = 2**15


@dataclass(frozen=True, eq=False, repr=False)
class InsertionProposal:
    """Propose orders by putting each item so many places before the end of those already there.

    margins[j, k] pairs lost where k jumps j, items numbered in the order of their insertion; any
    such order gives the same law, but Borda's has items jump few others. least[k, t] = the sum of
    the t smallest margins of k: no t jumped items lose fewer pairs. Item k jumps t with a chance
    near e^-(rate * least[k, t]), shares[k, t] of 2^64; what the items jumped lose beyond `least`
    is paid by an exact coin at once: its tail ends the try.
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
        items = np.argsort(-margins.sum(axis=1), kind="stable")
        margins = np.ascontiguousarray(margins[np.ix_(items, items)])
        least, shares = np.zeros_like(margins), np.zeros(margins.shape, dtype=np.uint64)
        log_bound = 0.0
        for item in range(1, len(items)):
            least[item, 1 : item + 1] = np.sort(margins[:item, item]).cumsum()
            log_weights = float(rate) * -least[item, : item + 1].astype(np.float64)
            word_shares(log_weights, shares[item, : item + 1])
            log_bound += float(np.logaddexp.reduce(log_weights)) + SLACK
        return cls(rate, items, margins, least, shares, log_bound)

    def propose(self, size: int, *, most_tries: int, rng: Randomness) -> Proposals:
        """Draw up to `size` orders in at most so many tries; refused tries leave no trace.

        A try that the tape of words cuts short goes on with more words: no try is favoured.
        """
        rate = (self.rate.numerator, self.rate.denominator)
        tables = (self.margins, self.least, self.shares, *rate)
        orders = np.zeros((size, len(self.items)), dtype=np.int64)
        jumps = np.zeros_like(orders)
        n_kept = n_tries = 0
        n_words, tape = WORDS_AT_ONCE, rng.words(0)
        while n_kept < size and n_tries < most_tries:
            tape = np.concatenate([tape, rng.words(n_words)])
            n_kept, n_tries, n_read = _insert_items(
                *tables, tape, orders, jumps, n_kept, n_tries, most_tries
            )
            tape, n_words = tape[n_read:], min(2 * n_words, MOST_WORDS_AT_ONCE)
        return self._proposals(orders[:n_kept], jumps[:n_kept])

    def _proposals(self, orders: Orders, jumps: Counts) -> Proposals:
        numbers = np.arange(1, len(self.items))
        shares = self.shares[numbers, jumps[:, 1:]]
        return Proposals(self.items[orders], shares, self.least[numbers, jumps[:, 1:]].sum(axis=1))


@njit(cache=True)
def _insert_items(
    margins: Counts,
    least: Counts,
    shares: Words,
    numerator: int,
    denominator: int,
    tape: Words,
    orders: Orders,
    jumps: Counts,
    n_kept: int,
    n_tries: int,
    most_tries: int,
) -> tuple[int, int, int]:
    """Fill in orders while words last; return how many there are, the tries, and words used up."""
    read = np.zeros(1, dtype=np.int64)
    while n_kept < len(orders) and n_tries < most_tries:
        start = read[0]
        order, jumped = orders[n_kept], jumps[n_kept]
        order[0], is_kept = 0, True
        item = 1
        while is_kept and item < len(order):
            far = _jumped(shares[item, : item + 1], tape, read)
            extra = -least[item, far]
            for place in range(item - far, item):
                extra += margins[order[place], item]
            is_kept = extra == 0 or exponential_coin(numerator * extra, denominator, tape, read)
            for place in range(item, item - far, -1):
                order[place] = order[place - 1]
            order[item - far], jumped[item] = item, far
            item += 1
        if read[0] > len(tape):
            return n_kept, n_tries, start
        n_kept, n_tries = n_kept + is_kept, n_tries + 1
    return n_kept, n_tries, read[0]


@njit(cache=True)
def _jumped(shares: Words, tape: Words, read: Counts) -> int:
    """Draw how many items are jumped; none where the tape has ended."""
    if read[0] >= len(tape):
        read[0] = len(tape) + 1
        return 0
    word = tape[read[0]]
    read[0] += 1
    return chosen_place(word, shares)
