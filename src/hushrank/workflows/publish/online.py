"""Release activities one by one, as they happen, so that nothing is lost or drawn twice.

A stream is all its owner's; what may be handed over is what its runs release. A run releases the
lines of a file or a pipe (`release_lines`, the command) or the activities of a program (`release`):
both take the same steps, noted in the same state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from math import inf, isfinite, log
from typing import Any, BinaryIO

import msgspec
import numpy as np

from hushrank.accounting.rounding import float_below
from hushrank.accounting.words import as_given, bits_in_words, finely
from hushrank.activities.activity import Activity
from hushrank.activities.activity_lines import ActivityLines, LineReader
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Indices
from hushrank.errors import HushrankError, require
from hushrank.files.disk import FilePath, errors_naming
from hushrank.publishing.online.journal import GivenLines, Input, Journal, Lines, Output
from hushrank.publishing.online.publisher import OnlinePublisher
from hushrank.publishing.online.rules import StreamRules
from hushrank.publishing.online.setup import StreamSetup, stream_setup
from hushrank.publishing.online.state import StreamState, StreamTotals, stored_setup
from hushrank.randomness import Randomness
from hushrank.workflows.arguments import (
    expect,
    expect_attributes,
    expect_number,
    expect_seed,
    expect_whole,
)
from hushrank.workflows.results.useful_budgets import online_in_words

BIT = log(2)
"""In nats."""
NEEDED = "expected learn_from, profiles, private and budget to begin a state"


@dataclass(frozen=True, repr=False)
class ReleasedActivity:
    """One activity as it is handed over.

    number: its place among all that the state took in, from 0. item: what is released in place of
    the true one, None where it is withheld. rest: the other keys of the activity, such as `time`.
    """

    number: int
    user: str
    item: str | None
    rest: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Say which activity, not what was released."""
        return f"ReleasedActivity(number {self.number})"


class OnlineStream:
    """A stream of activities that is begun or gone on with; it holds its state file until closed.

    Privacy: raw. The stream, its state and its figures are the owner's; what its runs release may
    be handed over.
    """

    def __init__(self, setup: StreamSetup, state: FilePath, *, seed: int | None = None) -> None:
        """Begin the state, or go on from what it holds; raise HushrankError when it is in use."""
        self._setup, self._seed, self._is_running = setup, seed, False
        self._publisher = setup.publisher()
        self._state = self._publisher.resume(state, setup.to_bytes())

    def __repr__(self) -> str:
        """Say the size only."""
        return f"OnlineStream({len(self._setup.users)} users, {len(self._setup.items)} items)"

    def __enter__(self) -> "OnlineStream":
        """Return the stream, which is closed at the end."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the state."""
        self.close()

    def close(self) -> None:
        """Close the state; another process may then open it."""
        self._state.close()

    @property
    def rules(self) -> StreamRules:
        """By what the activities are hidden; its limit is in nats."""
        return self._setup.rules

    @property
    def position(self) -> int:
        """How many activities were taken in so far, by all runs."""
        return self._state.position

    @property
    def next_run(self) -> int:
        """The number of the activity that `release` expects first: after a crash, not `position`.

        An interrupted run is to be given its activities again, from the first one on.
        """
        journal = self._journal()
        return self.position - (0 if journal.is_done else journal.n_lines)

    @property
    def is_private(self) -> bool:
        """Whether all draws so far came from the operating system, and the next ones will."""
        return self._journal().is_private and self._seed is None

    @property
    def totals(self) -> StreamTotals:
        """What was released of all protected users so far; leakages in nats."""
        return self._state.totals

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the budget for so many items: the sizes alone say it."""
        words = online_in_words(self.rules.budget, len(self._setup.items))
        return (words,) if words else ()

    @property
    def privacy(self) -> str:
        """What is protected, for whom, and at what cost, in one line."""
        if not self.is_private:
            return "Not private: a seed drew some of what this state released."
        names = ", ".join(sorted({*"+".join(self._setup.populations).split("+")}))
        return (
            f"What users protect ({names}) is harder to infer from each released activity (budget"
            f" {as_given(self.rules.budget)}: expected Kendall distance; {self.limit_in_words});"
            " this is no differential privacy."
        )

    @property
    def limit_in_words(self) -> str:
        """What a user may be told at most, in bits: as it was given, or else rounded up."""
        nats = self.rules.limit
        return "no limit" if nats == inf else f"limit {finely(Fraction(nats) / Fraction(BIT))} bits"

    @property
    def summary(self) -> dict[str, str]:
        """What was released and told so far, as rows of a table: for the owner alone."""
        totals = self.totals
        return {
            "activities": f"{self.position:,}",
            "hidden": f"{totals.n_released:,}",
            "withheld": f"{totals.n_withheld:,}",
            "protected users": f"{totals.n_users:,}",
            "told of a user, mean": f"{bits_in_words(totals.mean_leaked / BIT)} bits",
            "told of a user, most": f"{bits_in_words(totals.most_leaked / BIT)} bits",
            "under any prior belief, most": f"{bits_in_words(totals.most_worst_leaked / BIT)} bits",
        }

    def release(
        self, activities: Iterable[Mapping[str, Any]], *, at_once: int = 1, keep: Sequence[str] = ()
    ) -> Iterator[ReleasedActivity]:
        """Yield one released activity for each that is given, `{"user": "u7", "item": "cafe"}`.

        A `time` is optional, and passed on. keep: other keys to pass on; none may tell the item.
        at_once: so many are taken in before they are released: 1 as they happen, 1,000, which is
        faster, where all of them are there. The state has what is released before it is yielded.
        The run ends when the activities do and the last one was asked for. When it is interrupted,
        by a crash, an error, or because nobody asks for more, give the next call the same
        activities, from number `next_run` on: what was yielded before the last `at_once` is
        skipped, those are yielded again as they were drawn, and it goes on. So nothing is lost or
        drawn twice, and whoever stores what is yielded by its `number` has everything once.
        Raises HushrankError for an unknown user, item or key, which interrupts the run there, and
        for other activities than those of an interrupted run; TypeError for what is no mapping.
        """
        is_text = isinstance(activities, str | bytes | Mapping)
        if is_text or not isinstance(activities, Iterable):
            got = type(activities).__name__
            raise TypeError(f"activities: expected mappings with user and item, got {got}")
        require(at_once >= 1, f"expected 1 or more activities at once, got {at_once}")
        return self._released(map(_as_line, activities), at_once, keep)

    def release_lines(
        self, source: BinaryIO, target: BinaryIO, *, appends: bool, keep: Sequence[str] = ()
    ) -> None:
        """Write one line for each line of the source, both NDJSON, as soon as lines come.

        appends: the target is a file, opened to append and to read; after a crash it is continued
        where it ends. Otherwise it is a pipe, and the last batch is written again.
        Raises HushrankError as `release` does, and for another target.
        """
        with self._running() as journal:
            lines = Input(source, journal)
            output = Output(target, journal, is_file=appends)
            for text in self._texts(lines, keep, lambda: output.end, "line"):
                output.append(text)

    def _released(
        self, lines: Iterator[bytes], at_once: int, keep: Sequence[str]
    ) -> Iterator[ReleasedActivity]:
        with self._running() as journal:
            given = GivenLines(lines, journal, at_once=at_once)
            if not journal.is_done:
                yield from self._parsed(journal.text)
            for text in self._texts(given, keep, lambda: 0, "activity"):
                yield from self._parsed(text)

    def _parsed(self, text: bytes) -> Iterator[ReleasedActivity]:
        """Yield the activities of the last batch."""
        records = [msgspec.json.decode(line) for line in text.splitlines()]
        first = self.position - len(records)
        for number, record in enumerate(records, first):
            user, item = str(record.pop("user")), record.pop("item")
            yield ReleasedActivity(number, user, item, record)

    def _texts(
        self, lines: Lines, keep: Sequence[str], end: Callable[[], int], what: str
    ) -> Iterator[bytes]:
        """Yield what is released for each batch, once the state has it; end: of the output."""
        reader = LineReader(self._setup.users, self._setup.items, kept=keep)
        rng = _words(self._seed, self.position)
        is_private = self._journal().is_private and rng.is_private
        run = OnlineRun(reader, self._publisher, self._state, lines, end, is_private)
        return run.texts(rng, what)

    def _journal(self) -> Journal:
        note = self._state.last_batch.note
        try:
            return msgspec.msgpack.decode(note, type=Journal) if note else Journal()
        except msgspec.MsgspecError:
            raise HushrankError("expected a state that `publish online` wrote") from None

    @contextmanager
    def _running(self) -> Iterator[Journal]:
        """Let one run at a time note in the state what it does."""
        require(not self._is_running, "expected one run of a stream at a time")
        self._is_running = True
        try:
            yield self._journal()
        finally:
            self._is_running = False


class OnlineRun:
    """The steps between the first line of a run and its last one."""

    def __init__(
        self,
        reader: LineReader,
        publisher: OnlinePublisher,
        state: StreamState,
        lines: Lines,
        end: Callable[[], int],
        is_private: bool,
    ) -> None:
        """Take what is open, at the place where an interrupted run stopped."""
        self._publisher, self._state, self._reader = publisher, state, reader
        self._lines, self._end, self._is_private = lines, end, is_private
        self._text = b""

    def texts(self, rng: Randomness, what: str) -> Iterator[bytes]:
        """Yield what is released, batch by batch; raise HushrankError at a line of another form."""
        for lines in self._lines.batches():
            parsed = self._reader.read(lines)
            self._lines.taken.count(b"".join(lines[: len(parsed.records)]))
            note = partial(self._note, parsed)
            self._publisher.publish(parsed.users, parsed.items, rng=rng, note=note)
            yield self._text
            if parsed.problem is not None:
                number = self._lines.taken.n_lines + 1
                raise HushrankError(f"{what} {number}: {parsed.problem}")
        self._state.commit(np.empty(0, dtype=np.intp), {}, self._journal(b"", is_done=True))

    def _note(self, parsed: ActivityLines, released: Indices) -> bytes:
        self._text = self._reader.write(parsed, released)
        return self._journal(self._text, is_done=False)

    def _journal(self, text: bytes, *, is_done: bool) -> bytes:
        taken = self._lines.taken
        read = taken.n_read, taken.n_lines, taken.digest
        return msgspec.msgpack.encode(Journal(*read, self._end(), text, is_done, self._is_private))


def publish_online(
    state: FilePath,
    *,
    learn_from: Activity | None = None,
    profiles: Profiles | None = None,
    private: Sequence[str] | None = None,
    budget: float | None = None,
    limit: float | None = None,
    history: Activity | None = None,
    renew_every: int | None = None,
    seed: int | None = None,
) -> OnlineStream:
    """Begin a stream that releases activities one by one, or go on with it after a stop or a crash.

    state: the file of what the stream remembers; begun where there is none. Keep it as secret as
    the activity. All but `seed` is for beginning, and may be given again, the same, to go on.
    learn_from: what is known of activities; it names all items. profiles: what users keep private.
    private: the attributes to hide. budget: the largest expected Kendall distance, ties half, of
    one activity, 0 to 1. limit: bits that all releases of one user may tell together, under any
    prior belief; what would exceed it is withheld; None: no limit. history: whole counts of what
    the recipient holds already. renew_every: releases of a user by one channel; None: 100.
    seed: repeats a simulation, which is not private; None draws from the operating system.

    Privacy: chosen attributes become harder to infer from each released activity; what users who
    protect nothing do is released as it is. No differential privacy: `docs/cli.md` says the rest.
    Crashes: what is released is in the state before it is yielded. Run the same program again, with
    the same activities from number `stream.next_run` on: see `OnlineStream.release`.
    Raises TypeError for what is of another type, HushrankError when a state cannot be begun with
    what is given, was begun with something else, is damaged, or is in use.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), Algorithm 4.

    >>> import hushrank, numpy, tempfile
    >>> from hushrank.activities.planted import draw_planted
    >>> log, people = draw_planted(100, 8, rng=numpy.random.default_rng(1))
    >>> begun = {"learn_from": log.activity(), "profiles": people, "private": ["group"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with hushrank.publish_online(f"{folder}/state", **begun, budget=0.05) as stream:
    ...         activities = [{"user": "3", "item": "5"}, {"user": "4", "item": "1"}]
    ...         [(each.number, each.user) for each in stream.release(activities)]
    [(0, '3'), (1, '4')]
    """
    seed = expect_seed(seed)
    setup = _setup(learn_from, profiles, private, budget, limit, history, renew_every)
    stored = stored_setup(state)
    if stored is not None:
        same = setup is None or setup.to_bytes() == stored
        require(same, f"{state} was begun with other data or rules: go on with the same, or none")
        with errors_naming(state):
            setup = StreamSetup.from_bytes(stored)
    if setup is None:
        raise HushrankError(NEEDED)
    return OnlineStream(setup, state, seed=seed)


def is_begun(state: FilePath) -> bool:
    """Tell whether there is a stream to go on with."""
    return stored_setup(state) is not None


def _setup(
    learn_from: Activity | None,
    profiles: Profiles | None,
    private: Sequence[str] | None,
    budget: float | None,
    limit: float | None,
    history: Activity | None,
    renew_every: int | None,
) -> StreamSetup | None:
    """Check what a state is to be begun with, and learn from it; None where nothing is given."""
    given = learn_from, profiles, private, budget, limit, history, renew_every
    if all(value is None for value in given):
        return None
    if learn_from is None or profiles is None or private is None or budget is None:
        raise HushrankError(NEEDED)
    expect(learn_from, Activity, "learn_from", "hushrank.read_activity")
    expect(profiles, Profiles, "profiles", "hushrank.read_profiles")
    if history is not None:
        expect(history, Activity, "history", "hushrank.read_activity")
    names, rules = expect_attributes(private), rules_of(budget, limit, renew_every)
    return stream_setup(learn_from, profiles, names, rules, history=history)


def rules_of(budget: float, limit: float | None, renew_every: int | None) -> StreamRules:
    """Return the rules of a stream; raise HushrankError for what none can have.

    The limit in nats is not above the bits as they are written, nor above their float.
    """
    bits = inf if limit is None else expect_number(limit, "limit")
    require(bits >= 0, f"limit: expected at least 0 bits, got {limit}")
    nats = bits * BIT
    if isfinite(nats):
        written = min(Fraction(bits), Fraction(repr(float(bits))))
        nats = min(nats, float_below(written * Fraction(BIT)))
    rules = StreamRules(float(expect_number(budget, "budget")), limit=nats)
    if renew_every is None:
        return rules
    every = expect_whole(renew_every, "renew_every", at_least=1)
    return replace(rules, resolve_every=every)


def _as_line(activity: Mapping[str, Any]) -> bytes:
    if not isinstance(activity, Mapping):
        got = type(activity).__name__
        raise TypeError(f"activities: expected mappings with user and item, got {got}")
    line = dict(activity)
    if not all(isinstance(key, str) for key in line):
        raise TypeError("activities: expected texts as keys, got another type")
    try:
        return LINES.encode(line) + b"\n"
    except UnicodeEncodeError:
        raise HushrankError("activities: expected texts that UTF-8 can hold") from None


def _refused(value: Any) -> Any:
    raise TypeError(f"activities: expected texts and numbers, got {type(value).__name__}")


LINES = msgspec.json.Encoder(enc_hook=_refused, order="sorted")


def _words(seed: int | None, position: int) -> Randomness:
    """Return the operating system's words; or seeded ones, of their own for each run."""
    if seed is None:
        return Randomness.secure()
    run = sha256(f"{seed} {position}".encode()).digest()
    return Randomness.seeded(int.from_bytes(run[:8]))
