"""Reports that arrived elsewhere: count files of them, and conclude what a collector would.

One document follows a survey: its organiser's file, the seed of its public coins, and the tallies
of the rounds that were counted. `hushrank collector export` writes the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import starmap
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from hushrank.collector.draft import Draft, read_draft, write_draft
from hushrank.collector.rounds import (
    Asked,
    choose,
    decode_tallies,
    encode_tallies,
    n_reports_of,
    replay,
    require_groups,
)
from hushrank.collector.store.store import Kinds
from hushrank.engines.tasks import HERE, Workers
from hushrank.errors import HushrankError, expect, require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.disk import FilePath, errors_naming, replace_file
from hushrank.files.encodings import UNREADABLE, wrong_with
from hushrank.files.hashes import new_salt
from hushrank.files.pieces import MARK, Piece, pieces_of
from hushrank.files.spread import scratch_folder
from hushrank.mechanisms.local import LocalMechanism
from hushrank.poisoning.findings import Finding
from hushrank.poisoning.suspicion import FALSE_ALARM, suspicion
from hushrank.protocols.chosen import Chosen
from hushrank.surveys.report_batches import Counted, Parts, report_table
from hushrank.surveys.report_files import (
    Keyed,
    n_buckets_of,
    spread_piece,
    tally_bucket,
    tally_piece,
)
from hushrank.surveys.survey import RoundTallies, Survey
from hushrank.workflows.progress import Progress, of_pieces, silent
from hushrank.workflows.results.collection import Collection

ROWS_OF_A_PIECE = 2**23
"""What a task counts, about a third of a second of work."""

ROWS_OF_A_BUCKET = 2**22
"""What a task holds where files are read for each bucket: about a gigabyte, of numbers as keys."""

ROWS_OF_A_SORTED_BUCKET = 2**20
"""What it holds where rows are sorted first, and more buckets cost nothing."""

NO_SURVEY = "expected a survey as JSON, as `collector export` and `tally` write it, or as .toml"

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**40)]
"""A hundred times all people; of far more reports no model can be fitted in floats."""
WireTally: TypeAlias = tuple[Count, tuple[Count, ...]]
"""How many reports there were, and how many of them support each category."""
WireTallies: TypeAlias = tuple[tuple[WireTally, ...], ...]
"""Those of each survey's questions."""


class WireRound(msgspec.Struct, frozen=True):
    """A round that was counted. repeated: None where no key said whose report is whose.

    handed: the mark of the file, where a collector handed the counting over.
    """

    fingerprints: tuple[str, ...]
    tallies: WireTallies
    refused: Count = 0
    repeated: Count | None = None
    handed: str = ""

    @property
    def counted(self) -> RoundTallies:
        """The tallies of each part."""
        return decode_tallies(msgspec.json.encode(self.tallies))


class WireSoFar(msgspec.Struct, frozen=True):
    """A survey so far, as a document: whatever else a collector exports is passed over."""

    survey: msgspec.Raw
    public_seed: Annotated[int, msgspec.Meta(ge=0)]
    rounds: tuple[WireRound, ...] = ()
    id: str = ""
    chosen: Chosen | None = None


@dataclass(frozen=True, repr=False)
class SurveySoFar:
    """What an organiser asks, the seed of public coins, and the rounds that were counted.

    `chosen`: what the release that began it chose to ask; None until a round was counted.
    """

    draft: Draft
    seed: int = 0
    rounds: tuple[WireRound, ...] = ()
    id: str = ""
    chosen: Chosen | None = None

    @cached_property
    def follows(self) -> Asked | Collection:
        """The round that is asked next, or what was learnt after the last one.

        Raises HushrankError where fewer people reported in a round than results are shown of: the
        next one would depend on their reports, and cost people for nothing.
        """
        if self.rounds:  # those before were looked at when this one was asked
            require_groups([self.n_reports(len(self.rounds) - 1)], self.draft.smallest_group)
        counted = [each.counted for each in self.rounds]
        return replay(self.draft, self.seed, counted, self.chosen)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Where counted reports cannot all be of honest devices, the unlikeliest first.

        Honest reports alone lead to a finding in at most one of a thousand surveys.
        """
        ended = []
        for number, each in enumerate(self.rounds):
            asked = self.before(number + 1).follows
            surveys = asked.surveys if isinstance(asked, Asked) else ()
            ended += list(zip(surveys, each.counted, strict=True))
        rate = FALSE_ALARM / max(len(ended), 1)
        tested = (suspicion(*one, false_alarm=rate) for one in ended)
        found = (finding for each in tested for finding in each.findings)
        return tuple(sorted(found, key=lambda finding: finding.p_value))

    def before(self, round: int) -> "SurveySoFar":
        """Return the survey as it was before a round was counted, 1 = the first one."""
        most = len(self.rounds) + 1
        require(1 <= round <= most, f"expected a round of 1 to {most}, got {round}")
        return replace(self, rounds=self.rounds[: round - 1])

    def with_round(
        self, asked: Asked, counted: Counted, *, has_key: bool, handed: str = ""
    ) -> "SurveySoFar":
        """Return the survey after one more round."""
        tallies = msgspec.json.decode(encode_tallies(counted.tallies), type=WireTallies)
        repeated = counted.n_repeated if has_key else None
        newest = WireRound(asked.fingerprints, tallies, counted.n_refused, repeated, handed)
        chosen = choose(self.draft) if self.chosen is None else self.chosen
        return replace(self, rounds=(*self.rounds, newest), chosen=chosen)

    def n_reports(self, number: int) -> int:
        """Return how many people reported in a round, 0 = the first one."""
        asked = self.before(number + 1).follows
        require(isinstance(asked, Asked), "expected a round that was asked")
        surveys = asked.surveys if isinstance(asked, Asked) else ()
        return n_reports_of(self.rounds[number].counted, surveys)

    def document(self) -> bytes:
        """Return all of it as JSON; pictures of items are left out."""
        survey = write_draft(_without_pictures(self.draft), {}, form="json")
        wire = WireSoFar(msgspec.Raw(survey), self.seed, self.rounds, self.id, self.chosen)
        return msgspec.json.format(msgspec.json.encode(wire), indent=1) + b"\n"

    def write(self, path: FilePath) -> None:
        """Write the document: only its owner reads it, for a sum may be of one report."""
        replace_file(path, self.document(), secret=True)


def read_so_far(path: FilePath) -> SurveySoFar:
    """Read a survey: an organiser's file (.toml, .json), a collector's export, or `tally`'s output.

    An organiser's file alone says nothing of public coins: their seed is 0.
    Raises HushrankError, which names the file, where it is no such document, or where its rounds
    are not those that this survey asks.
    """
    with errors_naming(path):
        content = Path(path).read_bytes()
        if Path(path).suffix == ".toml":
            return SurveySoFar(read_draft(content, form="toml")[0])
        try:
            fields = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            is_so_far = "public_seed" in fields
            wire = msgspec.json.decode(content, type=WireSoFar) if is_so_far else None
        except UNREADABLE as error:
            raise HushrankError(f"{NO_SURVEY}: {wrong_with(error)}") from None
        draft, _ = read_draft(content if wire is None else bytes(wire.survey), form="json")
        if wire is None:
            return SurveySoFar(draft)
        found = SurveySoFar(draft, wire.public_seed, wire.rounds, wire.id, wire.chosen)
        return _checked(found)


def tally_reports(
    source: FilePath | Sequence[FilePath],
    survey: SurveySoFar,
    *,
    key: str | None = None,
    round: int | None = None,
    scratch: FilePath | None = None,
    workers: Workers = HERE,
    progress: Progress = silent,
) -> SurveySoFar:
    """Count the reports of one round in Parquet files, and return the survey with that round.

    source: paths, patterns such as `reports/*.parquet`, folders, or addresses such as `s3://...`;
        columns survey, question, report: see `surveys.report_batches`.
    key: the column that says whose report it is: of one person the first ones count, in the order
        of files and rows. None: whoever wrote the files dropped repeats.
    round: 1 = the first, which is counted anew; the next one unless told.
    scratch: with a key, a folder that all workers reach: rows are sorted there, so that the files
        are read once, not once for every 4 million reports. Nothing of it is left there.
    workers: where it is counted.

    Reports that no device can have sent, or that answer another survey, are counted as refused.
    Raises HushrankError, naming the file, where one is missing, damaged or of other columns, and
    where no report is of this round; then nothing was counted.
    """
    expect(survey, SurveySoFar, "survey", "read_so_far")
    expect(workers, Workers, "workers")
    before = survey if round is None else survey.before(round)
    asked = before.follows
    if not isinstance(asked, Asked):
        raise HushrankError(
            "round: the survey's last round was counted; say which one to count anew"
        )
    pieces = tuple(pieces_of(source, most_rows=ROWS_OF_A_PIECE))
    progress(f"counting {sum(piece.n_rows for piece in pieces):,} reports")
    if key is None:
        require(scratch is None, "scratch: rows are sorted there by a key, and none was given")
        counted = workers.add_up(tally_piece, asked.parts, pieces, of_pieces(progress))
    else:
        counted = _tally_by_key(asked.parts, pieces, key, scratch, workers, progress)
    n_counted = sum(each.n_reports for tallies in counted.tallies for each in tallies)
    none = "no report answers what this round asks: perhaps they are of another one"
    require(n_counted, f"round {len(before.rounds) + 1}: {none}")
    marks = {piece.mark for piece in pieces}
    handed = marks.pop() if len(marks) == 1 else ""
    return before.with_round(asked, counted, has_key=key is not None, handed=handed)


def _tally_by_key(
    parts: Parts,
    pieces: tuple[Piece, ...],
    key: str,
    scratch: FilePath | None,
    workers: Workers,
    progress: Progress,
) -> Counted:
    """Drop repeats in buckets of keys, read from all files each, or sorted into files first."""
    tell, most = of_pieces(progress), ROWS_OF_A_SORTED_BUCKET if scratch else ROWS_OF_A_BUCKET
    n_buckets = n_buckets_of(pieces, most_rows=most)
    buckets = range(n_buckets)
    keyed = Keyed(parts, key, n_buckets, new_salt())
    if scratch is None:
        return workers.add_up(tally_bucket, replace(keyed, pieces=pieces), buckets, tell)
    with scratch_folder(scratch) as folder, workers.kept() as kept:
        spread = kept.add_up(spread_piece, replace(keyed, folder=folder), pieces, tell)
        counted = kept.add_up(tally_bucket, replace(keyed, files=spread.files), buckets, tell)
    return replace(counted, n_refused=counted.n_refused + spread.n_refused)


def write_reports(path: FilePath, asked: Asked, kinds: Sequence[Kinds], mark: str = "") -> None:
    """Write the reports of a round that a collector ran, for `tally_reports`: only its owner reads.

    mark: by which the collector knows the file's tallies when they come back.
    Privacy: reports as devices sent them, sorted; when and from whom they came is not written.
    """
    pa = pyarrow_for("a file of reports")
    from pyarrow import parquet

    rows = [
        (part, question, report, n_times)
        for part, question, times in kinds
        for report, n_times in times.items()
    ]
    table, written = report_table(asked.parts, rows), pa.BufferOutputStream()
    marked = table.replace_schema_metadata({MARK: mark} if mark else None)
    parquet.write_table(marked, written, write_page_checksum=True)
    replace_file(path, written.getvalue().to_pybytes(), secret=True)


def _checked(found: SurveySoFar) -> SurveySoFar:
    """Raise HushrankError unless each round is the one that follows from those before it."""
    for number, each in enumerate(found.rounds, start=1):
        asked = found.before(number).follows
        other = f"round {number} is none of this survey, or of another version of hushrank"
        require(isinstance(asked, Asked) and asked.fingerprints == each.fingerprints, other)
        surveys = asked.surveys if isinstance(asked, Asked) else ()
        sizes = [[mechanism.n_categories for mechanism in survey.mechanisms] for survey in surveys]
        fits = sizes == [[len(support) for _, support in part] for part in each.tallies]
        require(fits, f"round {number}: expected one tally for each question")
        pairs = zip(surveys, each.tallies, strict=True)
        can_be = all(starmap(_can_be, pairs))
        require(can_be, f"round {number}: expected tallies that reports can add up to")
    return found


def _can_be(survey: Survey, tallies: Sequence[WireTally]) -> bool:
    """Whether no category has more support than reports can give it, or ranks in its place."""
    return all(
        max(support) <= n * (1 if isinstance(mechanism, LocalMechanism) else len(support) - 1)
        for mechanism, (n, support) in zip(survey.mechanisms, tallies, strict=True)
    )


def _without_pictures(draft: Draft) -> Draft:
    items = tuple(msgspec.structs.replace(item, picture=None) for item in draft.items)
    return msgspec.structs.replace(draft, items=items)
