"""What forged reports can do, and whether some look forged, in the organiser's language."""

from collections.abc import Sequence
from math import ceil

from hushrank.collector.draft import Draft
from hushrank.collector.web.pages_organiser.words import Words
from hushrank.poisoning.findings import Finding, Suspicion
from hushrank.poisoning.forgery import Forgery

FORGED_SHARE = 0.05
"""Of the reports, in the example."""
MOST_FINDINGS = 5
ROUNDING = 1e-9


def forgery_words(t: Words, draft: Draft, forgery: Forgery) -> list[str]:
    """Say what somebody who forges reports can do: never less than they can."""
    people = draft.expected_people
    n_forged = max(1, round(people * FORGED_SHARE))
    reports = n_forged, max(people - n_forged, 0)
    moved, picked = forgery.shift(*reports), forgery.shift(*reports, picks=True)
    lines = [t("forgery.weight", weight=t.number(_above(10 * forgery.weight) / 10, 1))]
    if forgery.claims > 1:
        lines.append(t("forgery.claims", claims=forgery.claims))
    lines.append(t("forgery.shift", n=n_forged, people=people, points=_above(100 * moved)))
    if picked > moved:
        lines.append(t("forgery.picked", points=_above(100 * picked)))
    if draft.protocol == "safari":
        lines.append(t("forgery.first_round"))
    lines.append(t(f"forgery.{draft.joining}"))
    return lines


def _above(number: float) -> int:
    """Return a number rounded up, but for what floats err by."""
    return ceil(number - ROUNDING)


def suspicion_words(t: Words, names: Sequence[str], found: Sequence[Suspicion]) -> list[str]:
    """Say what honest devices cannot have sent, the unlikeliest first; nothing if all is well."""
    every = sorted((one for each in found for one in each.findings), key=lambda one: one.p_value)
    return [_finding(t, names, each) for each in every[:MOST_FINDINGS]]


def _finding(t: Words, names: Sequence[str], finding: Finding) -> str:
    much = "many" if finding.is_too_many else "few"
    if finding.kind == "item" and finding.number is not None:
        return t(f"suspicion.item.{much}", item=names[finding.number])
    if finding.kind == "asked" and finding.number is not None:
        return t("suspicion.asked.many", item=names[finding.number])
    if finding.kind == "total":
        return t(f"suspicion.total.{much}")
    question, answer = (finding.question or 0) + 1, (finding.number or 0) + 1
    return t(f"suspicion.answer.{much}", question=question, answer=answer)
