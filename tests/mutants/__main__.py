"""Does a test notice when the code is wrong? `make mutants`, and a fixed few in `make check`.

python -m tests.mutants [--privacy] [--sample N] [--seed S] [--every] [--rooms NAME ...] [--wide]
    [--kind NAME] [--client [FILE ...]] [--page [FILE ...]] [--jobs N] [--few]
"""

import argparse
import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from scipy.stats import binomtest

from tests.mutants import client
from tests.mutants.judging import Judge, Judgement, judge_all
from tests.mutants.mutant import Mutant, Tests, breaches
from tests.mutants.paging import judge_pages
from tests.mutants.rooms import ROOMS, Room
from tests.mutants.sampling import sampled
from tests.mutants.swapping import judge_swaps
from tests.mutants.trees import first_copy

FEW = (
    "src/hushrank/accounting/composition.py",
    "src/hushrank/aggregators/private/quicksort.py",
    "src/hushrank/collector/tokens.py",
    "client/ledger.js",
)
"""One mutant of each is judged by `make check`: that shows that this still works."""


def judged(
    mutants: list[Mutant], *, are_own: bool, jobs: int, parts: Iterable[str] = (".",)
) -> list[Judgement]:
    """Judge mutants in copies of such parts of the project, and say what becomes of each."""
    with first_copy(parts) as tree:
        judge = (Judge.of_own if are_own else Judge.of)(tree, mutants)
        return list(_shown(judge_all(judge, mutants, jobs=jobs), len(mutants)))


def swapped(mutants: list[Mutant], tests: Tests, *, jobs: int) -> list[Judgement]:
    """Judge mutants in forks of one process, and those that cannot be in copies."""
    others = list[Mutant]()
    with first_copy() as tree:
        done = list(_shown(judge_swaps(tree, mutants, tests, others, jobs=jobs), len(mutants)))
    return done + (judged(others, are_own=False, jobs=jobs) if others else [])


def paged(mutants: list[Mutant]) -> list[Judgement]:
    """Judge mutants of the page in one browser."""
    with first_copy() as tree:
        return list(_shown(judge_pages(tree, mutants), len(mutants)))


def _shown(judgements: Iterable[Judgement], n_all: int) -> Iterator[Judgement]:
    for number, each in enumerate(judgements, 1):
        shown = str(each.mutant) if each.fate == "survived" else each.mutant.file
        print(f"{number}/{n_all} {each.fate} {each.seconds:.1f} s {shown}", flush=True)
        yield each


def table(done: list[Judgement], n_places: Counter[str]) -> str:
    """Return a table of rooms, in Markdown, with all of them in the last row."""
    rooms = dict.fromkeys(sorted(each.mutant.room for each in done))
    lines = [
        "| room | possible | tried | killed | endless | explained | survived |",
        "|---|---|---|---|---|---|---|",
    ]
    for room in (*rooms, ""):
        fates = Counter(each.fate for each in done if room in ("", each.mutant.room))
        possible = n_places[room] if room else n_places.total()
        counts = (fates[name] for name in ("killed", "endless", "explained", "survived"))
        cells = (room or "all", possible or "", fates.total(), *counts)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def score(done: list[Judgement], *, is_sample: bool) -> str:
    """Return which part was noticed, of all and of what can be; a sample's with 95 % confidence."""
    fates = Counter(each.fate for each in done)
    noticed = fates["killed"] + fates["endless"]
    share = _share if is_sample else "{} of {}".format
    ways = {"all": len(done), "those not explained": len(done) - fates["explained"]}
    return "\n".join(f"noticed of {name}: {share(noticed, n)}" for name, n in ways.items() if n)


def _share(part: int, whole: int) -> str:
    found = binomtest(part, whole).proportion_ci(0.95, "exact")
    return f"{100 * part / whole:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f} %)"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--privacy", action="store_true", help="our own list, in full")
    parser.add_argument("--few", action="store_true", help="a fixed few of it, as `make check`")
    parser.add_argument("--sample", type=int, default=0, help="so many generic mutants as well")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of the sample")
    parser.add_argument("--every", action="store_true", help="all generic mutants, in forks")
    parser.add_argument("--kind", default="", help="of generic or browser mutants: a part of it")
    parser.add_argument("--rooms", nargs="+", default=[], help="parts of names of rooms or files")
    parser.add_argument("--client", nargs="*", help="all of the browser's modules, or of some")
    parser.add_argument("--page", nargs="*", help="those of its modules that need Chromium")
    parser.add_argument("--wide", action="store_true", help="try tests of other rooms at last")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    return parser.parse_args()


def _own(options: argparse.Namespace) -> list[Mutant]:
    if options.few:
        every = breaches()
        return [next(each.mutant for each in every if each.file == file) for file in FEW]
    wanted = options.rooms or [""]
    own = [each for each in breaches() if any(name in each.file for name in wanted)]
    return [each.mutant for each in own] if options.privacy else []


def _rooms(wanted: list[str]) -> list[Room]:
    """Return the rooms of these names, and for what is no room's name those that have it in it."""
    names = {room.name for room in ROOMS}
    parts = [name for name in wanted if name not in names]
    return [
        room for room in ROOMS if room.name in wanted or any(part in room.name for part in parts)
    ]


def _tests_of(rooms: list[Room], is_wide: bool) -> Tests:
    named = [room.tests + (room.wider if is_wide else ()) for room in rooms]
    return tuple(dict.fromkeys(chain.from_iterable(named)))


def main() -> None:
    """Judge what was asked for; exit with 1 where something survived that nothing explains."""
    options = _arguments()
    rooms = _rooms(options.rooms or [""])
    own, n_places, generic = _own(options), Counter[str](), list[Mutant]()
    if options.sample or options.every:
        n_wanted = sys.maxsize if options.every else options.sample
        asked = "--every" if options.every else f"--sample {n_wanted} --seed {options.seed}"
        print(asked, flush=True)
        generic, n_places = sampled(
            rooms, n_wanted, options.seed, kind=options.kind, is_wide=options.wide
        )
    names = options.client  # None where it is not asked for, and [] for all
    of_client = [] if names is None else client.of_modules(names, is_wide=options.wide)
    of_client = [each for each in of_client if options.kind in each.kind]
    of_page = [] if options.page is None else client.of_pages(options.page)
    of_page = [each for each in of_page if options.kind in each.kind]
    lists = {
        "Our own list": own,
        "Generic mutants": generic,
        "The browser's modules": of_client,
        "The page's modules": of_page,
    }
    survived = False
    for name, mutants in lists.items():
        if mutants:
            parts = client.READ if mutants is of_client and not options.wide else (".",)
            if mutants is generic and options.every:
                done = swapped(mutants, _tests_of(rooms, options.wide), jobs=options.jobs)
            elif mutants is of_page:
                done = paged(mutants)
            else:
                done = judged(mutants, are_own=mutants is own, jobs=options.jobs, parts=parts)
            of = n_places if mutants is generic else Counter[str]()
            is_sample = mutants is generic and not options.every
            print(f"\n{name}\n\n{table(done, of)}\n\n{score(done, is_sample=is_sample)}\n")
            survived |= any(each.fate == "survived" for each in done)
    sys.exit(survived)


if __name__ == "__main__":
    main()
