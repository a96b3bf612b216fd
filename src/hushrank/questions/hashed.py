"""Into which of a few buckets does a public function put the answer to another question?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Categories, Ranks, Words
from hushrank.errors import require
from hushrank.questions.question import Question

SHIFT = 44
BITS = 64 - SHIFT
MOST_ANSWERS = 2**45  # 45 + 20 - 1 = 64 bits; 16 items have 2^44.3 orders
MOST_BUCKETS = 2**10


@dataclass(frozen=True)
class Hashed:
    """Category = the bucket of the answer to `question`: few, however many answers there are.

    The function, two words that are uniform when drawn, is public, so what hides the bucket hides
    the answer. Asking each person through one of several functions is local hashing; a tally of
    each says, for any answer that is named later, how many reports its buckets have.
    Source: Wang, Blocki, Li, Jha (USENIX Security 2017); functions that people share: Cormode,
    Maddock, Maple (VLDB 2021).
    """

    question: Question
    multiplier: int
    offset: int
    n_buckets: int
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check what the functions can take."""
        n_answers = self.question.n_categories
        require(n_answers <= MOST_ANSWERS, f"expected at most 2^45 answers, got {n_answers}")
        require_buckets(self.n_buckets)
        is_word = 0 <= min(self.multiplier, self.offset) <= max(self.multiplier, self.offset)
        fits = is_word and max(self.multiplier, self.offset) < 2**64
        require(fits, "expected a multiplier and an offset of 64 bits")

    @property
    def items(self) -> tuple[int, ...]:
        """The items that the question asks about."""
        return self.question.items

    @property
    def takes_incomplete(self) -> bool:
        """Whether the question takes incomplete rankings."""
        return self.question.takes_incomplete

    @property
    def n_categories(self) -> int:
        """How many buckets there are."""
        return self.n_buckets

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer."""
        return self.question.fits(n_items)

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        answers = self.question.answer(ranks)
        require(answers.ndim == 1, "expected a question that is answered by a category")
        function = np.array([[self.multiplier, self.offset]], dtype=np.uint64)
        (buckets,) = hashed_buckets(function, answers.astype(np.uint64), self.n_buckets)
        categories: Categories = buckets
        return categories


def hashed_buckets(functions: Words, answers: Words, n_buckets: int) -> NDArray[np.intp]:
    """Return the buckets (functions, answers), 0..g-1, of answers below 2^45.

        x = ((multiplier v + offset) mod 2^64) >> 44      bucket = (x g) >> 20

    For uniform words, the x of two answers are independent and uniform on 2^20 values.
    Source: Dietzfelbinger (STACS 1996), with words of 45 + 20 - 1 bits.
    """
    hashed = functions[:, :1] * answers[None]
    hashed += functions[:, 1:]
    hashed >>= np.uint64(SHIFT)
    hashed *= np.uint64(n_buckets)
    hashed >>= np.uint64(BITS)
    return hashed.astype(np.intp)


def collision_rate(n_buckets: int) -> float:
    """Return P(two answers share a bucket): a bucket has floor or ceil(2^20 / g) values of x."""
    size, n_larger = divmod(2**BITS, n_buckets)
    squares = (n_buckets - n_larger) * size**2 + n_larger * (size + 1) ** 2
    return float(squares / 4**BITS)


def require_buckets(n_buckets: int) -> None:
    """Raise HushrankError unless there are 2 to 2^10 buckets."""
    fits = 2 <= n_buckets <= MOST_BUCKETS
    require(fits, f"expected 2 to {MOST_BUCKETS} buckets, got {n_buckets}")
