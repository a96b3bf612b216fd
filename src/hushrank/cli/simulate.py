"""hushrank simulate: draw made-up people from a model and write their rankings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Option, Typer

if TYPE_CHECKING:  # numpy would double the time of --help
    from hushrank.rankings.profile import Rankings

simulate = Typer(
    help="Draw made-up people from a model of rankings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

People: TypeAlias = Annotated[int, Option(min=1, help="How many people to draw.")]
Items: TypeAlias = Annotated[int, Option(min=2, help="How many items they rank.")]
Out: TypeAlias = Annotated[
    Path, Option(help="Where the rankings go: .soc, .csv, .parquet, with .gz.")
]
Seed: TypeAlias = Annotated[int | None, Option(min=0, help="Draw the same people again.")]


@simulate.command()
def mallows(
    people: People,
    items: Items,
    out: Out,
    dispersion: Annotated[
        float, Option(min=0, max=1, help="phi: 0 = everybody agrees, 1 = uniform.")
    ] = 0.8,
    seed: Seed = None,
) -> None:
    """Draw from a Mallows model around the order 1, 2, 3, ...: P ~ phi^(Kendall tau distance).

    Example:  hushrank simulate mallows --people 1000 --items 10 --dispersion 0.7 --out people.soc
    """
    from hushrank.workflows import simulate as workflow

    _write(
        workflow.simulate("mallows", people=people, items=items, dispersion=dispersion, seed=seed),
        out,
    )


@simulate.command("plackett-luce")
def plackett_luce(
    people: People,
    items: Items,
    out: Out,
    components: Annotated[
        int, Option(min=1, max=1000, help="How many groups of like-minded people.")
    ] = 1,
    spread: Annotated[
        float, Option(min=0, help="Standard deviation of the items' log-utilities in a group.")
    ] = 1.0,
    seed: Seed = None,
) -> None:
    """Draw from a mixture of Plackett-Luce models with random utilities.

    Example:  hushrank simulate plackett-luce --people 1000 --items 10 --out people.csv
    """
    from hushrank.workflows import simulate as workflow

    drawn = workflow.simulate(
        "plackett-luce",
        people=people,
        items=items,
        components=components,
        spread=spread,
        seed=seed,
    )
    _write(drawn, out)


def _write(people: "Rankings", out: Path) -> None:
    from hushrank.rankings.files import write_rankings

    write_rankings(people, out)
    print(f"wrote {people.n_people:,} rankings of {people.n_items} items to {out}")
