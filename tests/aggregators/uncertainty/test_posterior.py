import numpy as np
import pytest
from scipy.linalg import helmert
from scipy.stats import multivariate_normal, norm

from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins
from hushrank.aggregators.uncertainty.posterior import Belief, Posterior
from hushrank.aggregators.uncertainty.shrinkage import (
    REST_SPREADS,
    SPREADS,
    posterior_of_fit,
    posterior_of_margins,
    posterior_of_scores,
)
from hushrank.errors import HushrankError
from hushrank.models.mixture import plackett_luce_mixture
from tests.statistics import random_seed


def antisymmetric(upper, n_items):
    """Put the values of the pairs a < b into a matrix, with the opposite sign below."""
    matrix = np.zeros((n_items, n_items))
    matrix[np.triu_indices(n_items, 1)] = upper
    return matrix - matrix.T


def symmetric(upper, n_items):
    return np.abs(antisymmetric(upper, n_items))


def test_scores_shrink_to_the_exact_conditional_normal_of_what_differs():
    """Of a prior spread each, beside a mean of all scores of which nothing is known."""
    scores, of_mean = np.array([13.0, 9.5, 6.5]), np.full((3, 3), 1e4)
    covariance = np.array([[1.0, 0.4, 0.1], [0.4, 2.0, -0.3], [0.1, -0.3, 1.5]])
    apart = np.eye(3) - 1 / 3
    spreads = SPREADS * np.abs(apart @ scores).max()
    totals = [spread**2 * np.eye(3) + of_mean + covariance for spread in spreads]
    likely = np.array([multivariate_normal.pdf(scores, np.zeros(3), each) for each in totals])
    found = posterior_of_scores(scores, covariance).beliefs
    for each in found:
        nth = np.argmin([abs(each.weight - weight) for weight in likely / likely.sum()])
        prior = totals[nth] - covariance
        gain = prior @ np.linalg.inv(totals[nth])
        assert each.weight == pytest.approx(likely[nth] / likely.sum(), rel=0.05)
        assert each.scores == pytest.approx(apart @ gain @ scores, rel=1e-3)
        exact = apart @ (prior - gain @ prior) @ apart
        assert each.covariance == pytest.approx(exact, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("shift", [-1e6, 0.5, 3.0])
def test_a_common_shift_of_scores_changes_nothing(shift):
    scores, covariance = np.array([0.3, -0.1, 0.2, 0.0]), 0.04 * np.eye(4)
    moved = posterior_of_scores(scores + shift, covariance + 7.0)  # of the mean less is known
    for one, other in zip(
        posterior_of_scores(scores, covariance).beliefs, moved.beliefs, strict=True
    ):
        assert other.weight == pytest.approx(one.weight, rel=1e-6)
        assert other.scores == pytest.approx(one.scores, abs=1e-6)
        assert other.covariance == pytest.approx(one.covariance, abs=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("shift", [0.0, -3.5])
def test_scores_that_are_noise_alone_are_not_said_to_differ(shift):
    """Whatever all of them have in common: more than .9 is said of next to no two neighbours.

    In 15 runs of .017 at most; of .14 to .21 where what is common is taken for differences.
    """
    rng = np.random.default_rng(random_seed())
    sure = [
        posterior_of_scores(shift + rng.normal(size=6), np.eye(6)).score_probabilities(range(6))
        for _ in range(60)
    ]
    assert np.mean(np.abs(np.array(sure) - 0.5) > 0.4) < 0.1


@pytest.mark.linear_algebra
def test_scores_that_hang_together_are_compared_by_how_far_they_do():
    scores, nothing = np.array([1.0, 0.4, -0.2]), np.zeros((3, 3))
    mixed = np.array([[1.0, 0.0, 0.0], [0.9, 0.3, 0.0], [-0.8, 0.2, 0.4]])
    covariance = mixed @ mixed.T
    found = Posterior((Belief(1.0, scores, covariance, nothing, nothing),))
    for order in ((0, 1, 2), (2, 0, 1)):
        for at, chance in enumerate(found.score_probabilities(order)):
            apart = np.zeros(3)
            apart[list(order[at : at + 2])] = 1, -1
            exact = norm.cdf(apart @ scores / np.sqrt(apart @ covariance @ apart))
            assert chance == pytest.approx(exact, rel=1e-12)


def test_without_noise_nothing_is_open():
    scores = np.array([0.4, 0.1, -0.1, -0.4])
    margins = (scores[:, None] - scores) / 2
    posterior = posterior_of_margins(margins, np.full((4, 4), 1e-12))
    assert posterior.pair_probabilities((0, 1, 2, 3)) == pytest.approx((1, 1, 1))
    assert posterior.pair_probabilities((1, 0, 3, 2)) == pytest.approx((0, 1, 0), abs=1e-9)
    assert posterior.rank_intervals() == ((0, 0), (1, 1), (2, 2), (3, 3))


def test_where_nobody_answered_everything_is_open():
    posterior = posterior_of_margins(np.zeros((6, 6)), np.full((6, 6), np.inf))
    assert posterior.pair_probabilities((0, 1, 2, 3, 4, 5)) == pytest.approx([0.5] * 5)
    assert all(last - first >= 4 for first, last in posterior.rank_intervals())


def test_the_prior_is_flat_in_the_logarithm_of_spreads():
    """Where nobody answered each octave of scores is as likely, and of rests up to it, each too."""
    posterior = posterior_of_margins(np.zeros((4, 4)), np.full((4, 4), np.inf))
    weights = [each.weight for each in posterior.beliefs]
    rests = [(spread >= REST_SPREADS).sum() for spread in SPREADS]
    assert weights == pytest.approx(np.repeat(1 / (len(SPREADS) * np.array(rests)), rests))


def test_few_people_differ_by_chance_at_least():
    """300 who prefer nothing: 1 / (3 * 300) = .0333^2, so that scores spread by 1/32 and more."""
    known = EstimatedMargins(np.zeros((4, 4)), np.full((4, 4), np.inf), n_people=300)
    assert known.by_chance == pytest.approx(1 / 30)
    believed = posterior_of_margins(known.margins, known.variances, 300).beliefs
    rests = [7 + octave for octave in (-1, 0, 1, 2, 3)] + [10] * 4
    weights = [each.weight for each in believed]
    assert weights == pytest.approx(np.repeat(1 / (9 * np.array(rests)), rests))


@pytest.mark.parametrize("n_people", [2**60, 2**62 - 1])
def test_as_many_people_as_tallies_hold_differ_by_chance(n_people):
    known = EstimatedMargins(np.zeros((3, 3)), np.zeros((3, 3)), n_people=n_people)
    assert known.by_chance == pytest.approx((3 * n_people) ** -0.5)


def test_people_who_prefer_nothing_differ_by_what_is_taken_for_the_least():
    """Variances of margins are 1 / n, covariances of two of one item 1 / (3 n): 20,000 crowds."""
    rng, n_people, n_crowds = np.random.default_rng(3), 20, 20_000
    ranks = rng.permuted(np.tile(np.arange(3), (n_crowds, n_people, 1)), axis=2)
    first, second = (np.sign(ranks[..., n] - ranks[..., 0]).mean(axis=1) for n in (1, 2))
    known = EstimatedMargins(np.zeros((3, 3)), np.zeros((3, 3)), n_people=n_people)
    assert 3 * known.by_chance**2 == pytest.approx((first**2).mean(), rel=0.05)
    assert known.by_chance**2 == pytest.approx((first * second).mean(), rel=0.05)


@pytest.mark.linear_algebra
def test_what_is_drawn_does_not_hang_on_the_signs_of_eigenvectors(monkeypatch):
    """Nor on which vectors span a space of one variance: those of linear algebra are chance."""
    rng, plain, signs = np.random.default_rng(4), np.linalg.eigh, (-1.0) ** np.arange(24)
    scores, turned = rng.normal(size=24), np.linalg.qr(rng.normal(size=(24, 24)))[0]
    uneven = turned * np.linspace(0.2, 0.8, 24) @ turned.T
    posteriors = [posterior_of_scores(scores, each) for each in (uneven, np.eye(24) / 2)]
    intervals = [posterior.rank_intervals() for posterior in posteriors]
    monkeypatch.setattr(
        np.linalg, "eigh", lambda matrix: (plain(matrix)[0], plain(matrix)[1] * signs)
    )
    assert [posterior.rank_intervals() for posterior in posteriors] == intervals
    within = np.column_stack([np.full(24, 24**-0.5), helmert(24).T @ turned[:23, :23]])
    within[:, 1:] = np.linalg.qr(within)[0][:, 1:]
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: (plain(matrix)[0], within))
    assert posteriors[1].rank_intervals() == intervals[1]


@pytest.mark.linear_algebra
def test_relabelled_items_relabel_what_is_open():
    rng = np.random.default_rng(8)
    margins, variances = antisymmetric(rng.normal(0, 0.2, 10), 5), np.full((5, 5), 0.01)
    new = rng.permutation(5)
    plain = posterior_of_margins(margins, variances)
    moved = posterior_of_margins(margins[np.ix_(new, new)], variances)
    assert moved.margins == pytest.approx(plain.margins[np.ix_(new, new)])
    order = tuple(int(np.flatnonzero(new == item)[0]) for item in range(5))
    assert moved.pair_probabilities(order) == pytest.approx(plain.pair_probabilities(range(5)))


def test_a_level_is_a_probability():
    posterior = posterior_of_scores(np.array([1.0, -1.0]), np.eye(2))
    for level in (0.0, 1.0, float("nan")):
        with pytest.raises(HushrankError):
            posterior.rank_intervals(level)


def asked(n_items, n_people, epsilon, rng):
    """Return true margins, and their estimates from one randomised pair answer a person."""
    model = plackett_luce_mixture(n_items, 2, spread=0.5, rng=rng)
    ranks = model.sample(n_people, rng=rng).astype(np.int64)
    first, second = np.triu_indices(n_items, 1)
    truth = (np.sign(ranks[:, second] - ranks[:, first])).mean(axis=0)
    pair = rng.integers(0, len(first), n_people)
    person = np.arange(n_people)
    answers = np.sign(ranks[person, second[pair]] - ranks[person, first[pair]])
    keep = 1 / (1 + np.exp(-epsilon))
    reports = np.where(rng.random(n_people) < keep, answers, -answers)
    n_reports = np.bincount(pair, minlength=len(first))
    signal = 2 * keep - 1
    estimates = np.bincount(pair, reports, len(first)) / np.maximum(n_reports, 1) / signal
    with np.errstate(divide="ignore"):
        variances = 1 / signal**2 / n_reports
    return antisymmetric(truth, n_items), antisymmetric(estimates, n_items), variances


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("n_items", "n_people", "epsilon", "n_collections"), [(10, 5000, 1, 100), (30, 5000, 2, 40)]
)
def test_intervals_and_probabilities_are_calibrated(n_items, n_people, epsilon, n_collections):
    """95 % intervals hold as many true ranks as they say, at least 95 %; so do probabilities.

    The standard error of each mean is below .01.
    """
    rng = np.random.default_rng(2026)
    held, foretold, stated, true = [], [], [], []
    for _ in range(n_collections):
        truth, estimates, variances = asked(n_items, n_people, epsilon, rng)
        posterior = posterior_of_margins(estimates, symmetric(variances, n_items))
        ranks = np.argsort(np.argsort(-truth.sum(axis=1)))
        bounds = np.array(posterior.rank_intervals())
        held += list((bounds[:, 0] <= ranks) & (ranks <= bounds[:, 1]))
        drawn = posterior.drawn_ranks().ranks
        foretold.append(((bounds[:, 0] <= drawn) & (drawn <= bounds[:, 1])).mean())
        order = tuple(np.argsort(-posterior.margins.sum(axis=1)).tolist())
        stated += posterior.pair_probabilities(order)
        true += list(truth[order[:-1], order[1:]] > 0)
    assert 0.95 <= np.mean(foretold) <= 0.99
    assert abs(np.mean(held) - np.mean(foretold)) < 0.02
    sure = np.array(stated)
    errors = np.array(true) - sure
    for likely in (sure < 0.6, (sure >= 0.6) & (sure < 0.8), sure >= 0.8):
        assert abs(errors[likely].mean()) < 4 * norm.ppf(0.84) * 0.5 / np.sqrt(likely.sum())


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [0.2, 0.95])
def test_of_people_who_prefer_nothing_no_more_is_said_than_is_held(noise):
    """The noise alone is never read as preferences; of either size, within a margin or beyond 1.

    In 100 collections intervals hold .99 ± .005 of places that are pure chance, and say as much;
    with spreads of a flat prior they held .93 ± .01, and said .98.
    """
    rng = np.random.default_rng(random_seed())
    held, foretold = [], []
    for _ in range(100):
        estimates = antisymmetric(rng.normal(0, noise, 45), 10)
        drawn = posterior_of_margins(estimates, np.full((10, 10), noise**2)).drawn_ranks()
        ranks, chances = rng.permutation(10), drawn.chances()
        for item, (best, worst) in enumerate(drawn.intervals()):
            held.append(best <= ranks[item] <= worst)
            foretold.append(chances[item, best : worst + 1].sum())
    assert np.mean(held) > np.mean(foretold) - 0.025
    assert np.mean(held) > 0.96


def test_the_evidence_weighs_a_spread_inside_the_grid():
    """Scores that spread by 0.25 are believed to, within a factor of two."""
    rng = np.random.default_rng(4)
    scores = rng.normal(0, 0.25, 30)
    margins = np.tanh(scores[:, None] - scores) + antisymmetric(rng.normal(0, 0.05, 435), 30)
    posterior = posterior_of_margins(margins, np.full((30, 30), 0.05**2))
    kept = posterior.margins[np.triu_indices(30, 1)] @ margins[np.triu_indices(30, 1)]
    assert kept / (margins[np.triu_indices(30, 1)] ** 2).sum() > 0.95
    assert len(posterior.beliefs) < len(SPREADS) ** 2 / 4


@pytest.mark.parametrize("n_items", [2, 5])
def test_a_fit_is_believed_with_its_own_covariance_of_scores(n_items):
    """A common error of an item's pairs cannot be told from a preference: only scores shrink it."""
    rng = np.random.default_rng(n_items)
    margins = antisymmetric(rng.normal(size=n_items * (n_items - 1) // 2) / 4, n_items)
    root = rng.normal(size=(n_items, n_items))
    covariance = (root @ root.T + np.eye(n_items)) / 50
    of_gaps = np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance
    own = 0.003
    known = posterior_of_fit(margins, of_gaps / n_items**2 + own, covariance)
    scores = posterior_of_scores(margins.sum(axis=1), covariance)
    additive = np.subtract.outer(margins.sum(axis=1), margins.sum(axis=1)) / n_items
    off = ~np.eye(n_items, dtype=bool)
    for found, of_scores in zip(known.beliefs, scores.beliefs, strict=True):
        assert found.weight == of_scores.weight
        assert found.scores == pytest.approx(of_scores.scores)
        assert found.margins == pytest.approx(of_scores.margins / n_items + margins - additive)
        expected = of_scores.variances / n_items**2 + own
        assert found.variances[off] == pytest.approx(expected[off])


def test_errors_of_shares_are_those_of_the_prior_that_leaves_more_open():
    """A prior flat in the spread itself holds more possible of weak reports; nothing else moves."""
    margins = antisymmetric([0.5, 0.2, -0.4, 0.1, 0.3, 0.6], 4)
    weak = posterior_of_margins(margins, symmetric([0.3] * 6, 4), n_people=500)
    alone = Posterior(weak.beliefs)
    above = np.triu_indices(4, 1)
    assert (weak.variances >= alone.variances).all()
    assert (weak.variances[above] > 1.1 * alone.variances[above]).all()
    assert weak.margins == pytest.approx(alone.margins)
    assert weak.pair_probabilities((0, 1, 2, 3)) == alone.pair_probabilities((0, 1, 2, 3))
    of_each = [weak.margins - np.clip(each.margins, -1, 1) for each in weak.cautious]
    squares = sum(
        each.weight * (each.variances + off**2)
        for each, off in zip(weak.cautious, of_each, strict=True)
    )
    assert weak.variances[above] == pytest.approx(squares[above])
    clear = posterior_of_margins(margins, symmetric([1e-4] * 6, 4), n_people=500)
    assert clear.variances == pytest.approx(Posterior(clear.beliefs).variances, rel=0.05)
