"""P-SAMPLE: one order from the exponential mechanism over all orders, drawn exactly.

Theory: docs/theory/exact-sampling.md.
"""

from fractions import Fraction
from math import comb, frexp, log

import numpy as np

from hushrank.aggregators.private.exponential.by_core import CoreProposal, log_tries_saved
from hushrank.aggregators.private.exponential.by_insertion import InsertionProposal
from hushrank.aggregators.private.exponential.by_sets import MOST_ITEMS_OF_SETS, SetProposal
from hushrank.aggregators.private.exponential.proposals import kept_order
from hushrank.arrays import Counts, Order, is_plain
from hushrank.errors import require
from hushrank.randomness import Randomness

MOST_EPSILON = 1000
BITS_OF_EPSILON = 24
MOST_BINARY_PLACES = 40
MOST_COST = 2**36
"""Of all pairs together, times the rate: floats that guide the draw are then good to 2^-15."""

FEW_ITEMS = 10
TRIES_AT_ONCE = 2**12
FEW_ITEMS_OF_CORE = 18
TRIES_OF_FEW = 2**15
SLOWER_TRIES = 6
"""By this factor a try takes longer with a core than without, about."""


def p_sample(majority: Counts, *, epsilon: float, rng: Randomness) -> Order:
    """Draw an order, best first, that is the likelier the fewer pairs it turns round.

        P(order) ~ exp(-epsilon * cost / C(m, 2)),  cost = sum over x before y of majority[y, x]

    majority (items, items): whole numbers of people who put one item before another.
    Privacy: epsilon-DP for neighbours with one ballot more. Any ballot, tied or partial too, adds
    0 to C(m, 2) to every order's cost, so no factor 2 is due. Not protected, for both depend on the
    ballots: the running time (see `drawn_order`), and the refusal of counts that are too large.
    Raises HushrankError, before anything is drawn, for these and what is no such counts or epsilon.
    Source: Hay, Elagina, Miklau (SDM 2017), sec. 4.2.   Differs from the source: see `cost_rate`.
    """
    margins, rate = sampled_costs(majority, epsilon)
    return drawn_order(margins, rate, rng=rng)


def sampled_costs(majority: Counts, epsilon: float) -> tuple[Counts, Fraction]:
    """Return the margins and the price of a lost pair that `p_sample` draws by; refuse as it does.

    Raises HushrankError for what is no pair counts or no epsilon, and for counts so large that a
    cost would overflow 64 bits, or that floats could not guide the draw.
    """
    margins, rate = whole_margins(majority), cost_rate(len(majority), epsilon)
    columns = np.abs(margins).sum(axis=0, dtype=object)
    total = sum(columns)
    fits = total < 2**62 and rate.numerator * max(columns) < 2**62
    require(fits and rate * total <= MOST_COST, "expected smaller pair counts: they overflow")
    return margins, rate


def whole_margins(majority: Counts) -> Counts:
    """Return majority - majority.T (items, items) of whole counts, at least 0 and below 2^53."""
    require(is_plain(majority), "expected an array of pair counts, without a mask")
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
    Raises HushrankError where none would be left.
    """
    is_loss = 2.0**-MOST_BINARY_PLACES <= epsilon <= MOST_EPSILON
    least = f"2^-{MOST_BINARY_PLACES} (below, chance alone would decide)"
    require(
        is_loss, f"expected an epsilon of at least {least}, at most {MOST_EPSILON}, got {epsilon}"
    )
    places = min(BITS_OF_EPSILON - frexp(epsilon)[1], MOST_BINARY_PLACES)
    return Fraction(int(Fraction(epsilon) * 2**places), 2**places * comb(n_items, 2))


def drawn_order(margins: Counts, rate: Fraction, *, rng: Randomness) -> Order:
    """Draw an order with P ~ e^-(rate * cost), by tries of which each obeys the law if it succeeds.

    Giving up one way of trying for another therefore leaves the law as it is.
    Time: it depends on the data, so it is not protected. Up to 22 items the sets bound it by about
    two seconds. Beyond, most inputs take milliseconds to a few seconds; hardly any agreement among
    many items at a large epsilon may take for ever (of 1000 people: 30 items at 10 and 45 at 3
    take seconds, 45 at 5 more than a minute). It can be interrupted.
    """
    if len(margins) <= FEW_ITEMS:
        return _by_sets(margins, rate, rng=rng)
    insertion = InsertionProposal.of(margins, rate)
    order = _tried(insertion, TRIES_AT_ONCE, rng=rng)
    if order is not None:
        return order
    if len(margins) <= MOST_ITEMS_OF_SETS:
        return _by_sets(margins, rate, rng=rng)
    return _by_core(insertion, margins, rate, rng=rng)


def _by_sets(margins: Counts, rate: Fraction, *, rng: Randomness) -> Order:
    proposal = SetProposal.of(margins, rate)
    order = None
    while order is None:
        order = kept_order(proposal.propose(1, rng=rng), rate, proposal.log_bound, rng=rng)
    return order


def _by_core(
    insertion: InsertionProposal, margins: Counts, rate: Fraction, *, rng: Randomness
) -> Order:
    """Go on with a core of items where it saves more tries than it makes a try slower.

    A small core is there at once; the largest takes a second or two, which a hard input is worth.
    """
    core = CoreProposal.of(margins, rate, FEW_ITEMS_OF_CORE)
    if log_tries_saved(core, insertion) < log(SLOWER_TRIES):
        return _endlessly_tried(insertion, rng=rng)
    order = _tried(core, TRIES_OF_FEW, rng=rng)
    if order is not None:
        return order
    return _endlessly_tried(CoreProposal.of(margins, rate, MOST_ITEMS_OF_SETS), rng=rng)


def _endlessly_tried(proposal: InsertionProposal | CoreProposal, *, rng: Randomness) -> Order:
    order = None
    while order is None:
        order = _tried(proposal, TRIES_AT_ONCE, rng=rng)
    return order


def _tried(
    proposal: InsertionProposal | CoreProposal, most_tries: int, *, rng: Randomness
) -> Order | None:
    proposals = proposal.propose(1, most_tries=most_tries, rng=rng)
    return kept_order(proposals, proposal.rate, proposal.log_bound, rng=rng)
