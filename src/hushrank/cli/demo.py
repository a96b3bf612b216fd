"""hushrank demo: the main job on made-up people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:  # numpy would double the time of --help
    from hushrank.rankings.profile import Rankings

N_PEOPLE, POPULATION_SEED = 5000, 20261121
ITEMS = (
    "apple",
    "banana",
    "cherry",
    "date",
    "elderberry",
    "fig",
    "grape",
    "honeydew",
    "kiwi",
    "lemon",
)


def demo(
    epsilon: Annotated[float, Option(help="Privacy loss of a person, in nats.")] = 4.0,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat the noise too. The result is then not private.")
    ] = None,
    report: Annotated[Path, Option(help="Where the page of pictures goes.")] = Path("demo.html"),
) -> None:
    """Collect 5,000 made-up rankings of 10 items privately, and show what was learnt.

    The people are drawn from a mixture of three Plackett-Luce models with a fixed seed.

    Example:  hushrank demo --epsilon 2
    """
    from hushrank.cli.collect.show import Paths, collect_and_show

    title = f"{N_PEOPLE:,} made-up people (seed {POPULATION_SEED})"
    collect_and_show(demo_people(), epsilon, Paths(report=report), title=title, seed=seed)


def demo_people() -> "Rankings":
    """Return the made-up people: always the same."""
    from hushrank.models.mixture import plackett_luce_mixture
    from hushrank.rankings.profile import Rankings
    from hushrank.workflows.seeds import stream

    rng = stream(POPULATION_SEED, "people")
    population = plackett_luce_mixture(len(ITEMS), 3, spread=1.0, rng=rng)
    return Rankings(population.sample(N_PEOPLE, rng=rng), ITEMS)
