"""hushrank look: what a file is, what is odd in it, and which command takes it."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from hushrank.cli.input.options import (
    BestEnd,
    Columns,
    Drop,
    Form,
    Header,
    Id,
    Ignore,
    Items,
    Sheet,
    Weight,
)
from hushrank.cli.input.reading import ReadingOptions
from hushrank.cli.output.talk import for_people, in_options


def look(
    file: Annotated[Path, Argument(help="Rankings, activity or profiles, in any format.")],
    form: Form = None,
    columns: Columns = None,
    ignore: Ignore = None,
    id: Id = None,
    weight: Weight = None,
    best: BestEnd = None,
    drop: Drop = None,
    sheet: Sheet = None,
    items: Items = None,
    header: Header = None,
) -> None:
    """Say what FILE is and how it would be read, what is odd in which line, and what takes it.

    Nothing is computed from it and nothing is written. What is printed names columns, lines and
    counts, never what a person said; the counts are raw, for you alone.

    Example:  hushrank look forms.csv
    """
    from hushrank.cli.output.console import plain
    from hushrank.workflows.look import look as look_at

    options = ReadingOptions(form, columns, ignore, id, weight, best, drop, sheet, items, header)
    found = look_at(file, options.asked(), options=options.words())
    console = for_people()
    for text in (found.line, *found.odd, *found.columns):
        console.print(plain(in_options(text)))
    for command in found.commands:
        console.print(plain(f"  {command}"))
