"""hushrank collect: simulate a private collection from the people in a file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, BadParameter, Option

from hushrank.cli.input.engines import require_local, workers_of
from hushrank.cli.input.options import (
    LOCAL_HELP,
    BestEnd,
    CentralEpsilon,
    Columns,
    CsvFile,
    Delta,
    Drop,
    Engine,
    EngineName,
    FigureFile,
    Form,
    Header,
    Id,
    Ignore,
    Items,
    Scheduler,
    Sheet,
    Shuffled,
    Unranked,
    Weight,
    WorkerCount,
    known_protocol,
    plain_value,
)
from hushrank.cli.input.reading import ReadingOptions
from hushrank.errors import require


class PostProcess(StrEnum):
    """How shares become probabilities, or pair reports one order."""

    SIMPLEX = "simplex"
    CLIP = "clip"
    KWIKSORT = "kwiksort"
    BORDA = "borda"
    KEMENY = "kemeny"
    SCORES = "scores"
    AUTO = "auto"


class Prior(StrEnum):
    """How far from uniform max-entropy takes the population to be before it has seen reports."""

    SAFE = "safe"
    TYPICAL = "typical"


class Rows(StrEnum):
    """How max-entropy draws synthetic rankings."""

    HERDED = "herded"
    INDEPENDENT = "independent"


class Split(StrEnum):
    """What the two rounds of safari share."""

    BUDGET = "budget"
    PEOPLE = "people"


def collect(
    file: Annotated[str, Argument(help="Rankings: PrefLib, CSV, Parquet, scores; also gzipped.")],
    epsilon: Annotated[float | None, Option(help=LOCAL_HELP)] = None,
    shuffled: Shuffled = False,
    central_epsilon: CentralEpsilon = None,
    delta: Delta = None,
    protocol: Annotated[
        str,
        Option(
            metavar="NAME",
            callback=known_protocol,
            help="A model of all rankings: max-entropy, safari, grr, rappor, sh, olh. One order:"
            " order, pairs, ldp-kwiksort-rr, ldp-kwiksort-lap, subset-order. Or a plug-in's name.",
        ),
    ] = "max-entropy",
    prior: Annotated[
        Prior | None,
        Option(help="max-entropy: how far from uniform people are at first. (default: safe)"),
    ] = None,
    rows: Annotated[
        Rows | None,
        Option(
            help="max-entropy: synthetic rankings are drawn one by one (independent), or together"
            " as near to what was learnt as they can be (herded). (default: herded)"
        ),
    ] = None,
    popular_orders: Annotated[
        bool,
        Option(
            "--popular-orders",
            help="max-entropy: ask three people of ten for their whole order, to find exact orders"
            " that many hold. (default: only look for them in all reports)",
        ),
    ] = False,
    leaf_size: Annotated[
        int | None,
        Option(help="safari: most items that one leaf of the hierarchy has. (default: 1)"),
    ] = None,
    mechanism: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="safari: what hides answers: grr, rappor, sh, olh, a plug-in's. (default: grr)",
        ),
    ] = None,
    queries: Annotated[
        int | None,
        Option(help="pairs, ldp-kwiksort-*: pairs that a person answers. (default: by epsilon)"),
    ] = None,
    post_process: Annotated[
        PostProcess | None,
        Option(
            metavar="<way>",
            help=f"How reports become a result: {', '.join(PostProcess)}. (default: by protocol)",
        ),
    ] = None,
    split: Annotated[
        Split | None, Option(help="safari: what its two rounds share. (default: budget)")
    ] = None,
    shrink: Annotated[
        bool, Option("--shrink", help="safari: pull noisy shares to uniform.")
    ] = False,
    form: Form = None,
    columns: Columns = None,
    ignore: Ignore = None,
    id: Id = None,
    weight: Weight = None,
    best: BestEnd = None,
    drop: Drop = None,
    sheet: Sheet = None,
    items: Items = None,
    header: Header = None,
    unranked: Annotated[
        Unranked | None,
        Option(help="max-entropy: items left out say nothing or come last. (default: refused)"),
    ] = None,
    break_ties: Annotated[
        bool, Option("--break-ties", help="Put each person's tied items in a random order first.")
    ] = False,
    short_cut: Annotated[
        bool,
        Option("--short-cut", help="Draw tallies, not reports: exact in law, fast, not private."),
    ] = False,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat a simulation. The result is then not private.")
    ] = None,
    synthetic: Annotated[
        Path | None, Option(help="Write the synthetic rankings: .soc, .csv, .parquet, with .gz.")
    ] = None,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
    csv: CsvFile = None,
    figure: FigureFile = None,
    report: Annotated[Path | None, Option(help="Write pictures: one HTML page.")] = None,
    engine: EngineName = Engine.LOCAL,
    scheduler: Scheduler = None,
    workers: WorkerCount = None,
) -> None:
    """Simulate a collection: each person in FILE answers privately, on a device of their own.

    FILE holds complete strict rankings; --break-ties makes tied ones strict, and max-entropy takes
    incomplete ones with --unranked. order, pairs, ldp-kwiksort-* and subset-order learn one order;
    the others a model of all rankings, too. max-entropy asks each person one tiny question, and
    takes up to 50 items, of 17 and more complete rankings only.

    Because the truth is at hand, the error is printed too. The error, and the report's pictures of
    the truth, are computed from the raw rankings: they are for you, not for publication.

    With --shuffled the trust model is another: a shuffler forwards all reports in random order, and
    --central-epsilon with --delta holds against whoever sees only that. --epsilon stays what holds
    against everybody: told, or the largest that is certified for --central-epsilon.

    With --engine dask FILE is Parquet, such as 'people/*.parquet' or s3://..., and is read piece by
    piece; nothing is compared with the truth.

    Example:  hushrank collect sushi.soc --epsilon 4 --report sushi.html
    """
    from hushrank.cli.collect.show import Paths, collect_and_show
    from hushrank.rankings.ballot_sums import BallotTerms
    from hushrank.workflows.collect import strict_people
    from hushrank.workflows.shuffled import Trust

    chosen: dict[str, Any] = {
        "prior": prior,
        "rows": rows,
        "unranked": unranked,
        "popular_orders": popular_orders or None,
        "leaf_size": leaf_size,
        "post_process": post_process,
        "split": split,
        "shrink": shrink or None,
        "mechanism": mechanism,
        "queries": queries,
    }
    reading = ReadingOptions(form, columns, ignore, id, weight, best, drop, sheet, items, header)
    meaning: Any = None if unranked is None else unranked.value
    asked: dict[str, Any] = {
        "protocol": protocol,
        "options": {name: plain_value(each) for name, each in chosen.items() if each is not None},
        "seed": seed,
        "short_cut": short_cut,
    }
    if epsilon is None and (central_epsilon is None or not shuffled):
        raise BadParameter("expected --epsilon; or --shuffled and --central-epsilon")
    paths = Paths(Path(file), synthetic, json, csv, figure, report)
    paths.written()
    if engine == Engine.DASK:
        from hushrank.cli.collect.at_scale import collect_files_and_show

        require(not break_ties, "--break-ties goes with --engine local")
        require(not shuffled, "--shuffled goes with --engine local")
        require(central_epsilon is delta is None, "--central-epsilon and --delta need --shuffled")
        people_of = BallotTerms(reading.asked(), meaning)
        told = workers_of(scheduler, workers)
        collect_files_and_show(file, epsilon or 0.0, paths, terms=people_of, workers=told, **asked)
        return
    require_local(scheduler, workers)
    people = reading.read(Path(file), unranked=meaning)
    collect_and_show(
        strict_people(people, seed=seed) if break_ties else people,
        epsilon,
        paths,
        title=Path(file).name,
        reading=people.reading,
        trust=Trust(shuffled, central_epsilon, delta),
        **asked,
    )
