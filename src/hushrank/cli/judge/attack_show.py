"""Let all attackers guess, before and after, and show how well they do."""

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity
from hushrank.activities.bins import parse_bins
from hushrank.activities.profile_files import read_profiles
from hushrank.activities.profiles import Profiles
from hushrank.cli.console import plain
from hushrank.errors import require
from hushrank.evaluation.attackers import Attacks, Release, attack, copies
from hushrank.files.disk import replace_file, require_apart, require_folder
from hushrank.workflows.posterior_file import read_posterior


@dataclass(frozen=True)
class AttackPaths:
    """The files to read, and the one to write."""

    activity: Path
    released: Path
    profiles: Path
    posterior: Path | None
    json: Path | None

    def require_usable(self) -> None:
        """Raise HushrankError, before anything is done, where writing would fail or destroy."""
        if self.json is not None:
            optional = [] if self.posterior is None else [self.posterior]
            require_apart([self.activity, self.released, self.profiles, *optional, self.json])
            require_folder(self.json)


def attack_and_show(
    paths: AttackPaths, names: tuple[str, ...], bins: tuple[str, ...], seed: int
) -> None:
    """Attack both, print a table, and write what was asked for."""
    paths.require_usable()
    start = perf_counter()
    activity = read_activity(paths.activity)
    released = read_activity(paths.released).aligned(activity.users, activity.items)
    edges = dict(parse_bins(rule) for rule in bins)
    profiles = read_profiles(paths.profiles, attributes=names, bins=edges).aligned(activity.users)
    targets = attacked_users(profiles, names)
    told = None
    if paths.posterior is not None:
        of_users = tuple(activity.users[row] for row in targets.protected)
        told = read_posterior(paths.posterior, of_users, targets.values)
    with Console(stderr=True).status("attacking"):
        before = attack(targets.release(activity), rng=np.random.default_rng(seed))
        known = replace(targets.release(released), posterior=told)
        after = attack(known, rng=np.random.default_rng(seed))
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(_table(", ".join(names), before, after))
    if paths.json is not None:
        result = _as_json(names, targets, before, after, perf_counter() - start)
        content = msgspec.json.format(msgspec.json.encode(result)) + b"\n"
        replace_file(paths.json, content, secret=True)
        console.print(f"wrote {plain(str(paths.json))}")


@dataclass(frozen=True, eq=False, repr=False)
class Targets:
    """Rows of users who protect the attributes and of those who do not, both with known codes."""

    protected: np.ndarray[Any, Any]
    open_users: np.ndarray[Any, Any]
    codes: np.ndarray[Any, Any]
    values: tuple[str, ...]

    def release(self, activity: Activity) -> Release:
        """Return what attackers see where this is what was released."""
        known = activity.scores[self.open_users], self.codes[self.open_users]
        asked = activity.scores[self.protected], self.codes[self.protected]
        n_copies = copies(activity.scores)[self.protected]
        return Release(*known, *asked, len(self.values), n_copies=n_copies)


def attacked_users(profiles: Profiles, names: tuple[str, ...]) -> Targets:
    """Return whose values attackers are after: users who protect one of the names, and tell all.

    Raises HushrankError when attackers have nobody to learn from, or nobody to attack.
    """
    value = profiles.joint(names)
    protects = np.zeros(profiles.n_users, dtype=np.bool_)
    for name in names:
        protects |= profiles.protected[name]
    protected, open_users = (np.flatnonzero(mask & value.told) for mask in (protects, ~protects))
    both = len(protected) > 0 and len(open_users) > 0
    require(both, "expected users who protect the attribute and users who do not, who both tell it")
    return Targets(protected, open_users, value.codes, value.values)


def _table(private: str, before: Attacks, after: Attacks) -> Table:
    table = Table(title=plain(f"1 - AUC of {private}"), title_justify="left")
    table.add_column("attacker")
    for column in ("as it is", "released"):
        table.add_column(column, justify="right")
    for name, area in after.areas.items():
        untouched = f"{1 - before.areas[name]:.3f}" if name in before.areas else "-"
        table.add_row(name, untouched, f"{1 - area:.3f}")
    table.add_section()
    table.add_row("worst", f"{before.worst:.3f}", f"{after.worst:.3f}")
    return table


def _as_json(
    names: tuple[str, ...], targets: Targets, before: Attacks, after: Attacks, seconds: float
) -> dict[str, Any]:
    return {
        "private": names,
        "protected_users": len(targets.protected),
        "open_users": len(targets.open_users),
        "untouched": {name: 1 - area for name, area in before.areas.items()},
        "released": {name: 1 - area for name, area in after.areas.items()},
        "worst_untouched": before.worst,
        "worst": after.worst,
        "strongest": after.strongest,
        "seconds": seconds,
    }
