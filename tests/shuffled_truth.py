"""Accountants of shuffled reports that share nothing with ours: exact for a few people, or slow."""

from collections import Counter
from itertools import product
from math import exp, prod

import numpy as np
from scipy.stats import binom


def histograms(channel, inputs):
    """Return the exact law of the multiset of reports of people with these inputs.

    channel[input][report]: numbers of any exact type.
    """
    law = Counter()
    for reports in product(range(len(channel[0])), repeat=len(inputs)):
        chances = [channel[own][report] for own, report in zip(inputs, reports, strict=True)]
        law[tuple(sorted(reports))] += prod(chances)
    return law


def true_delta(channel, first, second, others, epsilon):
    """Return the exact delta at epsilon of one person's first input for the second, by listing."""
    one, two = (histograms(channel, (own, *others)) for own in (first, second))
    return float(sum(max(0, one[seen] - exp(epsilon) * two[seen]) for seen in one))


def clone_delta(epsilon, local, n, rate):
    """Return the hockey-stick divergence of the clones' two laws, from scipy's binomials.

    C ~ Bin(n - 1, rate), A ~ Bin(C, 1/2), D ~ Bern(e^local / (e^local + 1)); the laws of
    (A + D, C - A + 1 - D) and of (A + 1 - D, C - A + D).
    Source: Feldman, McMillan, Talwar (FOCS 2021; SODA 2023), theorem 3.1.
    """
    keep = exp(local) / (exp(local) + 1)
    clones = np.arange(*binom.interval(1 - 1e-14, n - 1, rate) + np.array([0, 2]))
    total = 0.0
    for count, chance in zip(clones, binom.pmf(clones, n - 1, rate), strict=True):
        kept = np.arange(count + 2)
        same, moved = binom.pmf(kept, count, 0.5), binom.pmf(kept - 1, count, 0.5)
        one = keep * moved + (1 - keep) * same
        two = keep * same + (1 - keep) * moved
        total += chance * np.maximum(one - exp(epsilon) * two, 0).sum()
    return total
