"""The command line: parse, call the library, print."""

import sys
from io import TextIOWrapper

import typer

from hushrank.cli.aggregate import aggregate
from hushrank.cli.collect import collect
from hushrank.cli.demo import demo
from hushrank.cli.experiment import experiment
from hushrank.cli.simulate import simulate
from hushrank.errors import HushrankError

app = typer.Typer(
    name="hushrank",
    help="Learn what a population prefers without learning what anyone prefers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(collect)
app.command()(aggregate)
app.add_typer(simulate, name="simulate")
app.command()(experiment)
app.command()(demo)


def main() -> None:
    """Run one command. Exit code 0: done; 1: one line says what is wrong; 2: wrong usage."""
    for stream in (sys.stdout, sys.stderr):  # names that the terminal cannot show end no command
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except HushrankError as error:
        sys.exit(_complain(str(error)))
    except MemoryError:
        sys.exit(_complain("not enough memory for so many people, items or categories"))
    except OSError as error:
        sys.exit(_complain(f"{error.filename}: {error.strerror}" if error.filename else str(error)))


def _complain(message: str) -> int:
    one_line = " ".join(message.split())
    print(f"hushrank: {one_line}", file=sys.stderr)
    return 1
