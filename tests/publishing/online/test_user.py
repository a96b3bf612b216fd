"""What a user's stream has told: added up exactly, and rounded up."""

from fractions import Fraction
from math import inf
from types import SimpleNamespace

import numpy as np

from hushrank.publishing.online.user import StreamUser


def test_no_sum_of_what_was_told_is_below_the_exact_one():
    rng = np.random.default_rng(1)
    for leaked, worst, each, each_worst in rng.random((300, 4)).tolist():
        current = SimpleNamespace(leakage=each, worst_leakage=each_worst)
        n_since = int(rng.integers(1, 50))
        user = StreamUser(
            np.zeros(3), n_since=n_since, leaked=leaked, worst_leaked=worst, current=current
        )
        for told, before, one in (
            (user.leakage, leaked, each),
            (user.worst_leakage, worst, each_worst),
        ):
            exact = Fraction(before) + n_since * Fraction(one)
            assert exact <= Fraction(told) < exact + Fraction(1, 10**13)


def test_what_may_tell_all_is_not_added_up():
    sure = SimpleNamespace(leakage=0.1, worst_leakage=inf)
    assert StreamUser(np.zeros(3), n_since=1, current=sure).worst_leakage == inf
    assert StreamUser(np.zeros(3), n_since=0, current=sure).worst_leakage == 0
    assert StreamUser(np.zeros(3), leaked=0.3).leakage == 0.3
