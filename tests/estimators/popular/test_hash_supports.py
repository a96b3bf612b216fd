from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.popular import hash_supports as hashed_reports
from hushrank.estimators.popular.hash_supports import HashedReports
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding
from hushrank.questions.hashed import Hashed, collision_rate
from hushrank.questions.top_order import TopOrder
from hushrank.rankings.coding import inverse
from hushrank.surveys.sampled_survey import sampled_survey

N_FUNCTIONS, N_BUCKETS = 40, 8
WHOLE = TopOrder(4, 4)
EVERY = inverse(np.array(list(permutations(range(4)))))
SHARES = np.random.default_rng(3).dirichlet(np.ones(24))


def survey(question=WHOLE):
    drawn = np.random.default_rng(1).integers(0, 2**64, size=(N_FUNCTIONS, 2), dtype=np.uint64)
    functions = [Hashed(question, a, b, N_BUCKETS) for a, b in drawn.tolist()]
    return sampled_survey("orders", functions, 2.0)


def reports_of(counts: np.ndarray, question=WHOLE) -> HashedReports:
    asked = survey(question)
    tallies = [Tally(row, int(row.sum())) for row in counts]
    return HashedReports.of(asked.questions, asked.local_mechanisms, tallies)


SOME = np.random.default_rng(2).integers(0, 50, size=(N_FUNCTIONS, N_BUCKETS))


def test_the_support_counts_the_reports_of_an_answers_buckets():
    reports, answers = reports_of(SOME), np.arange(24)
    expected = np.zeros(24)
    for function, counts in zip(survey().questions, SOME, strict=True):
        expected += counts[function.answer(EVERY)]
    assert reports.support(reports.cells(answers)).tolist() == expected.tolist()
    assert reports.n_reports == SOME.sum()


@pytest.mark.parametrize("least", [0, 600, 10**6])
def test_runs_of_answers_are_looked_through_to_their_ends(monkeypatch, least):
    """In blocks that begin and end everywhere, up to the last order of 16 items."""
    monkeypatch.setattr(hashed_reports, "RUN_AT_ONCE", 5000)
    last = TopOrder(16, 16).n_categories
    runs = [range(7, 7), range(3, 4), range(10, 10 + 12_345), range(last - 4097, last)]
    reports = reports_of(SOME, TopOrder(16, 16))
    answers = np.concatenate([np.array(run, dtype=np.intp) for run in runs])
    support = reports.support(reports.cells(answers))
    found, supports = reports.supported(runs, least)
    assert found.tolist() == answers[support >= least].tolist()
    assert supports.tolist() == support[support >= least].tolist()


def test_the_expected_support_is_that_of_expected_tallies():
    asked, rows = survey(), []
    for question, mechanism in zip(asked.questions, asked.local_mechanisms, strict=True):
        hidden = np.bincount(question.answer(EVERY), SHARES, minlength=N_BUCKETS)
        rows.append(100 * hidden @ (mechanism.channel_words() / 2**64).astype(float))
    reports = reports_of(np.array(rows))
    cells = reports.cells(np.arange(24))
    expected = reports.expected_support(cells, reports.in_buckets(cells, SHARES))
    assert expected == pytest.approx(reports.support(cells), rel=1e-12)


def test_the_rates_of_support_are_those_of_a_random_function():
    """Two answers fall together as often as all functions say."""
    reports, asked = reports_of(SOME), survey().local_mechanisms[0]
    together = collision_rate(N_BUCKETS)
    p, q = asked.rates.hit_rate, asked.rates.false_hit_rate
    assert reports.false_support == pytest.approx(p * together + q * (1 - together))
    assert reports.gap == pytest.approx((p - q) * (1 - together))


def test_what_is_no_set_of_hashed_tallies_is_refused():
    asked = survey()
    tallies = [Tally(row, int(row.sum())) for row in SOME]
    other = (Hashed(TopOrder(4, 2), 1, 1, N_BUCKETS), *asked.questions[1:])
    with pytest.raises(HushrankError, match="one question"):
        HashedReports.of(other, asked.local_mechanisms, tallies)
    with pytest.raises(HushrankError, match="one question"):
        HashedReports.of((TopOrder(4, 1), *asked.questions[1:]), asked.local_mechanisms, tallies)
    unlike = (OptimisedUnaryEncoding(N_BUCKETS, 1.0), *asked.local_mechanisms[1:])
    with pytest.raises(HushrankError, match="one mechanism"):
        HashedReports.of(asked.questions, unlike, tallies)
    with pytest.raises(HushrankError, match="tally of buckets"):
        HashedReports.of(asked.questions, asked.local_mechanisms, tallies[:-1])


@pytest.mark.parametrize("at", [0, N_FUNCTIONS - 1])
def test_one_of_many_functions_that_is_of_no_such_set_is_refused(at):
    asked = survey()
    tallies = [Tally(row, int(row.sum())) for row in SOME]
    questions, mechanisms = [*asked.questions], [*asked.local_mechanisms]
    for other in (Hashed(TopOrder(4, 2), 1, 1, N_BUCKETS), TopOrder(4, 1)):
        with pytest.raises(HushrankError, match="one question"):
            HashedReports.of([*questions[:at], other, *questions[at + 1 :]], mechanisms, tallies)
    mechanisms[at] = OptimisedUnaryEncoding(N_BUCKETS, 1.0)
    with pytest.raises(HushrankError, match="one mechanism"):
        HashedReports.of(questions, mechanisms, tallies)


def test_all_of_many_runs_are_looked_through():
    runs = [range(n, n + 1) for n in range(24)]
    found, _ = reports_of(SOME).supported(runs, 0)
    assert found.tolist() == list(range(24))
