"""How tools write ballots out: lines above them, columns beside them, other items."""

from tests.rankings.neighbours.forms import ITEMS, Ballots

WORDS = (
    *[ITEMS] * 3,
    *(("A", "B", "C", "D"), ("10", "20", "30", "40"), ("2021", "2022", "2023", "2024")),
    *(("Ann Lee", "Bo/Ng", "Cy (x)", "Di, Jr."), ("yes", "no", "4", "none"), ("é", "ß", "£", "°")),
)
"""Items instead of those of the forms."""


def _across(header, cells):
    return (*cells, *[""] * len(header[-1]))[: len(header[-1])]


LINES = (
    *[lambda header: header] * 6,
    lambda header: (("My survey",), *header),
    lambda header: (_across(header, ("My survey",)), *header),
    lambda header: (_across(header, ("",)), *header),
    lambda header: (("My survey",), ("1 November",), *header),
    lambda header: (("My survey",), _across(header, ()), *header),
    lambda header: (_across(header, ("About you", "Drinks")), *header),
    lambda header: (("Which do you like?",) * len(header[-1]), *header),
    lambda header: (tuple(map(str, range(1, len(header[-1]) + 1))), *header),
    lambda header: (*header, tuple(f"Please say: {name}" for name in header[-1])),
    lambda header: (*header, header[-1]),
    lambda header: (
        tuple(f"Q1_{n}" for n, _ in enumerate(header[-1], start=1)),
        tuple(f"What do you like? - {name}" for name in header[-1]),
        tuple(f'{{"ImportId":"QID1_{n}"}}' for n, _ in enumerate(header[-1], start=1)),
    ),
)
"""What tools and people put above ballots."""

COLUMNS = (
    ("", lambda random: random.randrange(10**6)),
    ("", lambda random: ""),
    ("", lambda random: random.choice((*[""] * 9, "late"))),
    ("note", lambda random: random.choice((*[""] * 9, "late", "ok", 2))),
    ("poll", lambda random: "P1"),
    ("time", lambda random: f"2026-11-{random.randint(1, 30):02} 10:{random.randrange(60):02}"),
    ("token", lambda random: f"{random.randrange(16**8):08x}"),
    ("ok", lambda random: random.choice((True, False))),
    ("count", lambda random: 1),
    ("district", lambda random: random.choice((1, 2, 3))),
)
"""What stands beside ballots."""


def laid_out(ballots, random):
    """Return ballots as some tool may write them, and pairs of their items and other ones."""
    if ballots.header and not random.randrange(3):
        ballots = _beside(ballots, *random.choice(COLUMNS), random.choice((0, 9)))
    header = random.choice(LINES)(ballots.header) if ballots.header else ()
    words = tuple(zip(ITEMS, random.choice(WORDS), strict=True))
    return Ballots(
        said_in(words, header), lambda random: said_in(words, ballots.row(random))
    ), words


def _beside(ballots, name, cell, at):
    """Return ballots with a column more, whose name stands in the last line of the header."""
    names = [*[""] * (len(ballots.header) - 1), name]
    header = [_with(line, each, at) for line, each in zip(ballots.header, names, strict=True)]
    return Ballots(tuple(header), lambda random: _with(ballots.row(random), cell(random), at))


def _with(cells, cell, at):
    return (*cells[:at], cell, *cells[at:])


def said_in(words, value):
    """Return whatever a source holds, with other items for those of the forms."""
    if isinstance(value, str):
        for item, other in words:
            value = value.replace(item, other)
        return value
    if isinstance(value, dict):
        return {said_in(words, key): said_in(words, each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(said_in(words, each) for each in value)
    return value
