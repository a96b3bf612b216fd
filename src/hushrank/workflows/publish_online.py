"""One run of `publish online`: read lines, release them, note everything in the state."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import log
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.activities.activity_lines import ActivityLines, LineReader
from hushrank.errors import HushrankError, require
from hushrank.files.disk import errors_naming
from hushrank.publishing.online.journal import Input, Journal, Output
from hushrank.publishing.online.publisher import OnlinePublisher
from hushrank.publishing.online.rules import StreamRules
from hushrank.publishing.online.setup import StreamSetup, stream_setup
from hushrank.publishing.online.state import StreamState, stored_setup
from hushrank.randomness import Randomness


@dataclass(frozen=True)
class Beginning:
    """What a state is begun with; everything None where there is one already."""

    activity: Path | None
    profiles: Path | None
    private: str | None
    budget: float | None
    limit: float | None
    history: Path | None
    renew_every: int | None


def open_setup(state: Path, given: Beginning) -> StreamSetup:
    """Return what the state was begun with, or begin with what is given."""
    stored = stored_setup(state)
    values = vars(given).values()
    if stored is not None:
        unused = all(value is None for value in values)
        require(unused, f"{state} exists: expected none of the options that begin a state")
        with errors_naming(state):
            return StreamSetup.from_bytes(stored)
    from hushrank.activities.activity_files import read_activity
    from hushrank.activities.profile_files import read_profiles

    require(
        given.activity and given.profiles and given.private and given.budget is not None,
        "expected --activity, --profiles, --private and --budget to begin a state",
    )
    names = [name.strip() for name in str(given.private).split(",")]
    profiles = read_profiles(str(given.profiles), attributes=names)
    history = None if given.history is None else read_activity(str(given.history))
    return stream_setup(
        read_activity(str(given.activity)), profiles, names, _rules(given), history=history
    )


def _rules(given: Beginning) -> StreamRules:
    limit = float("inf") if given.limit is None else given.limit * log(2)
    rules = StreamRules(float(given.budget or 0), limit=limit)
    every = given.renew_every
    return rules if every is None else replace(rules, resolve_every=every)


def run(
    setup: StreamSetup,
    paths: tuple[Path, Path | None, Path | None],
    seed: int | None,
    *,
    kept: Sequence[str] = (),
) -> None:
    """Release the lines of an input, and say what was told; paths: state, input, output.

    kept: keys of a line that are passed on beside user, item and time.
    """
    place, source, target = paths
    publisher = setup.publisher()
    state = publisher.resume(place, setup.to_bytes())
    try:
        note = state.last_batch.note
        journal = msgspec.msgpack.decode(note, type=Journal) if note else Journal()
        with ExitStack() as files:
            lines = sys.stdin.buffer if source is None else files.enter_context(source.open("rb"))
            into = sys.stdout.buffer
            if target is not None:
                into = files.enter_context(target.open("a+b"))
            taken = Input(lines, journal)
            output = Output(into, journal, is_file=target is not None)
            reader = LineReader(setup.users, setup.items, kept=kept)
            rng = _words(seed, state.position)
            is_private = journal.is_private and rng.is_private
            OnlineRun(reader, publisher, state, taken, output, is_private).publish(rng)
        _tell(state, setup.rules, is_private)
    finally:
        state.close()


class OnlineRun:
    """The steps between the input's first line and its last one."""

    def __init__(
        self,
        reader: LineReader,
        publisher: OnlinePublisher,
        state: StreamState,
        taken: Input,
        output: Output,
        is_private: bool,
    ) -> None:
        """Take what is open, at the place where an interrupted run stopped."""
        self._is_private = is_private
        self._publisher, self._state = publisher, state
        self._input, self._output = taken, output
        self._reader, self._text = reader, b""

    def publish(self, rng: Randomness) -> None:
        """Release all lines; raise HushrankError at the first one that is not of the form."""
        for lines in self._input.batches():
            parsed = self._reader.read(lines)
            self._input.count(b"".join(lines[: len(parsed.records)]))
            note = partial(self._note, parsed)
            self._publisher.publish(parsed.users, parsed.items, rng=rng, note=note)
            self._output.append(self._text)
            if parsed.problem is not None:
                raise HushrankError(f"line {self._input.n_lines + 1}: {parsed.problem}")
        self._state.commit(np.empty(0, dtype=np.intp), {}, self._journal(b"", is_done=True))

    def _note(self, parsed: ActivityLines, released: NDArray[np.intp]) -> bytes:
        self._text = self._reader.write(parsed, released)
        return self._journal(self._text, is_done=False)

    def _journal(self, text: bytes, *, is_done: bool) -> bytes:
        read = self._input.n_read, self._input.n_lines, self._input.digest
        end, is_private = self._output.end, self._is_private
        return msgspec.msgpack.encode(Journal(*read, end, text, is_done, is_private))


def _words(seed: int | None, position: int) -> Randomness:
    """Return the operating system's words; or seeded ones, of their own for each run."""
    if seed is None:
        return Randomness.secure()
    run = sha256(f"{seed} {position}".encode()).digest()
    return Randomness.seeded(int.from_bytes(run[:8]))


def _tell(state: StreamState, rules: StreamRules, is_private: bool) -> None:
    """Say on standard error what all releases so far may have told."""
    totals, bit = state.totals, log(2)
    limit = "no limit" if rules.limit == float("inf") else f"limit {rules.limit / bit:.3g}"
    lines = (
        f"{state.position:,} activities, {totals.n_released:,} of them hidden and"
        f" {totals.n_withheld:,} withheld, of {totals.n_users:,} protected users",
        f"told of one of them: {totals.mean_told / bit:.3g} bits on average,"
        f" {totals.most_told / bit:.3g} at most",
        f"told under any prior belief: {totals.most_worst_told / bit:.3g} bits at most ({limit})",
        "both include an estimate of what the users of --activity, a sample, do not show",
        *([] if is_private else ["Not private: --seed drew some of what this state released."]),
    )
    print("\n".join(lines), file=sys.stderr)
