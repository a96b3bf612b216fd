"""P-SAMPLE draws from its exponential law, exactly, whichever way it proposes orders."""

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, permutations
from math import ceil, comb, exp, factorial

import numpy as np
import pytest

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.private.exponential import by_core as sample_by_core
from hushrank.aggregators.private.exponential import by_insertion as sample_by_insertion
from hushrank.aggregators.private.exponential import by_sets as sample_by_sets
from hushrank.aggregators.private.exponential import p_sample as private_sample
from hushrank.aggregators.private.exponential.by_core import CoreProposal, log_tries_saved
from hushrank.aggregators.private.exponential.by_insertion import InsertionProposal
from hushrank.aggregators.private.exponential.by_sets import (
    MOST_ITEMS_OF_SETS,
    NEGLIGIBLE,
    SetProposal,
)
from hushrank.aggregators.private.exponential.p_sample import (
    cost_rate,
    p_sample,
    sampled_costs,
    whole_margins,
)
from hushrank.aggregators.private.exponential.proposals import (
    SLACK,
    Proposals,
    chosen_place,
    kept_order,
    word_shares,
)
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.coding import lexicographic_index
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.samplers.certified_coin import certified_coins, probability_bounds
from tests.statistics import (
    MIN_EXPECTED,
    assert_counts_follow,
    assert_follows,
    draws_needed,
    random_seed,
)

TOO_MUCH = 1.05
"""The wrong law that tests of the listed law must catch spends this much more."""
WAYS = (SetProposal, InsertionProposal, CoreProposal)


def seeded():
    return Randomness.seeded(random_seed())


def counts_of(n_items, n_people, dispersion=0.9, seed=3):
    """Pair counts of a population that agrees a little."""
    model = Mallows(tuple(range(n_items))[::-1], dispersion)
    ranks = model.sample(n_people, rng=np.random.default_rng(seed))
    return majority(Rankings(ranks, tuple(map(str, range(n_items)))))


def law(counts, epsilon):
    """The probabilities of all orders, in lexicographic order, by the definition."""
    n_items = len(counts)
    orders = permutations(range(n_items))
    costs = np.array([kendall_cost(counts, order) for order in orders]) / comb(n_items, 2)
    weights = np.exp(-epsilon * (costs - costs.min()))
    return weights / weights.sum()


def proposal_of(way, counts, epsilon):
    """A core holds half of the items here, so that as many are inserted."""
    more = ((len(counts) + 1) // 2,) if way is CoreProposal else ()
    return way.of(whole_margins(counts), cost_rate(len(counts), epsilon), *more)


def proposals_of(proposal, size, rng):
    if not isinstance(proposal, SetProposal):
        return proposal.propose(size, most_tries=10**9, rng=rng)
    return proposal.propose(size, rng=rng)


def kept(proposals, proposal, rng):
    """The proposals that their coins keep; equal orders toss the same coin, all at once."""
    index = lexicographic_index(proposals.orders)
    _, rows, which = np.unique(index, return_index=True, return_inverse=True)
    assert (proposals.shares == proposals.shares[rows[which]]).all()
    is_kept = np.zeros(len(index), dtype=bool)
    for row, places in zip(rows, np.split(np.argsort(which), ends(which)), strict=True):
        exponent = proposal.rate * int(proposals.costs[row]) + Fraction(proposal.log_bound)
        is_kept[places] = certified_coins(proposals.factor(row), exponent, len(places), rng=rng)
    return proposals.orders[is_kept]


def ends(which):
    return np.bincount(which).cumsum()[:-1]


def drawn_orders(proposal, size, at_once=2**19):
    """The first `size` orders that are kept, which all but 3 in 100 are here."""
    rng, found, missing = seeded(), [], size
    while missing > 0:
        n_proposals = min(at_once, ceil(1.03 * missing))
        found.append(kept(proposals_of(proposal, n_proposals, rng), proposal, rng))
        missing -= len(found[-1])
    return np.concatenate(found)[:size]


def pooled(law, least):
    """For each order a cell of its own, but one for all whose probability is below `least`."""
    is_rare = law < least
    return np.where(is_rare, 0, np.cumsum(~is_rare) - (0 if is_rare.any() else 1))


def assert_law(proposal, counts, epsilon, least=1 / 300):
    """Assert that all orders follow the law, in a sample that would tell 5 % more epsilon."""
    stated, wrong = law(counts, epsilon), law(counts, TOO_MUCH * epsilon)
    cells = pooled(stated, least)
    in_cells, wrong_in_cells = np.bincount(cells, stated), np.bincount(cells, wrong)
    orders = drawn_orders(proposal, draws_needed(in_cells, wrong_in_cells))
    assert_follows(cells[lexicographic_index(orders)], in_cells)


def exact_weights(counts, epsilon, way, digits=40):
    """Bounds of P(proposed and kept), and the chance to be proposed, of every order."""
    proposal = proposal_of(way, counts, epsilon)
    proposals = proposals_of(proposal, 2000 * factorial(len(counts)), seeded())
    _, rows = np.unique(lexicographic_index(proposals.orders), return_index=True)
    assert len(rows) == factorial(len(counts))
    for row in rows:
        exponent = proposal.rate * int(proposals.costs[row]) + Fraction(proposal.log_bound)
        keep = probability_bounds(proposals.factor(row), exponent, digits)
        yield tuple(proposals.orders[row].tolist()), 1 / proposals.factor(row), keep


@pytest.mark.parametrize("way", WAYS)
def test_each_of_the_orders_of_five_items_follows_the_law(way):
    assert_law(proposal_of(way, counts_of(5, 6), 1.0), counts_of(5, 6), 1.0, least=0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("n_people", "epsilon"), [(12, 4.0), (400, 0.25)])
def test_uneven_orders_of_six_items_follow_the_law(way, n_people, epsilon):
    """The rarest share a cell."""
    counts = counts_of(6, n_people)
    assert_law(proposal_of(way, counts, epsilon), counts, epsilon)


@pytest.mark.parametrize("way", WAYS)
def test_orders_of_millions_of_people_follow_the_law(way):
    """What one order costs more than another is millions of ballots, each at a millionth."""
    counts, epsilon = 10**6 * counts_of(5, 6), 1e-6
    assert_law(proposal_of(way, counts, epsilon), counts, epsilon, least=0)


@pytest.mark.parametrize("way", WAYS)
def test_orders_of_people_who_left_pairs_open_follow_the_law(way):
    """Their margins are even and odd: one pair more may be lost, and not two at a time alone."""
    counts = np.random.default_rng(5).integers(0, 4, size=(5, 5))
    np.fill_diagonal(counts, 0)
    assert len(np.unique((counts - counts.T)[np.triu_indices(5, k=1)] % 2)) == 2
    assert_law(proposal_of(way, counts, 10.0), counts, 10.0)


@pytest.mark.parametrize("way", WAYS)
def test_equal_counts_give_uniform_orders(way):
    """The wrong law favours one order of 24 by 5 %."""
    stated = np.full(24, 1 / 24)
    wrong = stated * np.where(np.arange(24) == 5, TOO_MUCH, 1)
    size = draws_needed(stated, wrong / wrong.sum())
    orders = drawn_orders(proposal_of(way, np.full((4, 4), 7), 1.0), size)
    assert_follows(lexicographic_index(orders), stated)


@pytest.mark.parametrize("error", [1e-3, 0.1])
def test_sets_whose_sums_err_leave_the_law_as_it_is(error):
    counts = counts_of(6, 12)
    proposal = proposal_of(SetProposal, counts, 4.0)
    errors = np.random.default_rng(1).uniform(-error, error, proposal.log_sums.shape)
    log_bound = proposal.log_bound + (0 if error < SLACK / 2 else 2 * error * 6)
    wrong = replace(proposal, log_sums=proposal.log_sums + errors, log_bound=log_bound)
    assert_law(wrong, counts, 4.0)


@pytest.mark.parametrize("error", [1e-3, 0.1])
def test_insertion_tables_that_err_leave_the_law_as_it_is(error):
    counts = counts_of(6, 12)
    proposal = proposal_of(InsertionProposal, counts, 4.0)
    shares, rng = proposal.shares.copy(), np.random.default_rng(1)
    for item in range(1, 6):
        logs = np.log(shares[item, : item + 1].astype(float))
        word_shares(logs + rng.uniform(-error, error, item + 1), shares[item, : item + 1])
    log_bound = proposal.log_bound + (0 if error < SLACK / 2 else 2 * error * 6)
    assert_law(replace(proposal, shares=shares, log_bound=log_bound), counts, 4.0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n_items", [2, 3, 4])
def test_proposals_have_their_chances_and_coins_no_more_than_one(way, n_items):
    """Chances add up to 1 as whole words do; kept orders have e^-(rate cost) but for a constant."""
    counts, epsilon = counts_of(n_items, 9), 2.0
    rows = list(exact_weights(counts, epsilon, way))
    assert sum(chance for _, chance, _ in rows) == 1
    assert max(high for _, _, (_, high) in rows) <= 1
    assert min(low for _, _, (low, _) in rows) > 0.97


def test_the_loss_of_any_ballot_is_at_most_epsilon():
    """Exact, with rational bounds, for the 13 ballots of three items, ties and all."""
    counts, epsilon = counts_of(3, 5), 1.5
    before = list(exact_weights(counts, epsilon, SetProposal))
    for ranks in {tuple(np.unique(each, return_inverse=True)[1]) for each in np.ndindex(3, 3, 3)}:
        places = np.array(ranks)
        more = counts + (places[:, None] < places)
        after = list(exact_weights(more, epsilon, SetProposal))
        losses = [*ratios(before, after), *ratios(after, before)]
        assert max(losses) <= probability_bounds(Fraction(1), Fraction(-epsilon), 30)[1]
    strict = [*ratios(before, before)]
    assert max(strict) < 1 + Fraction(1, 10**30)


def ratios(first, second):
    """Upper bounds of P(order) of the first over P(order) of the second."""
    total_high = sum(chance * high for _, chance, (_, high) in second)
    total_low = sum(chance * low for _, chance, (low, _) in first)
    for (order, chance, (_, high)), (other, other_chance, (low, _)) in zip(
        first, second, strict=True
    ):
        assert order == other
        yield (chance * high / total_low) / (other_chance * low / total_high)


def pair_law(counts, epsilon):
    """P(a before b) for all pairs, by a plain program over sets, forwards and backwards."""
    n_items = len(counts)
    rate = epsilon / comb(n_items, 2)
    weight = np.zeros((2**n_items, n_items))
    for placed in range(2**n_items):
        inside = np.array([placed >> item & 1 for item in range(n_items)])
        weight[placed] = np.exp(-rate * counts @ inside) * (1 - inside)
    to_come, so_far = np.zeros(2**n_items), np.zeros(2**n_items)
    to_come[-1] = so_far[0] = 1
    following = np.arange(2**n_items)[:, None] | 1 << np.arange(n_items)
    for placed in range(2**n_items - 2, -1, -1):
        to_come[placed] = weight[placed] @ to_come[following[placed]]
    before = np.zeros((n_items, n_items))
    for placed in range(2**n_items - 1):
        steps = so_far[placed] * weight[placed]
        open_items = weight[placed] > 0
        so_far[following[placed, open_items]] += steps[open_items]
        before += np.outer(steps * to_come[following[placed]], open_items)
    np.fill_diagonal(before, 0)
    return before / to_come[0]


@pytest.mark.parametrize("way", WAYS)
def test_pairs_of_ten_items_are_ordered_as_sets_say(way):
    """Every order has a coin of its own here, so the wrong law spends 10 % more."""
    counts, epsilon = counts_of(10, 100), 1.0
    a, b = np.triu_indices(10, k=1)
    stated, wrong = pair_law(counts, epsilon)[a, b], pair_law(counts, 1.1 * epsilon)[a, b]
    laws, wrong_laws = (np.column_stack([each, 1 - each]) for each in (stated, wrong))
    told = min(draws_needed(*each, len(a)) for each in zip(laws, wrong_laws, strict=True))
    size = max(told, ceil(MIN_EXPECTED / laws.min()))
    ranks = np.argsort(drawn_orders(proposal_of(way, counts, epsilon), size, 2**12), axis=1)
    first = (ranks[:, a] < ranks[:, b]).sum(axis=0)
    assert_counts_follow(np.column_stack([first, size - first]), laws)


def test_the_rarer_order_of_two_items_is_as_rare_as_it_should_be():
    """A lopsided table: one in 404 draws."""
    counts = np.array([[0, 6], [0, 0]])
    for way in WAYS:
        assert_law(proposal_of(way, counts, 1.0), counts, 1.0, least=0)


def test_a_proposed_order_is_kept_as_often_as_the_law_wants():
    """Proposed once in 2 draws, wanted with e^-(3/2 + 1); the wrong coin is 20 % too lenient."""
    stated = 2 * exp(-2.5)
    size = draws_needed([1 - stated, stated], [1 - 1.2 * stated, 1.2 * stated])
    share, cost = np.array([[2**63]], dtype=np.uint64), np.array([3])
    proposals, rng = Proposals(np.array([[1, 0]]), share, cost), seeded()
    found = [kept_order(proposals, Fraction(1, 2), 1.0, rng=rng) for _ in range(size)]
    assert set(found) == {None, (1, 0)}
    assert_follows(np.array([each is not None for each in found]).astype(int), [1 - stated, stated])


@pytest.mark.parametrize("n_items", [2, 5, 12, 20, 30])
def test_a_large_population_that_agrees_gets_its_kemeny_order(n_items):
    counts = counts_of(n_items, 1000, dispersion=0.5) * 1000
    found = p_sample(counts, epsilon=1000, rng=seeded())
    assert found == kemeny(counts).order == tuple(range(n_items))[::-1]


def test_the_order_of_three_items_follows_the_law_end_to_end():
    """A draw is slow, so the wrong law is an epsilon twice as large, or the half."""
    counts, rng = counts_of(3, 9), seeded()
    stated = law(counts, 0.5)
    size = max(draws_needed(stated, law(counts, wrong)) for wrong in (0.25, 1.0))
    orders = np.array([p_sample(counts, epsilon=0.5, rng=rng) for _ in range(size)])
    assert_follows(lexicographic_index(orders), stated)


def test_sets_take_over_where_tries_of_insertion_run_out(monkeypatch):
    counts = counts_of(12, 30)
    monkeypatch.setattr(private_sample, "TRIES_AT_ONCE", 0)
    assert sorted(p_sample(counts, epsilon=1.0, rng=seeded())) == list(range(12))
    monkeypatch.setattr(private_sample, "SetProposal", None)
    with pytest.raises(AttributeError):
        p_sample(counts, epsilon=1.0, rng=seeded())


@pytest.fixture
def core_sizes(monkeypatch):
    """The sizes of the cores that a draw asks for; it gets at most 16 items, to be fast."""
    sizes = []

    class Recorded:
        @staticmethod
        def of(margins, rate, n_core):
            sizes.append(n_core)
            return CoreProposal.of(margins, rate, min(n_core, 16))

    monkeypatch.setattr(private_sample, "CoreProposal", Recorded)
    monkeypatch.setattr(private_sample, "TRIES_AT_ONCE", 1)
    return sizes


def test_items_of_whom_few_jump_others_are_inserted_until_an_order_is_kept(monkeypatch, core_sizes):
    monkeypatch.setattr(private_sample, "TRIES_OF_FEW", 0)
    counts = counts_of(40, 300, dispersion=0.8)
    assert sorted(p_sample(counts, epsilon=1.0, rng=seeded())) == list(range(40))
    assert core_sizes == [18]


@pytest.mark.parametrize(("most_tries", "sizes"), [(2**15, [18]), (0, [18, 22])])
def test_items_without_agreement_get_a_core_and_then_a_larger_one(
    monkeypatch, core_sizes, most_tries, sizes
):
    counts = counts_of(24, 400, dispersion=0.999)
    monkeypatch.setattr(private_sample, "TRIES_OF_FEW", most_tries)
    assert sorted(p_sample(counts, epsilon=6.0, rng=seeded())) == list(range(24))
    assert core_sizes == sizes


@pytest.mark.parametrize("n_items", [7, 8])
def test_a_core_is_the_middle_of_borda_s_order(n_items):
    """Which are its items changes how many tries are lost, not the law."""
    order = np.random.default_rng(1).permutation(n_items)
    counts = np.zeros((n_items, n_items), dtype=np.int64)
    counts[np.ix_(order, order)] = np.triu(np.ones((n_items, n_items), dtype=np.int64), k=1)
    core = CoreProposal.of(counts - counts.T, Fraction(1, 10), 3)
    middle = {7: [3, 2, 4, 1, 5, 0, 6], 8: [3, 4, 2, 5, 1, 6, 0, 7]}[n_items]
    assert core.insertion.items.tolist() == order[middle].tolist()


def test_sums_of_sets_stay_within_their_tables(monkeypatch):
    """As they are written, and not compiled, which does not ask for bounds."""
    proposal = proposal_of(SetProposal, counts_of(4, 12), 2.0)
    tables = proposal.lower, proposal.upper
    words = np.random.default_rng(1).integers(2**64, size=(20, 3), dtype=np.uint64)

    def drawn(draw):
        orders, shares = np.zeros((20, 4), dtype=np.int64), np.ones((20, 3), dtype=np.uint64)
        costs = draw(*tables, proposal.log_sums, float(proposal.rate), words, orders, shares)
        return costs.tolist(), orders.tolist()

    compiled = drawn(sample_by_sets._draw_orders)
    monkeypatch.setattr(sample_by_sets, "_terms", sample_by_sets._terms.py_func)
    sums = sample_by_sets._log_sums.py_func(*tables, float(proposal.rate))
    assert sums == pytest.approx(proposal.log_sums, abs=1e-12)
    assert drawn(sample_by_sets._draw_orders.py_func) == compiled


@pytest.mark.parametrize("n_words", [3, 500])
def test_items_are_inserted_as_it_is_written(n_words):
    """And not compiled, which does not ask for bounds; the tape may end in the midst of a try."""
    proposal = proposal_of(InsertionProposal, counts_of(5, 12), 4.0)
    rate = proposal.rate.numerator, proposal.rate.denominator
    tables = sample_by_insertion._Tables(proposal.margins, proposal.least, proposal.shares, *rate)
    tape = np.random.default_rng(2).integers(2**64, size=n_words, dtype=np.uint64)
    starts, ended = np.zeros((100, 1), dtype=np.int64), []
    for insert in (sample_by_insertion._insert_items, sample_by_insertion._insert_items.py_func):
        orders = np.zeros((10, 5), dtype=np.int64)
        found = sample_by_insertion._Found(orders, np.zeros_like(orders), np.zeros(10, np.int64))
        n_kept, n_tries, n_read = insert(tables, tape, starts, found, 0, 0)
        ended.append((int(n_kept), int(n_tries), int(n_read), orders[:n_kept].tolist()))
    assert ended[0] == ended[1]
    assert ended[0][0] == (0 if n_words == 3 else 10)


@pytest.mark.parametrize("lead", [1, 2**20, 2**31, 2**40])
def test_costs_of_however_many_people_add_up_whole(lead):
    """Of eight items, and sets of up to four of them: by Python's numbers."""
    margins = lead * (np.arange(8)[None, :] - np.arange(8)[:, None])
    sets = SetProposal.of(margins, Fraction(1, 2**60))
    for table, rows in ((sets.lower, range(4)), (sets.upper, range(4, 8))):
        chosen = [[row for nth, row in enumerate(rows) if n >> nth & 1] for n in range(16)]
        sums = [
            [sum(max(0, lead * (row - item)) for row in each) for item in range(8)]
            for each in chosen
        ]
        assert table.tolist() == sums
    inserted = InsertionProposal.of(margins, Fraction(1, 2**60))
    for item in range(1, 8):
        moved = [lead * int(inserted.items[item] - other) for other in inserted.items[:item]]
        least = [0, *accumulate(sorted(moved))]
        assert inserted.least[item, : item + 1].tolist() == least


def test_items_are_inserted_in_borda_s_order():
    counts = counts_of(7, 30)
    borda = (counts - counts.T).sum(axis=1)
    items = proposal_of(InsertionProposal, counts, 1.0).items
    assert (np.diff(borda[items]) <= 0).all()


@pytest.mark.parametrize("way", [InsertionProposal, CoreProposal])
@pytest.mark.parametrize("size", [1, 40])
def test_as_many_orders_are_proposed_as_were_asked_for(way, size, monkeypatch):
    monkeypatch.setattr(sample_by_core, "TRIES_AT_ONCE", 7)
    found = proposal_of(way, counts_of(9, 30), 20.0).propose(size, most_tries=10**6, rng=seeded())
    assert len(found.orders) == len(found.shares) == len(found.costs) == size


def test_a_core_is_drawn_for_each_try_and_for_no_more(monkeypatch):
    monkeypatch.setattr(sample_by_core, "TRIES_AT_ONCE", 7)
    tries, drawn = [], SetProposal.propose

    def record(proposal, size, *, rng):
        tries.append(size)
        return drawn(proposal, size, rng=rng)

    monkeypatch.setattr(SetProposal, "propose", record)
    proposal = proposal_of(CoreProposal, counts_of(12, 400, dispersion=0.999), 1000.0)
    proposal.propose(10**6, most_tries=25, rng=seeded())
    assert tries == [0, 7, 7, 7, 4]


@pytest.mark.parametrize(
    ("way", "n_items", "n_core"),
    [
        *((SetProposal, n, n) for n in (2, 8, 14)),
        *((InsertionProposal, n, 1) for n in (2, 12, 41, 100, 300)),
        *((CoreProposal, n, min(n - 1, 10)) for n in (2, 12, 41, 100, 300)),
    ],
)
def test_of_however_many_items_an_order_costs_what_no_coin_has_paid(way, n_items, n_core):
    """The core's lost pairs, and of each other item as many of its cheapest as it jumps."""
    margins = whole_margins(counts_of(n_items, 30))
    proposal = way.of(margins, Fraction(1, 10**9), *[n_core] * (way is CoreProposal))
    found = proposals_of(proposal, 5, seeded())
    inserted = getattr(proposal, "insertion", proposal)
    items = getattr(inserted, "items", np.arange(n_items))
    places = np.argsort(found.orders, axis=1)[:, items]
    margins = margins[np.ix_(items, items)]
    for row, cost in zip(places, found.costs.tolist(), strict=True):
        lost = np.maximum(margins, 0)[:n_core, :n_core]
        unpaid = lost[row[:n_core, None] > row[:n_core]].sum()
        for item in range(n_core, n_items):
            jumped = (row[:item] > row[item]).sum()
            unpaid += np.sort(margins[:item, item])[:jumped].sum()
        assert cost == unpaid


@pytest.mark.parametrize("way", [InsertionProposal, CoreProposal])
@pytest.mark.parametrize("most_tries", [0, 1, 5000])
def test_tries_end_when_they_were_all_made(way, most_tries):
    """At so large an epsilon hardly any try gives an order."""
    counts = counts_of(12, 400, dispersion=0.999)
    found = proposal_of(way, counts, 1000.0).propose(10**6, most_tries=most_tries, rng=seeded())
    assert len(found.orders) == len(found.shares) == len(found.costs) <= most_tries


@pytest.mark.parametrize(("n_people", "epsilon"), [(40, 1.0), (200, 0.5)])
def test_the_tries_that_a_core_saves_are_what_it_says(n_people, epsilon):
    """Exact: how often a try yields some order, over the weight of that order in the law."""
    counts = counts_of(6, n_people, dispersion=0.95)
    insertion, core = (
        proposal_of(way, counts, epsilon) for way in (InsertionProposal, CoreProposal)
    )
    few = log_yield(insertion, insertion.items, counts)
    many = log_yield(core, core.insertion.items, counts)
    assert log_tries_saved(core, insertion) == pytest.approx(many - few, abs=1e-9)


def log_yield(proposal, items, counts):
    """By the order in which no item jumps another, which pays no coin but the last."""
    proposals = proposals_of(proposal, 2**16, seeded())
    row = np.flatnonzero((proposals.orders == items).all(axis=1))[0]
    paid = kendall_cost(counts, tuple(items.tolist())) - int(proposals.costs[row])
    return float(proposal.rate) * paid - proposal.log_bound


@pytest.mark.parametrize("n_words", [1, 7])
@pytest.mark.block_sizes
def test_it_does_not_matter_where_the_tape_of_words_ends(monkeypatch, n_words):
    proposal = proposal_of(InsertionProposal, counts_of(8, 30), 20.0)
    tape = np.random.default_rng(4).bytes(8 * 2**15)
    whole = proposals_of(proposal, 200, Randomness.replayed(tape))
    monkeypatch.setattr(sample_by_insertion, "WORDS_AT_ONCE", n_words)
    monkeypatch.setattr(sample_by_insertion, "MOST_WORDS_AT_ONCE", n_words)
    pieces = proposals_of(proposal, 200, Randomness.replayed(tape))
    assert (whole.orders == pieces.orders).all()


@pytest.mark.parametrize("n_words", [1, 7])
def test_a_try_that_the_tape_cuts_short_completes_the_core_that_it_began_with(monkeypatch, n_words):
    """Else cores that take many words would be rarer than the law has them."""
    proposal = proposal_of(CoreProposal, counts_of(8, 30), 20.0)
    cores, tape = proposal.core.propose(2**12, rng=seeded()).orders, seeded().words(2**16).tobytes()
    whole, of_whole = proposal.insertion.inserted(cores, 200, rng=Randomness.replayed(tape))
    monkeypatch.setattr(sample_by_insertion, "WORDS_AT_ONCE", n_words)
    monkeypatch.setattr(sample_by_insertion, "MOST_WORDS_AT_ONCE", n_words)
    pieces, of_pieces = proposal.insertion.inserted(cores, 200, rng=Randomness.replayed(tape))
    assert len(of_whole) == 200
    assert np.array_equal(of_whole, of_pieces)
    assert np.array_equal(whole.orders, pieces.orders)


def test_the_coin_that_keeps_an_order_is_exact(monkeypatch):
    """1 / 3 is no float: the price of seven lost pairs would not be seven times it."""
    tossed = []
    monkeypatch.setattr(
        "hushrank.aggregators.private.exponential.proposals.certified_coins",
        lambda factor, exponent, size, *, rng: [tossed.append((factor, exponent)) is None],
    )
    shares = np.array([[2**63, 2**62]], dtype=np.uint64)
    proposed = Proposals(np.array([[2, 0, 1]]), shares, np.array([7]))
    assert kept_order(proposed, Fraction(1, 3), 0.1, rng=seeded()) == (2, 0, 1)
    assert tossed == [(Fraction(8), Fraction(7, 3) + Fraction(0.1))]


def test_each_proposed_order_is_kept_by_a_coin_of_its_own_chance_and_cost(monkeypatch):
    tossed = []
    monkeypatch.setattr(
        "hushrank.aggregators.private.exponential.proposals.certified_coins",
        lambda factor, exponent, size, *, rng: [tossed.append((factor, exponent)) or factor == 4],
    )
    shares = np.array([[2**63], [2**62], [2**61]], dtype=np.uint64)
    proposed = Proposals(np.array([[0, 1], [1, 0], [0, 1]]), shares, np.array([3, 5, 7]))
    assert kept_order(proposed, Fraction(1), 0.0, rng=seeded()) == (1, 0)
    assert tossed == [(2, 3), (4, 5)]


def test_terms_that_do_not_count_are_less_than_the_slack_all_together():
    """Else an order could be proposed too seldom for its coin, which does not exceed 1."""
    assert MOST_ITEMS_OF_SETS * exp(-NEGLIGIBLE) < 2.0**-15 < SLACK


@pytest.mark.parametrize("log_weights", [[0.0], [0, -1e9], [-3e10, 0, -44.3], [5.0] * 7])
def test_shares_of_words_add_up_and_miss_no_place(log_weights):
    weights = np.array(log_weights, dtype=float)
    shares = np.zeros(len(weights), dtype=np.uint64)
    word_shares(weights, shares)
    numbers = shares.tolist()
    assert sum(numbers) % 2**64 == 0
    assert len(numbers) == 1 or min(numbers) >= 1
    parts = np.exp(weights - np.logaddexp.reduce(weights))
    assert len(numbers) == 1 or np.allclose(np.array(numbers) / 2.0**64, parts, atol=1e-11)


def test_a_word_chooses_the_place_whose_run_holds_it():
    shares = np.array([3, 1, 2], dtype=np.uint64)
    places = [chosen_place(np.uint64(word), shares) for word in range(6)]
    assert places == [0, 0, 0, 1, 2, 2]


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 0.5, 1 / 3, 1.0, 999.9, 1000])
@pytest.mark.parametrize("n_items", [2, 3, 10, 22, 31, 100, 1000])
def test_the_rate_is_epsilon_rounded_down(epsilon, n_items):
    loss = cost_rate(n_items, epsilon) * comb(n_items, 2)
    assert loss <= Fraction(epsilon)
    assert loss >= Fraction(epsilon) * (1 - Fraction(1, 2**23)) - Fraction(1, 2**40)
    assert loss == 1 if epsilon == 1 else True


@pytest.mark.parametrize("epsilon", [1 / 3, 0.0123456789, 1e-8])
def test_orders_are_drawn_and_items_jump_at_the_very_rate_that_was_paid_for(monkeypatch, epsilon):
    """A shorter fraction is as often above, and costs more than epsilon."""
    rate, rates = cost_rate(12, epsilon), []

    def remembered(tables, tape, starts, found, n_kept, n_tries):
        rates.append(Fraction(tables.numerator, tables.denominator))
        return 0, len(starts), 0

    monkeypatch.setattr(sample_by_insertion, "_insert_items", remembered)
    monkeypatch.setattr(private_sample, "_by_sets", lambda _, rate, *, rng: rates.append(rate))
    p_sample(counts_of(12, 30), epsilon=epsilon, rng=seeded())
    assert rates == [rate, rate]


def record_coins(monkeypatch, is_head):
    """Return the list in which the exponents of coins are put that fall one way from now on."""
    tossed = []

    def coin(numerator, denominator, tape, read):
        tossed.append(Fraction(int(numerator), int(denominator)))
        return is_head

    written = sample_by_insertion._insert_items.py_func
    monkeypatch.setattr(sample_by_insertion, "_insert_items", written)
    monkeypatch.setattr(sample_by_insertion, "exponential_coin", coin)
    monkeypatch.setattr(sample_by_insertion, "WORDS_AT_ONCE", 2**13)  # no try begins anew
    return tossed


@pytest.mark.parametrize("is_head", [True, False])
@pytest.mark.parametrize("n_items", [4, 14, 15, 16, 17, 40, 120])
def test_of_however_many_items_each_pays_by_coins_what_it_loses_beyond_the_least(
    monkeypatch, n_items, is_head
):
    """Coins and the proposal's costs are what orders lose, exactly; after a tail there is none."""
    tossed, counts = record_coins(monkeypatch, is_head), counts_of(n_items, 9)
    proposal = InsertionProposal.of(whole_margins(counts), cost_rate(n_items, 0.5))
    found = proposal.propose(50, most_tries=50, rng=seeded())
    least = kendall_cost(counts, proposal.items)
    lost = sum(int(kendall_cost(counts, order) - least) for order in found.orders)
    paid = sum(tossed) if is_head else 0
    assert proposal.rate * (lost - int(found.costs.sum())) == paid
    assert len(tossed) > 0
    assert (len(found.orders) == 50) == is_head


@pytest.mark.parametrize(
    ("epsilon", "kept"),
    [
        (Fraction(2**25 - 1, 2**20), Fraction(2**24 - 1, 2**19)),  # 24 bits
        (Fraction(2**24 - 1, 2**20), Fraction(2**24 - 1, 2**20)),
        (Fraction(3, 2**41), Fraction(1, 2**40)),  # down to 2^-40
        (Fraction(2**20 + 1, 2**40), Fraction(2**20 + 1, 2**40)),
    ],
)
def test_the_rate_keeps_24_bits_but_none_below_2_to_the_minus_40(epsilon, kept):
    assert cost_rate(10, float(epsilon)) * 45 == kept


def test_an_epsilon_of_which_nothing_would_be_left_is_refused():
    assert cost_rate(2, 2.0**-40) == Fraction(1, 2**40)
    for epsilon in (0.0, 5e-324, 2.0**-41, float("nan")):
        with pytest.raises(HushrankError, match=r"at least 2\^-40"):
            p_sample(np.zeros((2, 2)), epsilon=epsilon, rng=Randomness.replayed(b""))


MOST_OF_A_PAIR = 2**53 - 1
MANY_BITS = (2**24 - 1) / 2**33
"""Of its rate for 2 items the numerator is 2^24 - 1, and the denominator 2^33."""


@pytest.mark.parametrize(
    ("counts", "epsilon", "message"),
    [
        (np.array([[0, 2**35], [0, 0]]), 1.0, None),
        (np.array([[0, 2**35 + 1], [0, 0]]), 1.0, "smaller pair counts"),
        (np.array([[0, 0], [2**38 + 2**14, 0]]), MANY_BITS, None),
        (np.array([[0, 0], [2**38 + 2**15, 0]]), MANY_BITS, "smaller pair counts"),
        (np.triu(np.full((23, 23), MOST_OF_A_PAIR), k=1), 2.0**-40, None),
        (np.triu(np.full((24, 24), MOST_OF_A_PAIR), k=1), 2.0**-40, "smaller pair counts"),
        (np.array([[0, MOST_OF_A_PAIR], [0, 0]]), 2.0**-40, None),
        (np.array([[0, MOST_OF_A_PAIR + 1], [0, 0]]), 2.0**-40, "below 2.53"),
    ],
)
def test_counts_are_refused_where_costs_overflow_or_floats_do_not_guide(counts, epsilon, message):
    """2^36 nats of all pairs, each counted twice; 2^62 of them, and of a row times the rate."""
    if message is None:
        margins, rate = sampled_costs(counts, epsilon)
        assert (margins == counts - counts.T).all()
        assert rate == cost_rate(len(counts), epsilon)
    else:
        with pytest.raises(HushrankError, match=message):
            sampled_costs(counts, epsilon)


@pytest.mark.parametrize("epsilon", [0, -1.0, 1000.1, float("nan"), float("inf")])
def test_other_epsilons_are_refused_before_anything_is_drawn(epsilon):
    with pytest.raises(HushrankError, match="epsilon"):
        p_sample(np.eye(3), epsilon=epsilon, rng=Randomness.replayed(b""))


def test_items_that_nobody_ranks_count_in_the_price_of_a_pair():
    """A ballot that ranks them may be the one that is added."""
    counts = np.zeros((5, 5), dtype=np.int64)
    counts[0, 1] = 3
    assert sampled_costs(counts, 1.0)[1] == cost_rate(5, 1.0)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.zeros((1, 1)), "at least 2 items, got 1"),
        (np.zeros((2, 3)), "shape"),
        (np.zeros((3, 2)), "shape"),
        (np.zeros(4), "shape"),
        (np.array([[0, np.nan], [1, 0]]), "finite"),
        (np.array([[0, np.inf], [1, 0]]), "finite"),
        (np.array([["0", "1"], ["1", "0"]]), "finite"),
        (np.array([[0, 0.5], [1, 0]]), "whole"),
        (np.array([[0, 1], [0.5, 0]]), "whole"),
        (np.array([[0, 1], [1, 0.5]]), "whole"),
        (np.triu(np.ones((6, 6))) + np.eye(6, k=-5) / 2, "whole"),
        (np.array([[0, -1], [1, 0]]), "at least 0"),
        (np.array([[0, 1], [-1, 0]]), "at least 0"),
        (np.array([[0, 2.0**53], [1, 0]]), "below"),
        (np.array([[0, 2**52], [0, 0]]), "^expected smaller pair counts: they overflow$"),
    ],
    ids=str,
)
def test_what_is_no_pair_counts_is_refused_before_anything_is_drawn(counts, message):
    with pytest.raises(HushrankError, match=message):
        p_sample(counts, epsilon=1.0, rng=Randomness.replayed(b""))
