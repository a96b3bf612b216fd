"""Where the files of elections are, in the folder of real data."""

from pathlib import Path

from hushrank.experiments.populations import FilePopulation


def election_file(data_folder: Path, election: FilePopulation) -> Path:
    """Find the file of an election, plain or gzipped."""
    name = election.holds.removeprefix("PrefLib ").partition(";")[0]
    (found,) = (data_folder / "elections").glob(f"*/{name}*")
    return found
