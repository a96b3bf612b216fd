"""The command line: parse, call the library, print."""

import os
import sys
import warnings
from functools import partial
from io import TextIOWrapper
from typing import Annotated, TextIO

import typer
from typer import Option

from hushrank import __version__
from hushrank.cli.aggregate.command import aggregate
from hushrank.cli.answer.command import answer
from hushrank.cli.audit.command import audit
from hushrank.cli.collect.command import collect
from hushrank.cli.experiment import experiment
from hushrank.cli.input.missing import tell_all_missing
from hushrank.cli.judge.attack import attack
from hushrank.cli.judge.evaluate import evaluate
from hushrank.cli.live.collector import collector
from hushrank.cli.live.demo import demo
from hushrank.cli.live.serve import serve
from hushrank.cli.look import look
from hushrank.cli.manners import QUIET, arrange, number_options, quiet_first, require_plain_numbers
from hushrank.cli.output.talk import be_quiet, in_options, is_quiet, printable
from hushrank.cli.plan.command import plan
from hushrank.cli.publish.command import publish
from hushrank.cli.simulate import simulate
from hushrank.cli.tally.command import conclude, tally
from hushrank.errors import HushrankError
from hushrank.files.elsewhere.addresses import shown

PANELS = {
    "Begin here": ("demo", "look", "plan"),
    "Rankings that are in a file": ("aggregate", "collect"),
    "Live surveys": ("serve", "answer", "collector", "tally", "conclude"),
    "Activity data": ("publish", "attack", "evaluate"),
    "Research": ("experiment", "simulate", "audit"),
}
INTERRUPTED, BROKEN_PIPE = 130, 141
"""128 and the number of the signal, as shells have it."""

app = typer.Typer(
    name="hushrank",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(collect)
app.command()(aggregate)
app.add_typer(publish, name="publish")
app.command()(attack)
app.command()(evaluate)
app.add_typer(simulate, name="simulate")
app.command()(experiment)
app.command()(audit)
app.command()(plan)
app.command()(look)
app.command()(demo)
app.command()(serve)
app.command()(answer)
app.add_typer(collector, name="collector")
app.command()(tally)
app.command()(conclude)
arrange(app, PANELS)
tell_all_missing(app)
numbers = partial(number_options, app)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hushrank {__version__}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool,
        Option("--version", callback=_say_version, is_eager=True, help="Say the version, and end."),
    ] = False,
    quiet: Annotated[
        bool, Option(QUIET, help="Print errors and what was asked for by -, nothing else.")
    ] = False,
) -> None:
    """Learn what a population prefers without learning what anyone prefers."""
    be_quiet(quiet)


def main() -> None:
    """Run one command.

    Exit code 0: done; 1: one line says what is wrong; 2: wrong usage; 130: interrupted; 141: who
    read the output has closed it.
    """
    _prepare()
    arguments = quiet_first(sys.argv[1:])
    require_plain_numbers(numbers, arguments)
    try:
        app(arguments)
    except SystemExit as ended:
        sys.exit(_ended(ended))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except HushrankError as error:
        sys.exit(_complain("; ".join((str(error), *getattr(error, "__notes__", ())))))
    except MemoryError:
        sys.exit(_complain("not enough memory for so many people, items or categories"))
    except BrokenPipeError:
        sys.exit(_closed())
    except OSError as error:
        where = f"{shown(os.fsdecode(error.filename))}: " if error.filename else ""
        sys.exit(_complain(f"{where}{error.strerror}" if where else str(error)))


def _ended(ended: SystemExit) -> int | str | None:
    """Return a command's exit code, after what it printed has left."""
    if isinstance(ended.__context__, BrokenPipeError):
        return _closed()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed()
    return INTERRUPTED if isinstance(ended.__context__, typer.Abort) else ended.code


def _closed() -> int:
    """Let nobody hear that the rest of the output has nowhere to go, as `yes | head` does not."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return BROKEN_PIPE


def _complain(message: str) -> int:
    print(f"hushrank: {_one_line(in_options(message))}", file=sys.stderr)
    return 1


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say a warning in one line: which line of code gave it helps nobody who runs a command."""
    if not is_quiet():
        print(f"hushrank: {_one_line(str(message))}", file=sys.stderr)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _prepare() -> None:
    warnings.showwarning = _warn
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-: what is said goes nowhere
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):  # names that the terminal cannot show end no command
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    for library in ("OPENBLAS", "OMP"):  # small problems: more threads only wait
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
