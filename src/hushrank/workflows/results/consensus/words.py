"""What is said of an order in words: what it tells of a ballot, how sure it is, what to write."""

from typing import TYPE_CHECKING

from hushrank.accounting.spend import Spend
from hushrank.accounting.words import best_guess, loss_in_words, nats_in_words
from hushrank.aggregators.private.order import DrawnByCost, PrivateOrder
from hushrank.workflows.results.consensus.ties import ties_in_words
from hushrank.workflows.results.words import least_sure

if TYPE_CHECKING:
    from hushrank.workflows.results.consensus.consensus import Consensus

OPEN_PAIRS = "pairs that ballots leave open *"
IN_POPULATION = "least sure pair in the population *"
BALLOTS, POPULATION = "these ballots", "the population they come from"
ABOUT_BALLOTS = (
    "How sure the order is, is about these ballots: it counts the noise alone. Other people of the"
    " same population might have voted otherwise."
)
ABOUT_POPULATION = (
    "How sure the order is, is about the population that these ballots come from, if they are a"
    " random sample of it."
)
CERTAIN_HERE = " Of these ballots alone there is nothing to be unsure of."
DRAWN = (
    "How sure the order is, was not released. Two neighbours are in the order of these ballots with"
    " probability 0.95 if {:,} ballots more say so than the contrary; a smaller lead may be lost in"
    " the noise."
)
NOT_PRIVATE = "Not private: the order is computed from the raw ballots."
OF_RAW_BALLOTS = "* from the raw ballots: for you, protected by nothing"
NOT_PUBLISHABLE = "<strong>Do not publish this page.</strong> The order is not private."
PARTLY_RAW = (
    "<strong>Do not publish this page.</strong> What is marked “raw ballots” is exact, and not"
    " protected by any privacy guarantee; only the order, its probabilities and its intervals are."
)


def how_sure(consensus: "Consensus") -> str:
    """What is said of how sure the order is, and what is not, in plain words."""
    if not isinstance(consensus.found, PrivateOrder):
        return ABOUT_POPULATION + (CERTAIN_HERE if consensus.equally_good_orders == 1 else "")
    if isinstance(consensus.found.evidence, DrawnByCost):
        return DRAWN.format(consensus.found.evidence.lead_for(0.95))
    return ABOUT_BALLOTS


def summary(consensus: "Consensus") -> dict[str, str]:
    """What a table for people says of it."""
    rows = {"method": consensus.found.method}
    for spend in consensus.spend:
        rows["epsilon"] = f"{nats_in_words(spend.epsilon)} per ballot{_with_delta(spend)}"
    as_good = ties_in_words(consensus.tied, consensus.equally_good_orders)
    sure = least_sure(consensus.confidence, f", in {consensus.sure_of}")
    evidence = consensus.found.evidence if isinstance(consensus.found, PrivateOrder) else None
    if isinstance(evidence, DrawnByCost):
        lead = evidence.lead_for(0.95)
        sure = {"least sure pair": f"not told; a lead of {lead:,} ballots shows (0.95)"}
    return {**rows, "items": str(len(consensus.names)), **as_good, **sure}


def plain(consensus: "Consensus") -> str:
    """What the order may tell of a ballot, for somebody who has never heard of epsilon."""
    if not consensus.is_private:
        return consensus.privacy
    (spend,) = consensus.spend
    return (
        f"An order of {len(consensus.names)} candidates from ballots that its publisher holds, made"
        " with noise that protects each ballot. Whoever sees the order, knows all other ballots"
        " and takes it for as likely as not that one more was among them, guesses right at most"
        f" {best_guess(spend.epsilon, spend.delta)} times in 100 whether it was."
    )


def caption(consensus: "Consensus") -> str:
    """What may be written under the picture of the order."""
    bars = ""
    if consensus.intervals is not None:
        bars = f" Bars: places that a candidate may have in {consensus.sure_of}, at 95 % or more."
    if not consensus.spend:
        return f"The order of {len(consensus.names)} candidates by all ballots, exactly.{bars}"
    if not consensus.is_private:
        order = f"One order of {len(consensus.names)} candidates"
        return f"{order}, a simulation: its noise is not secret and protects nobody.{bars}"
    (spend,) = consensus.spend
    return (
        f"One order of {len(consensus.names)} candidates, with noise that protects every ballot"
        f" (epsilon {loss_in_words(spend.epsilon)}{_with_delta(spend)}, differential"
        f" privacy).{bars}"
    )


def _with_delta(spend: Spend) -> str:
    return f", delta {loss_in_words(spend.delta)}" if spend.delta else ""
