"""Publish from files, and show the release to its owner: table, JSON, report and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity, require_writable, write_activity
from hushrank.activities.profile_files import read_profiles
from hushrank.cli.console import figures_table, flagged, plain
from hushrank.errors import require
from hushrank.files.disk import FilePath, outputs, replace_file
from hushrank.workflows.posterior_file import has_one_posterior, write_posterior
from hushrank.workflows.publish import Release, hold_out, publish_and_compare
from hushrank.workflows.results.release_comparison import ReleaseComparison
from hushrank.workflows.results.release_terms import ReleaseTerms


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
) -> None:
    """Publish, print a table, and write what was asked for; edges: `bins`, taken apart."""
    paths.written()
    published = _publish(terms, edges, paths)
    compared = published.compared
    console = Console(markup=False, highlight=False, soft_wrap=True)
    title, notes = f"Published from {paths.activity.name}", _notes(compared.notes)
    console.print(figures_table(title, compared.summary))
    console.print("\n".join(notes))
    if paths.report is not None:
        compared.report(paths.report, title=title, notes=notes)
    _write(published, bins, paths)
    for path in paths.written():
        console.print(f"wrote {plain(str(path))}")


def _publish(
    terms: ReleaseTerms, edges: Mapping[str, Sequence[float]], paths: PublishPaths
) -> Publication:
    activity, held_out = read_activity(paths.activity), None
    profiles = read_profiles(paths.profiles, attributes=terms.private, bins=edges)
    if paths.hold_out is not None:
        activity, held_out = hold_out(activity, seed=terms.seed)
    if paths.posterior is not None:
        one = has_one_posterior(activity, profiles, terms.private)
        require(one, "--posterior needs users who all protect the same attributes")
    with Console(stderr=True).status("publishing"):
        return Publication(*publish_and_compare(activity, profiles, terms), held_out)


def _write(published: Publication, bins: Sequence[str], paths: PublishPaths) -> None:
    """Write the release last: a second one, because something else failed, would tell more."""
    if paths.hold_out is not None and published.held_out is not None:
        write_activity(published.held_out, paths.hold_out, secret=True)
    if paths.posterior is not None:
        write_posterior(published.compared.posterior, paths.posterior)
    if paths.json is not None:
        result = msgspec.json.encode(as_json(published.compared, bins))
        replace_file(paths.json, msgspec.json.format(result) + b"\n", secret=True)
    write_activity(published.release.activity, paths.output)


def as_json(compared: ReleaseComparison, bins: Sequence[str]) -> dict[str, Any]:
    """Return the figures as the command's JSON document has them, with the options it was given."""
    found = compared.to_dict()
    options = found["options"]
    seed = options.pop("seed")
    found["options"] = {**options, "bins": bins, "seed": seed}
    found["privacy_statement"] = " ".join(_notes(compared.terms.notes))
    return found


def _notes(notes: Sequence[str]) -> list[str]:
    return [flagged(note, "keep_own:", "seed:") for note in notes]
