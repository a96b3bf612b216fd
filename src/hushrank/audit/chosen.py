"""An audit of several subjects by name: what `hushrank audit` runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from hushrank.accounting.rounding import at_most, within
from hushrank.audit.auditing import FALSE_ALARM, Finding, audit
from hushrank.audit.replay import Replay, replay
from hushrank.audit.shipped import DELTA, EPSILON, shipped
from hushrank.audit.subject import Subject
from hushrank.errors import require
from hushrank.randomness import Randomness
from hushrank.workflows.progress import PartDone


def chosen(
    names: Sequence[str], *, epsilon: float = EPSILON, delta: float = DELTA
) -> tuple[Subject | Replay, ...]:
    """Return the subjects whose names are these, or begin with them; all where there is no name.

    Raises HushrankError for a name that is no subject's.
    """
    subjects = shipped(within(epsilon), within(delta))
    for name in names:
        known = any(each.startswith(name) for each in subjects)
        require(known, f"expected names of `hushrank audit --list`, got {name}")
    wanted = tuple(names) or ("",)
    return tuple(each for name, each in subjects.items() if name.startswith(wanted))


def audits(
    subjects: Sequence[Subject | Replay],
    *,
    draws: int | None = None,
    false_alarm: float = FALSE_ALARM,
    seed: int | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Finding]:
    """Yield what an audit of each finds: as `audit`; a seed repeats the draws."""
    for number, subject in enumerate(subjects, start=1):
        rng = Randomness.secure() if seed is None else Randomness.seeded(seed)

        def say(share: float, done: str = f"{subject.name} ({number} of {len(subjects)})") -> None:
            progress(PartDone.of(done, share))

        say(0.0)
        if isinstance(subject, Replay):
            yield replay(subject, rng=rng, progress=say)
            continue
        yield audit(subject, draws=draws, false_alarm=false_alarm, rng=rng, progress=say)


def as_document(findings: Sequence[Finding], *, seed: int | None) -> dict[str, Any]:
    """Return what was found as JSON has it."""
    return {
        "findings": [_as_document(each) for each in findings],
        "seed": seed,
        "exceeded": sum(each.exceeds for each in findings),
    }


def _as_document(finding: Finding) -> dict[str, Any]:
    claims = {"claimed": at_most(finding.claimed), "delta": at_most(finding.delta)}
    exact = None if finding.exact is None else at_most(finding.exact)
    return asdict(finding) | claims | {"exact": exact, "exceeds": finding.exceeds}
