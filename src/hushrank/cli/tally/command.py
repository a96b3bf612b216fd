"""hushrank tally and hushrank conclude: reports that arrived elsewhere."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.input.options import CsvFile, FigureFile, Scheduler, WorkerCount


def tally(
    reports: Annotated[
        list[str], Argument(help="Parquet files: paths, 'reports/*.parquet', s3://...")
    ],
    survey: Annotated[
        Path,
        Option(help="The survey so far: what `tally` or `collector export` wrote, or a draft."),
    ],
    out: Annotated[Path, Option(help="The survey with this round's tallies: .json.")],
    key: Annotated[
        str | None,
        Option(help="The column that says whose report it is: repeats are dropped by it."),
    ] = None,
    round: Annotated[
        int | None, Option(min=1, help="Count this round anew, 1 = the first. (default: the next)")
    ] = None,
    scratch: Annotated[
        Path | None,
        Option(help="With --key: a folder that all workers reach; rows are sorted there."),
    ] = None,
    scheduler: Scheduler = None,
    workers: WorkerCount = None,
) -> None:
    """Count the reports of a round that a pipeline of your own has gathered as Parquet.

    The columns are survey (the fingerprint), question and report, as devices send them. What no
    device can have sent, or answers another survey, is counted as refused and shown nowhere. A
    round is counted whole or not at all: a file that is missing or damaged ends it.

    Example:  hushrank tally 'reports/*.parquet' --survey survey.json --out tallies.json
    """
    from hushrank.cli.output.console import in_flags
    from hushrank.cli.tally.show import tally_and_show
    from hushrank.engines.tasks import Workers

    with in_flags("scheduler", "workers"):
        run_by = Workers(scheduler, workers)
    tally_and_show(reports, survey, out, key=key, round=round, scratch=scratch, workers=run_by)


def conclude(
    file: Annotated[Path, Argument(help="What `hushrank tally` or `collector export` wrote.")],
    next: Annotated[
        Path | None, Option(help="A folder for the surveys of the round that follows, as JSON.")
    ] = None,
    synthetic: Annotated[
        Path | None, Option(help="Write the synthetic rankings: .soc, .csv, .parquet, with .gz.")
    ] = None,
    json: Annotated[Path | None, Option(help="Write the results for machines.")] = None,
    csv: CsvFile = None,
    figure: FigureFile = None,
    report: Annotated[Path | None, Option(help="Write pictures: one HTML page.")] = None,
) -> None:
    """Say what the counted rounds of FILE taught, or which round follows.

    The results are those that a collector shows, from the noisy reports alone. Where another round
    follows, --next writes what devices are asked then; a draft's first round, too.

    Example:  hushrank conclude tallies.json --report results.html
    """
    from hushrank.cli.collect.show import Paths
    from hushrank.cli.tally.show import conclude_and_show

    conclude_and_show(file, Paths(file, synthetic, json, csv, figure, report), next)
