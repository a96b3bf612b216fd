"""hushrank demo: a survey of made-up people, for real."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from hushrank.cli.input.options import EPSILON_HELP

if TYPE_CHECKING:  # numpy would double the time of --help
    from hushrank.rankings.profile import Rankings

POPULATION_SEED = 20261121
ITEMS = ("apple", "banana", "cherry", "date", "elderberry", "fig", "grape", "honeydew")


def demo(
    phones: Annotated[int, Option(min=20, max=100_000, help="How many people answer.")] = 300,
    epsilon: Annotated[float, Option(min=0, help=EPSILON_HELP)] = 4.0,
    report: Annotated[Path, Option(help="Where the page of pictures goes.")] = Path("demo.html"),
) -> None:
    """Run a whole survey on this machine: 300 made-up people answer a collector over HTTP.

    The collector keeps the reports in a SQLite file that is deleted at the end; each phone hides
    its answer by noise of the operating system. The people are drawn with a fixed seed.

    Example:  hushrank demo --phones 1000 --epsilon 2
    """
    from hushrank.cli.collect.show import Paths, rehearse_and_show

    title = f"{phones:,} made-up people (seed {POPULATION_SEED}) over HTTP"
    rehearse_and_show(demo_people(phones), epsilon, Paths(report=report), title=title)


def demo_people(n_people: int) -> "Rankings":
    """Return made-up people, always the same: three groups of like-minded ones."""
    from hushrank.models.mixture import plackett_luce_mixture
    from hushrank.rankings.profile import Rankings
    from hushrank.workflows.seeds import stream

    rng = stream(POPULATION_SEED, "people")
    population = plackett_luce_mixture(len(ITEMS), 3, spread=1.0, rng=rng)
    return Rankings(population.sample(n_people, rng=rng), ITEMS)
