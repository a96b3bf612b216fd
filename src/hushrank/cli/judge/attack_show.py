"""Let all attackers guess, before and after, and show how well they do."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from rich.table import Table

from hushrank.accounting.rounding import places_below
from hushrank.activities.activity_files import read_activity
from hushrank.activities.bins import parse_bins
from hushrank.activities.profile_files import read_profiles
from hushrank.arrays import Floats
from hushrank.cli.input.reading import ActivityOptions
from hushrank.cli.judge.show import show_judged
from hushrank.cli.output.console import plain
from hushrank.cli.output.talk import working
from hushrank.files.disk import outputs
from hushrank.workflows.judge import AttackResult, attack
from hushrank.workflows.publish.posterior_file import read_posterior


@dataclass(frozen=True)
class AttackPaths:
    """The files to read, and the one to write."""

    activity: Path
    released: Path
    profiles: Path
    posterior: Path | None
    json: Path | None


@dataclass(frozen=True)
class PosteriorFile:
    """What the channel tells, read when it is known of whom."""

    path: Path

    def chances_of(self, users: tuple[str, ...], values: tuple[str, ...]) -> Floats:
        """Return P(value | released record) (users, values) of these users and values."""
        return read_posterior(self.path, users, values)


def attack_and_show(
    paths: AttackPaths,
    names: tuple[str, ...],
    bins: tuple[str, ...],
    seed: int,
    columns: ActivityOptions,
) -> None:
    """Attack both, print a table, and write what was asked for."""
    read = (paths.activity, paths.released, paths.profiles, paths.posterior)
    outputs([paths.json], beside=read)
    start = perf_counter()
    edges = dict(parse_bins(rule) for rule in bins)
    activity, released = columns.read(paths.activity), read_activity(paths.released)
    profiles = read_profiles(paths.profiles, attributes=names, bins=edges)
    posterior = None if paths.posterior is None else PosteriorFile(paths.posterior)
    with working("attacking") as progress:
        given = activity, released, profiles
        found = attack(*given, private=names, posterior=posterior, seed=seed, progress=progress)
    document = {**found.to_dict(), "seconds": perf_counter() - start}
    show_judged(_table(found), document, paths.json, activity)


def _table(found: AttackResult) -> Table:
    table = Table(title=plain(f"1 - AUC of {', '.join(found.private)}"), title_justify="left")
    table.add_column("attacker")
    for column in ("as it is", "released"):
        table.add_column(column, justify="right")
    for name, value in found.released.items():
        untouched = places_below(found.untouched[name], 3) if name in found.untouched else "-"
        table.add_row(name, untouched, places_below(value, 3))
    table.add_section()
    table.add_row("worst", places_below(found.worst_untouched, 3), places_below(found.worst, 3))
    return table
