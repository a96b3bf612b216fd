"""The maximum-entropy protocol: its fit, its exact sums, its rows, whole collections."""

import sys
from collections.abc import Generator, Sequence
from contextlib import suppress

import numpy as np
from harness import Row, Series, check, main, milliseconds, rates, run_json, seconds
from people import orders

from hushrank.arrays import Floats, Ranks
from hushrank.engines.local import simulate
from hushrank.evaluation.metrics import marginal_distance
from hushrank.models.herding import herded_rows
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome, max_entropy
from hushrank.rankings.coding import inverse
from hushrank.rankings.marginals import first_order_marginals, majority, second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Survey, Tallies

INTRODUCTION = """## The maximum-entropy protocol

Fits begin with the tallies of 5,000 people's reports and end with the model and the wider one of
its intervals. Sums over all orders begin with the potentials. Collections begin with ranks in
memory and end with the model; the tallies are drawn by the short cut, which is exact in
distribution; the process is one of its own where memory is measured, which includes Python and the
libraries. No peer does any of this. MB = 10^6 bytes."""

N_PEOPLE = 5_000
MOST_OF_INDEPENDENT = 1 / 3
"""Herded rows are off by at most so much of what independent rows are off by."""
MOST_ERROR = 0.1
"""Of a precedence, on average: all of them at 1/2 would be off by more."""


def fit(is_quick: bool) -> Sequence[Row]:
    """Measure fits of 10 items at two epsilons, and of 16 items, with standard errors."""
    cases = [(10, 1.0, 1.0, 7), (10, 4.0, 1.0, 7)]
    if not is_quick:
        cases.append((16, 1.0, 60.0, 5))
    return [_fit(*case) for case in cases]


def sum_over_orders(_is_quick: bool) -> Sequence[Row]:
    """Measure one expectation over all orders, of 10 and of 15 items, from potentials on."""
    rows = []
    for n_items, target, repetitions in ((10, 0.5, 200), (15, 100.0, 9)):
        model = _model(n_items)
        _check_expectation(model)
        values = np.random.default_rng(2).random((2**n_items, n_items))

        def act(
            own: Floats = model.own, before: Floats = model.before, of: Floats = values
        ) -> None:
            RankPotentials(own, before).expectation(of)

        ours = milliseconds(seconds(act, repetitions))
        task = f"an expectation over all orders, d = {n_items}"
        checked = "the expected rank of an item is that of its marginals"
        rows.append(Row(task, "ms", target, ours, checked=checked))
    return rows


def draw(is_quick: bool) -> Sequence[Row]:
    """Measure independent rows and herded rows of 10 items."""
    model, rng = _model(), np.random.default_rng(3)
    n_rows = 50_000 if is_quick else 1_000_000
    _check_marginals(model, model.sample(n_rows, rng=rng))
    independent = rates(n_rows, seconds(lambda: model.sample(n_rows, rng=rng), 7))
    herded = Series(seconds(lambda: herded_rows(model, N_PEOPLE, rng=rng), 7))
    off = _distance(model, herded_rows(model, N_PEOPLE, rng=rng))
    independently = _distance(model, model.sample(N_PEOPLE, rng=rng))
    check(off < MOST_OF_INDEPENDENT * independently, "herding: expected a smaller error")
    marginals = "all 100 rank shares within 6 standard errors of the exact ones"
    errors = f"Q2 distance {off:.4f} from the model, of independent rows {independently:.4f}"
    return [
        Row("independent rows, d = 10", "rows/s", 1e6, independent, checked=marginals),
        Row("5,000 herded rows, d = 10", "s", 2.0, herded, checked=errors),
    ]


def collect(is_quick: bool) -> Sequence[Row]:
    """Measure whole collections, in processes of their own."""
    n_people, n_items = (100_000, 12) if is_quick else (10_000_000, 16)
    many = run_json(sys.executable, "one_fit.py", "10", str(n_people), "5")
    long = run_json(sys.executable, "one_fit.py", str(n_items), str(N_PEOPLE), "1")
    distance = "Q2 distance of the model {distance:.3f}, of uniform rankings {uniform:.3f}"
    task = f"collection, d = 10, n = {n_people:,}"
    return [
        Row(f"{task}: time", "s", 2.0, Series(many["seconds"]), checked=distance.format(**many)),
        Row(f"{task}: peak memory", "MB", None, Series([many["megabytes"]])),
        Row(
            f"collection, d = {n_items}, n = {N_PEOPLE:,}: peak memory",
            "MB",
            1000.0,
            Series([long["megabytes"]]),
            checked=distance.format(**long),
        ),
    ]


def _fit(n_items: int, epsilon: float, target: float, repetitions: int) -> Row:
    people = _people(n_items)
    tallies = _tallies(people, epsilon)
    found: list[MaxEntropyOutcome] = []

    def act() -> None:
        found[:] = [_outcome(n_items, epsilon, tallies)]

    ours = Series(seconds(act, repetitions))
    error = float(np.abs(found[0].model.precedences - majority(people) / N_PEOPLE).mean())
    check(error < MOST_ERROR, f"fit: expected precedences that are known, off by {error:.3f}")
    task = f"fit, d = {n_items}, epsilon {epsilon:g}"
    return Row(task, "s", target, ours, checked=f"precedences are off by {error:.3f} on average")


def _tallies(people: Rankings, epsilon: float) -> list[Tallies]:
    """Return the tallies of each survey of the mix."""
    kept: list[Tallies] = []

    def protocol() -> Generator[Survey, Tallies, None]:
        asked = max_entropy(people.n_items, epsilon=epsilon, n_people=N_PEOPLE)
        survey = next(asked)
        with suppress(StopIteration):
            while True:
                kept.append((yield survey))
                survey = asked.send(kept[-1])

    simulate(protocol(), people, rng=np.random.default_rng(4))
    return kept


def _outcome(n_items: int, epsilon: float, tallies: Sequence[Tallies]) -> MaxEntropyOutcome:
    """Let the protocol ask, and fit what was answered."""
    protocol = max_entropy(n_items, epsilon=epsilon, n_people=N_PEOPLE)
    next(protocol)
    try:
        for each in tallies:
            protocol.send(each)
    except StopIteration as end:
        outcome: MaxEntropyOutcome = end.value
        outcome.estimates  # noqa: B018 (computed when first looked at)
        return outcome
    raise RuntimeError("the protocol asked once more")


def _people(n_items: int) -> Rankings:
    names = tuple(str(item) for item in range(n_items))
    return Rankings(inverse(orders(N_PEOPLE, n_items)), names)


def _model(n_items: int = 10) -> RankPotentials:
    """Return a model about as far from uniform as the prior takes populations to be."""
    features = rank_features(n_items)
    drawn = np.random.default_rng(1).normal(size=len(features.spreads))
    return RankPotentials.from_coefficients(features, 0.3 * features.spreads * drawn)


def _check_expectation(model: RankPotentials) -> None:
    """Check the expected rank of an item: what was placed before it is counted set by set."""
    n_items, item = model.n_items, 3
    sizes = np.array([placed.bit_count() for placed in range(2**n_items)], dtype=np.float64)
    values = np.zeros((2**n_items, n_items))
    values[:, item] = sizes
    expected = model.first_order_marginals[item] @ np.arange(n_items)
    found = model.expectation(values)
    check(abs(found - expected) < 1e-9, f"expected a mean rank of {expected}, got {found}")


def _check_marginals(model: RankPotentials, ranks: Ranks) -> None:
    exact, drawn = model.first_order_marginals, first_order_marginals(_rankings(ranks))
    allowed = 6 * np.sqrt(exact * (1 - exact) / len(ranks))
    check((np.abs(drawn - exact) <= allowed).all(), "independent rows: a share is off")


def _distance(model: RankPotentials, ranks: Ranks) -> float:
    rows = second_order_marginals(_rankings(ranks))
    return marginal_distance(rows, model.second_order_marginals)


def _rankings(ranks: Ranks) -> Rankings:
    return Rankings(ranks, tuple(str(item) for item in range(ranks.shape[1])))


if __name__ == "__main__":
    main(INTRODUCTION, (fit, sum_over_orders, draw, collect))
