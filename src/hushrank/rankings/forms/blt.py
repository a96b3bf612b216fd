"""BLT files, as OpaVote, OpenSTV and many counting programs exchange ballots."""

import re

import numpy as np

from hushrank.arrays import Floats
from hushrank.errors import HushrankError, require
from hushrank.files.columns import require_held
from hushrank.files.names import distinct_names
from hushrank.rankings.coding import rank_type
from hushrank.rankings.formats.preflib_body import MOST_PEOPLE_OF_A_ROW
from hushrank.rankings.profile import Rankings

_FIRST = re.compile(rb"\s*(?:#[^\n]*\n\s*)*\d{1,6}[ \t]+\d{1,6}[ \t]*(?:#[^\n]*)?\r?\n")
_END = re.compile(rb"^[ \t]*0[ \t]*(?:#[^\n]*)?\r?\n\s*[\"#]", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_BALLOT = re.compile(
    r"(?:\([^)]*\)\s*)?(\d{1,13})((?:\s+(?:-|\d{1,6}(?:=\d{1,6})*))*?)(?:\s+0)?\s*", re.ASCII
)
_WITHDRAWN = re.compile(r"(?:-\d{1,6}\s*)+", re.ASCII)


def is_blt(text: bytes, ending: str = "") -> bool:
    """Tell `candidates seats` in the first line, and a 0 between ballots and quoted names.

    A file that is called so may be cut off.
    """
    is_whole = ending == ".blt" or _END.search(text) is not None
    return is_whole and _FIRST.match(text) is not None


def parse_blt(text: bytes) -> tuple[Rankings, int, int]:
    """Read `weight candidate candidate .. 0` lines.

    Returns how many people ranked nobody, and how many candidates withdrew, too: these are left
    out. `=` ties, `-` is a place that was skipped.
    Raises HushrankError, with the line, when a line, a candidate or a name does not fit.
    Source: Hill, Wichmann, Woodall (Computer Journal 1987), Algorithm 123, and OpaVote's additions.
    """
    require(_FIRST.match(text), "line 1: expected the numbers of candidates and of seats")
    lines = [_plain(line) for line in text.decode().split("\n")]
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line]
    n_items = _n_items(*filled[0])
    ends = [at for at, (_, line) in enumerate(filled) if line == "0"]
    require(ends, "expected a line of 0 between the ballots and the names")
    one_end = f"line {filled[ends[-1]][0]}: expected one line of 0, below the ballots"
    require(len(ends) == 1, one_end)  # else ballots below the first were read as names
    names = _names(filled[ends[0] + 1 :], n_items)
    kept = _kept(filled[1 : ends[0]], n_items)
    in_order = distinct_names([names[item] for item in kept])
    ballots = _ballots(filled[1 : ends[0]])
    require_held(len(ballots), n_items, len(text))
    counted = [_row(line, number, n_items) for number, line in ballots]
    keys = np.array([row for _, row in counted]).reshape(-1, n_items)[:, kept]
    people = np.array([weight for weight, _ in counted], dtype=np.int64)
    is_empty = np.isnan(keys).all(axis=1)
    require(not is_empty.all(), "expected at least 1 ballot that ranks somebody")
    ranked = Rankings.from_keys(keys[~is_empty], in_order, people[~is_empty])
    return ranked, int(people[is_empty].sum()), n_items - len(kept)


def _n_items(number: int, line: str) -> int:
    n_items = int(line.split()[0])
    require(n_items >= 1, f"line {number}: expected at least 1 candidate")
    return n_items


def _kept(lines: list[tuple[int, str]], n_items: int) -> list[int]:
    """Return the candidates that no line says have withdrawn."""
    withdrawn: set[int] = set()
    for number, line in lines:
        if _WITHDRAWN.fullmatch(line):
            gone = {-int(each) - 1 for each in line.split()}
            in_range = all(0 <= item < n_items for item in gone)
            require(in_range, f"line {number}: expected withdrawn candidates of -1..-{n_items}")
            withdrawn |= gone
    kept = [item for item in range(n_items) if item not in withdrawn]
    require(np.iinfo(rank_type(len(kept))).max > len(kept), "expected fewer candidates")
    return kept


def _ballots(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(number, line) for number, line in lines if not _WITHDRAWN.fullmatch(line)]


def _plain(line: str) -> str:
    """Return a line without a comment, which stands in no name."""
    return line.strip() if '"' in line else _COMMENT.sub("", line).strip()


def _row(line: str, number: int, n_items: int) -> tuple[int, Floats]:
    ballot = _BALLOT.fullmatch(line)
    if not ballot:
        raise HushrankError(f"line {number}: expected 'weight candidate candidate .. 0'")
    weight = int(ballot[1])
    fits = 1 <= weight <= MOST_PEOPLE_OF_A_ROW
    require(fits, f"line {number}: expected a weight of 1..{MOST_PEOPLE_OF_A_ROW}")
    row = np.full(n_items, np.nan)
    for place, tier in enumerate(ballot[2].split()):
        for each in tier.split("=") if tier != "-" else ():
            item = int(each) - 1
            in_range = 0 <= item < n_items
            require(in_range, f"line {number}: expected candidates of 1..{n_items}")
            require(np.isnan(row[item]), f"line {number}: expected each candidate at most once")
            row[item] = place
    return weight, row


def _names(lines: list[tuple[int, str]], n_items: int) -> list[str]:
    quoted = [line.strip().strip('"').strip() for _, line in lines if line]
    last = lines[-1][0] if lines else 0
    enough = len(quoted) >= n_items
    require(enough, f"line {last}: expected {n_items} names of candidates, got {len(quoted)}")
    names = quoted[:n_items]
    require(all(names), f"line {last}: expected names of candidates that are not empty")
    return names
