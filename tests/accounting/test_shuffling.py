"""Certified bounds of shuffled reports lie above the truth, and near it."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, permutations, product
from math import comb, exp, inf, log, nextafter

import numpy as np
import pytest
from scipy.stats import binom

from hushrank.accounting.shuffling import (
    MOST_REPORTS,
    TAIL,
    _binomial,
    _bound,
    _excess,
    _Slots,
    _slots,
    _too_much,
    central_delta,
    central_epsilon,
    local_epsilon,
)
from hushrank.errors import HushrankError
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from tests.shuffled_truth import clone_delta, true_delta

WORDS = 2**64


def response(n_categories, local):
    """Return the exact channel of randomised response, and its clone rate."""
    mechanism = GeneralizedRandomizedResponse(n_categories, local)
    words = mechanism.channel_words().tolist()
    rate = Fraction(mechanism.rates.false_hit_words, WORDS)
    return [[Fraction(each, WORDS) for each in row] for row in words], rate


def worst(channel, n_people, epsilon, pairs=None):
    """Return the largest true delta of any neighbours among so many people."""
    inputs = range(len(channel))
    everybody = list(combinations_with_replacement(inputs, n_people - 1))
    return max(
        true_delta(channel, one, two, others, epsilon)
        for one, two in (pairs or permutations(inputs, 2))
        for others in everybody
    )


@pytest.mark.parametrize(
    ("n_categories", "n_people"), [(2, 2), (2, 5), (3, 2), (3, 4), (4, 3), (5, 3)]
)
@pytest.mark.parametrize("local", [0.5, 2.0])
def test_no_dataset_of_a_few_people_loses_more(n_categories, n_people, local):
    channel, rate = response(n_categories, local)
    for epsilon in (0.0, 0.2 * local, 0.7 * local):
        truth = worst(channel, n_people, epsilon, pairs=[(0, 1)])
        own = central_delta(epsilon, local=local, n_reports=n_people, clone_rate=float(rate))
        anybody = central_delta(epsilon, local=local, n_reports=n_people)
        assert truth <= own <= anybody * (1 + 1e-2)
        assert own <= 1.5 * truth + 0.01


@pytest.mark.parametrize(("k", "members"), [(4, 2), (5, 2), (5, 3), (4, 3)])
def test_who_names_one_of_several_loses_no_more(k, members):
    local, n_people = 1.5, 3
    mechanism = NamedMember(k, local, members)
    rows = np.array([np.arange(members), np.arange(k - members, k), np.arange(members) + 1])
    rows = np.minimum(rows, k - members + np.arange(members))
    channel = [[Fraction(w, WORDS) for w in row] for row in mechanism.channel_words(rows).tolist()]
    rate = members * mechanism.rates.false_hit_words / WORDS
    for epsilon in (0.0, 0.3, 1.0):
        truth = worst(channel, n_people, epsilon)
        bound = central_delta(epsilon, local=local, n_reports=n_people, clone_rate=rate)
        assert truth <= bound


def test_a_mix_of_questions_is_one_randomiser():
    """Who is asked which of two questions is drawn by the device; both are written on reports."""
    local, n_people = 1.5, 3
    (two, rate_of_two), (three, rate_of_three) = response(2, local), response(3, local)
    weight = Fraction(1, 4)
    answers = [(0, 0), (1, 1), (0, 2), (1, 0)]  # of four rankings, to either question
    channel = [
        [weight * each for each in two[one]] + [(1 - weight) * each for each in three[other]]
        for one, other in answers
    ]
    rate = float(weight * rate_of_two + (1 - weight) * rate_of_three)
    for epsilon in (0.0, 0.4, 1.0):
        truth = worst(channel, n_people, epsilon)
        bound = central_delta(epsilon, local=local, n_reports=n_people, clone_rate=rate)
        assert truth <= bound <= 2 * truth + 0.02


@pytest.mark.parametrize("seed", range(8))
def test_no_randomiser_loses_more_than_is_certified_for_all(seed):
    rng, local = np.random.default_rng(seed), 1.0
    n_inputs, n_reports = 3, int(rng.integers(2, 5))
    levels = rng.choice([0.0, 0.5, 1.0], size=(n_inputs, n_reports)) * local / 2
    channel = np.exp(levels * rng.choice([-1, 1], size=levels.shape))
    channel /= channel.sum(axis=1, keepdims=True)
    loss = log((channel.max(axis=0) / channel.min(axis=0)).max())
    for epsilon in (0.0, 0.1, 0.5):
        truth = worst(channel.tolist(), 4, epsilon)
        assert truth <= central_delta(epsilon, local=loss * (1 + 1e-12), n_reports=4)


@pytest.mark.parametrize(
    ("local", "n"), [(0.5, 40), (2.0, 40), (4.0, 300), (1.0, 2000), (6.0, 5000)]
)
@pytest.mark.parametrize("part", [0.05, 0.3, 0.8])
def test_without_a_channel_it_is_the_clones_bound_rounded_up(local, n, part):
    clones = clone_delta(part * local, local, n, 2 / (exp(local) + 1))
    bound = central_delta(part * local, local=local, n_reports=n)
    assert clones * (1 - 1e-9) - 1e-13 <= bound <= clones * 1.1 + 1e-13


def test_the_other_accountant_finds_what_was_published():
    """n = 100,000 reports of 4 nats at delta 1e-6: between .16753 and .17280, with fewer clones.

    Source: apple/ml-shuffling-amplification, README.
    """
    n, local, delta = 100_000, 4.0, 1e-6
    assert clone_delta(0.1675, local, n, exp(-local)) > delta
    assert clone_delta(0.1728, local, n, exp(-local)) < delta
    assert central_epsilon(delta, local=local, n_reports=n) < 0.75 * 0.1675


def multinomial_delta(epsilon, local, n, rate):
    """Return E[(a A - b B - d C)+] / n by listing all counts."""
    p, e = exp(local), exp(epsilon)
    z = 1 - rate * (p + 1)
    rest = 1 - 2 * rate - z
    total = 0.0
    for ours in range(n + 1):
        for theirs in range(n + 1 - ours):
            for same in range(n + 1 - ours - theirs):
                won = (p - e) * ours - (e * p - 1) * theirs - (e - 1) * same
                left = n - ours - theirs - same
                ways = comb(n, ours) * comb(n - ours, theirs) * comb(left + same, same)
                total += max(won, 0) * ways * rate ** (ours + theirs) * z**same * rest**left
    return total / n


@pytest.mark.parametrize(("local", "k"), [(1.0, 3), (2.0, 6), (3.0, 40)])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.8])
def test_with_a_channel_it_is_the_sum_over_all_counts(local, k, epsilon):
    rate, n = 1 / (exp(local) + k - 1), 12
    listed = multinomial_delta(epsilon, local, n, rate)
    bound = central_delta(epsilon, local=local, n_reports=n, clone_rate=rate)
    assert listed * (1 - 1e-12) <= bound <= 1.02 * listed


def test_with_a_channel_it_is_the_double_sum_of_a_larger_crowd():
    """A + B, then A, then C, by scipy's binomials."""
    epsilon, local, n, k = 0.2, 2.0, 300, 8
    p, e, rate = exp(local), exp(epsilon), 1 / (exp(local) + k - 1)
    drifts = 1 - rate * (p + 1)
    total = 0.0
    for clones in range(1, 160):
        ours, same = np.arange(clones + 1)[:, None], np.arange(n - clones + 1)
        won = (p - e) * ours - (e * p - 1) * (clones - ours) - (e - 1) * same
        kept = binom.pmf(ours[:, 0], clones, 0.5)
        left = binom.pmf(same, n - clones, drifts / (1 - 2 * rate))
        total += binom.pmf(clones, n, 2 * rate) * (kept @ np.maximum(won, 0) @ left)
    bound = central_delta(epsilon, local=local, n_reports=n, clone_rate=rate)
    assert total / n * (1 - 1e-9) <= bound <= 1.01 * total / n


@pytest.mark.parametrize("clone_rate", [None, 0.004])
def test_more_people_and_larger_epsilons_cost_less(clone_rate):
    def delta(epsilon, n):
        return central_delta(epsilon, local=4.0, n_reports=n, clone_rate=clone_rate)

    of_people = [delta(0.5, n) for n in (1, 10, 100, 1000, 5000)]
    of_epsilon = [delta(epsilon, 1000) for epsilon in (0.0, 0.2, 0.5, 1.0, 3.9)]
    for falling in (of_people, of_epsilon):
        assert all(one > two for one, two in pairwise(falling))


def test_what_lies_outside_of_the_windows_is_charged_at_the_largest_gain():
    """All that is summed is far below it here: a loss of 7 nats of 8 behind so many reports."""
    least = 3 * TAIL * (exp(8) - exp(7) + exp(15) - 1)
    assert central_delta(7.0, local=8.0, n_reports=10**8) >= least


def test_one_report_is_not_amplified():
    channel, _ = response(2, 1.0)
    truth = true_delta(channel, 0, 1, (), 0.3)
    assert central_delta(0.3, local=1.0, n_reports=1) == pytest.approx(truth, rel=1e-8)
    assert central_delta(1.0, local=1.0, n_reports=1) == 0


def test_both_directions_agree():
    local = local_epsilon(1.0, 1e-6, n_reports=5000)
    assert central_delta(1.0, local=local, n_reports=5000) <= 1e-6
    assert central_delta(1.0, local=1.001 * local, n_reports=5000) > 1e-6
    central = central_epsilon(1e-6, local=local, n_reports=5000)
    assert 0.999 <= central <= 1.0
    assert central_delta(central, local=local, n_reports=5000) <= 1e-6


def test_it_is_never_worse_than_local():
    assert local_epsilon(1.0, 1e-9, n_reports=2) >= 1.0
    assert local_epsilon(31.0, 1e-9, n_reports=2) == 31.0
    assert central_epsilon(1e-12, local=0.7, n_reports=1) <= 0.7
    assert central_epsilon(0.9, local=0.7, n_reports=10) == 0.0
    assert central_epsilon(0.5, local=0.1, n_reports=1000) == 0.0
    for epsilon in (1.0, 20.0, 31.0):
        assert central_delta(epsilon, local=40.0, n_reports=10**8) == 1.0


@pytest.mark.parametrize("local", [0.5, 0.5000004, 3.0])
def test_a_loss_just_below_the_local_one_has_a_delta(local):
    """Of one report that is true, 1 / (e^ε + 1) of (e^ε - e^ε') at least; every digit counts."""
    below = nextafter(local, 0.0)
    with localcontext(prec=60):
        odds, allowed = Decimal(local).exp(), Decimal(below).exp()
        truth = (odds - allowed) / (odds + 1)
    assert Decimal(central_delta(below, local=local, n_reports=1)) >= truth > 0


def test_a_delta_is_no_more_than_one():
    """Of one person who tells nearly everything the bound, rounded up, would be."""
    assert central_delta(0.0, local=30.0, n_reports=1) == 1.0


@pytest.mark.parametrize("part", [0.5, 0.999, 1 - 1e-9])
def test_nothing_is_lost_just_where_no_loss_has_so_small_a_delta(part):
    at_nothing = central_delta(0.0, local=0.5, n_reports=1000)
    assert central_epsilon(at_nothing, local=0.5, n_reports=1000) == 0.0
    assert central_epsilon(at_nothing / part, local=0.5, n_reports=1000) == 0.0
    lost = central_epsilon(at_nothing * part, local=0.5, n_reports=1000)
    assert lost > 0
    assert central_delta(lost, local=0.5, n_reports=1000) <= at_nothing * part


def test_what_three_windows_leave_out_is_added():
    """Of clones, of drifts and of those among the clones: where nothing is ever won, that alone."""
    assert 3 * TAIL < _bound(_Slots(1.0, 2.0, 0.0, 0.5, 1.0), 100) < 3.001 * TAIL


def test_levels_are_rounded_down():
    """Of one clone that is won or lost, exactly: (1 - level) / 2 and a little more."""
    for lost in (0.1, 0.3, 0.7):
        found = Fraction(_excess(_Slots(1.0, lost, 0.0, 0.5, 0.0), 1, 1, 1))
        assert (1 - Fraction(lost)) / 2 < found < (1 - Fraction(lost)) / 2 + Fraction(1, 10**13)


def test_of_very_many_people_so_many_are_counted():
    most = central_delta(0.01, local=3.0, n_reports=MOST_REPORTS)
    assert 0 < most < 1
    assert central_delta(0.01, local=3.0, n_reports=10**12) == most


@pytest.mark.parametrize("n", [1, 2, 10**6, MOST_REPORTS - 1, MOST_REPORTS, MOST_REPORTS + 1])
def test_no_more_reports_are_counted_than_there_are(monkeypatch, n):
    """Not at the limit either: more would hide better than those do."""
    counted = []
    monkeypatch.setattr(
        "hushrank.accounting.shuffling._bound", lambda _, n_counted: counted.append(n_counted) or 0
    )
    central_delta(0.01, local=3.0, n_reports=n)
    assert counted == [min(n, MOST_REPORTS)]


def test_what_is_out_of_range_is_refused():
    wrong = [(-1, 1, 5), (inf, 1, 5), (0.5, 0, 5), (0.0, 1e-51, 5), (0.5, inf, 5), (0.5, 1, 0)]
    wrong += [(-1, 1000, 5), (2.0, 1, 0), (0.5, 1000, 0)]
    for (epsilon, local, n), rate in product(wrong, (None, 0.1)):
        with pytest.raises(HushrankError):
            central_delta(epsilon, local=local, n_reports=n, clone_rate=rate)
    with pytest.raises(HushrankError, match="positive clone rate"):
        central_delta(0.5, local=1.0, n_reports=5, clone_rate=0.0)
    for delta in (0.0, 1.0):
        for rate in (None, 0.1):
            with pytest.raises(HushrankError, match="delta above 0"):
                central_epsilon(delta, local=1.0, n_reports=5, clone_rate=rate)
        with pytest.raises(HushrankError, match="delta above 0"):
            local_epsilon(1.0, delta, n_reports=5)
    for epsilon in (0.0, inf):
        with pytest.raises(HushrankError, match="central epsilon"):
            local_epsilon(epsilon, 1e-6, n_reports=5)


@pytest.mark.parametrize("n", [1, 1000, 100_000, 10**8])
@pytest.mark.parametrize("odds", [1e-6, 0.01, 0.7])
def test_what_a_window_leaves_out_is_as_rare_as_bernstein_says(n, odds):
    """P(|X - mean| >= h) <= 2 exp(-h^2 / (2 (mean + h / 3))), at the first count beyond."""
    low, law = _binomial(n, odds)
    mean, high = n * odds / (1 + odds), low + len(law) - 1
    for beyond in ([mean - low + 1] if low else []) + ([high + 1 - mean] if high < n else []):
        assert beyond**2 / (2 * (mean + beyond / 3)) >= log(2 / TAIL)


def test_the_certified_epsilon_is_that_of_the_clones():
    """At it, and not next to it, the clones' delta is at most what was asked for."""
    known = {"local": 2.0, "n_reports": 1000, "clone_rate": 0.02}
    found = central_epsilon(1e-6, **known)
    assert central_delta(found, **known) <= 1e-6 < central_delta(0.99 * found, **known)
    assert found < central_epsilon(1e-6, local=2.0, n_reports=1000)


def test_a_clone_rate_beyond_what_every_randomiser_has_gains_nothing():
    of_anybody = central_delta(0.3, local=1.0, n_reports=50)
    assert central_delta(0.3, local=1.0, n_reports=50, clone_rate=0.9) == of_anybody


@pytest.mark.parametrize("local", [0.3, 2.0, 9.0])
@pytest.mark.parametrize("part", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("share", [0.001, 0.2, 0.9])
def test_what_a_slot_adds_is_rounded_so_that_the_sum_grows(local, part, share):
    """In 80 digits: gains up, losses down, and the mean of rarer losses is that of the others."""
    with localcontext(prec=80):
        p, e = Decimal(local).exp(), Decimal(part * local).exp()
        rate = Decimal(share) / (p + 1)
        a, b, d, z = p - e, e * p - 1, e - 1, 1 - rate * (p + 1)
        slots = _slots(local, part * local, float(rate))
        assert a + b < Decimal(slots.gain) < (a + b) * (1 + Decimal("1e-13"))
        assert b / (a + b) * (1 - Decimal("1e-13")) < Decimal(slots.lost) < b / (a + b)
        rarer = Decimal(slots.drift_odds) * (1 - 2 * rate) / (1 + Decimal(slots.drift_odds))
        lost = rarer * Decimal(slots.drift)
        assert z * d / (a + b) * (1 - Decimal("1e-9")) < lost < z * d / (a + b)
        assert float(2 * rate / (1 - 2 * rate)) == pytest.approx(slots.odds, rel=1e-12)


def test_sums_are_raised_by_more_than_their_roundings():
    """Of one person, exactly: the victim's report is seen as it is."""
    with localcontext(prec=50):
        p, e = Decimal(2).exp(), Decimal("0.5").exp()
        exact = (p - e) / (p + 1)
        found = Decimal(central_delta(0.5, local=2.0, n_reports=1))
        assert exact * (1 + Decimal("1e-9")) < found < exact * (1 + Decimal("3e-9"))


def test_clones_that_are_summed_together_are_all_counted():
    """Where nothing is lost, half of the clones are won, however many there are at a time."""
    n, odds = 4000, 0.5
    clones = n * odds / (1 + odds)
    found = _bound(_Slots(1.0, 0.0, 0.0, odds, 1.0), n)
    assert clones / 2 / n < found < clones / 2 / n * (1 + 1e-8)


def test_of_clones_that_are_summed_together_none_loses_more_than_it_does():
    """Losses so small that they never exceed what is won: the last of the block is met exactly."""
    n, first, last, drift = 2000, 512, 514, 1e-6
    block = _excess(_Slots(1.0, 0.0, drift, 0.5, 1.0), n, first, last)
    for clones in range(first, last + 1):
        exact = clones / 2 - drift * (n - clones) / 2
        assert block * clones / first >= exact * (1 - 1e-13)
    assert block * last / first == pytest.approx(exact, rel=1e-11)


def test_a_local_epsilon_is_certified_by_the_clones_of_its_own_reports():
    """What tells more has fewer of them, and by those of any other epsilon less would be found."""

    def rate(local):
        return 1 / (exp(local) + 19)

    def delta(local):
        return central_delta(0.5, local=local, n_reports=10_000, clone_rate=rate(local))

    found = local_epsilon(0.5, 1e-6, n_reports=10_000, clone_rate=rate)
    assert delta(found) <= 1e-6 < delta(found * 1.001)


@pytest.mark.parametrize("allowed", [1e-6, 1e-12, 0.3])
def test_a_delta_that_is_one_digit_too_large_is_too_much(allowed):
    assert _too_much(nextafter(allowed, 1.0), allowed) > 0
    assert _too_much(allowed, allowed) <= 0
