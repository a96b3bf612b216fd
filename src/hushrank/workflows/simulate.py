"""Make up people, to try things out."""

from typing import Literal, TypeAlias, get_args

from hushrank.errors import require
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import plackett_luce_mixture
from hushrank.rankings.profile import Rankings
from hushrank.workflows.arguments import expect_number, expect_seed, expect_whole
from hushrank.workflows.seeds import stream

ModelName: TypeAlias = Literal["mallows", "plackett-luce"]


def simulate(
    model: ModelName,
    *,
    people: int,
    items: int,
    dispersion: float = 0.8,
    components: int = 1,
    spread: float = 1.0,
    seed: int | None = None,
) -> Rankings:
    """Draw made-up people from a model of rankings; their items are named 1, 2, 3, ...

    model: `mallows` around the order 1, 2, 3, ...: P ~ dispersion^(Kendall tau distance), 0 =
        everybody agrees, 1 = uniform; or `plackett-luce`: a mixture of `components` groups, whose
        log-utilities of the items have standard deviation `spread`.
    people, items: how many.
    seed: draws the same people again.

    Raises HushrankError for parameters out of range. Nobody real is in it.

    Example:
        >>> import hushrank
        >>> hushrank.simulate("mallows", people=1000, items=5, dispersion=0.7, seed=1)
        Rankings(1000 people, 5 items, strict, complete)
    """
    require(model in get_args(ModelName), f"model: expected {' or '.join(get_args(ModelName))}")
    for count, named in ((people, "people"), (items, "items"), (components, "components")):
        expect_whole(count, named)
    expect_number(dispersion, "dispersion")
    expect_number(spread, "spread")
    expect_seed(seed)
    require(people >= 1, f"people: expected at least 1, got {people}")
    require(items >= 2, f"items: expected at least 2, got {items}")
    rng = stream(seed, "people")
    if model == "mallows":
        ranks = Mallows(tuple(range(items)), dispersion).sample(people, rng=rng)
    else:
        population = plackett_luce_mixture(items, components, spread=spread, rng=rng)
        ranks = population.sample(people, rng=rng)
    return Rankings(ranks, tuple(str(item + 1) for item in range(items)))
