"""SAFARI: learn which items belong together, then how each group is ordered and merged."""

from collections.abc import Generator
from typing import Literal, TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.estimators.shares import PostProcess, require_post_process
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
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.survey import MakeMechanism, Survey, Tallies, sampled_survey

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
) -> Generator[Survey, Tallies, RiffleModel]:
    """Ask Rule I, learn a thin chain, ask Rule II, return the riffle-independent model.

    Faithful by default; `split="people"` and `shrink` are repairs. Deterministic in the tallies.
    Privacy: epsilon-LDP for each person, in nats: two rounds at epsilon / 2, or one at epsilon.
    Raises HushrankError when there are fewer than 3 items, or leaves of no item.
    Source: Yang et al. (ICDE 2019), phases 1 to 4; `RiffleModel.sample` is phase 5.
    """
    require(n_items >= 3, f"safari needs at least 3 items, got {n_items}")
    require(max_leaf >= 1, f"expected leaves of at least 1 item, got {max_leaf}")
    require_post_process(post_process)
    (first_epsilon, first_lots), (second_epsilon, second_lots) = _rounds(epsilon, split)

    structure = sampled_survey(
        "structure",
        rank_and_precedence_questions(n_items),
        first_epsilon,
        make_mechanism=make_mechanism,
        lots=first_lots,
    )
    tallies = yield structure
    joint = survey_shares(structure, tallies, post_process=post_process, shrink=shrink)
    information = tripletwise_information(np.stack(joint))
    chain = learn_thin_chain(information_tensor(n_items, information), max_leaf)

    parameters = sampled_survey(
        "parameters",
        chain_questions(chain),
        second_epsilon,
        make_mechanism=make_mechanism,
        lots=second_lots,
    )
    tallies = yield parameters
    shares = survey_shares(parameters, tallies, post_process=post_process, shrink=shrink)
    return RiffleModel.from_shares(chain, shares)


def chain_questions(chain: ThinChain) -> tuple[Question, ...]:
    """Return Rule II's questions: the orders of the leaves, then the interleavings."""
    orders = (RelativeOrder(leaf) for leaf in chain.ordered_leaves)
    return (*orders, *(Interleaving(leaf, rest) for leaf, rest in chain.splits))


def _rounds(epsilon: float, split: Split) -> list[tuple[float, tuple[float, float]]]:
    require(split in ("budget", "people"), f"expected budget or people to split, got {split}")
    if split == "budget":
        return [(epsilon / 2, (0.0, 1.0)), (epsilon / 2, (0.0, 1.0))]
    return [(epsilon, (0.0, 0.5)), (epsilon, (0.5, 1.0))]
