"""Publish from many Parquet files, piece by piece, and show the release to its owner."""

from pathlib import Path
from typing import Any

from hushrank.activities.activity_files import ActivityColumns
from hushrank.activities.profile_files import read_profiles
from hushrank.cli.input.reading import ActivityOptions
from hushrank.cli.output.console import (
    console_beside,
    figures_table,
    flagged,
    marked,
    say_written,
    write_json,
)
from hushrank.cli.output.talk import working
from hushrank.cli.publish.show import PublishPaths
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError, require
from hushrank.files.disk import outputs
from hushrank.files.elsewhere.addresses import shown
from hushrank.workflows.publish.files import ReleasedFiles, publish_files
from hushrank.workflows.results.release_terms import ReleaseTerms


def publish_files_and_show(
    source: str,
    terms: ReleaseTerms,
    edges: dict[str, Any],
    paths: PublishPaths,
    columns: ActivityOptions,
    *,
    scratch: Path | None,
    workers: Workers,
) -> None:
    """Publish, print a table, and write what was asked for; `paths.output` is a folder."""
    if scratch is None:
        raise HushrankError("--engine dask needs --scratch: a folder for raw records meanwhile")
    _require_usable(terms, paths, columns)
    written = outputs([paths.json], beside=[source, paths.profiles, paths.output])
    console = console_beside(written)
    asked = vars(terms) | {"columns": ActivityColumns(**vars(columns))}
    del asked["protect"]
    profiles = read_profiles(paths.profiles, attributes=terms.private, bins=edges)
    with working("publishing") as progress:
        released, compared = publish_files(
            source,
            profiles,
            paths.output,
            scratch=scratch,
            workers=workers,
            progress=progress,
            **asked,
        )
    rows = {**_rows(terms, released), **compared.summary}
    console.print(figures_table(f"Published from {shown(source)}", rows))
    console.print("\n".join(flagged(note, "keep_own:", "seed:") for note in terms.notes))
    if paths.json is not None:
        owner = {"owner": compared.to_dict()}
        found = marked(released.to_dict(), owner, is_private=released.is_private)
        write_json(paths.json, found, secret=True)
    say_written(console, [*written, paths.output])


def _require_usable(terms: ReleaseTerms, paths: PublishPaths, columns: ActivityOptions) -> None:
    alone = terms.protect, paths.hold_out, paths.posterior, paths.report
    far = "--protect, --hold-out, --posterior and --report need all records in one process"
    require(all(each is None for each in alone), far)
    is_file = paths.output.suffix in (".csv", ".gz")
    require(not is_file, f"{shown(paths.output)}: --engine dask writes a folder of Parquet files")
    require(columns.delimiter is None, "--delimiter is of text, and --engine dask reads Parquet")


def _rows(terms: ReleaseTerms, released: ReleasedFiles) -> dict[str, str]:
    return {
        "method": terms.method,
        "budget": f"{terms.budget_in_words} ({terms.unit})",
        "hidden": ", ".join(terms.private),
        "users": f"{released.n_users:,}",
        "records": f"{released.n_records:,}",
    }
