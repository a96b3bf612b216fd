"""Show a plan: tables, sentences and JSON."""

from collections.abc import Callable, Iterator, Mapping
from math import ceil, inf
from pathlib import Path
from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table

from hushrank.accounting.rounding import numeral_above, two_digits_above, within
from hushrank.accounting.words import epsilon_in_words, loss_in_words
from hushrank.cli.output.console import say_written, write_json
from hushrank.cli.output.talk import for_people, in_options
from hushrank.files.disk import is_standard_output
from hushrank.planning.goals import SURE, USEFUL
from hushrank.planning.grid import PEOPLE
from hushrank.planning.plan import Plan, ProtocolPlan
from hushrank.planning.populations import REFERENCES, TYPICAL, typical_dispersion
from hushrank.planning.predictions import Errors
from hushrank.workflows.plan.advise import WANTED, Advice, in_points
from hushrank.workflows.plan.advise_publishing import PublishingAdvice
from hushrank.workflows.plan.plan import CollectionPlan

NOTHING = "-"
HEADINGS = {"plackett-luce": "plack-\nett-\nluce", "favourites": "favour-\nites"}
"""Long names of populations, in several lines."""
MANY_BITS, LEAST_PERCENT = 10_000, 0.01
FEWEST, MOST = PEOPLE[0], PEOPLE[-1]
WAYS = {"collect": "on devices (collect)", "aggregate": "by a curator (aggregate)"}


def show(found: CollectionPlan | Advice | PublishingAdvice, json: Path | None) -> None:
    """Print whatever was planned, and write what was asked for."""
    if isinstance(found, Advice):
        show_advice(found, json)
    elif isinstance(found, PublishingAdvice):
        show_budgets(found, json)
    else:
        show_plan(found, json)


def show_budgets(advice: PublishingAdvice, json: Path | None) -> None:
    """Print the budgets to try, and write what was asked for."""
    console, size = _console(json), advice.size
    sizes = f"{size.n_users:,} users, {size.n_items:,} items, {size.n_records:,} records"
    table = _table(f"{sizes}: budgets to try", "command")
    for column in ("method", "from", "to"):
        table.add_column(column, justify="left" if column == "method" else "right")
    table.add_column("counts")
    for each in advice.choices:
        table.add_row(
            each.command, each.method or "", f"{each.low:.2g}", f"{each.high:.2g}", each.unit
        )
    console.print(table)
    console.print(in_options("\n".join(advice.sentences)))
    _write(console, advice.to_dict(), json)


def show_plan(planned: CollectionPlan, json: Path | None) -> None:
    """Print tables and sentences, and write what was asked for."""
    plan, console = planned.foretold, _console(json)
    for table in _tables(plan, _loss(planned)):
        console.print(table)
    costs = [epsilon_in_words(within(plan.situation.epsilon))]
    if planned.shuffled is not None:
        central, delta = planned.shuffled.central_epsilon, planned.shuffled.delta
        costs = [planned.shuffled.words, epsilon_in_words(central, delta)]
    console.print("\n".join([*_notes(plan), "", planned.advice, planned.liars, *costs]))
    _write(console, planned.to_dict(), json)


def _loss(planned: CollectionPlan) -> str:
    """Return the loss in few words: a central one is never called epsilon alone."""
    if planned.shuffled is None:
        return f"epsilon {loss_in_words(within(planned.foretold.situation.epsilon))}"
    shuffled = planned.shuffled
    central, delta = loss_in_words(shuffled.central_epsilon), loss_in_words(shuffled.delta)
    return f"shuffled, central epsilon {central}, delta {delta}"


def show_advice(advice: Advice, json: Path | None) -> None:
    """Print what can be told for a goal, and write what was asked for."""
    console, wish = _console(json), advice.wish
    title = f"{wish.n_people:,} people, {wish.n_items} items: to know {WANTED[wish.goal]}"
    table = _table(title, "how")
    least = "within ± points" if wish.goal == "shares" else "least lead told\n(points of 100)"
    for column in ("epsilon", least, f"people for {100 * USEFUL:g} points"):
        table.add_column(column, justify="right")
    for each in advice.choices:
        needed = f"{numeral_above(each.people_for_ten_points, 2):,f}"
        table.add_row(WAYS[each.command], each.price, in_points(each.least_lead), needed)
    console.print(table)
    console.print("\n".join([*_said_of_leads(advice), "", *advice.sentences]))
    _write(console, advice.to_dict(), json)


def _said_of_leads(advice: Advice) -> tuple[str, ...]:
    method = f"By formulas, with certainty {SURE:g}: nothing was simulated, and nobody asked."
    if advice.wish.goal == "shares":
        return (method,)
    lead = (
        "A lead: how many more people of 100 put an item before another, on average, than the next."
    )
    return lead, method


def _console(json: Path | None) -> Console:
    """Return where words go: not to standard output where the document goes there."""
    return for_people(wrap=True, beside_output=json is not None and is_standard_output(json))


def _write(console: Console, document: object, json: Path | None) -> None:
    if json is not None:
        write_json(json, document, secret=False)
        say_written(console, [json])


def _tables(plan: Plan, loss: str) -> Iterator[Table]:
    """Yield the errors and the people needed, by population, and what else decides."""
    said = plan.situation
    people = f"{said.n_people:,} people, {said.n_items} items, {loss}"
    quantities: dict[str, Callable[[Errors], str]] = {
        "Q2 distance of synthetic rankings": lambda errors: _number(errors.distance, 3),
        "excess of one order": lambda errors: _number(errors.excess, 4),
    }
    for title, cell in quantities.items():
        table = _by_population(f"{people}: expected {title}")
        for name, each in plan.protocols.items():
            _add(table, name, [_of(each.errors, known.name, cell) for known in REFERENCES])
        table.add_section()
        nobody = [_of(plan.of_nobody, known.name, cell) for known in REFERENCES]
        table.add_row("nobody is asked", *nobody)
        yield table
    if _says_people_needed(plan):
        yield _needed_table(plan)
    yield _else_table(plan)


def _says_people_needed(plan: Plan) -> bool:
    return any(each.people_needed for each in plan.protocols.values())


def _needed_table(plan: Plan) -> Table:
    said = plan.situation
    wanted = f"Q2 distance of {said.wanted_distance:g}, else an excess of {said.wanted_excess:g}"
    table = _by_population(f"People needed for a {wanted}")
    for name, each in plan.protocols.items():
        _add(table, name, [_people(each.people_needed.get(known.name)) for known in REFERENCES])
    return table


def _add(table: Table, name: str, cells: list[str]) -> None:
    """Add a protocol of which something is foretold."""
    if set(cells) != {NOTHING}:
        table.add_row(name, *cells)


def _else_table(plan: Plan) -> Table:
    table = _table("What else decides", "protocol")
    half, one = "half of a\ninterval, %", "one false\nreport, %"
    for column in (half, one, "bits sent", "bits asked", "rounds"):
        table.add_column(column, justify="right")
    for name, each in plan.protocols.items():
        bits = _bits(each.report_bits), _bits(each.question_bits)
        table.add_row(name, _half_width(each), _influence(each), *bits, str(each.rounds))
    return table


def _by_population(title: str) -> Table:
    table = _table(title, "protocol")
    for known in REFERENCES:
        table.add_column(HEADINGS.get(known.name, known.name), justify="right")
    return table


def _table(title: str, first: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE, padding=(0, 1))
    table.add_column(first, no_wrap=True)
    return table


def _of(errors: Mapping[str, Errors], population: str, cell: Callable[[Errors], str]) -> str:
    return cell(errors[population]) if population in errors else NOTHING


def _number(value: float | None, digits: int) -> str:
    return NOTHING if value is None else f"{value:.{digits}f}"


def _people(needed: float | None) -> str:
    """Say a number of people of two digits."""
    if needed is None:
        return NOTHING
    if needed == inf:
        return f"> {MOST // 1_000_000} M"
    if needed >= MOST:
        return f"{MOST // 1_000_000} M"
    return f"≤ {FEWEST:,}" if needed <= FEWEST else f"{needed:,.0f}"


def _half_width(protocol: ProtocolPlan) -> str:
    """Return the half-width of a typical interval in a typical population, in per cent."""
    found = [protocol.errors[each.name].half_width for each in TYPICAL if protocol.errors]
    known = [each for each in found if each is not None]
    return f"{100 * median(known):.1f}" if known else NOTHING


def _influence(protocol: ProtocolPlan) -> str:
    """Return what a crafted report moves in per cent of a share, all of which is 100."""
    if protocol.influence is None:
        return NOTHING
    percent = 100 * protocol.influence
    if percent < LEAST_PERCENT:
        return f"< {LEAST_PERCENT:g}".replace("0.", ".")
    return two_digits_above(percent) if percent < 100 else "≥ 100"


def _bits(bits: float | None) -> str:
    if bits is None:
        return NOTHING
    return f"{ceil(bits):,}" if bits < MANY_BITS else f"{bits:,.0f}"


def _notes(plan: Plan) -> list[str]:
    dispersion = typical_dispersion(plan.situation.n_items)
    notes = [f"{each.name}: {each.title}." for each in REFERENCES]
    notes[1] += f" The dispersion is {dispersion:.2f}."
    notes += [
        "Interval: of 95 %, of the share that puts one item before another; 50: nothing is known.",
        "One false report: by how much it can move one estimated share.",
        *(
            ["People needed: of two digits; > 1 M: more than a million, or never."]
            if _says_people_needed(plan)
            else []
        ),
    ]
    return [*notes, *_notes_of_protocols(plan)]


def _notes_of_protocols(plan: Plan) -> list[str]:
    """Say once, with their names, what holds of several protocols."""
    of_notes: dict[str, list[str]] = {}
    for each in plan.protocols.values():
        if each.note:
            of_notes.setdefault(each.note, []).append(each.protocol)
    return [f"{', '.join(names)}: {note}." for note, names in of_notes.items()]
