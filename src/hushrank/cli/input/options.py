"""Options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from typer import Argument, BadParameter, Option

EPSILON_HELP = (
    "Privacy loss of a person, in nats. At 1, an even guess about somebody can become right 73.2"
    " times in 100; at 4, 98.3 times."
)

LOCAL_HELP = f"{EPSILON_HELP} Local: whoever sees the report, a shuffler too."


class FileForm(StrEnum):
    """What a file of rankings can hold."""

    PREFLIB = "preflib"
    ORDER = "order"
    BLT = "blt"
    PLACES = "places"
    RANKS = "ranks"
    SCORES = "scores"
    LISTS = "lists"


class End(StrEnum):
    """Which end of numbers is best."""

    HIGH = "high"
    LOW = "low"


class Unranked(StrEnum):
    """What it says about two items that a ballot ranks only one of them."""

    UNKNOWN = "unknown"
    LAST = "last"


Form: TypeAlias = Annotated[
    FileForm | None,
    Option(
        metavar="<form>",
        help=f"What FILE holds: {', '.join(FileForm)}. (default: told by its content)",
    ),
]
Columns: TypeAlias = Annotated[
    list[str] | None, Option(help="The columns that are ballots: Mayor*, 2-8. May be repeated.")
]
Ignore: TypeAlias = Annotated[
    list[str] | None, Option(help="Columns that are not: age,id. May be repeated.")
]
Id: TypeAlias = Annotated[
    str | None, Option(help="The column that says whose ballot it is: the last one counts.")
]
Weight: TypeAlias = Annotated[
    str | None, Option(help="The column that says for how many people a row stands.")
]
BestEnd: TypeAlias = Annotated[
    End | None, Option(help="Which end of numbers is best: high of stars, low of places.")
]
Sheet: TypeAlias = Annotated[
    str | None, Option(help="The sheet of a workbook. (default: the only one with rows)")
]
Header: TypeAlias = Annotated[
    int | None,
    Option(
        min=0,
        metavar="<lines>",
        help="How many lines of a table stand above the ballots; 0: none. (default: told by it)",
    ),
]
Items: TypeAlias = Annotated[
    list[str] | None,
    Option(
        help="All items, whatever ballots name: tea,milk,cola. May be repeated. (default: those"
        " that somebody ranks)"
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None, Option(help="Items to leave out: by name, write-ins, or 1%. May be repeated.")
]


Activities: TypeAlias = Annotated[
    Path, Argument(help="Who did what: CSV or Parquet, user,item[,score][,time]; also gzipped.")
]
UserColumn: TypeAlias = Annotated[
    str | None, Option("--user", help="The column of users, such as userId. (default: user)")
]
ItemColumn: TypeAlias = Annotated[
    str | None, Option("--item", help="The column of items, such as movieId. (default: item)")
]
ScoreColumn: TypeAlias = Annotated[
    str | None, Option("--score", help="The column of scores, such as rating. (default: score)")
]
TimeColumn: TypeAlias = Annotated[
    str | None, Option("--time", help="The column of times, such as timestamp. (default: time)")
]
Delimiter: TypeAlias = Annotated[
    str | None, Option(help="What parts the cells of ACTIVITY. (default: told by its content)")
]
ProfilesFile: TypeAlias = Annotated[
    Path, Option(help="What users keep private: user,<attribute>,...[,protects].")
]
Private: TypeAlias = Annotated[
    str, Option(help="The attributes to protect, by name: gender or gender,age.")
]
Bins: TypeAlias = Annotated[
    list[str] | None, Option(help="Cut a numeric attribute: age=18,35,50. May be repeated.")
]


def known_protocol(name: str) -> str:
    """Return the name of a protocol, ours or a plug-in's; refuse another as a wrong option."""
    from hushrank.protocols.registry import protocol_names  # numpy would double the time of --help

    if name not in protocol_names():
        raise BadParameter(f"expected one of {', '.join(protocol_names())}, got {name}")
    return name


def plain_value(option: Any) -> Any:
    """Return what a workflow takes for an option: the word of a choice, anything else as it is."""
    return option.value if isinstance(option, StrEnum) else option


StoreAddress: TypeAlias = Annotated[
    str, Option("--store", help="Where everything is kept: a file of SQLite, or postgresql://...")
]

CsvFile: TypeAlias = Annotated[
    Path | None, Option("--csv", help="Write the numbers behind words and pictures: one CSV.")
]
FigureFile: TypeAlias = Annotated[
    Path | None, Option("--figure", help="Write the picture of the order: .svg, .png or .pdf.")
]


Shuffled: TypeAlias = Annotated[
    bool,
    Option("--shuffled", help="Trust a shuffler: all reports in random order, nothing else."),
]
CentralEpsilon: TypeAlias = Annotated[
    float | None,
    Option(help="With --shuffled: the loss, in nats, to whoever sees shuffled reports alone."),
]
Delta: TypeAlias = Annotated[
    float | None, Option(help="With --shuffled: of --central-epsilon. (default: 1e-6)")
]


class Engine(StrEnum):
    """What runs a command: this process, or Dask."""

    LOCAL = "local"
    DASK = "dask"


EngineName: TypeAlias = Annotated[
    Engine, Option("--engine", help="dask: FILE is Parquet, read piece by piece.")
]
Scheduler: TypeAlias = Annotated[
    str | None,
    Option(help="Dask: threads, processes or tcp://host:8786."),
]
WorkerCount: TypeAlias = Annotated[
    int | None, Option("--workers", min=1, help="How many threads or processes. (default: all)")
]
