"""What protocols are predicted to lose near the uniform population: how much their reports tell.

Errors in a population are a function of it, about, whatever combination of people, epsilon and
questions it came from: the table of simulations is a curve along it for each population.
`python -m hushrank.planning.losses` writes the losses of max-entropy; a minute of one processor.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp, log, sinh
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

import msgspec

from hushrank.files.disk import replace_file
from hushrank.protocols.distributions.max_entropy import MOST_ITEMS, MOST_ITEMS_OF_CHAINS
from hushrank.protocols.distributions.mixes.table import EPSILONS, PEOPLE
from hushrank.protocols.distributions.question_mix import choose_mix
from hushrank.protocols.orders.order_design import REST_SPREADS, choose_order_design, predicted_loss

TABLE = Path(__file__).with_name("losses.json")
ITEMS = tuple(range(2, MOST_ITEMS_OF_CHAINS + 1))

Losses: TypeAlias = tuple[tuple[tuple[float, ...], ...], ...]
"""By number of items, epsilon and number of people."""
LossOf: TypeAlias = Callable[[int, float, int], float]
"""Of items, epsilon and people."""


def loss_of_questions(n_items: int, epsilon: float, n_people: int) -> float:
    """Return the predicted Q2 distance of max-entropy, by logarithms between tabulated points.

    Below the least epsilon that is tabulated, people count for less at that one; above the largest
    one reports are as clear as there.
    """
    least = EPSILONS[0]
    weight = min(1.0, sinh(epsilon / 2) / sinh(least / 2)) ** 2
    rows = _read()[ITEMS.index(n_items)]
    low, high, share = _between(max(epsilon, least), EPSILONS)
    found = [_along(rows[nth], n_people * weight) for nth in (low, high)]
    return exp((1 - share) * found[0] + share * found[1])


def loss_of_order(n_items: int, epsilon: float, n_people: int) -> float:
    """Return the predicted excess of the protocol that learns one order: the mean over rests."""
    design = choose_order_design(n_items, epsilon=epsilon, n_people=n_people)
    numbers = design, n_items, epsilon, n_people
    return fmean(predicted_loss(*numbers, rest_spread=spread) for spread in REST_SPREADS)


LOSSES: Mapping[str, LossOf] = {"max-entropy": loss_of_questions, "order": loss_of_order}
"""By family of the table of simulations."""


def predict_losses(n_items: int, epsilon: float) -> list[float]:
    """Return the loss of the mix that max-entropy asks, for each number of people."""
    from hushrank.planning.mixes.predicted_loss import predicted_losses  # slow to load
    from hushrank.planning.mixes.wide_loss import wide_losses

    losses = predicted_losses if n_items <= MOST_ITEMS else wide_losses
    mixes = [choose_mix(n_items, epsilon=epsilon, n_people=n) for n in PEOPLE]
    of_mix = {mix: losses(mix, n_items, epsilon, PEOPLE) for mix in set(mixes)}
    return [float(f"{of_mix[mix][nth]:.4g}") for nth, mix in enumerate(mixes)]


def write_losses() -> None:
    """Write the table, a line for each number of items."""
    found = [[predict_losses(n_items, epsilon) for epsilon in EPSILONS] for n_items in ITEMS]
    text = msgspec.json.encode(found).replace(b"]],[[", b"]],\n[[")
    replace_file(TABLE, text + b"\n", secret=False)


def _along(row: Sequence[float], n_people: float) -> float:
    low, high, share = _between(n_people, PEOPLE)
    return (1 - share) * log(row[low]) + share * log(row[high])


def _between(value: float, points: Sequence[float]) -> tuple[int, int, float]:
    """Return two neighbours, and the weight of the second by logarithms; the ends beyond them."""
    place = min(max(bisect_right(points, value), 1), len(points) - 1)
    low, high = log(points[place - 1]), log(points[place])
    share = (log(max(value, points[0] / 2)) - low) / (high - low)
    return place - 1, place, min(max(share, 0.0), 1.0)


@cache
def _read() -> Losses:
    return msgspec.json.decode(TABLE.read_bytes(), type=Losses)


if __name__ == "__main__":
    write_losses()
