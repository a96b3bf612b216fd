"""Make up people, to try things out."""

from typing import Literal, TypeAlias, get_args

from hushrank.errors import require
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import plackett_luce_mixture
from hushrank.rankings.profile import Rankings
from hushrank.workflows.arguments import expect_number, expect_seed, expect_whole
from hushrank.workflows.seeds import stream

ModelName: TypeAlias = Literal["mallows", "plackett-luce"]
OWN = {"mallows": ("dispersion",), "plackett-luce": ("components", "spread")}
DISPERSION = 0.8


def simulate(
    model: ModelName,
    *,
    people: int,
    items: int,
    dispersion: float | None = None,
    components: int | None = None,
    spread: float | None = None,
    seed: int | None = None,
) -> Rankings:
    """Draw made-up people from a model of rankings; their items are named 1, 2, 3, ...

    model: `mallows` around the order 1, 2, 3, ...: P ~ dispersion^(Kendall tau distance), 0 =
        everybody agrees, 1 = uniform, .8 unless told; or `plackett-luce`: a mixture of `components`
        groups (1), whose log-utilities of the items have standard deviation `spread` (1).
    people, items: how many.
    seed: draws the same people again.

    Raises HushrankError for parameters out of range. Nobody real is in it.

    Example:
        >>> import hushrank
        >>> hushrank.simulate("mallows", people=1000, items=5, dispersion=0.7, seed=1)
        Rankings(1000 people, 5 items, strict, complete)
    """
    require(model in get_args(ModelName), f"model: expected {' or '.join(get_args(ModelName))}")
    people = expect_whole(people, "people", at_least=1)
    items = expect_whole(items, "items", at_least=2)
    _require_own(model, dispersion=dispersion, components=components, spread=spread)
    rng = stream(expect_seed(seed), "people")
    if model == "mallows":
        phi = DISPERSION if dispersion is None else expect_number(dispersion, "dispersion")
        ranks = Mallows(tuple(range(items)), phi).sample(people, rng=rng)
    else:
        groups = 1 if components is None else expect_whole(components, "components", at_least=1)
        width = 1.0 if spread is None else expect_number(spread, "spread")
        population = plackett_luce_mixture(items, groups, spread=width, rng=rng)
        ranks = population.sample(people, rng=rng)
    return Rankings(ranks, tuple(str(item + 1) for item in range(items)))


def _require_own(model: ModelName, **options: float | None) -> None:
    foreign = [name for name, given in options.items() if given is not None]
    foreign = [name for name in foreign if name not in OWN[model]]
    require(not foreign, f"{model} takes no {' and no '.join(foreign)}")
