"""Ballots of many forms, as rows below a header, and cells that belong to none of them."""

from dataclasses import dataclass
from typing import Any

ITEMS = ("tea", "milk", "cola", "water")
PLACES = ("1st", "2nd", "3rd", "4th")
STARS = "★"

ODD = (
    *("", " ", None, 0, 1, 2, 5, -1, 1.0, 1.5, float("nan"), True, False),
    *("0", "1", "2", "4", "10", "1e3", "1/2", "1,5", "1.0", "25%", "NaN", "10000000000000000000"),
    *("1st", "2nd", "first", "1st choice", "★★", "3 stars", "n/a", "skipped", "overvote"),
    *("Tea", "x", "write-in", "TRUE", "2026-01-01", "total", "Sum", "count", "id", "rank"),
    *("tea>milk", "tea;milk", "tea|milk", "tea,milk", "tea=milk", "tea::milk", "27: tea > milk"),
    *("[]", "{}", '["tea","milk"]', '["tea"]', '{"ImportId":"x"}', "CvrNumber", "ballot"),
    *('"', '"tea"', 'te"a', "tea\nmilk", "\t", ",", ";", "::", "é", "\ufeff", "#", "=1"),
    *ITEMS,
)
"""Cells that may be in any file; as objects of Python where a source has types."""

HEADERS = (
    *(PLACES, ITEMS, ("id",), ("ballot",), ("weight", "ballot"), ("Drinks",), ("My survey",)),
    ("1", "2", "3", "4"),
)
"""Lines that may be of a header; a ballot may say the same."""


def order(random):
    return random.sample(ITEMS, 4)


def some(random):
    return [*order(random)[: random.randint(1, 4)], "", "", ""][:4]


def ranks(random):
    return random.sample((1, 2, 3, 4), 4)


def _lists(sign, *, of_some=False):
    def row(random):
        names = random.sample(ITEMS, random.randint(1, 4) if of_some else 4)
        return [sign.join(names)]

    return row


def _beside(before, of_ballot):
    return lambda random: [*before(random), *of_ballot(random)]


def _number(random):
    return [random.randrange(10**6)]


def _long_number(random):
    return [10**17 + random.randrange(10**6)]


def _count(random):
    return [random.randint(1, 5)]


def _some_ranks(random):
    return [rank if random.random() > 0.3 else "" for rank in ranks(random)]


@dataclass(frozen=True)
class Ballots:
    """Lines of a header, none or more, and how a row below them is drawn."""

    header: tuple[tuple[str, ...], ...]
    row: Any


FORMS = {
    "ranks": Ballots((ITEMS,), ranks),
    "ranks of some": Ballots((ITEMS,), _some_ranks),
    "ranks of what nobody ranks last": Ballots((ITEMS,), lambda r: [*r.sample((1, 2, 3), 3), ""]),
    "ranks of few": Ballots((ITEMS,), lambda r: r.choice(((1, "", 2, ""), (2, "", 1, "")))),
    "ranks beside who it is": Ballots(
        (("id", "age", *ITEMS),), _beside(lambda r: [r.randrange(10**6), r.randint(18, 90)], ranks)
    ),
    "ranks and people": Ballots((("weight", *ITEMS),), _beside(_count, ranks)),
    "ranks in a question": Ballots((tuple(f"Drinks [{item}]" for item in ITEMS),), ranks),
    "ranks below a title": Ballots((("My survey", "", "", ""), ITEMS), ranks),
    "ranks below a title of one cell": Ballots((("My survey",), ITEMS), ranks),
    "ranks of two": Ballots((ITEMS[:2],), lambda r: r.sample((1, 2), 2)),
    "ranks beside a yes": Ballots(
        (("tea", "milk", "ok"),), lambda r: [*r.sample((1, 2), 2), r.choice((True, False))]
    ),
    "ranks without a header": Ballots((), ranks),
    "scores": Ballots((ITEMS,), lambda r: [r.randint(0, 5) for _ in ITEMS]),
    "scores beside a city": Ballots(
        (("city", *ITEMS),),
        lambda r: [r.choice(("Rome", "Bonn")), *(r.randint(0, 9) for _ in ITEMS)],
    ),
    "decimal scores": Ballots((ITEMS,), lambda r: [r.choice((3.5, 1, 2.25, 9)) for _ in ITEMS]),
    "stars": Ballots((ITEMS,), lambda r: [STARS * r.randint(1, 5) for _ in ITEMS]),
    "marks": Ballots(
        (("tea(1)", "tea(2)", "milk(1)", "milk(2)"),),
        lambda r: r.choice(((1, 0, 0, 1), (0, 1, 1, 0))),
    ),
    "places": Ballots((PLACES,), order),
    "places, some empty": Ballots((PLACES,), some),
    "places beside a city": Ballots(
        (("city", *PLACES),), _beside(lambda r: [r.choice(("Rome", "Oslo", "Bonn"))], order)
    ),
    "places below a question": Ballots((("Drinks", "", "", ""), PLACES), order),
    "places of two questions": Ballots(
        (("Drinks", "", "", "", "Food", ""), (*PLACES, *PLACES[:2])),
        lambda r: [*order(r), *r.sample(("rice", "soup"), 2)],
    ),
    "places without a header": Ballots((), order),
    "places without a header, some empty": Ballots((), some),
    "a first place": Ballots((("first",),), lambda r: [r.choice(ITEMS)]),
    **{f"lists by {sign}": Ballots((("ballot",),), _lists(sign)) for sign in ">;|,"},
    **{f"lists by {sign} without a header": Ballots((), _lists(sign)) for sign in ">;"},
    **{
        f"lists by {sign} beside who": Ballots((("id", "ballot"),), _beside(who, _lists(sign)))
        for sign, who in ((">", _number), (";", _long_number))
    },
    "lists of some": Ballots((("ballot",),), _lists(">", of_some=True)),
    "lists and people": Ballots((("count", "ballot"),), _beside(_count, _lists(">"))),
    "counted lists": Ballots((), lambda r: [f"{r.randint(1, 4)}: {' > '.join(order(r))}"]),
}
