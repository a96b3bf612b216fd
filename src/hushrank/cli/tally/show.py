"""Show what reports that arrived elsewhere add up to, and what they taught."""

from collections.abc import Sequence
from pathlib import Path

from hushrank.accounting.words import epsilon_in_words
from hushrank.cli.collect.show import Paths, write_collection
from hushrank.cli.output.console import (
    console_beside,
    figures_table,
    in_flags,
    plain,
    result_table,
    say_written,
)
from hushrank.cli.output.talk import working
from hushrank.collector.elsewhere import SurveySoFar, read_so_far, tally_reports
from hushrank.collector.results.document import public_document
from hushrank.collector.rounds import Asked
from hushrank.engines.tasks import Workers
from hushrank.errors import require
from hushrank.files.disk import FilePath, outputs, replace_file
from hushrank.files.elsewhere.addresses import shown
from hushrank.poisoning.words import in_words
from hushrank.workflows.results.collection import Collection

MOST_FINDINGS = 5
NO_KEY = "not looked for: --key names the column that says whose report it is"


def tally_and_show(
    reports: Sequence[str],
    survey: Path,
    out: Path,
    *,
    key: str | None,
    round: int | None,
    scratch: Path | None,
    workers: Workers,
) -> None:
    """Count one round, print a table, and write the survey with it."""
    require(out.suffix != ".toml", f"{shown(out)}: expected a path that ends in .json")
    outputs([out], beside=[*reports, survey] if out != survey else reports)
    so_far = read_so_far(survey)
    with in_flags("round:", "scratch:", "workers:", "scheduler:"), working("counting") as progress:
        counted = tally_reports(
            reports,
            so_far,
            key=key,
            round=round,
            scratch=scratch,
            workers=workers,
            progress=progress,
        )
    counted.write(out)
    console = console_beside([out])
    console.print(figures_table(f"Counted: {counted.draft.title}", _figures(counted)))
    say_written(console, [out])


def _figures(counted: SurveySoFar) -> dict[str, str]:
    """Return what was counted in the newest round."""
    newest = len(counted.rounds) - 1
    found = counted.rounds[newest]
    return {
        "round": str(newest + 1),
        "people": f"{counted.n_reports(newest):,}",
        "refused": f"{found.refused:,}",
        "repeated": NO_KEY if found.repeated is None else f"{found.repeated:,}",
    }


def conclude_and_show(counted: Path, paths: Paths, next: Path | None) -> None:
    """Conclude, print a table or what follows, and write what was asked for."""
    written = paths.written()
    so_far = read_so_far(counted)
    with working("concluding"):
        found = so_far.follows
    if isinstance(found, Asked):
        require(not written, "another round follows: there is nothing to write but --next")
        _show_next(so_far, found, next)
    else:
        require(next is None, "the last round was counted: no survey follows")
        _show_learnt(so_far, found, paths, written)


def _show_next(so_far: SurveySoFar, asked: Asked, folder: Path | None) -> None:
    console = console_beside([])
    number = len(so_far.rounds) + 1
    surveys = "1 survey" if len(asked.parts) == 1 else f"{len(asked.parts)} surveys"
    console.print(f"Round {number} follows, of {surveys}:")
    for part in asked.parts:
        low, high = part.survey.lots
        console.print(plain(f"{part.fingerprint}  {part.survey.name}, lots {low:g} to {high:g}"))
    if folder is not None:
        folder.mkdir(exist_ok=True)
        files = [folder / f"round-{number}-part-{n + 1}.json" for n in range(len(asked.parts))]
        for path, part in zip(files, asked.parts, strict=True):
            replace_file(path, part.document, secret=False)
        say_written(console, files)


def _show_learnt(
    so_far: SurveySoFar, learnt: Collection, paths: Paths, written: Sequence[FilePath]
) -> None:
    console = console_beside(written)
    title = so_far.draft.title
    console.print(result_table(title, learnt.summary, learnt.items))
    console.print(learnt.privacy)
    console.print(epsilon_in_words(learnt.outcome.epsilon))
    for each in so_far.findings[:MOST_FINDINGS]:
        console.print(plain(f"Perhaps forged: {in_words(each, so_far.draft.names)}."))
    write_collection(learnt, paths)
    if paths.json is not None:
        replace_file(paths.json, public_document(learnt, so_far.id, so_far.draft), secret=False)
    if paths.report is not None:
        learnt.report(paths.report, title=title)
    say_written(console, written)
