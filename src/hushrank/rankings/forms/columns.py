"""Which columns of an export are ballots, and which say when, where and by whom they were given."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Table
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.lines.headings import Headed

WEIGHT = "weight"
PEOPLE = ("person", "user", "userid", "user_id", "voter", "voterid", "respondent", "participant")
ITEMS = (
    *("item", "itemid", "item_id", "candidate", "option", "alternative"),
    *("product", "productid", "product_id", "movie", "movieid", "movie_id"),
)
SCORES = ("score", "rating", "stars", "points")
RANKS = ("rank", "place", "position")

_BESIDE = re.compile(
    r"time ?stamp|zeitstempel|horodateur|marca temporal|date ?stamp|submit ?date|submitted(?: at)?"
    r"|(?:start|end|stage|recorded|completion|last modified|submit|submission|response|created)"
    r" ?(?:date|time)(?: \(utc\))?"
    r"|date (?:created|modified|submitted)|datum abgeschickt"
    r"|duration.*|ip ?address|e-?mail(?:[ -]?(?:address|adresse))?|id|#|uuid|guid|.+ id"
    r"|(?:response|respondent|user|voter|person|participant|worker|session|batch|record)id"
    r"|(?:full|first|last|user) ?name|last ?page|(?:start|user) ?language|distribution ?channel"
    r"|location(?:latitude|longitude)|recipient.*|external ?(?:data ?)?reference|custom ?data.*"
    r"|response ?type|cast vote record|precinct ?portion|ballot ?(?:style|type)|cvr ?number"
    r"|tabulator ?num|imprinted ?id|counting ?group|any (?:other|more) comments.*"
    r"|unnamed: 0(?:\.\d+)?",  # as pandas calls its numbers of rows
    re.IGNORECASE,
)
_PERHAPS_BESIDE = re.compile(
    r"age(?: .*)?|gender|sex|country|state|city|region|zip.*|post ?code|income|education"
    r"|occupation|year of birth|birth.*|language|date|time|status|progress|finished|name|token"
    r"|seed|tags|voter|person|participant|respondent|user|comments?|url|refer(?:r)?er|browser"
    r"|device|platform|precinct|ip|year|total|score|count|votes|alter|geschlecht|land|ort|plz"
    r"|(?:what(?: is|['\u2019]s) )?your (?:age|gender|sex|country|city)\??|how old are you\??"
    r"|years of experience"
    r"|index|nr\.?|no\.?|teilnehmer(?:in)?|antwort id|kommentare?|feedback|notes?",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"(?:ballot |vote |voter )?counts?|(?:number|no\.|#) of (?:votes|voters|ballots|people)"
    r"|votes|voters|ballots|freq(?:uency)?|multiplicity|anzahl(?: stimmen)?|stimmen|häufigkeit"
    r"|nombre(?: de (?:voix|votes|votants|bulletins))?|voix|effectifs?|fréquence"
    r"|(?:número|total) de (?:votos|votantes|papeletas)|cantidad|votos|frecuencia"
    r"|(?:numero di )?voti|quantidade|aantal(?: stemmen)?|stemmen",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")


def stands_beside(title: str) -> bool:
    """Tell by its name a column that no form asks people to rank: a time, an id, an address."""
    return _BESIDE.fullmatch(_plain(title)) is not None


def may_stand_beside(title: str) -> bool:
    """Tell a name that a column about people has, such as their age; items may have it too."""
    return _PERHAPS_BESIDE.fullmatch(_plain(title)) is not None


def may_be_a_weight(title: str) -> bool:
    """Tell a name that may say how many people a row stands for."""
    return _COUNTS.fullmatch(_plain(title)) is not None


def chosen(headed: Headed, patterns: Sequence[str], option: str) -> list[int]:
    """Return the columns that the patterns name, in the order of the table.

    A pattern is a title, a question, a part of one, each perhaps with *; a number, or a range; or
    several of these with commas between.
    Raises HushrankError where a pattern names none.
    """
    found: set[int] = set()
    for pattern in patterns:
        columns = _matching(headed, pattern)
        require(columns, f"{option}: there is no column '{pattern}'")
        found |= columns
    return sorted(found)


def require_steady(headed: Headed, patterns: Sequence[str]) -> None:
    """Refuse patterns that a column which is there for one row's sake would give another meaning.

    It moves the numbers of others, and may be called like a pattern, `Drinks*`.
    """
    table = headed.table
    parts = {part.strip() for pattern in patterns for part in (pattern, *pattern.split(","))}
    if not table.told_by_rows or not parts or table.n_rows < 2:
        return
    lone = [n for n, each in enumerate(table.columns) if each.is_filled.sum() <= 1]
    called = {table.header[n].casefold() for n in lone}
    signs = [part for part in parts if "*" in part or "," in part]
    if lone and any(map(_RANGE.fullmatch, parts)):
        raise HushrankError(
            f"{listed(lone)}: one row at most says something there, and its number moves others:"
            " say columns by their names, not by numbers"
        )
    for part in signs:
        whose = "one row at most says something in a column called so"
        require(part.casefold() not in called, f"{part}: {whose}: say other names of columns")


def lone_columns(table: Table, asked: Asked, ballots: Table) -> list[int]:
    """Return columns that are there for one row's sake: those without a name, or that rows tell of.

    But for those that a caller names: without them the table is another. ballots: its rows, where
    ids tell people the last of each, for somebody may say something in several.
    """
    others = filter(None, (asked.weight, asked.id))
    named = {each.casefold() for each in (*asked.columns, *asked.ignore, *others)}
    return [
        n
        for n, each in enumerate(ballots.columns)
        if (table.told_by_rows or not table.header[n])
        and each.is_filled.sum() <= 1
        and table.header[n].casefold() not in named
    ]


def the_one(headed: Headed, name: str, option: str) -> int:
    """Return the one column of this name."""
    columns = chosen(headed, [name], option)
    require(len(columns) == 1, f"{option}: expected one column '{name}', got {len(columns)}")
    return columns[0]


def listed(columns: Sequence[int]) -> str:
    """Name columns by number: column 3, columns 2 to 8, columns 1, 4 and 6."""
    numbers = [column + 1 for column in columns]
    if len(numbers) == 1:
        return f"column {numbers[0]}"
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"columns {numbers[0]} to {numbers[-1]}"
    shown = numbers if len(numbers) <= 6 else [*numbers[:5], numbers[-1]]
    joined = ", ".join(map(str, shown[:-1]))
    return f"columns {joined} {'and' if len(numbers) <= 6 else '..'} {shown[-1]}"


def _matching(headed: Headed, pattern: str) -> set[int]:
    n_columns = len(headed.parts)
    names = list(zip(headed.table.header, headed.questions, headed.parts, strict=True))
    wanted = pattern.strip().casefold()
    exact = {n for n, each in enumerate(names) if wanted in (name.casefold() for name in each)}
    if exact:
        return exact
    if numbers := _RANGE.fullmatch(wanted):
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        return {n - 1 for n in range(first, last + 1) if 1 <= n <= n_columns}
    if "," in wanted:
        return set().union(*(_matching(headed, part) for part in wanted.split(",")))
    glob = wanted.replace("[", "[[]")
    return {
        n
        for n, each in enumerate(names)
        if any(fnmatchcase(name.casefold(), glob) for name in each)
    }


def _plain(title: str) -> str:
    return " ".join(title.replace("_", " ").split())
