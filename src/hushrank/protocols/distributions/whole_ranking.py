"""The plain way: ask everybody for the whole ranking, one category for each order."""

from collections.abc import Generator

from hushrank.errors import require
from hushrank.estimators.shares import PostProcess, require_post_process
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.models.tabulated import TabulatedModel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.survey import MakeMechanism, Round, RoundTallies

MOST_ITEMS = 11
"""11! shares take 320 megabytes; one item more would take 12 times as much."""


def whole_ranking(
    n_items: int,
    *,
    epsilon: float,
    make_mechanism: MakeMechanism = GeneralizedRandomizedResponse,
    post_process: PostProcess = "simplex",
) -> Generator[Round, RoundTallies, TabulatedModel]:
    """Ask for the lexicographic index of the whole order, return a share for each of n_items!.

    Privacy: epsilon-LDP for each person, in nats.   Cost: O(n_items!) time and memory at the
    collector.   Raises HushrankError when there are more than 11 items.
    Source: the baselines of Yang et al. (ICDE 2019), section IV.
    """
    require_post_process(post_process)
    most = f"expected at most {MOST_ITEMS} items, got {n_items}: every order is a category"
    require(n_items <= MOST_ITEMS, most)
    question = RelativeOrder(tuple(range(n_items)))
    survey = sampled_survey("whole ranking", [question], epsilon, make_mechanism=make_mechanism)
    (tallies,) = yield (survey,)
    (shares,) = survey_shares(survey, tallies, post_process=post_process)
    return TabulatedModel(n_items, shares)
