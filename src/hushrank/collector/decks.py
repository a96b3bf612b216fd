"""Who answers which questions: a shuffled deck is dealt, and then the next one.

Every question comes equally often, up to one deck, which no independent draws can promise. What the
estimators assume still holds: given how many people answered each question, who they are does not
depend on what they think, because the shuffles are drawn from the server's secret alone.
"""

from functools import lru_cache
from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require


def questions_at(seed: bytes, n_questions: int, n_answers: int, position: int) -> tuple[int, ...]:
    """Return the questions of the person at this position: distinct, uniform to who lacks the seed.

    seed: 32 secret bytes of the CSPRNG for one survey of one round. A deck that does not suffice
    for a whole person is put away.
    """
    require(len(seed) == 32, "expected 32 secret bytes")
    require(1 <= n_answers <= n_questions, f"expected 1 to {n_questions} answers of a person")
    people_of_a_deck = n_questions // n_answers
    deck, place = divmod(position, people_of_a_deck)
    cards = _shuffled(seed, n_questions, deck)[place * n_answers : (place + 1) * n_answers]
    return tuple(cards.tolist())


@lru_cache(maxsize=256)
def _shuffled(seed: bytes, n_questions: int, deck: int) -> NDArray[np.intp]:
    """Return all questions in an order that 128 secret bits of each decide."""
    drawn = shake_256(seed + deck.to_bytes(8, "big")).digest(16 * n_questions)
    words = np.frombuffer(drawn, dtype="<u8").reshape(-1, 2)
    order: NDArray[np.intp] = np.lexsort((words[:, 1], words[:, 0]))
    return order
