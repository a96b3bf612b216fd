"""Models: drawing rows, fitting Plackett-Luce, learning a structure."""

from collections.abc import Sequence
from typing import Any

import choix
import numpy as np
from harness import Row, Series, check, data_folder, main, milliseconds, rates, seconds
from numpy.typing import NDArray
from prefsampling.ordinal import mallows

from hushrank.arrays import Ranks, Shares
from hushrank.models.hierarchy import (
    ThinChain,
    information_tensor,
    learn_thin_chain,
    tripletwise_information,
)
from hushrank.models.mallows import Mallows
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.models.riffle import RiffleModel
from hushrank.protocols.distributions.safari import chain_questions
from hushrank.questions.rank_and_precedence import rank_and_precedence_questions
from hushrank.rankings.coding import inverse
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings

INTRODUCTION = """## Models

prefsampling is the sampler that preflibtools calls; it drew 5,000 rows a repetition, and its time
is scaled to the rows of ours. choix fits by I-LSR, its fastest way to the maximum. Structure
learning begins with the shares of the 12,180 triplets and ends with the chain."""

LOG_LIKELIHOOD = -71211.6
PEER_ROWS = 5_000


def draw_mallows(is_quick: bool) -> Sequence[Row]:
    """Measure a million rows of the Mallows model, 10 items, dispersion 0.7."""
    n_people = 50_000 if is_quick else 1_000_000
    model, rng = Mallows(tuple(range(10)), 0.7), np.random.default_rng(3)
    _check_distance(model, model.sample(n_people, rng=rng))
    _check_distance(model, inverse(np.array(mallows(PEER_ROWS, 10, 0.7, seed=3))))
    ours = Series(seconds(lambda: model.sample(n_people, rng=rng), 7))
    scale = n_people / PEER_ROWS
    spent = seconds(lambda: mallows(PEER_ROWS, 10, 0.7), 5)
    peers: dict[str, Series | str] = {"prefsampling": Series([scale * one for one in spent])}
    checked = "the mean distance to the centre within 6 standard errors of its expectation, both"
    return [Row(f"{n_people:,} Mallows rows, m = 10", "s", 1.0, ours, peers, checked)]


def draw_riffle(is_quick: bool) -> Sequence[Row]:
    """Measure synthetic rows of SAFARI's model, 10 items split off one by one."""
    n_people = 50_000 if is_quick else 1_000_000
    model, rng = _any_riffle_model(), np.random.default_rng(4)
    _check_marginals(model, model.sample(n_people, rng=rng))
    ours = rates(n_people, seconds(lambda: model.sample(n_people, rng=rng), 7))
    checked = "all 4,500 second-order marginals within 6 standard errors of the exact ones"
    return [Row("riffle synthesis, d = 10", "rows/s", 2e6, ours, checked=checked)]


def fit_plackett_luce(_is_quick: bool) -> Sequence[Row]:
    """Measure the maximum-likelihood fit of Plackett-Luce to Sushi."""
    task, folder = "Plackett-Luce fit, Sushi", data_folder()
    if folder is None:
        return [Row(task, "ms", 20.0, skipped="HUSHRANK_DATA names no folder of data")]
    rankings = read_rankings(folder / "sushi" / "sushi.soc")
    rows = rankings.expanded().orders().tolist()
    likelihoods = [
        choix.log_likelihood_rankings(rows, utilities)
        for utilities in (PlackettLuce.fit(rankings).utilities, choix.ilsr_rankings(10, rows))
    ]
    for found in likelihoods:
        check(abs(found - LOG_LIKELIHOOD) < 0.05, f"expected {LOG_LIKELIHOOD}, got {found}")
    ours = milliseconds(seconds(lambda: PlackettLuce.fit(rankings), 15))
    peers: dict[str, Series | str] = {
        "choix": milliseconds(seconds(lambda: choix.ilsr_rankings(10, rows), 5))
    }
    at = " and ".join(f"{found:.4f}" for found in likelihoods)
    checked = f"choix's own log-likelihood at our maximum and at its own: {at}"
    return [Row(task, "ms", 20.0, ours, peers, checked)]


def learn_structure(is_quick: bool) -> Sequence[Row]:
    """Measure learning a chain of 30 items, with leaves of one and of up to three."""
    planted = ThinChain(tuple((3 * leaf, 3 * leaf + 1, 3 * leaf + 2) for leaf in range(10)))
    joint = _triplet_shares(planted, 5_000 if is_quick else 20_000)
    found = set(_learn(joint, 3).leaves)
    check(found == set(planted.leaves), "expected the planted leaves of three")
    checked = "the ten planted leaves of three are found again"
    return [
        Row(
            f"structure learning, d = 30, K = {max_leaf}",
            "s",
            1.0,
            Series(seconds(lambda size=max_leaf: _learn(joint, size), 7)),  # type: ignore[misc]
            checked=checked if max_leaf == 3 else "",
        )
        for max_leaf in (1, 3)
    ]


def _check_distance(model: Mallows, ranks: Ranks) -> None:
    n_people, n_items = ranks.shape
    distances = np.zeros(n_people)
    for better in range(n_items):
        for worse in range(better + 1, n_items):
            distances += ranks[:, worse] < ranks[:, better]
    error = abs(distances.mean() - model.expected_distance)
    check(error <= 6 * distances.std() / n_people**0.5, "Mallows: the mean distance is off")


def _any_riffle_model() -> RiffleModel:
    chain = ThinChain(tuple((item,) for item in range(10)))
    rng = np.random.default_rng(5)
    shares = [rng.dirichlet(np.ones(q.n_categories)) for q in chain_questions(chain)]
    return RiffleModel.from_shares(chain, shares)


def _check_marginals(model: RiffleModel, ranks: Ranks) -> None:
    exact = model.second_order_marginals()
    drawn = second_order_marginals(Rankings(ranks, tuple("abcdefghij")))
    allowed = 6 * np.sqrt(exact / len(ranks)) + 20 / len(ranks)  # for cells of a few people
    check((np.abs(drawn - exact) <= allowed).all(), "riffle synthesis: a marginal is off")


def _triplet_shares(planted: ThinChain, n_people: int) -> Shares:
    """Return the shares (triplets, 60) among people who know each leaf forwards or backwards."""
    forwards = np.array([0.5, 0, 0, 0, 0, 0.5])
    shares = [
        forwards if q.n_categories == 6 else np.full(q.n_categories, 1 / q.n_categories)
        for q in chain_questions(planted)
    ]
    ranks = RiffleModel.from_shares(planted, shares).sample(n_people, rng=np.random.default_rng(6))
    counts: NDArray[Any] = np.stack(
        [
            np.bincount(question.answer(ranks), minlength=question.n_categories)
            for question in rank_and_precedence_questions(planted.n_items)
        ]
    )
    joint: Shares = counts / n_people
    return joint


def _learn(joint: Shares, max_leaf: int) -> ThinChain:
    return learn_thin_chain(information_tensor(30, tripletwise_information(joint)), max_leaf)


if __name__ == "__main__":
    main(INTRODUCTION, (draw_mallows, draw_riffle, fit_plackett_luce, learn_structure))
