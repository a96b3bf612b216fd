import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from hushrank.aggregators.from_reports.cross_validation import (
    N_FOLDS,
    choose_by_cross_validation,
    split_reports,
)
from hushrank.aggregators.from_reports.pair_estimates import PairReports
from hushrank.errors import HushrankError
from tests.statistics import assert_follows, draws_needed, random_seed


def reports_of(wins):
    return PairReports(np.asarray(wins, dtype=float), np.array([0.5]), np.array([1000.0]))


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(2, 5))
def test_folds_add_up_to_the_reports_and_are_of_equal_size(seed, n_items, n_folds):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 30, (1, n_items, n_items))
    wins[0, range(n_items), range(n_items)] = 0
    reports = reports_of(wins)
    folds = split_reports(reports, n_folds, rng=rng)
    np.testing.assert_array_equal(sum(fold.wins for fold in folds), reports.wins)
    sizes = np.stack([fold.counts for fold in folds])
    assert (sizes.max(axis=0) - sizes.min(axis=0) <= 1).all()
    assert min(fold.wins.min() for fold in folds) >= 0


@pytest.mark.parametrize("fold", [0, 1])
def test_wins_fall_into_a_fold_hypergeometrically(fold):
    """Folds that draw each win by a coin, a binomial law, would fail."""
    stated = hypergeom.pmf(range(5), 12, 4, 6)
    coins = np.array([1, 4, 6, 4, 1]) / 16
    rng = np.random.default_rng(random_seed() + fold)
    n_layers = draws_needed(stated, coins)
    many = PairReports(np.tile([[0.0, 4], [8, 0]], (n_layers, 1, 1)), np.ones(1), np.ones(1))
    drawn = split_reports(many, 2, rng=rng)[fold].wins[:, 0, 1]
    assert_follows(drawn.astype(int), stated)


@pytest.mark.parametrize("n_wins", [10**9 - 1, 10**9, 10**12, 2**61])
def test_of_however_many_reports_folds_add_up_and_are_of_people_like_all(n_wins):
    """A share of 3 in 4, within 8 of its standard deviations; few reports beside stay exact."""
    wins = np.array([[[0, n_wins, 7], [n_wins // 3, 0, 0], [5, 0, 0]]], dtype=float)
    folds = split_reports(reports_of(wins), 4, rng=np.random.default_rng(random_seed()))
    total = sum(fold.wins for fold in folds)
    assert total == pytest.approx(wins, rel=1e-15)
    assert total[0, 0, 2], total[0, 2, 0] == (7, 5)
    shares = np.array([fold.wins[0, 0, 1] / fold.counts[0, 0, 1] for fold in folds])
    deviations = np.sqrt(3 / 16 * 3 / 4 / (n_wins / 3))
    assert np.abs(shares - 0.75).max() < 8 * deviations
    assert shares.std() > deviations / 10**4  # by chance once in 10^11


def test_expected_tallies_are_rounded():
    folds = split_reports(reports_of([[[0, 4.4], [7.6, 0]]]), 2, rng=np.random.default_rng(1))
    assert sum(fold.wins for fold in folds)[0].tolist() == [[0, 4], [8, 0]]


def test_the_first_candidate_is_kept_unless_another_is_clearly_better():
    wins = np.array([[[0, 900, 900], [100, 0, 505], [100, 495, 0]]])
    right, near, wrong = (0, 1, 2), (0, 2, 1), (2, 1, 0)

    def chosen(*orders):
        candidates = {str(order): lambda _, order=order: order for order in orders}
        return choose_by_cross_validation(reports_of(wins), candidates, rng=rng)

    rng = np.random.default_rng(3)
    assert chosen(wrong, right) == str(right)
    assert chosen(right, wrong) == str(right)
    assert chosen(near, right) == str(near)  # 5 votes of 1000 are noise
    assert chosen(right, near) == str(right)


@pytest.mark.parametrize(("n_wins", "is_taken"), [(58, False), (64, True)])
def test_two_standard_errors_are_clear_and_fewer_are_not(n_wins, is_taken):
    """Of 100 reports a lead of 16 is 1.6 standard errors, one of 28 is 2.8."""
    reports = reports_of([[[0, 100 - n_wins], [n_wins, 0]]])
    candidates = {"usual": lambda _: (0, 1), "other": lambda _: (1, 0)}
    chosen = choose_by_cross_validation(reports, candidates, rng=np.random.default_rng(1))
    assert chosen == ("other" if is_taken else "usual")


def test_candidates_do_not_see_what_they_are_judged_by():
    reports = reports_of([[[0, 40], [60, 0]]])
    seen = []
    choose_by_cross_validation(
        reports, {"only": lambda rest: seen.append(rest) or (0, 1)}, rng=np.random.default_rng(1)
    )
    assert [rest.wins.sum() for rest in seen] == [75] * N_FOLDS
    assert sum(reports.wins - rest.wins for rest in seen).tolist() == reports.wins.tolist()


def test_one_fold_is_refused():
    with pytest.raises(HushrankError, match="2 folds"):
        split_reports(reports_of([[[0, 4], [8, 0]]]), 1, rng=np.random.default_rng(1))


def test_as_many_folds_are_dealt_as_are_asked_for():
    wins = np.array([[[0, 70.0], [50, 0]]])
    folds = split_reports(reports_of(wins), 30, rng=np.random.default_rng(1))
    assert [fold.counts[0, 0, 1] for fold in folds] == [4] * 30
    assert sum(fold.wins for fold in folds).tolist() == wins.tolist()


def test_the_last_of_many_pairs_may_have_a_billion_reports():
    wins = np.triu(np.full((1, 7, 7), 9.0), k=1)
    wins[0, 5, 6], wins[0, 6, 5] = 3e9, 1e9
    folds = split_reports(reports_of(wins), 4, rng=np.random.default_rng(1))
    assert sum(fold.wins for fold in folds).tolist() == wins.tolist()


def test_the_last_of_many_candidates_may_be_the_best():
    candidates = {str(n): lambda _: (1, 0) for n in range(29)} | {"last": lambda _: (0, 1)}
    wins = np.array([[[0, 900], [100, 0]]])
    rng = np.random.default_rng(1)
    assert choose_by_cross_validation(reports_of(wins), candidates, rng=rng) == "last"
