import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.from_reports.pair_estimates import PairReports, estimate_pairs
from hushrank.aggregators.from_reports.pair_orders import order_from_pairs
from hushrank.aggregators.from_reports.pair_scores import PairScores
from hushrank.errors import HushrankError
from hushrank.rankings.distances import kendall_cost

GAP = 0.5


def reports_on(margins, n_reports, *, rng=None):
    """Return reports on people of these margins: expected ones, or drawn."""
    share = (1 + GAP * margins) / 2
    upper = np.triu(share * n_reports if rng is None else rng.binomial(n_reports, share), k=1)
    wins = upper + np.tril(n_reports - upper.T, k=-1)
    return PairReports(wins[None].astype(float), np.array([GAP]), np.array([1e9]))


def margins_of(scores):
    return np.tanh(scores[:, None] - scores)


def test_scores_are_recovered_from_many_reports():
    scores = np.array([0.9, -0.3, 0.1, -0.7])
    fitted = PairScores.fit(reports_on(margins_of(scores), 10**7))
    assert fitted.scores - fitted.scores.mean() == pytest.approx(scores, abs=1e-3)
    assert fitted.order == (0, 2, 1, 3)
    assert fitted.margins == pytest.approx(margins_of(scores), abs=1e-3)


def test_scores_learn_steep_agreement_without_pulling_it_in():
    """Twelve items a whole nat apart: a fixed pull to 0 would flatten the ends."""
    scores = np.arange(12.0)
    fitted = PairScores.fit(reports_on(margins_of(scores), 10**6)).scores
    assert np.diff(fitted)[:6] == pytest.approx(np.ones(6), rel=0.05)


def test_the_pull_on_scores_is_learnt_from_them():
    """With a fixed pull of spread 1 the range is 6.5 instead of 9.6, and noise .1, not .025."""
    ranges, noises = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        steep = PairScores.fit(reports_on(margins_of(np.arange(12.0)), 100, rng=rng)).scores
        ranges.append(steep[11] - steep[0])
        noises.append(PairScores.fit(reports_on(np.zeros((8, 8)), 40, rng=rng)).scores.std())
    assert np.mean(ranges) > 8.5
    assert np.mean(noises) < 0.05


def test_pairs_that_nobody_answered_do_not_break_the_scores():
    reports = reports_on(margins_of(np.array([0.5, 0.0, -0.5])), 1000)
    reports.wins[0, 0, 2] = reports.wins[0, 2, 0] = 0
    assert PairScores.fit(reports).order == (0, 1, 2)
    nothing = PairReports(np.zeros((1, 3, 3)), reports.gaps, reports.n_people)
    assert PairScores.fit(nothing).order == (0, 1, 2)
    for way in ("auto", "kwiksort", "borda", "kemeny"):
        assert sorted(order_from_pairs(nothing, way, seed=1)[0]) == [0, 1, 2]


@pytest.mark.parametrize("way", ["auto", "scores", "kwiksort", "borda", "kemeny"])
def test_every_way_finds_the_order_that_is_clear(way):
    scores = np.array([0.2, 1.4, -0.4, 0.8, -1.0])
    order, used = order_from_pairs(reports_on(margins_of(scores), 10**6), way, seed=3)
    assert order == (1, 3, 0, 2, 4)
    assert used == ("scores" if way == "auto" else way)


@pytest.mark.parametrize("n_items", [6, 20])
def test_auto_sees_that_scores_do_not_fit(n_items):
    """Every item beats the next five, but a lone circle crosses what any scores say."""
    rng = np.random.default_rng(2)
    margins = np.triu(rng.choice([-0.8, 0.9], size=(n_items, n_items)), k=1)
    reports = reports_on(margins - margins.T, 10**5, rng=rng)
    order, used = order_from_pairs(reports, "auto", seed=1)
    majority = estimate_pairs(reports).majority
    assert used == "kemeny"
    assert kendall_cost(majority, order) < kendall_cost(majority, PairScores.fit(reports).order)


def test_kemeny_is_the_exact_one_of_the_estimates():
    reports = reports_on(np.zeros((9, 9)), 50, rng=np.random.default_rng(5))
    order, _ = order_from_pairs(reports, "kemeny", seed=1, time_limit=60.0)
    assert order == kemeny(estimate_pairs(reports).majority).order


@pytest.mark.parametrize("way", ["auto", "kwiksort"])
def test_the_same_seed_repeats_the_order(way):
    reports = reports_on(np.zeros((9, 9)), 50, rng=np.random.default_rng(5))
    orders = {order_from_pairs(reports, way, seed=1)[0] for _ in range(3)}
    assert len(orders) == 1
    assert len({order_from_pairs(reports, "kwiksort", seed=n)[0] for n in range(20)}) > 1


@pytest.mark.parametrize("way", ["scores", "borda", "kemeny"])
@given(seed=st.integers(0, 2**32), n_items=st.integers(2, 7))
def test_relabelled_items_relabel_the_order(way, seed, n_items):
    rng = np.random.default_rng(seed)
    margins = np.triu(rng.uniform(-0.9, 0.9, (n_items, n_items)), k=1)
    reports = reports_on(margins - margins.T, 1009)
    new = rng.permutation(n_items)
    moved = PairReports(reports.wins[:, new][:, :, new], reports.gaps, reports.n_people)
    scores = PairScores.fit(reports).scores
    assume(np.diff(np.sort(scores)).min() > 1e-2)
    order, relabelled = (order_from_pairs(some, way, seed=1)[0] for some in (reports, moved))
    assert tuple(new[list(relabelled)]) == order


def test_an_unknown_way_is_refused():
    with pytest.raises(HushrankError, match="expected one of auto"):
        order_from_pairs(reports_on(np.zeros((2, 2)), 4), "best", seed=1)


@pytest.mark.parametrize("way", ["scores", "kwiksort", "borda", "kemeny"])
def test_the_last_of_many_items_are_ordered_by_their_reports(way):
    order = (*range(20), *range(29, 19, -1))
    reports = reports_on(margins_of(-np.argsort(order) / 30), 10**6)
    assert order_from_pairs(reports, way, seed=1)[0] == order
