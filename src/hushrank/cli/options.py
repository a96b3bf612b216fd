"""Options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from typer import Argument, BadParameter, Option


class FileForm(StrEnum):
    """What a file of rankings can hold."""

    PREFLIB = "preflib"
    ORDER = "order"
    PLACES = "places"
    RANKS = "ranks"
    SCORES = "scores"


class Unranked(StrEnum):
    """What it says about two items that a ballot ranks only one of them."""

    UNKNOWN = "unknown"
    LAST = "last"


Activities: TypeAlias = Annotated[
    Path, Argument(help="Who did what: CSV or Parquet, user,item[,score][,time]; also gzipped.")
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
