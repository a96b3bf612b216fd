"""Drive any protocol over people in pieces, on any workers: the devices of a piece are one task.

A simulation: the tasks hold rankings. What happens when a task runs twice, and why nobody counts
twice then, is in docs/decisions/0027-beyond-one-machine.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from secrets import randbits
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hushrank.engines.crowd import Crowd, require_answerable
from hushrank.engines.local import Protocol, answers_by_short_cut, answers_of_devices, drive
from hushrank.engines.outcome import Outcome
from hushrank.engines.tasks import HERE, Workers
from hushrank.errors import require
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.report_batches import Counted
from hushrank.surveys.survey import Survey, Tallies

T = TypeVar("T")

NOISE, LOTS, SHORT_CUT = range(3)
"""What words of a piece are for, as part of the key that they are spawned by."""


@dataclass(frozen=True)
class Draws:
    """Where the words of tasks come from.

    seed: of noise; None, from the operating system of each worker. lots: a public seed, of who is
    asked by which round where rounds ask different people: the same whenever a piece is read again.
    A piece's words depend on its number and on the survey's, not on the worker.
    """

    seed: int | None
    lots: int

    @classmethod
    def of(cls, seed: int | None) -> "Draws":
        """Return secret noise with lots that are drawn now; with a seed, all of it from that."""
        return cls(seed, randbits(128) if seed is None else seed)

    def noise(self, survey: int, piece: int) -> Randomness:
        """Return the words with which the devices of a piece answer a survey."""
        if self.seed is None:
            return Randomness.secure()
        return Randomness.spawned(self.seed, NOISE, survey, piece)

    def lots_of(self, piece: int) -> Randomness:
        """Return the words of the lots of a piece's people."""
        return Randomness.spawned(self.lots, LOTS, piece)

    def short_cut(self, survey: int, piece: int) -> np.random.Generator:
        """Return what draws the tallies of a piece; it protects nobody."""
        key = (SHORT_CUT, survey, piece)
        seed = randbits(128) if self.seed is None else self.seed
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@dataclass(frozen=True)
class Size:
    """How many people there are, of which items, and what they leave open: a sum."""

    names: tuple[str, ...]
    n_people: int
    is_complete: bool
    is_strict: bool

    def __add__(self, other: "Size") -> "Size":
        """Count both; raise HushrankError where they rank other items."""
        require(self.names == other.names, "expected the same items, in one order, in all pieces")
        complete = self.is_complete and other.is_complete
        strict = self.is_strict and other.is_strict
        return Size(self.names, self.n_people + other.n_people, complete, strict)


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """People in pieces: `read` returns those of a piece, the same ones each time.

    `read` and what it takes travel to workers: a function of a module, or a `partial` of one.
    """

    read: Callable[[Any], Rankings]
    pieces: tuple[Any, ...]
    size: Size
    workers: Workers = HERE

    @classmethod
    def of(
        cls, read: Callable[[Any], Rankings], pieces: Sequence[Any], workers: Workers = HERE
    ) -> "People":
        """Look at every piece once, before anybody is asked.

        Raises HushrankError unless all rankings are strict, of the same items.
        """
        size = workers.add_up(_size_of, read, tuple(pieces))
        require(size.is_strict, "collect: expected strict rankings, some items are tied")
        return cls(read, tuple(pieces), size, workers)


@dataclass(frozen=True, eq=False, repr=False)
class _Asked:
    """The people, as `drive` sees them."""

    size: Size
    is_private: bool
    budgets: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return self.size.n_people

    def require_can_answer(self, survey: Survey, earlier: Sequence[Survey]) -> None:
        n_items, complete = len(self.size.names), self.size.is_complete
        require_answerable(survey, earlier, n_items, is_complete=complete)


@dataclass(frozen=True, eq=False, repr=False)
class Asking:
    """All that a task needs to let a piece answer a survey, the number-th of the protocol."""

    read: Callable[[Any], Rankings]
    survey: Survey
    number: int
    draws: Draws
    short_cut: bool


def run(
    protocol: Protocol[T], people: People, *, draws: Draws, short_cut: bool = False
) -> Outcome[T]:
    """Let everybody answer the protocol's surveys, piece by piece, and add the tallies up.

    short_cut: draw tallies instead of reports, which protects nobody. People have no budgets of
    their own here. With a seed the outcome depends on the pieces, and on neither workers nor turns.
    Raises HushrankError as the local engine does; a piece that cannot be read ends it.
    """
    n_asked = 0

    def answers(survey: Survey) -> Tallies:
        nonlocal n_asked
        asking = Asking(people.read, survey, n_asked, draws, short_cut)
        n_asked += 1
        counted = people.workers.add_up(answer_piece, asking, tuple(enumerate(people.pieces)))
        return counted.tallies[0]

    is_private = draws.seed is None and not short_cut
    return drive(protocol, answers, _Asked(people.size, is_private))


def answer_piece(asking: Asking, numbered: tuple[int, Any]) -> Counted:
    """Let the people of a piece answer a survey: the number of the piece, and what `read` takes.

    Only the tallies leave the task.   Cost: linear in people.
    """
    piece, source = numbered
    draws, survey, number = asking.draws, asking.survey, asking.number
    rankings, rng = asking.read(source), draws.noise(number, piece)
    of_all = Crowd.of(rankings, rng)
    crowd = Crowd(of_all.ranks, of_all.is_complete, rng, lots_from=draws.lots_of(piece))
    if asking.short_cut:
        rng_of_tallies = draws.short_cut(number, piece)
        return Counted((answers_by_short_cut(survey, crowd, rng_of_tallies),))
    return Counted((answers_of_devices(survey, crowd),))


def _size_of(read: Callable[[Any], Rankings], piece: Any) -> Size:
    rankings = read(piece)
    complete, strict = rankings.is_complete, rankings.is_strict
    return Size(rankings.names, rankings.n_people, complete, strict)
