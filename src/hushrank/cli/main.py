"""The command line: parse, call the library, print."""

import atexit
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import typer

from hushrank.cli.aggregate.command import aggregate
from hushrank.cli.collect.command import collect
from hushrank.cli.demo import demo
from hushrank.cli.experiment import experiment
from hushrank.cli.judge.attack import attack
from hushrank.cli.judge.evaluate import evaluate
from hushrank.cli.plan.command import plan
from hushrank.cli.publish.command import publish
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
app.add_typer(publish, name="publish")
app.command()(attack)
app.command()(evaluate)
app.add_typer(simulate, name="simulate")
app.command()(experiment)
app.command()(plan)
app.command()(demo)


def main() -> None:
    """Run one command. Exit code 0: done; 1: one line says what is wrong; 2: wrong usage."""
    for stream in (sys.stdout, sys.stderr):  # names that the terminal cannot show end no command
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    for library in ("OPENBLAS", "OMP"):  # small problems: more threads only wait
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    _find_a_place_for_kernels()
    try:
        app()
    except HushrankError as error:
        sys.exit(_complain(str(error)))
    except MemoryError:
        sys.exit(_complain("not enough memory for so many people, items or categories"))
    except OSError as error:
        sys.exit(_complain(f"{error.filename}: {error.strerror}" if error.filename else str(error)))


def _find_a_place_for_kernels() -> None:
    """Let numba keep its compiled kernels for this run where it could keep them nowhere else."""
    homes = (Path(__file__).parents[1], Path.home())
    if "NUMBA_CACHE_DIR" not in os.environ and not any(os.access(home, os.W_OK) for home in homes):
        folder = mkdtemp(prefix="hushrank-")  # readable by this user alone
        atexit.register(rmtree, folder, ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = folder


def _complain(message: str) -> int:
    one_line = " ".join(message.split())
    print(f"hushrank: {one_line}", file=sys.stderr)
    return 1
