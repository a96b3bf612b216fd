import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.publishing.classifiers import (
    SHARES,
    area_under_curve,
    classifiers,
    cross_fitted_scores,
    score_sizes,
    views,
)


class Share:
    """Foretells of everybody how many of those whom it was taught have the value 1."""

    classes_ = np.array([0, 1])

    def fit(self, records, values):
        self.share = values.mean()
        return self

    def predict_proba(self, records):
        return np.tile([1 - self.share, self.share], (len(records), 1))


@pytest.mark.parametrize("n_folds", [3, 40])
def test_every_user_is_scored_by_a_classifier_of_the_others(n_folds):
    n_users = 4 * n_folds
    values = np.arange(n_users) % 2
    made = []
    scores = cross_fitted_scores(
        lambda seed: made.append(seed) or Share(),
        np.zeros((n_users, 1)),
        values,
        2,
        n_folds=n_folds,
        rng=np.random.default_rng(1),
    )
    assert len(made) == n_folds
    assert scores == pytest.approx(np.log(0.5) * np.ones((n_users, 2)))


def test_of_scores_their_mean_spread_ends_and_fractions_are_told():
    records = csr_array(np.array([[np.e - 1, 0, np.e**3 - 1], [1.0, 1.0, 0], [2.5, 0, 0]]))
    sizes = score_sizes(records)
    np.testing.assert_allclose(sizes[0], [2.0, 1.0, 1.0, -1.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(sizes[1], [np.log(2), 0, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(sizes[2], [np.log(3.5), 0, 0, 0, 1.0], atol=1e-9)


def test_records_of_ones_are_all_of_one_size_and_withheld_ones_are_no_other():
    drawn = np.random.default_rng(1).random((200, 30)) < np.linspace(0, 0.9, 200)[:, None]
    sizes = score_sizes(csr_array(drawn.astype(float)))
    assert not drawn[0].any()
    assert (np.ptp(sizes, axis=0) == 0).all()
    nothing = score_sizes(csr_array(np.zeros((3, 4))))
    assert (nothing == 0).all()


def test_of_scores_it_is_told_which_a_record_has_how_often():
    known = csr_array(np.array([[1.0, 1.0, 2.0, 0], [2.0, 4.0, 0, 0], [0, 0, 0, 0]]))
    asked = csr_array(np.array([[3.0, 0.5, 9.0, 1.0]]))
    *_, (name, _, shares) = views(known, asked)
    assert name == SHARES
    own, others = [[2 / 3, 1 / 3, 0, 0], [0, 1 / 2, 1 / 2, 0]], [[1 / 3, 5 / 12, 1 / 4, 0]]
    np.testing.assert_allclose(shares[0], own + others)
    np.testing.assert_allclose(shares[1], [[1 / 2, 0, 1 / 4, 1 / 4]])


def test_many_scores_are_parted_evenly():
    scores = np.random.default_rng(1).permutation(2000).reshape(4, 500) + 1.0
    *_, (_, _, (shares,)) = views(csr_array(scores))
    np.testing.assert_allclose(shares.mean(axis=0), [0.05, *[0.1] * 9, 0.05])


@pytest.mark.parametrize("first", [np.ones(3), [[1.0, 2.0], [2.0, 1.0]], np.zeros((2, 3))])
def test_who_looks_at_shares_is_not_asked_where_they_do_not_differ(first):
    records = csr_array(np.diag(first) if np.ndim(first) == 1 else np.array(first))
    assert [name for name, *_ in views(records)] == [*classifiers()]


def test_the_area_is_the_mean_over_all_values_that_somebody_has():
    values = np.array([0, 0, 1, 1, 3, 3])
    scores = np.zeros((6, 4))
    scores[:, 0] = [2, 2, 1, 1, 0, 0]  # all of those who have it: 1
    scores[:, 1] = [0, 3, 1, 2, 0, 3]  # of eight pairs four: 1/2
    scores[:, 3] = [1, 1, 1, 1, 0, 0]  # none
    assert area_under_curve(scores, values) == pytest.approx((1 + 1 / 2 + 0) / 3)


@pytest.mark.parametrize("n_values", [21, 500])
def test_the_area_counts_each_of_many_values_alike(n_values):
    """Users are sure of their own value, but some, of the later values, are of the next one."""
    users = np.arange(2 * n_values)
    values = users // 2
    is_misled = (users % 2 == 1) & (values >= n_values // 2)
    scores = np.eye(n_values)[np.where(is_misled, (values + 1) % n_values, values)]
    n_others = 2 * n_values - 2
    by_hand = []
    for value in range(n_values):
        own, others = scores[values == value, value], scores[values != value, value]
        above = own[:, None] > others
        by_hand.append((above.sum() + (own[:, None] == others).sum() / 2) / (2 * n_others))
    assert area_under_curve(scores, values) == pytest.approx(np.mean(by_hand), rel=1e-12)
    assert by_hand[0] > by_hand[-1]
