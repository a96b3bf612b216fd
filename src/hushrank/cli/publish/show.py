"""Publish from files, and show the release to its owner: table, JSON, report and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import require_writable, write_activity
from hushrank.activities.profile_files import read_profiles
from hushrank.cli.input.reading import ActivityOptions, say_reading
from hushrank.cli.output.console import (
    console_beside,
    figures_table,
    flagged,
    in_flags,
    say_written,
    write_json,
)
from hushrank.cli.output.talk import for_people, working
from hushrank.errors import HushrankError, require
from hushrank.files.disk import FilePath, outputs
from hushrank.workflows.publish.historical import Release, hold_out, publish_and_compare
from hushrank.workflows.publish.posterior_file import (
    has_one_posterior,
    require_columns,
    write_posterior,
)
from hushrank.workflows.results.release_comparison import ReleaseComparison
from hushrank.workflows.results.release_terms import ReleaseTerms
from hushrank.workflows.results.useful_budgets import useful_in_words

NO_TIMES = "Times are not released: the column is left out."


@dataclass(frozen=True)
class PublishPaths:
    """The files to read, and those to write."""

    activity: Path
    profiles: Path
    output: Path
    hold_out: Path | None
    posterior: Path | None
    json: Path | None
    report: Path | None

    def written(self) -> list[FilePath]:
        """Return the files to write, after it is certain that they can be."""
        tables = (self.output, self.hold_out, self.posterior)
        for path in tables:
            if path is not None:
                require_writable(path)
        return outputs((*tables, self.json, self.report), beside=[self.activity, self.profiles])


@dataclass(frozen=True, eq=False, repr=False)
class Publication:
    """A release, what its owner sees of it, and the records held out of it."""

    release: Release
    compared: ReleaseComparison
    held_out: Activity | None


def publish_and_show(
    terms: ReleaseTerms,
    bins: Sequence[str],
    edges: Mapping[str, Sequence[float]],
    paths: PublishPaths,
    columns: ActivityOptions,
) -> None:
    """Publish, print a table, and write what was asked for; edges: `bins`, taken apart."""
    paths.written()
    written = paths.written()
    console = console_beside(written)
    activity = columns.read(paths.activity)
    say_reading(console, activity.reading)
    published = _publish(terms, edges, paths, activity)
    compared = published.compared
    title, notes = f"Published from {paths.activity.name}", _notes(compared.notes)
    warnings = compared.warnings
    if activity.reading is not None and activity.reading.has_times:
        notes.append(NO_TIMES)
    console.print(figures_table(title, compared.summary))
    console.print("\n".join(note for note in notes if note not in warnings))
    for warning in warnings:
        for_people(beside_output=True).print(warning)
    if paths.report is not None:
        compared.report(paths.report, title=title, notes=notes)
    _write(published, bins, paths)
    say_written(console, written)


def suggestion(terms: ReleaseTerms, activity: Activity) -> HushrankError:
    """Return the error of a command without a budget: what to try, by the size of the data."""
    words = useful_in_words(terms.method, terms.distance, activity)
    where = "docs/publishing.md says what it counts"
    return HushrankError(f"expected --budget{words and ': '}{words}; {where} ({terms.unit})")


def _publish(
    terms: ReleaseTerms,
    edges: Mapping[str, Sequence[float]],
    paths: PublishPaths,
    activity: Activity,
) -> Publication:
    held_out = None
    profiles = read_profiles(paths.profiles, attributes=terms.private, bins=edges)
    if paths.hold_out is not None:
        activity, held_out = hold_out(activity, seed=terms.seed)
    if paths.posterior is not None:
        one = has_one_posterior(activity, profiles, terms.private)
        require(one, "--posterior needs users who all protect the same attributes")
        require_columns(profiles.joint(terms.private).values)
    named = ("budget", "protect:", "clusters", "max_ratio", "method withhold")
    with in_flags(*named), working("publishing") as progress:
        return Publication(
            *publish_and_compare(activity, profiles, terms, progress=progress), held_out
        )


def _write(published: Publication, bins: Sequence[str], paths: PublishPaths) -> None:
    """Write the release last: a second one, because something else failed, would tell more."""
    if paths.hold_out is not None and published.held_out is not None:
        write_activity(published.held_out, paths.hold_out, secret=True)
    if paths.posterior is not None:
        write_posterior(published.compared.posterior, paths.posterior)
    if paths.json is not None:
        write_json(paths.json, as_json(published.compared, bins), secret=True)
    release = published.release
    write_activity(release.activity, paths.output, secret=not release.is_private)


def as_json(compared: ReleaseComparison, bins: Sequence[str]) -> dict[str, Any]:
    """Return the figures as the command's JSON document has them, with the options it was given."""
    found = compared.to_dict()
    options = found["options"]
    seed = options.pop("seed")
    found["options"] = {**options, "bins": bins, "seed": seed}
    statement = " ".join(_notes(compared.terms.notes))
    return {**found, "privacy_statement": statement, "publishable": []}


def _notes(notes: Sequence[str]) -> list[str]:
    return [flagged(note, "keep_own:", "seed:") for note in notes]
