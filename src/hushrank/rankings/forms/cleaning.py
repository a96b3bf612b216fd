"""From what a file holds to ballots: one a person, none empty, of the items that are wanted."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

import numpy as np

from hushrank.errors import require
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.found import Flags, Found
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Irregular, Reading

WRITE_INS = "write-ins"

_WRITE_IN = re.compile(r"\W*(?:\w+ )?write[- ]?ins?\b.*|uwi", re.IGNORECASE)
_SHARE = re.compile(r"(\d{1,2}(?:\.\d+)?)\s*%")


def ballots_of(found: Found, source: str, asked: Asked, *, n_empty: int = 0) -> Rankings:
    """Clean what was found, and say how it was read.

    Ballots that rank nothing are left out.
    Raises HushrankError when nothing is left, or `drop` names no item.
    """
    counts = dict.fromkeys(found.flags, 0)
    rankings, flags = found.rankings, dict(found.flags)
    counts["superseded"] = found.n_superseded or 0
    rankings, dropped = _without(rankings, asked.drop)
    rankings, left_out = _of_items(rankings, asked.items)
    if not rankings.is_complete:
        speaks: Flags = np.asarray(rankings.is_ranked.any(axis=1))
        counts["empty"] = _people(rankings, ~speaks) + n_empty
        require(speaks.any(), "expected at least 1 ballot that ranks an item")
        rankings, flags = _kept(rankings, flags, speaks)
    elif n_empty:
        counts["empty"] = n_empty
    counts |= {kind: _people(rankings, rows) for kind, rows in flags.items()}
    return rankings.read_as(
        _reading(rankings, found, source, Irregular(**counts), (*dropped, *left_out), asked)
    )


def _reading(
    rankings: Rankings,
    found: Found,
    source: str,
    irregular: Irregular,
    dropped: tuple[str, ...],
    asked: Asked,
) -> Reading:
    complete, strict = rankings.is_complete, rankings.is_strict
    return Reading(
        source,
        found.form,
        people=rankings.n_people,
        items=rankings.n_items,
        unranked=rankings.unranked,
        tied=0 if strict else _people(rankings, rankings.is_tied),
        incomplete=0
        if complete
        else _people(rankings, np.asarray(~rankings.is_ranked.all(axis=1))),
        irregular=irregular,
        ignored=found.ignored,
        remarks=(*found.remarks, *dropped),
        by_share=any(_SHARE.fullmatch(each) for each in asked.drop),
    )


def _people(rankings: Rankings, rows: Flags) -> int:
    return int(rankings.people_of_rows[rows].sum()) if rows.any() else 0


def _kept(
    rankings: Rankings, flags: Mapping[str, Flags], rows: Flags
) -> tuple[Rankings, dict[str, Flags]]:
    if rows.all():
        return rankings, dict(flags)
    return rankings.select(rows), {kind: flag[rows] for kind, flag in flags.items()}


def _without(rankings: Rankings, drop: tuple[str, ...]) -> tuple[Rankings, tuple[str, ...]]:
    """Leave out items by name, as write-ins or by share, and say how many."""
    dropped: set[int] = set()
    said = []
    for pattern in drop:
        items = _named(rankings, pattern)
        dropped |= items
        kind = "item" if len(items) == 1 else "items"
        said.append(f"{len(items):,} {kind} dropped by '{pattern}'")
    kept = [item for item in range(rankings.n_items) if item not in dropped]
    require(kept, "drop: expected items that stay")
    return (rankings.restrict(kept) if dropped else rankings), tuple(said)


def _of_items(rankings: Rankings, items: tuple[str, ...]) -> tuple[Rankings, tuple[str, ...]]:
    """Keep the items that were listed, and say of how many others there are."""
    if not items:
        return rankings, ()
    n_known = len(set(rankings.names) & set(items))
    require(n_known, "items: expected items that ballots rank, got none of them")
    n_others, n_missing = rankings.n_items - n_known, len(items) - n_known
    said = f"items as listed: ballots name {n_others:,} more, and {n_missing:,} of them nowhere"
    return rankings.of_items(items), (said,)


def _named(rankings: Rankings, pattern: str) -> set[int]:
    if share := _SHARE.fullmatch(pattern):
        people = rankings.people_of_rows @ rankings.is_ranked
        return set(np.flatnonzero(people < float(share[1]) / 100 * rankings.n_people).tolist())
    names = [name.casefold() for name in rankings.names]
    if pattern.casefold() == WRITE_INS:
        return {item for item, name in enumerate(names) if _WRITE_IN.fullmatch(name)}
    glob = pattern.casefold().replace("[", "[[]")
    found = {item for item, name in enumerate(names) if fnmatchcase(name, glob)}
    several = "; for several items, say it several times" if "," in pattern else ""
    require(found, f"drop: there is no item '{pattern}'{several}")
    return found
