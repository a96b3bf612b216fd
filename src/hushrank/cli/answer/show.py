"""Show a survey to somebody at a terminal, and what their device sends."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import typer
from rich.console import Console

from hushrank.accounting.words import loss_in_words, odds_in_words
from hushrank.cli.answer.order import ask_for_order, read_order
from hushrank.cli.output.console import figures_table, plain
from hushrank.cli.output.talk import for_people, is_quiet
from hushrank.collector.announcement import Announcement
from hushrank.collector.device.connection import HttpConnection, is_unprotected, survey_at
from hushrank.collector.device.device import Device, Standing
from hushrank.collector.device.kept import Answered
from hushrank.collector.device.memory import FileMemory
from hushrank.collector.device.words import (
    chance_in_words,
    question_in_words,
    report_in_words,
)
from hushrank.collector.draft import in_utc
from hushrank.errors import require
from hushrank.mechanisms.local import Reporting
from hushrank.surveys.handout import Handout

UNPROTECTED = (
    "This connection is not protected: whoever is between can read and change what is asked and"
    " what is sent."
)
OUTDATED = (
    "This repeats what this machine answered to an earlier order of yours, perhaps with a lie: a"
    " new answer would cost more than you allow a collector in a year."
)


@dataclass(frozen=True)
class Wishes:
    """What a person wants of the command beside the survey."""

    order: Path | None
    sends_at_once: bool
    only_shows: bool
    limit: float | None


def answer_and_show(link: str, wishes: Wishes, state: Path | None) -> None:
    """Show the survey, ask for an order, show what is sent, ask again, send."""
    origin, survey, invitation = survey_at(link)
    unseen = "--quiet shows nothing to agree to: expected --order and --yes, or --dry-run, with it"
    is_settled = wishes.only_shows or (wishes.sends_at_once and wishes.order is not None)
    require(is_settled or not is_quiet(), unseen)
    console = for_people()
    with HttpConnection(origin) as connection:
        device = Device(connection, FileMemory(_memory_path(state)))
        if wishes.limit is not None:
            device.set_limit(wishes.limit)
        opened = device.open(survey)
        now = connection.where(survey)
        closes = now.closes if now.round else opened.announcement.closes  # that of the first round
        _introduce(console, origin, opened.announcement, closes)
        if not wishes.only_shows:
            standing = device.join(survey, invitation=invitation, shown=opened.fingerprint)
            _answer(console, device, opened.announcement, standing, wishes)
            console.print("\n".join(_account(device)))


def _answer(
    console: Console,
    device: Device,
    announcement: Announcement,
    standing: Standing,
    wishes: Wishes,
) -> None:
    handout = standing.handout
    if handout is None:
        console.print("This round asks other people: there is nothing to send.")
        return
    if standing.answered is None:
        console.print("\n".join(_asked(handout, announcement)))
        over = "what it costs is more than you allow a collector in a year: see --limit"
        require(standing.is_payable, over)
        device.answer(announcement.id, _order(announcement, wishes.order))
        standing = device.kept(announcement.id) or standing
        handout = standing.handout or handout
    else:
        console.print("You gave your order before: this is its answer, and no other is drawn.")
    console.print("\n".join(_sent(handout, standing)))
    if standing.receipt is not None:
        console.print(f"It was sent before; the receipt is {plain(standing.receipt)}.")
    elif wishes.sends_at_once or typer.confirm("Send it?"):
        receipt = device.send(announcement.id, shown=standing.round)
        console.print(f"Sent; the receipt is {plain(receipt)}.")
    else:
        console.print("Not sent. It is kept: the same command shows it again, and can send it.")


def _order(announcement: Announcement, file: Path | None) -> list[str]:
    names = [item.name for item in announcement.items]
    is_partial = announcement.unranked != "refused"
    if file is None:
        return ask_for_order(names, is_partial=is_partial)
    return read_order(file, names, is_partial=is_partial)


def _introduce(console: Console, origin: str, told: Announcement, closes: datetime | None) -> None:
    """Print who asks, why, until when, what taking part costs, and the items."""
    until = in_utc(closes)
    figures = {
        "asked by": told.asked_by,
        "why": told.purpose,
        "until": f"{until:%Y-%m-%d %H:%M} UTC" if until else "it is closed",
        "contact": told.contact,
        "privacy notice": told.privacy_notice,
        "results": f"shown only if at least {told.smallest_group:,} people answer",
        "costs you": _cost(told),
    }
    shown = {label: _plain(value) for label, value in figures.items()}
    console.print(figures_table(told.title, shown))
    for number, item in enumerate(told.items, start=1):
        about = f": {_plain(item.description)}" if item.description else ""
        console.print(f"{number:>4}  {_plain(item.name)}{about}")
    if is_unprotected(origin):
        console.print(UNPROTECTED)


def _cost(told: Announcement) -> str:
    rounds = " in all its rounds" if told.comes_back else ""
    return (
        f"at most {loss_in_words(told.epsilon)} nats{rounds}: what is sent is at most"
        f" {odds_in_words(told.epsilon)} times likelier to come from you than from somebody who"
        " thinks otherwise"
    )


def _asked(handout: Handout, told: Announcement) -> Iterator[str]:
    now = " in this round" if told.comes_back else ""
    yield f"Of your order, only a noisy answer to this leaves this machine{now}:"
    for question, _ in handout.asked.values():
        yield f"  {_plain(question_in_words(question, handout.head.items))}"


def _sent(handout: Handout, standing: Standing) -> Iterator[str]:
    """Yield what a report says, whether it may be a lie, and its bytes."""
    if standing.answered is None or standing.upload is None:
        return
    yield "This machine sends:"
    chances = [_chance(mechanism, standing.answered) for _, mechanism in handout.asked.values()]
    each = zip(handout.asked.values(), standing.answered.reports, chances, strict=True)
    for nth, ((question, mechanism), report, chance) in enumerate(each, start=1):
        said = report_in_words(question, mechanism, report, handout.head.items)
        yield f"  “{_plain(said)}”"
        if chances[nth : nth + 1] != [chance]:  # said once of answers that lie alike
            yield chance
    if standing.answered.is_repeated:
        yield "Of this, what an earlier survey of the series asked is repeated, and costs nothing."
    yield f"Exactly these bytes: {plain(standing.upload.decode())}"


def _chance(mechanism: Reporting, answered: Answered) -> str:
    """Say how a device lies; of the order that is given now nobody knows it of an older answer."""
    return OUTDATED if answered.is_outdated else chance_in_words(mechanism)


def _account(device: Device) -> Iterator[str]:
    spent = device.spent()
    here, all_, limit = map(loss_in_words, (spent.in_a_year, spent.everywhere, spent.limit))
    yield f"Your answers cost {here} nats here within a year, of {limit} that you allow."
    yield f"Everywhere, at any time: {all_} nats."


def _memory_path(state: Path | None) -> Path:
    if state is not None:
        return state
    folder = Path(typer.get_app_dir("hushrank"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "device.sqlite"


def _plain(text: str) -> str:
    """Return text of others that cannot command the terminal, line by line."""
    return "\n".join(plain(line).plain for line in text.splitlines())
