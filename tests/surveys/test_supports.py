from itertools import pairwise

import numpy as np
import pytest

from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.randomness import Randomness
from hushrank.surveys.supports import support_each

KINDS = [
    GeneralizedRandomizedResponse,
    Harmony,
    OptimisedLocalHashing,
    SymmetricUnaryEncoding,
    SubsetOrder,
]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("sizes", [(0,), (7,), (0, 0), (3, 0, 5), (0, 40, 1)])
def test_questions_together_have_the_tallies_of_each(make, sizes):
    """Also where nobody answers, or a single question is asked."""
    mechanism = make(4, 1.0)
    ends = np.cumsum([0, *sizes])
    answers = np.zeros((ends[-1], 4) if make is SubsetOrder else ends[-1], dtype=np.intp)
    if make is SubsetOrder:
        answers += np.arange(4)
    reports = mechanism.randomise(answers, rng=Randomness.seeded(1))
    found = support_each(mechanism, reports, ends)
    parts = [reports[start:end] for start, end in pairwise(ends)]
    assert found.tolist() == [mechanism.tally(part).support.tolist() for part in parts]
