"""One round, one report a person: everybody's whole order, for the mean ranks of the items."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Order
from hushrank.errors import require
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.surveys.survey import Round, RoundTallies, Survey


@dataclass(frozen=True, eq=False, repr=False)
class MeanRanks:
    """The items, best first, by estimated mean rank; mean_ranks (items,) counts from 0 = best.

    covariance (items, items) of the noise: `mean_rank_covariance`, as a rule too large.
    """

    order: Order
    mean_ranks: NDArray[np.float64]
    covariance: NDArray[np.float64]


def subset_order(n_items: int, *, epsilon: float) -> Generator[Round, RoundTallies, MeanRanks]:
    """Ask everybody for the whole order, once; return the items by mean reported rank (Borda).

    Privacy: epsilon-LDP for each person, in nats.   Cost: see `SubsetOrder.n_tries`, per person.
    Raises HushrankError when `SubsetOrder` does, or when nobody answered.
    """
    mechanism = SubsetOrder(n_items, epsilon)
    question = WholeOrder(tuple(range(n_items)))
    ((tally,),) = yield (Survey("whole order", (question,), (mechanism,), epsilon),)
    return estimated_mean_ranks(mechanism, tally)


def estimated_mean_ranks(mechanism: SubsetOrder, tally: Tally) -> MeanRanks:
    """Turn the sums of reported ranks into mean ranks.

        mean rank = (m - 1) / 2 + (sum / n - (m - 1) / 2) / signal

    Unbiased for up to 12 items; above, as far as the signal is exact. Ties of the order go by item
    number.   Raises HushrankError when there is no report.
    """
    require(tally.n_reports > 0, "cannot estimate mean ranks from 0 reports")
    middle = (mechanism.n_categories - 1) / 2
    centred = tally.support / tally.n_reports - middle
    order = tuple(int(item) for item in np.argsort(tally.support, kind="stable"))
    mean_ranks = middle + centred / mechanism.signal
    return MeanRanks(order, mean_ranks, mean_rank_covariance(mechanism, tally.n_reports))


def mean_rank_covariance(mechanism: SubsetOrder, n_reports: int) -> NDArray[np.float64]:
    """Return what the covariance (items, items) would be if the reports were uniform orders.

        m (m + 1) / 12 (I - 1 / m) / (n signal^2)

    Conservative: in no direction is the noise's variance more than 8 % larger (all orders listed,
    up to 8 items, epsilon 0.1 to 8), and its trace is smaller by the factor 1 - signal^2 or so.
    """
    m = mechanism.n_categories
    uniform = (m + 1) / 12 * (m * np.eye(m) - 1)
    covariance: NDArray[np.float64] = uniform / (n_reports * mechanism.signal**2)
    return covariance
