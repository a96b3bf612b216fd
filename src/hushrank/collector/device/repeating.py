"""Answers to surveys that repeat each other: sent again while they stay true, drawn anew if not.

docs/repeated-surveys.md says what this hides, and what it does not.
Theory: docs/theory/many-answers.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import msgspec

from hushrank.accounting.rounding import float_above
from hushrank.arrays import Answers
from hushrank.collector.device.kept import Answered, Memo
from hushrank.errors import require
from hushrank.surveys.handout import Handout
from hushrank.surveys.wire_documents import wire_mechanism
from hushrank.surveys.wire_questions import wire_question
from hushrank.surveys.wire_reports import WireReport


@dataclass(frozen=True, repr=False)
class Drawn:
    """What is sent now, and what is remembered of every question of the series."""

    answered: Answered
    memos: dict[str, Memo]


def answer_each(
    handout: Handout,
    truths: Mapping[int, Answers],
    past: Mapping[str, Memo],
    hide: Callable[[int, Answers], WireReport],
    *,
    is_affordable: bool,
) -> Drawn:
    """Repeat the report of each truth that was reported before, and hide the others.

    Where new reports are not affordable, the question's latest report is repeated whatever the
    truth is now: a refusal would tell that it has changed.
    Raises HushrankError, before anything is drawn, where a question was never answered and that is
    not affordable: this does not depend on the truths.
    """
    exceeds = "this would exceed the limit that the person has set"
    require(is_affordable or is_known(handout, past), exceeds)
    keys = {number: memo_key(handout, number) for number in truths}
    memos, reports, price, is_outdated = dict(past), [], Fraction(0), False
    for number, truth in truths.items():
        memo = memos.get(keys[number], Memo("", {}))
        own = msgspec.json.encode(truth[0].tolist()).decode()
        told = own if own in memo.reports or is_affordable else memo.last
        is_outdated |= told != own
        if told not in memo.reports:
            price += Fraction(handout.asked[number][1].epsilon)
            memo = Memo(told, {**memo.reports, told: hide(number, truth)})
        memos[keys[number]] = Memo(told, memo.reports)
        reports.append(memo.reports[told])
    is_repeated = price < sum(Fraction(handout.asked[number][1].epsilon) for number in truths)
    answered = Answered(tuple(reports), float_above(price), is_repeated, is_outdated)
    return Drawn(answered, memos)


def is_known(handout: Handout, past: Mapping[str, Memo]) -> bool:
    """Whether every question was answered before: then another answer need not cost anything."""
    return all(memo_key(handout, number) in past for number in handout.asked)


def memo_key(handout: Handout, number: int) -> str:
    """Return what names a question about the same items, equally hidden, in whatever survey."""
    question, mechanism = handout.asked[number]
    asked = [handout.head.items, wire_question(question), wire_mechanism(mechanism)]
    return sha256(msgspec.json.encode(asked)).hexdigest()
