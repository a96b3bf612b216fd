"""SAFARI: learn which items belong together, then how each group is ordered and merged."""

from collections.abc import Generator
from functools import partial
from math import comb, factorial
from typing import Literal, TypeAlias, TypedDict

import numpy as np

from hushrank.errors import require
from hushrank.estimators.shares import PostProcess, require_post_process
from hushrank.mechanisms.local import require_parameters
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.models.hierarchy import (
    ThinChain,
    information_tensor,
    learn_thin_chain,
    tripletwise_information,
)
from hushrank.models.riffle import RiffleModel
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.question import Question
from hushrank.questions.rank_and_precedence import rank_and_precedence_questions
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.survey import MakeMechanism, Round, RoundTallies

MOST_ITEMS = 64
"""64 items have 125,000 triplets, each with 128 cells: a gigabyte."""
MOST_ITEMS_OF_A_LEAF = 8
"""8 items have 40,320 orders."""
MOST_INTERLEAVINGS = 10**6

Split: TypeAlias = Literal["budget", "people"]
"""What the two rounds share: each person's epsilon, or the people."""


def safari(
    n_items: int,
    *,
    epsilon: float,
    max_leaf: int = 1,
    post_process: PostProcess = "simplex",
    split: Split = "budget",
    shrink: bool = False,
    make_mechanism: MakeMechanism = GeneralizedRandomizedResponse,
) -> Generator[Round, RoundTallies, RiffleModel]:
    """Ask Rule I, learn a thin chain, ask Rule II, return the riffle-independent model.

    Faithful by default; `split="people"` and `shrink` are repairs. Deterministic in the tallies.
    Privacy: epsilon-LDP for each person, in nats: two rounds at epsilon / 2, or one at epsilon.
    Raises HushrankError unless 3 to 64 items and leaves of 1 to 8 are asked for.
    Source: Yang et al. (ICDE 2019), phases 1 to 4; `RiffleModel.sample` is phase 5.
    """
    _require_size(n_items, max_leaf)
    require_parameters(2, epsilon)
    require_post_process(post_process)
    first, second = _rounds(epsilon, split)
    make_mechanism(_most_categories(n_items, max_leaf), second["epsilon"])  # refuses before Rule I
    ask = partial(sampled_survey, make_mechanism=make_mechanism)
    estimate = partial(survey_shares, post_process=post_process, shrink=shrink)

    structure = ask("structure", rank_and_precedence_questions(n_items), **first)
    information = tripletwise_information(np.stack(estimate(structure, (yield (structure,))[0])))
    chain = learn_thin_chain(information_tensor(n_items, information), max_leaf)

    parameters = ask("parameters", chain_questions(chain), **second)
    return RiffleModel.from_shares(chain, estimate(parameters, (yield (parameters,))[0]))


def _require_size(n_items: int, max_leaf: int) -> None:
    require(3 <= n_items <= MOST_ITEMS, f"safari takes 3 to {MOST_ITEMS} items, got {n_items}")
    fits = 1 <= max_leaf <= MOST_ITEMS_OF_A_LEAF
    require(fits, f"leaf_size: expected 1 to {MOST_ITEMS_OF_A_LEAF} items, got {max_leaf}")
    largest = _most_interleavings(n_items, max_leaf)
    few = f"leaves of {max_leaf} among {n_items} items have {largest:,} interleavings"
    require(largest <= MOST_INTERLEAVINGS, f"{few}, expected at most {MOST_INTERLEAVINGS:,}")


def _most_interleavings(n_items: int, max_leaf: int) -> int:
    return comb(n_items, min(max_leaf, n_items // 2))


def _most_categories(n_items: int, max_leaf: int) -> int:
    """Return the most that a question of Rule II can have, whatever Rule I finds."""
    of_leaf = factorial(min(max_leaf, n_items))
    return max(of_leaf, _most_interleavings(n_items, max_leaf))


def chain_questions(chain: ThinChain) -> tuple[Question, ...]:
    """Return Rule II's questions: the orders of the leaves, then the interleavings."""
    orders = (RelativeOrder(leaf) for leaf in chain.ordered_leaves)
    return (*orders, *(Interleaving(leaf, rest) for leaf, rest in chain.splits))


class _Round(TypedDict):
    epsilon: float
    lots: tuple[float, float]


def _rounds(epsilon: float, split: Split) -> tuple[_Round, _Round]:
    require(split in ("budget", "people"), f"expected budget or people to split, got {split}")
    if split == "budget":
        everybody = _Round(epsilon=epsilon / 2, lots=(0.0, 1.0))
        return everybody, everybody
    return _Round(epsilon=epsilon, lots=(0.0, 0.5)), _Round(epsilon=epsilon, lots=(0.5, 1.0))
