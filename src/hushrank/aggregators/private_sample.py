"""P-SAMPLE: one order from the exponential mechanism over all orders, drawn exactly."""

from fractions import Fraction
from math import comb, frexp

import numpy as np

from hushrank.aggregators.proposals import kept_order
from hushrank.aggregators.sample_by_insertion import InsertionProposal
from hushrank.aggregators.sample_by_sets import MOST_ITEMS_OF_SETS, SetProposal
from hushrank.arrays import Counts, Order
from hushrank.errors import require
from hushrank.randomness import Randomness

MOST_EPSILON = 1000
BITS_OF_EPSILON = 24
MOST_BINARY_PLACES = 40
MOST_COST = 2**36
"""Of all pairs together, times the rate: floats that guide the draw are then good to 2^-15."""

FEW_ITEMS = 10
TRIES_AT_ONCE = 2**12


def p_sample(majority: Counts, *, epsilon: float, rng: Randomness) -> Order:
    """Draw an order, best first, that is the likelier the fewer pairs it turns round.

        P(order) ~ exp(-epsilon * cost / C(m, 2)),  cost = sum over x before y of majority[y, x]

    majority (items, items): whole numbers of people who put one item before another.
    Privacy: epsilon-DP for neighbours with one ballot more. Any ballot, tied or partial too, adds
    0 to C(m, 2) to every order's cost, so no factor 2 is due. Time is not protected: `drawn_order`.
    Raises HushrankError, before anything is drawn, for what is no such counts or epsilon.
    Source: Hay, Elagina, Miklau (SDM 2017), sec. 4.2.   Differs from the source: see `cost_rate`.
    """
    margins, rate = whole_margins(majority), cost_rate(len(majority), epsilon)
    _require_room(margins, rate)
    return drawn_order(margins, rate, rng=rng)


def whole_margins(majority: Counts) -> Counts:
    """Return majority - majority.T (items, items) of whole counts, at least 0 and below 2^53."""
    is_square = majority.ndim == 2 and majority.shape[0] == majority.shape[1]
    require(is_square, "expected pair counts of shape (items, items)")
    require(len(majority) >= 2, f"expected at least 2 items, got {len(majority)}")
    is_real = majority.dtype.kind in "iuf" and bool(np.isfinite(majority).all())
    require(is_real, "expected finite pair counts")
    require((majority == np.floor(majority)).all(), "expected whole pair counts")
    require(majority.min() >= 0, "expected pair counts of at least 0")
    require(majority.max() < 2**53, "expected pair counts below 2^53")
    counts = majority.astype(np.int64)
    return counts - counts.T


def cost_rate(n_items: int, epsilon: float) -> Fraction:
    """Return epsilon / C(items, 2), with epsilon rounded down to 24 bits: at most 2^-23 of it lost.

    Bits below 2^-40 are dropped too, so that whole 64-bit numbers hold all that the law needs.
    """
    is_loss = 0 < epsilon <= MOST_EPSILON
    require(
        is_loss, f"expected an epsilon of more than 0 and at most {MOST_EPSILON}, got {epsilon}"
    )
    places = min(BITS_OF_EPSILON - frexp(epsilon)[1], MOST_BINARY_PLACES)
    return Fraction(int(Fraction(epsilon) * 2**places), 2**places * comb(n_items, 2))


def drawn_order(margins: Counts, rate: Fraction, *, rng: Randomness) -> Order:
    """Draw an order with P ~ e^-(rate * cost), by tries of which each obeys the law if it succeeds.

    Giving up one way of trying for another therefore leaves the law as it is.
    Time: it depends on the data, so it is not protected. Up to 22 items the sets bound it by about
    two seconds. Beyond, people who agree much or little make it milliseconds; many items with
    hardly any agreement, at a large epsilon, may take for ever. It can be interrupted.
    """
    n_items = len(margins)
    if n_items <= FEW_ITEMS:
        return _by_sets(margins, rate, rng=rng)
    insertion = InsertionProposal.of(margins, rate)
    order = _by_insertion(insertion, TRIES_AT_ONCE, rng=rng)
    while order is None:
        if n_items <= MOST_ITEMS_OF_SETS:
            return _by_sets(margins, rate, rng=rng)
        order = _by_insertion(insertion, TRIES_AT_ONCE, rng=rng)
    return order


def _by_sets(margins: Counts, rate: Fraction, *, rng: Randomness) -> Order:
    proposal = SetProposal.of(margins, rate)
    order = None
    while order is None:
        order = kept_order(proposal.propose(1, rng=rng), rate, proposal.log_bound, rng=rng)
    return order


def _by_insertion(proposal: InsertionProposal, most_tries: int, *, rng: Randomness) -> Order | None:
    proposals = proposal.propose(1, most_tries=most_tries, rng=rng)
    return kept_order(proposals, proposal.rate, proposal.log_bound, rng=rng)


def _require_room(margins: Counts, rate: Fraction) -> None:
    """Check that no cost overflows 64 bits, and that floats can guide the draw."""
    columns = np.abs(margins).sum(axis=0, dtype=object)
    total = sum(columns)
    fits = total < 2**62 and rate.numerator * max(columns) < 2**62
    require(fits and rate * total <= MOST_COST, "expected smaller pair counts: they overflow")
