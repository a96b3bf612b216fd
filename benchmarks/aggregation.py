"""Aggregation without privacy: the exact Kemeny order, and Borda, beside three peers."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np
from harness import Row, Series, check, data_folder, main, milliseconds, seconds
from peer_orders import ask_peer
from people import orders

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import KemenyOrder, kemeny
from hushrank.arrays import Counts, Orders
from hushrank.models.mallows import Mallows
from hushrank.rankings.coding import inverse
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

INTRODUCTION = """## Aggregation

Kemeny: ours orders pair counts; svvamp has counted its pairs before the clock starts, and corankco
counts them while it runs. Each peer has 60 seconds by the wall clock for all of its repetitions on
one input; one that ended a single time within them is measured once. pref_voting tries all orders,
and is asked for ten items only; corankco's integer program (solved by CBC) has three constraints
for every three items, and is asked for up to 60 items; its ParCons needs CPLEX for groups of items
that beat each other in circles. Mallows: dispersion phi, where 1 is uniform; at m = 60 that is five
inputs, each ordered once within 60 seconds, as their times differ much, and the peers get the
first. Circles: item a beats item b if b - a is a square modulo 23, the most even of all contests.
Borda: pref_voting has made its profile before the clock starts."""

LIMIT, QUICK_LIMIT = 60, 5
ALL_PEERS = {
    "svvamp": "svvamp_kemeny",
    "corankco (CBC)": "corankco_exact",
    "corankco (ParCons)": "corankco_parcons",
    "pref_voting": "pref_voting_kemeny",
}
BORDA_PEERS = {"svvamp": "svvamp_borda", "pref_voting": "pref_voting_borda"}
PEERS_OF_MEDIUM = ("svvamp", "corankco (CBC)", "corankco (ParCons)")
PEERS_OF_LARGE = ("svvamp", "corankco (ParCons)")
OPTIMAL = "ours is proven optimal; what a peer returns has the same cost"


@dataclass(frozen=True)
class Input:
    """Ballots to order, in which time, and the peers that try."""

    task: str
    orders: Orders
    unit: str
    target: float | None
    peers: Sequence[str]


def kemeny_orders(is_quick: bool) -> Sequence[Row]:
    """Measure Kemeny orders of ballots, easy ones and hard ones."""
    return [_kemeny_row(ballots, is_quick) for ballots in _inputs(is_quick)]


def kemeny_without_agreement(is_quick: bool) -> Sequence[Row]:
    """Measure 60 items that people order at random: five inputs, each once, within a limit."""
    inputs = [_mallows(60, 1001, 1.0, None, PEERS_OF_MEDIUM, seed) for seed in range(1, 6)]
    counts = [majority(Rankings.from_orders(given.orders)) for given in inputs]
    limit = 2 if is_quick else LIMIT
    found: list[KemenyOrder] = []
    spent = []
    for each in counts:
        begin = process_time()
        found.append(kemeny(each, time_limit=limit))
        spent.append(process_time() - begin)
    proven, first = sum(one.is_optimal for one in found), found[0]
    gap = max(one.gap / one.cost for one in found)
    is_known = first.is_optimal and not is_quick
    peers = _kemeny_peers(inputs[0], counts[0], first.cost, 1, False) if is_known else {}
    checked = f"{proven} of 5 are proven within {limit} s; the others within {gap:.2%} of the least"
    return [Row(inputs[0].task, "s", None, Series(spent), peers, checked)]


def kemeny_circles(_is_quick: bool) -> Sequence[Row]:
    """Measure Kemeny orders of contests without any order in them."""
    rows = []
    for n_items in (20, 22):
        counts = _circles(n_items)
        found = kemeny(counts)
        check(found.is_optimal, f"circles of {n_items} items: expected an optimal order")
        ours = Series(seconds(lambda counts=counts: kemeny(counts), 7))  # type: ignore[misc]
        task = f"Kemeny, circles, m = {n_items}"
        rows.append(Row(task, "s", 1.0, ours, checked="the order is proven optimal"))
    return rows


def borda_order(is_quick: bool) -> Sequence[Row]:
    """Measure Borda from the ballots of a million people: pair counts, then the order."""
    n_people = 20_000 if is_quick else 1_000_000
    drawn = orders(n_people, 10)
    rankings = Rankings.from_orders(drawn)
    expected = borda(majority(rankings))
    peers: dict[str, Series | str] = {}
    for name, task in BORDA_PEERS.items():
        found = ask_peer(task, drawn, QUICK_LIMIT if is_quick else LIMIT)
        check(found.order in (None, expected), f"expected the Borda order of {name}")
        peers[name] = found.scaled(1000)
    ours = milliseconds(seconds(lambda: borda(majority(rankings)), 9))
    checked = "the order is that of the peers"
    return [Row(f"Borda from ballots, {n_people:,} x 10", "ms", 30.0, ours, peers, checked)]


def _inputs(is_quick: bool) -> Sequence[Input]:
    medium, large = PEERS_OF_MEDIUM, PEERS_OF_LARGE
    if is_quick:
        return [_sushi(), _mallows(40, 1000, 0.8, 0.1, large), _mallows(45, 200, 0.97, 0.5, medium)]
    return [
        _sushi(),
        _mallows(400, 1000, 0.8, 0.1, large),
        _mallows(1000, 1000, 0.8, 1.0, large),
        _mallows(45, 200, 0.97, 0.5, medium),
        _mallows(20, 1001, 1.0, 1.0, medium),
        _mallows(22, 1001, 1.0, 1.0, medium),
    ]


def _sushi() -> Input:
    folder = data_folder()
    if folder is None:
        task = "Kemeny, made-up people, m = 10, n = 5,000"
        return Input(task, orders(5000, 10), "ms", 1.0, tuple(ALL_PEERS))
    ballots = read_rankings(folder / "sushi" / "sushi.soc").expanded().orders()
    return Input("Kemeny, Sushi, m = 10, n = 5,000", ballots, "ms", 1.0, tuple(ALL_PEERS))


def _mallows(
    n_items: int,
    n_people: int,
    dispersion: float,
    target: float | None,
    peers: Sequence[str],
    seed: int = 1,
) -> Input:
    model = Mallows(tuple(range(n_items)), dispersion)
    ballots = inverse(model.sample(n_people, rng=np.random.default_rng(seed)))
    task = f"Kemeny, Mallows phi = {dispersion:g}, m = {n_items}, n = {n_people:,}"
    return Input(task, ballots, "s", target, peers)


def _kemeny_row(given: Input, is_quick: bool) -> Row:
    counts = majority(Rankings.from_orders(given.orders))
    found = kemeny(counts)
    check(found.is_optimal, f"{given.task}: expected a proven order")
    factor = 1000 if given.unit == "ms" else 1
    spent = seconds(lambda: kemeny(counts), 1 if is_quick else 7)
    peers = _kemeny_peers(given, counts, found.cost, factor, is_quick)
    ours = Series([factor * one for one in spent])
    return Row(given.task, given.unit, given.target, ours, peers, OPTIMAL)


def _kemeny_peers(
    given: Input, counts: Counts, cost: float, factor: float, is_quick: bool
) -> dict[str, Series | str]:
    peers: dict[str, Series | str] = {}
    for name in given.peers:
        theirs = ask_peer(ALL_PEERS[name], given.orders, QUICK_LIMIT if is_quick else LIMIT)
        is_as_good = theirs.order is None or kendall_cost(counts, theirs.order) == cost
        check(is_as_good, f"{given.task}: expected the cost of {name}")
        peers[name] = theirs.scaled(factor)
    return peers


def _circles(n_items: int) -> Counts:
    """Return pair counts in which a beats b by one if b - a is a square modulo 23."""
    squares = sorted({number**2 % 23 for number in range(1, 23)})
    apart = (np.arange(n_items) - np.arange(n_items)[:, None]) % 23
    counts: Counts = np.isin(apart, squares).astype(np.int64)
    return counts


if __name__ == "__main__":
    main(INTRODUCTION, (kemeny_orders, kemeny_without_agreement, kemeny_circles, borda_order))
