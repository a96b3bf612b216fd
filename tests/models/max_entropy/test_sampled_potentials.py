import numpy as np
import pytest
from scipy.stats import t

from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import marginal_distance
from hushrank.models.max_entropy.best_orders import best_orders
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.max_entropy.sampled_potentials import SampledPotentials
from hushrank.models.max_entropy.swap_moves import order_logs, swap_items
from hushrank.models.max_entropy.tempered_draws import (
    cooled_orders,
    move_orders,
    systematic_draws,
    tempered_draws,
)
from hushrank.models.ranking_model import RankingModel
from hushrank.rankings.coding import inverse, lexicographic_index
from tests.models.max_entropy.test_rank_potentials import (
    all_ranks,
    drawn_potentials,
    log_weights_by_definition,
    probabilities_by_definition,
)
from tests.statistics import (
    FALSE_ALARM,
    assert_follows,
    draws_needed,
    random_seed,
)

N_REPEATS = 60


def generator() -> np.random.Generator:
    return np.random.default_rng(random_seed())


def typical_potentials(n_items: int, scale: float) -> tuple[np.ndarray, np.ndarray]:
    features = rank_features(n_items)
    drawn = np.random.default_rng(7).normal(size=len(features.spreads))
    return features.potentials(scale * features.spreads * drawn)


def assert_close(found: np.ndarray, errors: np.ndarray, exact: np.ndarray) -> None:
    """Assert that no estimate lies more of its standard errors off than Student's law allows."""
    critical = t.isf(FALSE_ALARM / 2 / found.size, N_REPEATS - 1)
    assert np.abs(found - exact).max() > 0
    assert (np.abs(found - exact) <= critical * errors + 1e-12).all()


def log_partition_error(drawn: SampledPotentials) -> float:
    """Return the standard error of `log_partition`, from its repeats."""
    relative = np.exp(drawn.log_partitions - drawn.log_partition)
    return relative.std(ddof=1) / np.sqrt(len(relative))


@pytest.fixture(scope="module", params=[(7, 0.6), (12, 0.3)])
def both(request):
    potentials = typical_potentials(*request.param)
    drawn = SampledPotentials.of(*potentials, rng=generator(), n_draws=400, n_repeats=N_REPEATS)
    return drawn, RankPotentials(*potentials)


def test_the_log_partition_is_as_near_the_exact_one_as_its_repeats_are(both):
    drawn, exact = both
    off, error = abs(drawn.log_partition - exact.log_partition), log_partition_error(drawn)
    assert 0 < error < 0.02
    assert off < t.isf(FALSE_ALARM / 2, N_REPEATS - 1) * error


def test_shares_are_as_near_the_exact_ones_as_stated(both):
    drawn, exact = both
    is_pair = ~np.eye(exact.n_items, dtype=bool)
    found = drawn.precedences[is_pair], drawn.precedence_errors[is_pair]
    assert found[1].max() < 0.005
    assert_close(*found, exact.precedences[is_pair])
    assert (np.diag(drawn.precedences) == 0).all()


def test_the_error_of_joint_ranks_is_as_stated(both):
    """Their mean distance is a sum over many cells: within a quarter of what is expected."""
    drawn, exact = both
    joint = drawn.second_order_marginals
    assert joint[0].sum(axis=1) == pytest.approx(drawn.first_order_marginals[0], abs=1e-12)
    assert joint[-1].sum(axis=0) == pytest.approx(drawn.first_order_marginals[-1], abs=1e-12)
    off = marginal_distance(joint, exact.second_order_marginals)
    assert off == pytest.approx(drawn.second_order_error, rel=0.25)
    draws = 1 / (4 * drawn.precedence_errors[~np.eye(exact.n_items, dtype=bool)] ** 2)
    assert 0.3 < drawn.effective_draws / np.median(draws) < 3


def test_repeats_that_agree_have_mixed(both):
    drawn, _ = both
    assert 1 < drawn.r_hat < 1.002
    assert drawn.has_mixed


def test_log_probabilities_are_those_of_the_exact_model_but_for_the_partition(both):
    drawn, exact = both
    orders = inverse(exact.sample(50, rng=np.random.default_rng(1)))
    shift = exact.log_partition - drawn.log_partition
    found = drawn.log_probability(orders)
    assert found == pytest.approx(exact.log_probability(orders) + shift, abs=1e-10)


def test_exchanges_leave_the_law_as_it_is():
    """Half of the potentials' height, from exact draws; a height of .6 would fail."""
    own, before = drawn_potentials(4, scale=0.5)
    stated = probabilities_by_definition(0.5 * own, 0.5 * before)
    wrong = probabilities_by_definition(0.6 * own, 0.6 * before)
    n_rows = draws_needed(stated, wrong)
    rng = generator()
    orders = inverse(all_ranks(4)[rng.choice(24, size=n_rows, p=stated)]).astype(np.int64)
    start = orders.copy()
    move_orders(orders, own, before, 0.5, 3, rng=rng)
    assert (orders != start).any(axis=1).mean() > 0.5
    assert_follows(lexicographic_index(inverse(orders)), stated)


def test_exchanges_reach_the_law_from_equally_likely_orders():
    """Potentials 20 % too small would fail."""
    own, before = drawn_potentials(4, scale=0.3)
    stated = probabilities_by_definition(own, before)
    n_rows = draws_needed(stated, probabilities_by_definition(0.8 * own, 0.8 * before))
    rng = generator()
    orders = rng.permuted(np.tile(np.arange(4), (n_rows, 1)), axis=1)
    move_orders(orders, own, before, 1.0, 12, rng=rng)
    assert_follows(lexicographic_index(inverse(orders)), stated)


def test_what_an_exchange_gains_is_the_difference_of_the_log_weights():
    """An exchange is accepted just below its gain, and refused just above."""
    own, before = drawn_potentials(7)
    by_rank = np.ascontiguousarray(before.transpose(2, 0, 1))
    order = np.array([[4, 2, 6, 0, 5, 1, 3]])
    logs = order_logs(order, own, by_rank)
    for first, last in ((0, 6), (1, 4), (4, 1), (2, 3)):
        other = order.copy()
        other[:, [first, last]] = order[:, [last, first]]
        gain = order_logs(other, own, by_rank)[0] - logs[0]
        for beside, expected in ((-1e-9, other), (1e-9, order)):
            moved = order.copy()
            offer = np.array([[[first, last]]]), np.array([[2 * (gain + beside)]])
            swap_items(moved, own, by_rank, 2.0, *offer)
            assert moved.tolist() == expected.tolist()


def test_order_logs_equal_the_definition():
    own, before = drawn_potentials(5)
    orders = inverse(all_ranks(5)).astype(np.int64)
    found = order_logs(orders, own, np.ascontiguousarray(before.transpose(2, 0, 1)))
    assert found == pytest.approx(log_weights_by_definition(own, before), abs=1e-12)


def test_cooled_orders_are_the_heaviest():
    """Of 7 items, where these are known: the best of all, and others of much weight behind it."""
    own, before = drawn_potentials(7)
    found = cooled_orders(own, before, 5, rng=generator())
    assert found[0].tolist() == best_orders(own, before, 1)[0].tolist()
    logs = order_logs(found, own, np.ascontiguousarray(before.transpose(2, 0, 1)))
    assert (np.diff(logs) <= 0).all()
    assert len(np.unique(found, axis=0)) == len(found) <= 5


def test_marginals_add_up_to_precedences_and_to_joint_ranks(both):
    drawn, exact = both
    at, preceded = drawn.marginals
    assert at == pytest.approx(drawn.first_order_marginals)
    assert pytest.approx(drawn.precedences) == preceded.sum(axis=2).T
    spread = np.sqrt(exact.marginals[1] * (1 - exact.marginals[1]) / drawn.effective_draws)
    assert (np.abs(preceded - exact.marginals[1]) <= 8 * spread + 1e-3).all()


def test_no_potentials_cost_nothing():
    drawn = tempered_draws(np.zeros((5, 5)), np.zeros((5, 5, 5)), 10, rng=generator())
    assert drawn.log_total == pytest.approx(np.log(120), rel=1e-12)


@pytest.mark.parametrize("n_draws", [7, 1000])
def test_systematic_draws_come_as_often_as_their_weight_says_but_for_one(n_draws):
    weights = np.array([0.0, 0.1, 0.0, 0.55, 0.35, 0.0])
    with np.errstate(divide="ignore"):
        drawn = systematic_draws(np.log(weights) - 700, n_draws, rng=generator())
    counts = np.bincount(drawn, minlength=6)
    assert (np.abs(counts - n_draws * weights) < 1).all()
    assert (counts[weights == 0] == 0).all()


def test_forty_items_repeat_within_their_errors():
    potentials = typical_potentials(40, 0.3)
    options = {"rng": generator(), "n_draws": 100, "n_repeats": 8}
    first, second = (SampledPotentials.of(*potentials, **options) for _ in range(2))
    assert first.n_items == 40
    assert log_partition_error(first) < 0.5
    spread = np.hypot(log_partition_error(first), log_partition_error(second))
    off = abs(first.log_partition - second.log_partition)
    assert off < t.isf(FALSE_ALARM / 2, 7) * spread


def test_samples_follow_the_model():
    """Potentials 20 % too small would fail, and so would ranks taken for orders."""
    own, before = drawn_potentials(4, scale=0.3)
    model: RankingModel = SampledPotentials.of(own, before, rng=generator(), n_draws=25_000)
    stated = probabilities_by_definition(own, before)
    n_people = draws_needed(stated, probabilities_by_definition(0.8 * own, 0.8 * before))
    ranks = model.sample(n_people, rng=generator())
    assert ranks.dtype == np.uint8
    assert ranks.flags.f_contiguous
    assert_follows(lexicographic_index(ranks), stated)


def test_repeats_that_cannot_meet_are_noticed():
    """No exchange leads from one of the two orders to the other."""
    own = 1000.0 * (np.eye(3) + np.roll(np.eye(3), 1, axis=1))
    orders = np.array([[[0, 1, 2]] * 10, [[2, 0, 1]] * 10])
    model = SampledPotentials(own, np.zeros((3, 3, 3)), orders, np.zeros(2))
    assert model.r_hat > 1.1
    assert not model.has_mixed
    assert model.precedences[0, 2] == 0.5


@pytest.mark.parametrize("options", [{"n_draws": 1}, {"n_repeats": 1}])
def test_too_few_draws_tell_no_error(options):
    with pytest.raises(HushrankError, match="expected at least 2"):
        SampledPotentials.of(np.zeros((3, 3)), np.zeros((3, 3, 3)), rng=generator(), **options)


def test_other_potentials_are_refused():
    with pytest.raises(HushrankError, match="finite"):
        SampledPotentials.of(np.full((3, 3), np.inf), np.zeros((3, 3, 3)), rng=generator())
    drawn = SampledPotentials.of(np.zeros((3, 3)), np.zeros((3, 3, 3)), rng=generator())
    assert repr(drawn) == "SampledPotentials(3 items, 16000 draws)"


def test_the_last_of_many_repeats_counts():
    """It alone stands where no exchange leads away from."""
    own = 1000.0 * (np.eye(3) + np.roll(np.eye(3), 1, axis=1))
    orders = np.array([*[[[0, 1, 2]] * 10] * 24, [[2, 0, 1]] * 10])
    model = SampledPotentials(own, np.zeros((3, 3, 3)), orders, np.zeros(25))
    assert model.precedences[2, 0] == pytest.approx(1 / 25)
    assert not model.has_mixed


def test_as_many_repeats_are_drawn_as_are_asked_for():
    own, before = np.zeros((3, 3)), np.zeros((3, 3, 3))
    drawn = SampledPotentials.of(own, before, rng=generator(), n_draws=2, n_repeats=30)
    assert drawn.orders.shape == (30, 2, 3)
    assert drawn.log_partitions.shape == (30,)
