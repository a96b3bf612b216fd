"""Search for as many seconds as are said: `python -m tests.rankings.neighbours 600`."""

from argparse import ArgumentParser
from pathlib import Path
from random import Random
from secrets import randbits
from tempfile import TemporaryDirectory
from time import monotonic

from tests.rankings.neighbours.search import Counted, search


def main(seconds, seed):
    """Print what is found; return how much that is."""
    random, counted, n_found = Random(seed), Counted(), 0
    end = monotonic() + seconds
    with TemporaryDirectory() as folder:
        while monotonic() < end:
            for found in search(random, Path(folder), counted):
                n_found += 1
                print(found, flush=True)
    print(f"seed {seed}: {counted.files:,} files, {counted.pairs:,} neighbours, {n_found} found")
    return n_found


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m tests.rankings.neighbours", description=__doc__)
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("seed", type=int, nargs="?", default=randbits(32))
    raise SystemExit(bool(main(**vars(parser.parse_args()))))
