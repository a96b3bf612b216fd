"""Test each answer of each question: is it supported as often as honest reports can?"""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from scipy.special import bdtr, bdtrc  # scipy.stats takes a second to load

from hushrank.arrays import Floats
from hushrank.mechanisms.local import LocalMechanism, Reporting
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.poisoning.findings import AnsweredQuestion, Finding, Suspicion, half_of


def suspicion_of_answers(asked: Sequence[AnsweredQuestion], false_alarm: float) -> Suspicion:
    """Test each answer twice: n reports support it between Bin(n, q) and Bin(n, p) times.

    Each report supports an answer with probability p or q, independently given what people think,
    so the count lies stochastically between those of nobody and of everybody thinking so.
    """
    by_mechanism: dict[Reporting, list[AnsweredQuestion]] = {}
    for each in asked:
        if not isinstance(each.mechanism, SubsetOrder):
            by_mechanism.setdefault(each.mechanism, []).append(each)
    n_tests, least, raw = 0, 1.0, []
    for mechanism, alike in by_mechanism.items():
        for is_too_many, p_values in _binomial_tails(cast(LocalMechanism, mechanism), alike):
            n_tests += p_values.size
            least = min(least, float(p_values.min()))
            for nth, category in np.argwhere(p_values <= false_alarm).tolist():
                at, p_value = alike[nth].number, float(p_values[nth, category])
                raw.append(Finding("answer", at, category, is_too_many, p_value))
    return half_of(n_tests, least, raw, false_alarm)


def _binomial_tails(
    mechanism: LocalMechanism, alike: Sequence[AnsweredQuestion]
) -> Iterator[tuple[bool, Floats]]:
    """Yield P(as many) and P(as few) (questions, k), each where that is likeliest."""
    support = np.stack([each.tally.support for each in alike]).astype(np.int64)
    n_reports = np.array([each.tally.n_reports for each in alike])[:, None]
    pairs = np.stack([support, np.broadcast_to(n_reports, support.shape)], axis=-1)
    known, place = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    rates = mechanism.rates
    too_many = np.asarray(bdtrc(known[:, 0] - 1, known[:, 1], rates.hit_rate), dtype=np.float64)
    too_few = np.asarray(bdtr(known[:, 0], known[:, 1], rates.false_hit_rate), dtype=np.float64)
    yield True, too_many[place].reshape(support.shape)
    yield False, too_few[place].reshape(support.shape)
