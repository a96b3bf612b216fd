"""Drive a protocol over rounds that take days: replay it over the tallies that are stored.

The generators are those of the local engine. They are deterministic in their tallies and public
seed, so that nothing of them needs to be kept: after a crash, or in another process, the stored
tallies lead to the same next round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import msgspec
import numpy as np

from hushrank.accounting.composition import require_within
from hushrank.accounting.rounding import at_most
from hushrank.collector.draft import Draft
from hushrank.engines.outcome import Outcome
from hushrank.errors import require
from hushrank.mechanisms.local import Tally
from hushrank.protocols.chosen import Choosing, Chosen
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.registry import EVERY_OPTION, NamedProtocol
from hushrank.surveys.survey import Round, RoundTallies, asks_everybody, require_round
from hushrank.surveys.wire import PublishedSurvey
from hushrank.workflows.results.collection import Collection


@dataclass(frozen=True, eq=False, repr=False)
class Asked:
    """A round: the survey of each part, as devices see it."""

    parts: tuple[PublishedSurvey, ...]

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprint of each part."""
        return tuple(part.fingerprint for part in self.parts)

    @property
    def surveys(self) -> Round:
        """What each part asks."""
        return tuple(part.survey for part in self.parts)

    @property
    def asks_everybody(self) -> bool:
        """Whether people of every lot are asked."""
        return asks_everybody(self.surveys)

    def part_of(self, lot: float) -> int | None:
        """Return the part that asks people of this lot; None where nobody asks them now."""
        lots = (survey.lots for survey in self.surveys)
        return next((n for n, (low, high) in enumerate(lots) if low <= lot < high), None)


def choose(draft: Draft) -> Chosen | None:
    """Return what this release chooses to ask; None of a protocol that has no choice."""
    protocol = draft.named_protocol
    if not isinstance(protocol, Choosing):
        return None
    n_people = draft.expected_people
    chosen: Chosen = protocol.choose(len(draft.items), epsilon=draft.epsilon, n_people=n_people)
    return chosen


def replay(
    draft: Draft, seed: int, tallies: Sequence[RoundTallies], chosen: Chosen | None = None
) -> Asked | Collection:
    """Return the next round after those of the tallies, or what was learnt after the last one.

    seed: of the protocol's public coins. chosen: what was chosen to ask when the series began, by
    whichever release; None chooses. Privacy: nobody is asked for more than the draft's epsilon
    over all rounds, counted exactly; a protocol that would is stopped.
    Raises HushrankError where the protocol cannot learn from the tallies, or cannot go on.
    """
    begun = _protocol(draft, chosen).begin(
        len(draft.items), epsilon=draft.epsilon, n_people=draft.expected_people, seed=seed
    )
    surveys: list[Round] = []
    try:
        surveys.append(_checked(next(begun), surveys, draft))
        for each in tallies:
            surveys.append(_checked(begun.send(each), surveys, draft))
    except StopIteration as end:
        return _collection(draft, seed, surveys, tallies, end.value)
    finally:
        begun.close()
    require(len(surveys) == len(tallies) + 1, "expected the tallies of every round before")
    return Asked(tuple(PublishedSurvey(survey, draft.names) for survey in surveys[-1]))


def encode_tallies(tallies: RoundTallies) -> bytes:
    """Return tallies as JSON: whole numbers."""
    plain = [[(each.n_reports, each.support.tolist()) for each in part] for part in tallies]
    return msgspec.json.encode(plain)


def decode_tallies(document: bytes) -> RoundTallies:
    """Return what `encode_tallies` wrote."""
    plain = msgspec.json.decode(document, type=list[list[tuple[int, list[int]]]])
    return tuple(
        tuple(Tally(np.array(support, dtype=np.int64), n_reports) for n_reports, support in part)
        for part in plain
    )


def n_reports_of(tallies: RoundTallies, surveys: Round) -> int:
    """Return how many people reported in a round."""
    each = zip(tallies, surveys, strict=True)
    return sum(sum(t.n_reports for t in part) // survey.answers_per_person for part, survey in each)


def _protocol(draft: Draft, chosen: Chosen | None) -> NamedProtocol:
    protocol = draft.named_protocol
    if chosen is None:
        return protocol
    require(isinstance(protocol, Choosing), f"{draft.protocol} has no choice of what to ask")
    settled: NamedProtocol = replace(protocol, chosen=chosen)  # type: ignore[type-var]
    return settled


def _checked(surveys: Round, before: Sequence[Round], draft: Draft) -> Round:
    """Return the round, if it asks no person for more than is left; incomplete ones as before."""
    require_round(surveys)
    spends = [survey.spend for survey in (*sum(before, ()), *surveys)]
    require_within(spends, draft.epsilon)
    takes = [all(survey.takes_incomplete for survey in each) for each in (*before[:1], surveys)]
    require(takes[-1] or not takes[0], "a later round needs complete rankings, the first did not")
    return surveys


def _collection(
    draft: Draft,
    seed: int,
    surveys: Sequence[Round],
    tallies: Sequence[RoundTallies],
    learnt: Learnt,
) -> Collection:
    epsilon = at_most(draft.epsilon)
    asked = {"protocol": draft.protocol, "epsilon": epsilon, **EVERY_OPTION, **draft.options}
    outcome = Outcome(
        learnt,
        tuple(survey.spend for each in surveys for survey in each),
        n_people_of(surveys, tallies),
        is_private=True,
    )
    shown = asked | {"short_cut": False, "seed": seed}
    return Collection(draft.names, draft.named_protocol, outcome, shown)


def require_groups(reported: Iterable[int], least: int) -> None:
    """Raise HushrankError unless in each round as many people reported as results are shown of.

    Of fewer in one round a result could tell single reports, however many there are of the others.
    """
    few = f"fewer than {least} people reported in a round: no result is shown"
    require(min(reported, default=0) >= least, few)


def n_people_of(surveys: Sequence[Round], tallies: Sequence[RoundTallies]) -> int:
    """Return how many people reported: those of rounds that ask the same people count once."""
    reports = [n_reports_of(each, asked) for each, asked in zip(tallies, surveys, strict=True)]
    every = sum(surveys, ())
    parts = [survey.lots for survey in every]
    apart = all(a[1] <= b[0] or b[1] <= a[0] for a, b in combinations(parts, 2))
    return sum(reports) if apart else max(reports, default=0)
