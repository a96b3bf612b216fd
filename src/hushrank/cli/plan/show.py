"""Show a plan: tables, sentences and JSON."""

from collections.abc import Callable, Mapping
from math import ceil, inf
from pathlib import Path
from statistics import median

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from hushrank.cli.console import plain
from hushrank.files.disk import replace_file
from hushrank.planning.grid import PEOPLE
from hushrank.planning.plan import Plan, ProtocolPlan
from hushrank.planning.populations import REFERENCES, TYPICAL, typical_dispersion
from hushrank.planning.predictions import Errors
from hushrank.workflows.plan import CollectionPlan

NOTHING = "-"
LETTERS = {"G": 10**9, "M": 10**6, "k": 10**3}
SHORT_NAMES = {"uniform": "unif", "mallows": "mall", "plackett-luce": "P-L", "mixture": "mix"}
MANY_BITS, LEAST_PERCENT = 10_000, 0.01
FEWEST, MOST = PEOPLE[0], PEOPLE[-1]
LEAST_WIDTH = 90


def show_plan(planned: CollectionPlan, json: Path | None) -> None:
    """Print tables and sentences, and write what was asked for."""
    plan = planned.foretold
    console = Console(markup=False, highlight=False)
    console.width = max(console.width, LEAST_WIDTH)
    for table in (_errors_table(plan), _needs_table(plan)):
        console.print(table)
    console.print("\n".join([*_notes(plan), "", planned.advice]))
    if json is not None:
        written = msgspec.json.encode(planned.to_dict())
        replace_file(json, msgspec.json.format(written) + b"\n")
        console.print(f"wrote {plain(str(json))}")


def _errors_table(plan: Plan) -> Table:
    """Return expected Q2 distances and excesses, by population."""
    said = plan.situation
    items = f"{said.n_people:,} people, {said.n_items} items, epsilon {said.epsilon:g}"
    table = _table(f"{items}: expected Q2 distance and excess")
    for quantity in ("Q2", "excess"):
        for short in SHORT_NAMES.values():
            table.add_column(f"{quantity}\n{short}", justify="right")
    for name, each in plan.protocols.items():
        table.add_row(name, *_errors_cells(each.errors))
    table.add_section()
    table.add_row("nobody is asked", *_errors_cells(plan.of_nobody))
    return table


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE, padding=(0, 1))
    table.add_column("\nprotocol", no_wrap=True)
    return table


def _errors_cells(errors: Mapping[str, Errors]) -> list[str]:
    distances = _cells(errors, lambda each: each.distance, "{:.3f}")
    return distances + _cells(errors, lambda each: each.excess, "{:.4f}")


def _cells(
    errors: Mapping[str, Errors], of: Callable[[Errors], float | None], form: str
) -> list[str]:
    values = [of(errors[each.name]) if each.name in errors else None for each in REFERENCES]
    return [NOTHING if value is None else form.format(value).lstrip("0") for value in values]


def _needs_table(plan: Plan) -> Table:
    """Return what else decides: people needed, intervals, crafted reports, bits, rounds."""
    said = plan.situation
    wanted = f"Q2 {said.wanted_distance:g}, excess {said.wanted_excess:g}"
    table = _table(f"People needed for {wanted}, and what else decides")
    needs = (f"\n{short}" for short in SHORT_NAMES.values())
    for column in (*needs, "95 %\n± %", "craft\n%", "bits\nsent", "bits\nasked", "\nrounds"):
        table.add_column(column, justify="right")
    for name, each in plan.protocols.items():
        needed = [_people(each.people_needed.get(one.name)) for one in REFERENCES]
        facts = [_half_width(each), _influence(each), _bits(each.report_bits)]
        table.add_row(name, *needed, *facts, _bits(each.question_bits), str(each.rounds))
    return table


def _people(needed: float | None) -> str:
    """Say a number of people of two digits in a few letters."""
    if needed is None:
        return NOTHING
    if needed == inf:
        return f"> {_short(MOST)}"
    return f"≤ {_short(FEWEST)}" if needed <= FEWEST else _short(needed)


def _short(number: float) -> str:
    """Say a large number in a few letters."""
    for letter, unit in LETTERS.items():
        if number >= unit:
            return f"{number / unit:.3g}{letter}"
    return f"{number:g}"


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
    return f"{percent:.2g}" if percent < 100 else "≥ 100"


def _bits(bits: float | None) -> str:
    if bits is None:
        return NOTHING
    return f"{ceil(bits):,}" if bits < MANY_BITS else _short(bits)


def _notes(plan: Plan) -> list[str]:
    dispersion = typical_dispersion(plan.situation.n_items)
    notes = [f"{SHORT_NAMES[each.name]}: {each.title}." for each in REFERENCES]
    notes[1] += f" The dispersion is {dispersion:.2f}."
    notes += [
        "95 %: half of a typical interval of the share that puts a before b; 50: nothing is known.",
        "craft: by how much one false report can move one estimated share.",
        f"People needed: of two digits; ≤ {_short(FEWEST)}: so many or fewer.",
    ]
    return [*notes, *_notes_of_protocols(plan)]


def _notes_of_protocols(plan: Plan) -> list[str]:
    """Say once, with their names, what holds of several protocols."""
    of_notes: dict[str, list[str]] = {}
    for each in plan.protocols.values():
        if each.note:
            of_notes.setdefault(each.note, []).append(each.protocol)
    return [f"{', '.join(names)}: {note}." for note, names in of_notes.items()]
