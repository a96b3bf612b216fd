from dataclasses import replace
from itertools import product
from math import log

import numpy as np
import pytest
from scipy.stats import binom

from hushrank.accounting.words import loss_in_words
from hushrank.audit import Subject, audit
from hushrank.audit.bounds import at_least, at_most, loss_at_least
from hushrank.audit.events import best_event
from hushrank.audit.shipped import shipped
from hushrank.errors import HushrankError
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.randomness import Randomness
from tests.audit.wrong import CLAIMED, WRONG, grr, subject, uniform
from tests.statistics import random_seed

DRAWS = 100_000
"""Of a wrong mechanism: 25,000 of each input prove."""
LITTLE = ("noise 10 % too small", "a modulo bias")
"""These exceed their claim by a tenth of a nat: fewer draws would miss it now and then."""
SHIPPED = shipped()
QUICK = [name for name in SHIPPED if name.startswith("mechanism ")]
QUICK += ["noise laplace", "noise gaussian", "device pairs", "aggregate p-borda"]


@pytest.mark.parametrize("hits", [0, 1, 7, 100, 9_999, 10_000])
@pytest.mark.parametrize("error", [1e-6, 0.05])
def test_the_ends_of_an_interval_are_those_of_clopper_and_pearson(hits, error):
    """At its ends the binomial's tail is just the error."""
    low, high = (float(end(hits, 10_000, error)) for end in (at_least, at_most))
    if hits == 0:
        assert low == 0
    else:
        assert binom.sf(hits - 1, 10_000, low) == pytest.approx(error, rel=1e-6)
    if hits == 10_000:
        assert high == 1
    else:
        assert binom.cdf(hits, 10_000, high) == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_both_ends_of_a_loss_share_its_error(delta):
    """A half each: both intervals hold at once but for the error as a whole."""
    likely, rare = at_least(900, 10_000, 0.005) - delta, at_most(100, 10_000, 0.005)
    bound = loss_at_least(900, 100, 10_000, delta=delta, error=0.01)
    assert bound == pytest.approx(np.log(likely / rare), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_a_right_mechanism_is_accused_no_oftener_than_stated(epsilon, delta):
    """10,000 audits of an event whose loss is just the claim, at an error of .01.

    100 accusations at most are expected: 150 come once in a million runs.
    """
    rng = np.random.default_rng(random_seed())
    chances = (0.05 + delta, 0.05 * np.exp(-epsilon))
    hits, others = (rng.binomial(100_000, chance, size=10_000) for chance in chances)
    bounds = loss_at_least(hits, others, 100_000, delta=delta, error=0.01)
    assert (bounds > epsilon).sum() <= 150


def test_whole_audits_of_a_right_mechanism_do_not_accuse_it():
    """Of 100 at an error of .05, with all their looking around: above 20 once in 10^7 runs."""
    mechanism = GeneralizedRandomizedResponse(3, 1.0)

    def draw(category, n_draws, rng):
        return mechanism.randomise(np.full(n_draws, category), rng=rng)

    inputs, pairs = {"0": 0, "1": 1, "2": 2}, (("0", "1"), ("1", "2"), ("0", "2"))
    right = Subject("grr", 1.0, inputs, pairs, draw)
    rng, exact = Randomness.seeded(random_seed()), log(mechanism.rates.worst_ratio)
    found = [audit(right, draws=6_000, false_alarm=0.05, rng=rng) for _ in range(100)]
    assert sum(each.bound > exact for each in found) <= 20


@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_mechanism_is_found(name):
    draws = 10 * DRAWS if name in LITTLE else DRAWS
    found = audit(subject(name), draws=draws, rng=Randomness.seeded(random_seed()))
    assert found.exceeds, str(found)
    assert "MORE THAN CLAIMED" in str(found)
    assert f" nats of {loss_in_words(found.claimed)}: by " in str(found)


@pytest.mark.parametrize("last", ["same", "other"])
def test_of_several_pairs_the_one_that_betrays_most_is_proved(last):
    inputs = {"one": 0, "same": 0, "other": 1}
    pairs = [("one", "same"), ("one", "other")]
    pairs.sort(key=lambda pair: pair[1] == last)
    wrong = Subject("grr", CLAIMED, inputs, pairs, lambda *x: grr(*x, epsilon=2 * CLAIMED))
    found = audit(wrong, draws=DRAWS, rng=Randomness.seeded(random_seed()))
    assert found.exceeds
    assert {*found.inputs} == {"one", "other"}


def test_a_finding_says_what_its_own_counts_prove():
    """Of a claim that is right, whatever the exact loss is."""
    claim = ("grr", CLAIMED, {"0": 0, "1": 1}, (("0", "1"),))
    right = Subject(*claim, lambda *x: grr(*x, epsilon=CLAIMED))
    found = audit(right, draws=DRAWS, rng=Randomness.seeded(random_seed()))
    counts = found.hits, found.others, found.draws
    assert found.hits > found.others
    assert found.bound == float(loss_at_least(*counts, delta=0, error=found.false_alarm))
    one, other = found.inputs
    said = f"{found.hits:,} of {found.draws:,} times for {one}, {found.others:,} times for {other}"
    assert said in str(found)
    assert not replace(found, exact=found.bound / 2).exceeds


@pytest.mark.parametrize("width", [5, 14])
def test_what_only_whole_rows_betray_is_seen_however_long_they_are(width):
    """An even number of ones, or an odd one: four of five numbers tell nothing of that."""
    bits = np.array(list(product((0, 1), repeat=5)))
    rows = np.pad(bits, ((0, 0), (0, width - 5)))
    even, odd = (rows[rows.sum(axis=1) % 2 == parity] for parity in (0, 1))
    seen = [np.tile(each, (2_000 // len(each), 1)) for each in (even, odd)]
    found = best_event(*seen, delta=0.0, error=1e-6)
    assert found.expected > 3
    assert (found.happens(seen[0]) == 0) != (found.happens(seen[1]) == 0)


def test_the_catalogue_of_wrong_mechanisms_is_long():
    assert len(WRONG) >= 25


def test_a_claim_that_is_right_is_not_exceeded_and_nearly_reached():
    right = Subject(
        "grr", CLAIMED, {"0": 0, "1": 1}, (("0", "1"),), lambda *x: grr(*x, epsilon=CLAIMED)
    )
    found = audit(right, draws=4 * DRAWS, rng=Randomness.seeded(random_seed()))
    assert 0.9 < found.bound <= CLAIMED
    assert not found.exceeds
    assert {*found.inputs} == {"0", "1"}


def shown_as(outcome, chance):
    """Return what draws a coin of one nat, but that input 1 shows an outcome by chance."""

    def draw(category, n_draws, rng):
        shows = (uniform(n_draws, rng) < chance) & (category == 1)
        return np.where(shows, outcome, grr(category, n_draws, rng, epsilon=1.0, k=2))

    return draw


def test_what_delta_allows_hides_nothing_else():
    """An outcome of input 1 alone proves nothing: the coin beside it betrays a nat."""
    claim = Subject("coin", 0.1, {"0": 0, "1": 1}, (("0", "1"),), shown_as(2, 0.1), delta=0.15)
    assert audit(claim, draws=40_000, rng=Randomness.seeded(random_seed())).exceeds


def test_a_right_claim_is_not_exceeded_by_what_delta_allows():
    right = Subject("coin", 1.0, {"0": 0, "1": 1}, (("0", "1"),), shown_as(1, 0.4), delta=0.4)
    found = audit(right, draws=400_000, rng=Randomness.seeded(random_seed()))
    tells = np.exp(1) / (np.exp(1) + 1)
    assert 0.6 < found.bound <= log((tells - 0.4) / (0.6 * (1 - tells)))


@pytest.mark.parametrize("name", QUICK)
def test_nothing_that_is_shipped_is_found_wrong_at_a_glance(name):
    """Gross faults of one pair of inputs only: `hushrank audit --all` looks at all, and longer."""
    pair = SHIPPED[name].pairs[-1]
    each = replace(
        SHIPPED[name], pairs=(pair,), inputs={one: SHIPPED[name].inputs[one] for one in pair}
    )
    found = audit(each, draws=4_000, rng=Randomness.seeded(random_seed()))
    assert not found.exceeds, str(found)


def test_an_audit_draws_from_the_source_it_is_given_alone():
    found = [
        str(audit(subject("a modulo bias"), draws=20_000, rng=Randomness.seeded(seed)))
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


def test_what_cannot_be_audited_is_refused_before_anything_is_drawn():
    def never(*_):
        raise AssertionError

    with pytest.raises(HushrankError, match="expected at least 4000 draws"):
        audit(Subject("x", 1.0, {"a": 0, "b": 1}, (("a", "b"),), never), draws=3_999)
    for wrong in (
        {"epsilon": -0.1},
        {"epsilon": 1.0, "delta": 1.0},
        {"epsilon": 1.0, "pairs": (("a", "c"),)},
        {"epsilon": 1.0, "pairs": ()},
    ):
        given = {"inputs": {"a": 0, "b": 1}, "pairs": (("a", "b"),)} | wrong
        with pytest.raises(HushrankError):
            Subject("x", draw=never, **given)
