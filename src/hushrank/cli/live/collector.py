"""hushrank collector: what an administrator does beside a running collector, or without it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from typer import Argument, Option

from hushrank.cli.input.extras import needs_collector, needs_parquet
from hushrank.cli.input.options import StoreAddress
from hushrank.cli.output.console import plain
from hushrank.cli.output.talk import for_people
from hushrank.errors import require
from hushrank.files.disk import outputs, replace_file
from hushrank.files.elsewhere.addresses import shown

if TYPE_CHECKING:
    from hushrank.collector.draft import Form
    from hushrank.collector.service import Service

STORE = "collector.sqlite"
SurveyId = Annotated[str, Argument(help="The survey's id, as `hushrank collector list` has it.")]

collector = typer.Typer(
    help="Surveys, keys and copies of a collector, at its console.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@collector.command()
def create(
    file: Annotated[Path, Argument(help="The survey: .toml or .json, as the page exports it.")],
    store: StoreAddress = STORE,
    open: Annotated[bool, Option("--open", help="Open it at once: people can answer.")] = False,
) -> None:
    """Keep the survey of FILE as a draft, and print its id.

    Example:  hushrank collector create survey.toml --open
    """
    form = _form(file)

    async def create_it(service: "Service") -> None:
        from hushrank.collector.draft import read_draft

        survey = await service.create(*read_draft(file.read_bytes(), form=form))
        if open:
            await service.open(survey)
        print(survey)

    _with_service(store, create_it)


@collector.command("list")
def list_surveys(store: StoreAddress = STORE) -> None:
    """Show all surveys: their ids, where they are in their life, and how many people reported.

    Example:  hushrank collector list
    """

    async def list_them(service: "Service") -> None:
        table = Table("id", "title", "state", "round", "joined", "reported")
        for live in await service.surveys():
            number = "" if live.life.round is None else str(live.life.round + 1)
            joined = sum(each.joined for each in live.counts)
            reported = sum(each.reported for each in live.counts)
            title = plain(live.draft.title)
            table.add_row(live.id, title, live.life.state, number, f"{joined:,}", f"{reported:,}")
        for_people(wrap=True).print(table)

    _with_service(store, list_them)


@collector.command()
def export(
    survey: SurveyId,
    out: Annotated[
        Path, Option(help="The file: .json; with --survey also .toml; with --reports .parquet.")
    ],
    store: StoreAddress = STORE,
    survey_only: Annotated[
        bool, Option("--survey", help="Only what was filled in, as `create` takes it.")
    ] = False,
    reports: Annotated[
        bool, Option("--reports", help="Only the reports of an ended round, for `hushrank tally`.")
    ] = False,
    round: Annotated[
        int | None, Option(min=1, help="Of --reports: which round, 1 = the first. (default: last)")
    ] = None,
) -> None:
    """Write all that is known of a survey: what was asked, and the tallies of its rounds.

    Reports are in it as sums, by question; not whose they are. With --reports the noisy reports of
    a round are written one by one, not when or from whom they came: what `hushrank tally` counts.

    Example:  hushrank collector export SURVEY --out survey.json
    """
    outputs([out], beside=[])
    if reports:
        require(not survey_only, "expected --survey or --reports, not both")
        require(out.suffix == ".parquet", f"expected a .parquet file, got {Path(shown(out)).name}")
        needs_parquet("--reports")
        _with_service(store, lambda service: _export_reports(service, survey, out, round))
        return
    require(round is None, "expected --round beside --reports only")
    form = _form(out)
    require(survey_only or form == "json", f"expected a .json file, got {Path(shown(out)).name}")
    export_it = _export_draft if survey_only else _export_all
    _with_service(store, lambda service: export_it(service, survey, out))


async def _export_draft(service: "Service", survey: str, out: Path) -> None:
    from hushrank.collector.draft import write_draft

    draft = (await service.survey(survey)).draft
    content = write_draft(draft, await service.pictures(survey), form=_form(out))
    replace_file(out, content, secret=False)


async def _export_all(service: "Service", survey: str, out: Path) -> None:
    import msgspec

    exported = msgspec.json.encode(await service.export(survey))
    replace_file(out, msgspec.json.format(exported, indent=2), secret=True)


@collector.command("hand-over")
def hand_over(
    survey: SurveyId,
    out: Annotated[Path, Option(help="The file of reports: .parquet.")],
    store: StoreAddress = STORE,
) -> None:
    """End the open round, and write its reports for `hushrank tally` instead of counting them.

    Nobody can report from then on. `hushrank collector take-back` brings the tallies.

    Example:  hushrank collector hand-over SURVEY --out reports.parquet
    """
    require(out.suffix == ".parquet", f"expected a .parquet file, got {Path(shown(out)).name}")
    needs_parquet("hand-over")
    outputs([out], beside=[])  # before the round ends, for it cannot go on again

    async def hand_it_over(service: "Service") -> None:
        from hushrank.collector.elsewhere import write_reports

        write_reports(out, *await service.hand_over(survey))

    _with_service(store, hand_it_over)


@collector.command("take-back")
def take_back(
    survey: SurveyId,
    file: Annotated[
        Path | None, Argument(help="What `hushrank tally` wrote; without it, count here after all.")
    ] = None,
    store: StoreAddress = STORE,
) -> None:
    """Go on with the tallies of a round that was handed over, as if they were counted here.

    They must be of all reports that were handed over, each counted once.

    Example:  hushrank collector take-back SURVEY tallies.json
    """

    async def take_it_back(service: "Service") -> None:
        from hushrank.collector.elsewhere import read_so_far

        if file is None:
            await service.count_here(survey)
        else:
            await service.take_back(survey, read_so_far(file))

    _with_service(store, take_it_back)


@collector.command()
def delete(
    survey: SurveyId,
    store: StoreAddress = STORE,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all that is kept of a survey, for good.

    Example:  hushrank collector delete SURVEY --yes
    """
    if not yes:
        typer.confirm("Delete the survey, its reports and its results, for good?", abort=True)
    _with_service(store, lambda service: service.delete(survey))


@collector.command("rotate-key")
def rotate_key(
    drop_old: Annotated[
        bool,
        Option(help="Let earlier keys sign nothing: who joined and has not sent cannot any more."),
    ] = False,
    store: StoreAddress = STORE,
) -> None:
    """Sign new assignments by a new key; those that people have stay valid.

    Example:  hushrank collector rotate-key
    """

    async def rotate(service: "Service") -> None:
        key = await service.rotate_key(drops_old=drop_old)
        others = ", and no others are valid" if drop_old else ""
        for_people().print(f"new assignments are signed by key {key}{others}")

    _with_service(store, rotate)


@collector.command()
def backup(
    out: Annotated[Path, Argument(help="The copy to write; it must not be there yet.")],
    store: StoreAddress = STORE,
) -> None:
    """Write a copy of the store, whole at one moment, while the collector goes on.

    Example:  hushrank collector backup copy.sqlite
    """
    _with_service(store, lambda service: service.store.backup(out))


@collector.command("sign-in")
def sign_in(
    store: StoreAddress = STORE,
    public_url: Annotated[
        str, Option(help="Where the organiser's browser reaches the collector.")
    ] = "http://127.0.0.1:8000",
) -> None:
    """Print a link that signs the organiser in: once, within an hour.

    Example:  hushrank collector sign-in --public-url https://survey.example.org
    """

    async def print_link(service: "Service") -> None:
        from hushrank.collector.web.sessions import new_link
        from hushrank.collector.web.settings import Settings

        print(await new_link(service.store, Settings(public_url=public_url)))

    _with_service(store, print_link)


async def _export_reports(service: "Service", id: str, out: Path, round: int | None) -> None:
    from hushrank.collector.elsewhere import write_reports

    write_reports(out, *await service.reports(id, None if round is None else round - 1))


def _form(file: Path) -> "Form":
    require(
        file.suffix in (".toml", ".json"),
        f"expected a .toml or .json file, got {Path(shown(file)).name}",
    )
    return "toml" if file.suffix == ".toml" else "json"


def _with_service(store: str, use: Callable[["Service"], Awaitable[object]]) -> None:
    with needs_collector():
        from hushrank.collector.serve import with_service
    with_service(store, use)
