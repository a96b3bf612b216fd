"""Which file an experiment reads for which population."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from hushrank.errors import require
from hushrank.experiments.experiment import Experiment

NAMELESS = ""


def named_files(given: Sequence[str], names: Collection[str]) -> dict[str, Path]:
    """Split `NAME=FILE` at the first sign of equality, where NAME is one of `names`.

    Anything else is a path, kept under the name "".
    Raises HushrankError when a name is given twice, or unknown and no path of an existing file.
    """
    files: dict[str, Path] = {}
    for each in given:
        name, equals, path = each.partition("=")
        is_named = bool(equals) and name in names
        known = is_named or not equals or Path(each).exists()
        require(known, f"expected --data NAME=FILE with one of {', '.join(names)}, got {name}")
        key = name if is_named else NAMELESS
        require(key not in files, f"expected one file for --data {key or 'FILE'}, got several")
        files[key] = Path(path if is_named else each)
    return files


def files_for(experiment: Experiment, files: Mapping[str, Path]) -> dict[str, Path]:
    """Return the files of the experiment's populations; a nameless one serves a single population.

    Raises HushrankError, with the options to give, where one is missing.
    """
    needed = experiment.file_populations
    found = {each.name: files[each.name] for each in needed if each.name in files}
    if len(needed) == 1 and NAMELESS in files:
        found.setdefault(needed[0].name, files[NAMELESS])
    missing = [each for each in needed if each.name not in found]
    prefix = "" if len(needed) == 1 else "{}="
    options = ", ".join(f"--data {prefix.format(each.name)}FILE ({each.holds})" for each in missing)
    require(not missing, f"{experiment.name} needs {options}")
    return found
