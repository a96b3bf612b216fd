"""One simulated collection of each family of protocols: what predictions are means of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import nan, sqrt
from typing import TypeAlias

import numpy as np

from hushrank.aggregators.from_reports.pair_estimates import PairReports, estimate_pairs
from hushrank.aggregators.from_reports.pair_orders import PairPostProcess, order_from_pairs
from hushrank.arrays import Counts
from hushrank.engines.local import run, simulate
from hushrank.estimators.shares import possible_shares, unbiased_shares
from hushrank.evaluation.metrics import marginal_distance, mean_rank_order
from hushrank.mechanisms.local import LocalMechanism, SimulatedTally, Tally
from hushrank.models.herding import herded_rows
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.planning.asking import SURE, askings, own_draw_known
from hushrank.planning.simulation.people import People, all_ranks
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.safari import safari
from hushrank.protocols.learnt.orders import posterior_of_pairs
from hushrank.protocols.orders.one_order import one_order
from hushrank.protocols.registry import MECHANISMS
from hushrank.randomness import Randomness
from hushrank.rankings.coding import rank_type
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import MakeMechanism

CLEAREST_GAP = 0.75
"""How much oftener than not a report on a pair tells the truth; with many reports, less often."""
FEWEST_REPORTS = 3


@dataclass(frozen=True)
class Trial:
    """Errors of one collection; nan where the protocol learns nothing of the kind.

    distance = Q2 distance; excess = of the order over the exact Kemeny optimum; half_width of a
    typical 95 % interval of a precedence, in shares of people.
    """

    distance: float
    excess: float
    half_width: float


RunTrial: TypeAlias = Callable[[People, float, np.random.Generator], Trial]
"""Of people, a strength (epsilon unless said otherwise) and a source of noise."""


def run_max_entropy(people: People, epsilon: float, rng: np.random.Generator) -> Trial:
    """Ask what is asked by default, and judge the model by the population of the people.

    The model is measured against the people who were asked, who differ from their population by
    chance. That part is taken off the distance, squares from squares, as far as the model did not
    learn it: see `own_draw_known`. The excess is a part of that of an order by chance.
    """
    n_items, n_people = people.n_items, people.n_people
    protocol = max_entropy(n_items, epsilon=epsilon, n_people=n_people)
    learnt = simulate(protocol, people.rankings, rng=rng).result
    distance = people.distance(learnt.model.second_order_marginals)
    asked = askings("max-entropy", n_items, n_people, epsilon)
    known = 0.0 if people.prefer_nothing else own_draw_known(asked, n_items)
    of_people = (1 - 2 * known) * people.sampling_distance**2
    of_model = sqrt(max(0.0, distance**2 - of_people))
    errors = learnt.estimates.precedence_errors[np.triu_indices(n_items, k=1)]
    relative = people.relative_excess(learnt.order)
    return Trial(of_model, relative, SURE * float(np.median(errors)))


def run_order(people: People, epsilon: float, rng: np.random.Generator) -> Trial:
    """Ask for one order, device by device; how sure it is of pairs is what its belief says."""
    protocol = one_order(people.n_items, epsilon=epsilon, n_people=people.n_people)
    learnt = run(protocol, people.rankings, rng=Randomness(rng.bytes, is_private=False)).result
    variances = learnt.posterior.variances[np.triu_indices(people.n_items, k=1)]
    half_width = SURE / 2 * float(np.sqrt(np.median(variances)))
    return Trial(nan, people.relative_excess(learnt.order), half_width)


def run_safari(people: People, epsilon: float, rng: np.random.Generator) -> Trial:
    """Collect with the faithful protocol, and synthesise as many rows as there are people."""
    protocol = safari(people.n_items, epsilon=epsilon)
    model = simulate(protocol, people.rankings, rng=rng).result
    rows = model.sample(people.n_people, rng=rng)
    return _of_rows(people, Rankings(rows, people.rankings.names))


def run_whole_ranking(
    make_mechanism: MakeMechanism, people: People, epsilon: float, rng: np.random.Generator
) -> Trial:
    """Draw a tally and as many rows as there are people, both as counts of all orders."""
    mechanism = make_mechanism(len(people.order_counts), epsilon)
    tally = _whole_tally(mechanism, people.order_counts, rng)
    shares = possible_shares(unbiased_shares(mechanism, tally), "simplex")
    counts = rng.multinomial(people.n_people, shares / shares.sum())
    drawn = np.flatnonzero(counts)
    ranks = all_ranks(people.n_items)[drawn].astype(rank_type(people.n_items))
    return _of_rows(people, Rankings(ranks, people.rankings.names, counts[drawn]))


def _whole_tally(mechanism: LocalMechanism, counts: Counts, rng: np.random.Generator) -> Tally:
    """Draw a tally; of hashed reports each support as if it were independent of the others.

    Each follows its exact law, and supports of two orders are uncorrelated; drawing the reports
    themselves would take people times orders steps.
    """
    if isinstance(mechanism, SimulatedTally):
        return mechanism.simulate_tally(counts, rng=rng)
    n_people = int(counts.sum())
    hits = rng.binomial(counts, mechanism.rates.hit_rate)
    false_hits = rng.binomial(n_people - counts, mechanism.rates.false_hit_rate)
    return Tally(hits + false_hits, n_people)


def _of_rows(people: People, rows: Rankings) -> Trial:
    """Judge synthetic rows. They state no interval: one of 95 % takes 1.96 root mean squares."""
    distance = people.distance(second_order_marginals(rows))
    half_width = SURE * people.precedence_error(rows)
    return Trial(distance, people.excess(mean_rank_order(rows)), half_width)


def run_pairs(
    post_process: PairPostProcess, people: People, information: float, rng: np.random.Generator
) -> Trial:
    """Order the items by reports on pairs; information = 1 / variance of each reported margin.

    The half-width is a part of what it would be by the pair's own reports alone.
    """
    reports = draw_pair_reports(people, information, rng=rng)
    order, _ = order_from_pairs(reports, post_process, seed=int(rng.integers(2**31)))
    pairs = np.triu_indices(people.n_items, k=1)
    shown, own = posterior_of_pairs(reports).variances, estimate_pairs(reports).variances
    part = sqrt(float(np.median(shown[pairs])) / float(np.median(own[pairs])))
    return Trial(nan, people.relative_excess(order), part)


def draw_pair_reports(
    people: People, information: float, *, rng: np.random.Generator
) -> PairReports:
    """Draw what people report of all pairs: each pair exactly, given how many answer it.

    information = reports of a pair times gap^2. That a person's answers to several pairs hang
    together is left out.
    """
    pairs, n_people = np.triu_indices(people.n_items, k=1), people.n_people
    gap = min(CLEAREST_GAP, sqrt(information / FEWEST_REPORTS))
    n_pairs = len(pairs[0])
    asked = rng.multinomial(round(information * n_pairs / gap**2), np.full(n_pairs, 1 / n_pairs))
    asked = np.minimum(asked, n_people)
    first = people.majority[pairs]
    true = rng.hypergeometric(first, n_people - first, asked)
    kept = rng.binomial(true, (1 + gap) / 2) + rng.binomial(asked - true, (1 - gap) / 2)
    wins = np.zeros((1, people.n_items, people.n_items))
    wins[0][pairs], wins[0][pairs[::-1]] = kept, asked - kept
    return PairReports(wins, np.array([gap]), np.array([float(n_people)]))


def run_subset_order(people: People, information: float, rng: np.random.Generator) -> Trial:
    """Draw the noise of mean ranks from its limit, the normal law, whose trace is exact.

    m (m + 1) / 12 (I - 1 / m) / information      information = n signal^2 / (1 - signal^2)
    """
    m = people.n_items
    noise = rng.normal(size=m) * sqrt(m * (m + 1) / 12 / information)
    mean_ranks = people.majority.sum(axis=0) / people.n_people
    order = tuple(int(item) for item in np.argsort(mean_ranks + noise, kind="stable"))
    return Trial(nan, people.relative_excess(order), nan)


def ask_nobody(people: People, epsilon: float, rng: np.random.Generator) -> Trial:
    """Take all orders to be equally likely, and publish one of them by chance."""
    return Trial(people.uniform_distance, people.random_excess, nan)


def tell_the_truth(people: People, epsilon: float, rng: np.random.Generator) -> Trial:
    """Let everybody tell everything: the error is how far the people are from their population."""
    shares = people.precedences
    half_width = SURE * float(np.median(np.sqrt(shares * (1 - shares) / people.n_people)))
    return Trial(people.sampling_distance, nan, half_width)


def herd_rows(people: People, epsilon: float, rng: np.random.Generator) -> Trial:
    """Herd as many rows as there are people from a model of equally likely orders."""
    n_items = people.n_items
    model = RankPotentials(np.zeros((n_items,) * 2), np.zeros((n_items,) * 3))
    rows = herded_rows(model, people.n_people, rng=rng)
    learnt = second_order_marginals(Rankings(rows, people.rankings.names))
    return Trial(marginal_distance(learnt, model.second_order_marginals), nan, nan)


TRIALS: Mapping[str, RunTrial] = {
    "max-entropy": run_max_entropy,
    "order": run_order,
    "safari": run_safari,
    **{name: partial(run_whole_ranking, make) for name, make in MECHANISMS.items()},
    "pairs": partial(run_pairs, "auto"),
    "kwiksort": partial(run_pairs, "kwiksort"),
    "subset-order": run_subset_order,
    "uniform": ask_nobody,
    "truth": tell_the_truth,
    "herding": herd_rows,
}
"""By family: protocols that differ in nothing but how much a report tells share one."""


def trial_of(track: str) -> RunTrial:
    """Return how a track is simulated: some families have the same way for all of theirs."""
    return TRIALS[track] if track in TRIALS else TRIALS[track.split("/")[0]]
