"""Ballots as files that say themselves what they are: of vote counters, PrefLib, BLT, orders."""

from copy import deepcopy
from csv import writer
from dataclasses import dataclass

from tests.rankings.cast_votes import test_common_data, test_dominion, test_hart
from tests.rankings.formats import test_preflib
from tests.rankings.neighbours.forms import ITEMS, ODD, some

MARKS = ("100", "010", "001", "000", "110", "111", "1", "0", "", "x", "0100", "2", "1000")
CONTESTS = ("Mayor", "Clerk")
ELECTION = deepcopy(test_common_data.ELECTION)
ELECTION["Contest"][0]["ContestSelection"].append({"@id": "no", "Selection": "No"})
ELECTION["Contest"][1]["ContestSelection"].append({"@id": "no", "Selection": "No"})
del ELECTION["Contest"][1]["VoteVariation"]
NAMES = ("Ann", "Bo", "Cy", "Di", "Ann ", "ann", "", "Write-in", "1", "10", None)
TERMS = ("1", "2", "3", "0", "4", "5", "1=2", "{1,2}", "{1}", "", "x", "1:", "#", '"', "A")
OTHER_LINES = ("", " ", "0", "4 1", "# x", '"Ann"', "1: 1,2", "1,1,1", "3,2,1,3", "end")


@dataclass(frozen=True)
class Marked:
    """What a counter of votes exports: a sheet a person, of contests, candidates and marks."""

    maker: str
    contests: tuple[str, ...]

    def record(self, random):
        return [
            (contest, [(name, MARKS[place]) for place, name in enumerate(self._order(random))])
            for contest in self.contests
        ]

    def _order(self, random):
        return random.sample(NAMES[:3], random.randint(0, 3))

    def odd(self, random):
        """Return a sheet of other candidates, marks, contests, or of none."""
        names = random.choices(NAMES, k=random.randrange(5))
        other = [(name, random.choice(MARKS)) for name in names]
        contest = random.choice((*CONTESTS, "Mayor ", "1", "weight", "id", ""))
        record, school = self.record(random), ("School", [("Dora", random.choice(MARKS))])
        return random.choice(
            (
                *([("Mayor", other)], [(contest, other)], [(contest, other), school], []),
                *([*record, (contest, other)], [(contest, other), *record], record[::-1]),
                *(record[1:], [*record, *record]),
            )
        )

    def write(self, records, folder):
        match self.maker:
            case "Hart":
                return test_hart.archive(folder, [test_hart.sheet(*each) for each in records])
            case "Dominion":
                mayor, clerk = test_dominion.CONTESTS["List"]
                contests = [mayor, clerk | {"NumOfRanks": 3 * (len(self.contests) - 1)}]
                sessions = [*map(self._session, records)]
                files = test_dominion.files(sessions, contests={"List": contests})
                for name, text in files.items():
                    (folder / name).write_text(text)
                return folder / "CvrExport.json"
        found = test_common_data.report([*map(self._report, records)], ELECTION)
        return test_common_data.written(found, folder)

    def _session(self, contests):
        marks = [
            {"Id": 7 + (contest != "Mayor"), "Marks": self._marks(candidates)}
            for contest, candidates in contests
        ]
        return {"Original": {"IsCurrent": True, "Cards": [{"Contests": marks}]}}

    def _marks(self, candidates):
        ids = {"Ann": 1, "Bo": 2, "Cy": 3, None: 4}
        return [
            test_dominion.mark(ids.get(name, 1), place)
            for name, mark in candidates
            for place in _places(mark)
        ]

    def _report(self, contests):
        ids = {"Ann": "c-p1", "Bo": "c-p2", "Cy": "c-p3", None: "c-w"}, {"Ann": "yes"}
        each = [
            test_common_data.record(
                *(
                    test_common_data.marked(ids[contest != "Mayor"].get(name, "no"), *_places(mark))
                    for name, mark in candidates
                ),
                contest="mayor" if contest == "Mayor" else "measure",
            )["CVRSnapshot"][0]["CVRContest"][0]
            for contest, candidates in contests
        ]
        found = test_common_data.record()
        found["CVRSnapshot"][0]["CVRContest"] = each
        return found


def _places(mark):
    return [place for place in (1, 2, 3) if mark[place - 1 : place] == "1"]


@dataclass(frozen=True)
class Lines:
    """A ballot a line, below a header that says how many there are."""

    form: str

    def record(self, random):
        order = random.sample("1234", random.randint(1, 4))
        match self.form:
            case "blt":
                return " ".join(["1", *order, "0"])
            case "order":
                return " ".join(["0", str(len(order)), *(str(int(item) - 1) for item in order)])
        return f"1: {','.join(order)}" if self.form == "toi" else f"1,{','.join(order)}"

    def odd(self, random):
        sign = " " if self.form in ("blt", "order") else ","
        terms = random.choices(TERMS, k=random.randint(1, 5))
        head = {"blt": "1 ", "order": f"0 {len(terms)} ", "toi": "1: ", "old": "1,"}[self.form]
        end = " 0" if self.form == "blt" else ""
        lines = (head + sign.join(terms) + end, sign.join(terms), random.choice(OTHER_LINES))
        return random.choice(lines)

    def write(self, records, folder):
        path, n = folder / f"ballots.{'toi' if self.form == 'old' else self.form}", len(records)
        match self.form:
            case "blt":
                names = [f'"{item}"' for item in (*ITEMS, "Drinks")]
                lines = ["4 1", *records, "0", *names]
            case "order":
                lines = ["4 1", *records]
            case "toi":
                header = test_preflib.HEADER.format(kind="toi", n_voters=n, n_orders=n)
                header = header.replace("ALTERNATIVES: 3", "ALTERNATIVES: 4")
                lines = [header + "# ALTERNATIVE NAME 4: fig", *records]
            case _:
                names = [f"{number},{item}" for number, item in enumerate(ITEMS, start=1)]
                lines = ["4", *names, f"{n},{n},{n}", *records]
        path.write_text("\n".join([*lines, ""]))
        return path


@dataclass(frozen=True)
class OneARow:
    """One number a row; a record is all rows of a person."""

    value: str
    sign: str

    def record(self, random):
        return self._rows(random, some(random), range(1, 6))

    def _rows(self, random, items, numbers):
        person = random.randrange(10**9)
        return [(person, item, random.choice(numbers)) for item in items if item != ""]

    def odd(self, random):
        """Return rows with odd cells, without a person, of more or fewer cells, or none."""
        rows = self._rows(random, random.choices(ODD, k=3), ODD)
        named = self._rows(random, ITEMS, ODD)
        odd = random.choice(("", " ", "person", "x"))
        other = [(odd, *row[1:]) for row in named], [(*row, "x") for row in named]
        fewer = [row[:2] for row in named], [("person", "item", "score")]
        return random.choice((rows, named, *other, *fewer, self.record(random) * 2))

    def write(self, records, folder):
        path, rows = folder / "ballots.csv", [row for record in records for row in record]
        with path.open("w", newline="") as file:
            writer(file, delimiter=self.sign).writerows([("person", "item", self.value), *rows])
        return path


EXPORTS = (
    *(OneARow(value, sign) for value in ("score", "rank") for sign in ",\t"),
    *(Marked(maker, CONTESTS[:n]) for maker in ("Hart", "Dominion", "NIST") for n in (1, 1, 2)),
    *map(Lines, ("blt", "order", "toi", "old")),
)
