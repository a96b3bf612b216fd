import numpy as np
import pytest
from scipy.stats import chi2_contingency

from hushrank.activities import planted
from hushrank.activities.planted import draw_planted, planted_shares
from hushrank.errors import HushrankError
from tests.statistics import FALSE_ALARM, assert_follows, draws_needed, random_seed


def table_of(tilt, seed):
    """Count records by group and item (groups, items)."""
    rng = np.random.default_rng(seed)
    log, profiles = draw_planted(4000, 6, n_groups=3, tilt=tilt, mean_records=30, rng=rng)
    counts = np.zeros((3, 6))
    np.add.at(counts, (profiles.attributes[0].codes[log.user_codes], log.item_codes), 1)
    return counts


def test_a_tilt_betrays_the_group_and_none_does_not():
    assert chi2_contingency(table_of(0, random_seed())).pvalue > FALSE_ALARM
    assert chi2_contingency(table_of(0.3, random_seed())).pvalue < FALSE_ALARM


def test_users_are_numbered_and_groups_about_equally_large():
    log, profiles = draw_planted(100, 20, n_groups=3, rng=np.random.default_rng(1))
    assert log.users == profiles.users == tuple(str(n) for n in range(1, 101))
    (group,) = profiles.attributes
    assert (group.name, group.values) == ("group", ("a", "b", "c"))
    assert sorted(group.counts) == [33, 33, 34]
    assert profiles.protected["group"].all()


def test_records_are_ones_in_order_of_their_times():
    log, _ = draw_planted(500, 20, mean_records=10, rng=np.random.default_rng(2))
    assert (np.diff(log.times) >= 0).all()
    assert 0 <= log.times[0] < log.times[-1] < 1
    assert (log.scores == 1).all()
    assert np.bincount(log.user_codes, minlength=500).min() >= 1
    assert log.n_records == pytest.approx(5000, rel=0.1)
    assert log.activity("max").binary
    assert log.activity().scores.sum() == log.n_records


def test_shares_fall_with_the_number_of_the_item_and_tilt_by_group():
    shares = planted_shares(2, 4, 0, np.random.default_rng(3))
    expected = np.array([1, 1 / 2, 1 / 3, 1 / 4]) / (25 / 12)
    np.testing.assert_allclose(shares, [expected, expected])
    ratio = np.log(planted_shares(2000, 2, 1.5, np.random.default_rng(4)))
    differences = ratio[:, 0] - ratio[:, 1]
    assert differences.mean() == pytest.approx(np.log(2), abs=0.25)  # 5 standard errors
    assert differences.std() == pytest.approx(1.5 * 2**0.5, rel=0.1)


def test_items_follow_the_shares_of_the_group():
    shares = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    n_draws = draws_needed(shares[0], [0.5, 0.29, 0.21])
    groups = np.arange(2 * n_draws) % 2
    items = planted._draw_items(groups, shares, np.random.default_rng(random_seed()))
    assert_follows(items[groups == 0], shares[0])
    assert_follows(items[groups == 1], shares[1])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"n_users": 1}, "2 or more users, got 1"),
        ({"n_items": 0}, "1 or more items"),
        ({"n_groups": 1}, r"2\.\.26 groups"),
        ({"tilt": -1}, "tilt"),
        ({"tilt": np.nan}, "tilt"),
        ({"mean_records": 0.5}, "1 or more records"),
    ],
)
def test_sizes_are_checked(arguments, expected):
    with pytest.raises(HushrankError, match=expected):
        draw_planted(**{"n_users": 9, "n_items": 5, **arguments}, rng=np.random.default_rng(0))


def test_all_of_many_groups_have_users_and_items():
    log, profiles = draw_planted(520, 30, n_groups=26, rng=np.random.default_rng(1))
    assert (profiles.attribute("group").counts > 0).all()
    assert (log.activity().records_of_users > 0).all()
