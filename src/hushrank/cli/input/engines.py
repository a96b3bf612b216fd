"""Which engine a command was told to use."""

from typing import TYPE_CHECKING

from hushrank.errors import require

if TYPE_CHECKING:
    from hushrank.cli.input.options import Engine
    from hushrank.engines.tasks import Workers


def workers_of(scheduler: str | None, number: int | None) -> "Workers":
    """Return Dask's workers: the processes of this machine unless told otherwise."""
    from hushrank.cli.output.console import in_flags
    from hushrank.engines.tasks import Workers

    with in_flags("scheduler", "workers"):
        return Workers(scheduler or "processes", number)


def workers_for(engine: "Engine", scheduler: str | None, number: int | None) -> "Workers":
    """Return the workers of the engine that a command was told to use."""
    from hushrank.cli.input.options import Engine
    from hushrank.engines.tasks import HERE

    if engine is Engine.DASK:
        return workers_of(scheduler, number)
    require_local(scheduler, number)
    return HERE


def require_local(scheduler: str | None, number: int | None) -> None:
    """Raise HushrankError where Dask was told how to run, but is not used."""
    is_told = scheduler is not None or number is not None
    require(not is_told, "--scheduler and --workers go with --engine dask")
