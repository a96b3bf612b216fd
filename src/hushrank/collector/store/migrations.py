"""From an older schema to the newest: numbered SQL files, applied in order, each once.

The files of a store stand in its folder `schema`: 0001.sql makes the first schema, 0002.sql turns
it into the second, and so on. A file that was released is never edited.
"""

from importlib.resources import files

from hushrank.errors import require


def steps(store: str) -> tuple[str, ...]:
    """Return the SQL of all schema files of a store, "sqlite" or "postgres", in order."""
    folder = files("hushrank.collector.store") / store / "schema"
    scripts = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    return tuple(script.read_text(encoding="utf-8") for script in scripts)


def missing(version: int, known: tuple[str, ...], named: str) -> tuple[str, ...]:
    """Return the steps that bring a store of this version to the newest.

    Raises HushrankError where a newer hushrank wrote it.
    """
    require(
        version <= len(known),
        f"{named}: written by a newer hushrank, in version {version} of the schema; this one"
        f" knows versions up to {len(known)}: update hushrank",
    )
    return known[version:]
