"""Aggregation with privacy: exact draws, noisy scores, and sorting by reports of devices."""

from collections.abc import Sequence
from math import comb

import numpy as np
from harness import Row, Series, check, main, milliseconds, seconds
from people import orders

from hushrank.aggregators.private.borda import p_borda_knorm
from hushrank.aggregators.private.exponential.p_sample import p_sample
from hushrank.aggregators.private.histogram import p_borda_hist
from hushrank.arrays import Counts, Order
from hushrank.engines.local import run
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.models.mallows import Mallows
from hushrank.protocols.orders.ldp_kwiksort import ldp_kwiksort
from hushrank.randomness import Randomness
from hushrank.rankings.coding import inverse
from hushrank.rankings.distances import kendall_distances
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

INTRODUCTION = """## Aggregation with privacy

All noise is secure, and epsilon is 1 unless a row says otherwise. P-SAMPLE draws from the
exponential mechanism over all orders, exactly, from pair counts; every repetition is one draw with
all its preparation, and how long it tries is random. P-BORDA-HIST starts with ballots; the K-norm
release is of scores. LDP-KwikSort starts with ranks in memory and asks every person one pair,
through their own device; its paper needs 4.4 s for 5,000 people and 45 items. No peer does any of
this. Mallows: dispersion phi, where 1 is uniform."""

EPSILON, SHOWS_AT = 1.0, 4.0


def exact_draws(is_quick: bool) -> Sequence[Row]:
    """Measure P-SAMPLE on what people agree on, and on what nobody agrees on."""
    draws = 3 if is_quick else 15
    uniform = np.random.default_rng(11).integers(0, 5001, (20, 20))
    return [
        _draws("Mallows phi = 0.75, m = 45, n = 10,000", _mallows(45, 10_000, 0.75), 10.0, draws),
        _draws("uniform random counts, m = 20", uniform - np.diag(np.diag(uniform)), 500.0, draws),
        _draws(
            "Mallows phi = 0.8, m = 80, n = 5,000, epsilon 0.1",
            _mallows(80, 5_000, 0.8),
            1000.0,
            draws,
            epsilon=0.1,
        ),
    ]


def noisy_scores(is_quick: bool) -> Sequence[Row]:
    """Measure releases of Borda scores, through a histogram and with K-norm noise."""
    drawn = Rankings.from_orders(orders(5000, 10))
    best = p_borda_hist(drawn, epsilon=100.0, rng=Randomness.secure()).order
    check(best[0] == 0, "P-BORDA-HIST: expected the favourite item first")
    ours = Series(
        seconds(
            lambda: p_borda_hist(drawn, epsilon=EPSILON, rng=Randomness.secure()),
            1 if is_quick else 7,
        )
    )
    histogram = Row(
        "P-BORDA-HIST, m = 10, n = 5,000",
        "s",
        1.0,
        ours,
        checked="at epsilon 100 the favourite leads",
    )
    return [histogram, *(_knorm(n_items) for n_items in (10, 45))]


def sorted_reports(is_quick: bool) -> Sequence[Row]:
    """Measure LDP-KwikSort with randomised response, m = 45, devices and collector together."""
    few = _sorting("5,000 people", 5_000, "ms", 5.0)
    n_people = 50_000 if is_quick else 1_000_000
    return [few, _sorting(f"{n_people:,} people", n_people, "s", 0.5)]


def _draws(task: str, counts: Counts, target: float, draws: int, epsilon: float = EPSILON) -> Row:
    rng, found = Randomness.secure(), []
    spent = seconds(lambda: found.append(p_sample(counts, epsilon=epsilon, rng=rng)), draws)
    every = list(range(len(counts)))
    check(all(sorted(order) == every for order in found), f"{task}: expected orders of all items")
    checked = "each draw holds every item once; the law itself is tested, not timed"
    return Row(f"P-SAMPLE, {task}", "ms", target, milliseconds(spent), checked=checked)


def _mallows(n_items: int, n_people: int, dispersion: float) -> Counts:
    return majority(_people(n_items, n_people, dispersion))


def _people(n_items: int, n_people: int, dispersion: float) -> Rankings:
    model = Mallows(tuple(range(n_items)), dispersion)
    ranks = model.sample(n_people, rng=np.random.default_rng(12))
    return Rankings(ranks, tuple(map(str, range(n_items))))


def _knorm(n_items: int) -> Row:
    rng, counts = Randomness.secure(), _mallows(n_items, 5_000, 0.8)
    released = p_borda_knorm(counts, epsilon=EPSILON, rng=rng)
    check(sorted(released.order) == list(range(n_items)), "K-norm: expected every item once")
    mechanism = PermutohedronMechanism(n_items, EPSILON)
    scores = (counts - counts.T).sum(axis=1)
    ours = milliseconds(seconds(lambda: mechanism.release(scores, rng=rng), 9))
    return Row(f"K-norm Borda release, m = {n_items}", "ms", None, ours)


def _sorting(people: str, n_people: int, unit: str, target: float) -> Row:
    rankings = _people(45, n_people, 0.8)
    turned = _turned_pairs(rankings, SHOWS_AT)
    check(turned < 0.25, f"LDP-KwikSort: expected few turned pairs, got a share of {turned:.3f}")
    spent = seconds(lambda: _sort(rankings, EPSILON), 9)
    ours = milliseconds(spent) if unit == "ms" else Series(spent)
    checked = f"at epsilon {SHOWS_AT:g} it turns {turned:.1%} of the pairs against Mallows' centre"
    return Row(f"LDP-KwikSort:RR, m = 45, {people}", unit, target, ours, checked=checked)


def _sort(rankings: Rankings, epsilon: float) -> Order:
    protocol = ldp_kwiksort(rankings.n_items, epsilon=epsilon, pivot_seed=0)
    return run(protocol, rankings, rng=Randomness.secure()).result.order


def _turned_pairs(rankings: Rankings, epsilon: float) -> float:
    ranks = inverse(np.array([_sort(rankings, epsilon)], dtype=np.uint8))
    turned = kendall_distances(ranks, tuple(range(rankings.n_items)))
    return float(turned[0]) / comb(rankings.n_items, 2)


if __name__ == "__main__":
    main(INTRODUCTION, (exact_draws, noisy_scores, sorted_reports))
