"""Which protocol to take for which purpose, and why, in a sentence each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import fmean
from typing import Literal, TypeAlias

from hushrank.errors import HushrankError
from hushrank.planning.asking import MODELS
from hushrank.planning.plan import Plan, ProtocolPlan
from hushrank.planning.populations import TYPICAL
from hushrank.planning.predictions import Errors

Purpose: TypeAlias = Literal["model", "order"]

NEARLY = 1.1
"""Within a tenth of the least error protocols are as good: predictions are no more precise."""
AS_GOOD_AS_NONE = 0.001
"""Of two excesses: one pair in 1,000."""
PREFERRED = ("max-entropy", "order", "pairs", "subset-order")
"""Among equals: what learns a model too, says how sure it is, and asks little of a person."""
LIKELY = 0.7, 1.4
"""Which parts of the least and of the largest foretold Q2 distance nine of ten collections are in:
measured on elections and other rankings, real and made up, see docs/planning.md.
"""
MISFIT, FEWEST_MISFIT = 0.15, 4
"""How far people may be from any model that is fitted, in quadrature, however clear the reports;
from so many items on, as every population of three is described as it is.
"""
HARDLY = 0.85
"""From this part of the error of asking nobody on, asking is hardly worth it."""


@dataclass(frozen=True)
class Recommendation:
    """The protocol for one purpose; `is_hopeless`: hardly better than asking nobody, or no better.

    likely: between which Q2 distances nine of ten collections are, whatever people prefer; None of
    an order.
    """

    purpose: Purpose
    protocol: str
    reason: str
    is_hopeless: bool
    likely: tuple[float, float] | None = None


def recommend(plan: Plan) -> tuple[Recommendation, Recommendation]:
    """Return what to take for a model of all rankings, and for one order.

    By mean error over the typical populations; of nearly equals the first of PREFERRED.
    """
    models = [plan.protocols[name] for name in MODELS if plan.protocols[name].errors]
    orders = [each for each in plan.protocols.values() if each.errors]
    return _for_model(plan, models), _for_order(plan, orders)


def _for_model(plan: Plan, candidates: Sequence[ProtocolPlan]) -> Recommendation:
    protocol, error, least = _best(candidates, _distance, 0.0)
    nothing = _mean(_distance, plan.of_nobody)
    reason = (
        f"For a model of all rankings take {protocol}: expected Q2 distance {error:.3f}{least};"
        f" that of uniform rankings is {nothing:.3f}."
    )
    errors = plan.protocols[protocol].errors
    foretold = [_distance(errors[population.name]) for population in TYPICAL]
    low, high = likely = likely_range(foretold, plan.situation.n_items)
    reason += f" Nine of ten collections come out between {low:.3f} and {high:.3f}."
    return Recommendation("model", protocol, *_judged(reason, error, nothing), likely)


def likely_range(foretold: Sequence[float], n_items: int) -> tuple[float, float]:
    """Return between which Q2 distances nine of ten collections are, by those of `TYPICAL`."""
    misfit = MISFIT if n_items >= FEWEST_MISFIT else 0.0
    return LIKELY[0] * min(foretold), hypot(LIKELY[1] * max(foretold), misfit)


def _for_order(plan: Plan, candidates: Sequence[ProtocolPlan]) -> Recommendation:
    protocol, error, least = _best(candidates, _excess, AS_GOOD_AS_NONE)
    nothing = _mean(_excess, plan.of_nobody)
    reason = (
        f"For one order take {protocol}: expected excess {error:.4f}{least}; that of an order by"
        f" chance is {nothing:.3f}."
    )
    return Recommendation("order", protocol, *_judged(reason, error, nothing))


def _judged(reason: str, error: float, nothing: float) -> tuple[str, bool]:
    """Say so where even the best is hardly better than nothing, or no better."""
    if error < HARDLY * nothing:
        return reason, False
    better = "hardly" if error < nothing else "no"
    warning = f"Even that is {better} better than asking nobody"
    return f"{reason} {warning}: ask more people or spend more epsilon.", True


def _best(
    candidates: Sequence[ProtocolPlan], error: Callable[[Errors], float], negligible: float
) -> tuple[str, float, str]:
    """Return the protocol, its error, and why it is taken."""
    found = {each.protocol: _mean(error, each.errors) for each in candidates}
    least = min(found, key=lambda name: found[name])
    enough = max(NEARLY * found[least], found[least] + negligible)
    nearly = [name for name, mean in found.items() if mean <= enough]
    best = next((name for name in PREFERRED if name in nearly), least)
    why = ", the least of all" if best == least else f", about that of {least}"
    return best, found[best], why


def _mean(error: Callable[[Errors], float], errors: Mapping[str, Errors]) -> float:
    return fmean(error(errors[population.name]) for population in TYPICAL)


def _distance(errors: Errors) -> float:
    return _known(errors.distance)


def _excess(errors: Errors) -> float:
    return _known(errors.excess)


def _known(error: float | None) -> float:
    if error is None:
        raise HushrankError("expected the error of what a protocol learns, got none")
    return error
