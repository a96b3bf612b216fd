"""Show a historical release: table, JSON, report and files."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from rich.console import Console

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity, require_writable, write_activity
from hushrank.activities.profile_files import read_profiles
from hushrank.activities.splits import split_activity
from hushrank.cli.console import figures_table, plain
from hushrank.files.disk import replace_file, require_apart, require_folder
from hushrank.publishing.historical.release import Told
from hushrank.workflows.posterior_file import write_posterior
from hushrank.workflows.publish import Published, PublishOptions, publish_activity
from hushrank.workflows.seeds import stream

STATEMENT = (
    "Private values are harder to infer from what is released; this is no differential privacy."
)
KEPT_OWN = "--keep-own: a record may be its owner's, so no leakage here bounds what it tells."
BELIEVED = "leakage rests on a classifier; what users could jointly be told was not bounded."
SEEDED = "--seed: whoever knows the seed knows whose record each one is."


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

    @property
    def written(self) -> list[Path]:
        """The files to write."""
        paths = (self.output, self.hold_out, self.posterior, self.json, self.report)
        return [path for path in paths if path is not None]

    def require_usable(self) -> None:
        """Raise HushrankError, before anything is done, where writing would fail or destroy."""
        require_apart([self.activity, self.profiles, *self.written])
        for path in (self.output, self.hold_out, self.posterior):
            if path is not None:
                require_writable(path)
        for path in self.written:
            require_folder(path)


def publish_and_show(options: PublishOptions, paths: PublishPaths) -> None:
    """Publish, print a table, and write what was asked for."""
    options.require_usable()
    paths.require_usable()
    published, held_out = _publish(options, paths)
    figures = _figures(published, options)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    title = f"Published from {paths.activity.name}"
    console.print(figures_table(title, figures))
    console.print("\n".join(_notes(options)))
    if paths.report is not None:
        from hushrank.cli.publish.page import write_page  # matplotlib is slow to import

        write_page(paths.report, published, figures, _notes(options), title=title)
    _write(published, held_out, options, paths)
    for path in paths.written:
        console.print(f"wrote {plain(str(path))}")


def _publish(options: PublishOptions, paths: PublishPaths) -> tuple[Published, Activity | None]:
    """Return what is published, and the records held out of it."""
    activity, held_out = read_activity(paths.activity), None
    profiles = read_profiles(paths.profiles, attributes=options.private, bins=options.edges)
    if paths.hold_out is not None:
        activity, held_out = split_activity(activity, rng=stream(options.seed, "hold out"))
    one_group = paths.posterior is not None
    with Console(stderr=True).status("publishing"):
        return publish_activity(activity, profiles, options, one_group=one_group), held_out


def _write(
    published: Published, held_out: Activity | None, options: PublishOptions, paths: PublishPaths
) -> None:
    """Write the release last: a second one, because something else failed, would tell more."""
    if paths.hold_out is not None and held_out is not None:
        write_activity(held_out, paths.hold_out, secret=True)
    if paths.posterior is not None:
        write_posterior(published, paths.posterior)
    if paths.json is not None:
        result = msgspec.json.encode(as_json(published, options))
        replace_file(paths.json, msgspec.json.format(result) + b"\n", secret=True)
    write_activity(published.release.activity, paths.output)


def as_json(published: Published, options: PublishOptions) -> dict[str, Any]:
    """Return the release as the JSON document has it; the figures are of its worst group."""
    release, users = published.release, published.users
    groups = [_group(plan.names, len(plan.users), asdict(plan.told)) for plan in release.plans]
    return {
        "method": release.method,
        "budget": release.budget,
        "budget_unit": options.unit,
        "expected_distortion": release.expected_distortion,
        "record_distortion": release.record_distortion,
        **_worst_told([plan.told for plan in release.plans]),
        "users": users.activity.n_users,
        "protected_users": release.n_protected,
        "items": users.activity.n_items,
        "clusters": users.clusters.n_clusters,
        "groups": groups,
        "private": release.is_private,
        "options": asdict(options),
        "seconds": published.seconds,
        "privacy_statement": " ".join(_notes(options)[1:]),
    }


def _group(names: tuple[str, ...], n_users: int, told: dict[str, Any]) -> dict[str, Any]:
    ratio = _finite(told["worst_likelihood_ratio"])
    return {"protects": names, "users": n_users, **told, "worst_likelihood_ratio": ratio}


def _worst_told(told: Sequence[Told]) -> dict[str, float | None]:
    return {
        "untouched_bits": max(each.untouched_bits for each in told),
        "leakage_bits": max(each.leakage_bits for each in told),
        "leakage_bits_heldout": _worst([each.leakage_bits_heldout for each in told]),
        "certified_gap": _worst([each.certified_gap for each in told]),
        "worst_likelihood_ratio": _finite(max(each.worst_likelihood_ratio for each in told)),
    }


def _worst(numbers: list[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return max(known) if known else None


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _figures(published: Published, options: PublishOptions) -> dict[str, str]:
    found = as_json(published, options)
    said = {name: _text(found[name]) for name in ("leakage_bits_heldout", "certified_gap")}
    return {
        "method": options.method,
        "budget": f"{options.budget:g} ({options.unit})",
        "users": f"{found['users']:,}, of whom {found['protected_users']:,} are protected",
        "items": f"{found['items']:,}",
        "clusters": str(found["clusters"]),
        "expected distortion": f"{found['expected_distortion']:.4f}",
        "distortion of records *": f"{found['record_distortion']:.4f} (Kendall, ties half)",
        "leakage, untouched clusters": f"{found['untouched_bits']:.4f} bits",
        "leakage": f"{found['leakage_bits']:.4f} bits",
        "leakage, users held out": said["leakage_bits_heldout"],
        "certified gap": said["certified_gap"],
        "worst likelihood ratio": _text(found["worst_likelihood_ratio"], "unbounded", ""),
        "seconds": f"{published.seconds:.2f}",
    }


def _text(number: float | None, nothing: str = "unknown", unit: str = " bits") -> str:
    return nothing if number is None else f"{np.round(number, 6):.4g}{unit}"


def _notes(options: PublishOptions) -> list[str]:
    """Say what the table alone does not."""
    notes = ["* of protected users; all figures are from raw data: for you, not for publication"]
    notes.append(STATEMENT)
    if options.keep_own:
        notes.append(KEPT_OWN)
    if options.method == "user-level":
        notes.append(BELIEVED)
    if options.seed is not None:
        notes.append(SEEDED)
    return notes
