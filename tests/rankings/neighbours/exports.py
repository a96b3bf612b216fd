"""Ballots as files that say themselves what they are: of vote counters, PrefLib, BLT, orders."""

from dataclasses import dataclass

from tests.rankings.cast_votes import test_common_data, test_hart
from tests.rankings.formats import test_preflib
from tests.rankings.neighbours.forms import ITEMS

MARKS = ("100", "010", "001", "000", "110", "111", "1", "0", "", "x", "0100", "2", "1000")
NAMES = ("Ann", "Bo", "Cy", "Di", "Ann ", "ann", "", "Write-in", "1", "10", None)
TERMS = ("1", "2", "3", "0", "4", "5", "1=2", "{1,2}", "{1}", "", "x", "1:", "#", '"', "A")
OTHER_LINES = ("", " ", "0", "4 1", "# x", '"Ann"', "1: 1,2", "1,1,1", "3,2,1,3", "end")


@dataclass(frozen=True)
class Marked:
    """What a counter of votes exports: a sheet a person, of contests, candidates and marks."""

    is_hart: bool

    def record(self, random):
        order = random.sample(NAMES[:3], random.randint(0, 3))
        return [("Mayor", [(name, MARKS[place]) for place, name in enumerate(order)])]

    def odd(self, random):
        """Return a sheet of other candidates, marks, contests, or of none."""
        (_, marks), names = self.record(random)[0], random.choices(NAMES, k=random.randrange(5))
        other = [(name, random.choice(MARKS)) for name in names]
        contest = random.choice(("Mayor", "Mayor ", "Clerk", "1", "weight", "id", ""))
        more = (contest, other), ("School", [("Dora", random.choice(MARKS))])
        return random.choice(
            ([("Mayor", other)], [more[0]], [*more], [("Mayor", marks), more[0]], [])
        )

    def write(self, records, folder):
        if self.is_hart:
            return test_hart.archive(folder, [test_hart.sheet(*each) for each in records])
        found = test_common_data.report([*map(self._report, records)])
        return test_common_data.written(found, folder)

    def _report(self, contests):
        ids = {"Ann": "c-p1", "Bo": "c-p2", "Cy": "c-p3", None: "c-w"}
        marks = [
            test_common_data.marked(
                ids.get(name, "c-p1"), *(at for at in (1, 2, 3) if mark[at - 1 : at] == "1")
            )
            for _, candidates in contests
            for name, mark in candidates
        ]
        return test_common_data.record(*marks, contest="mayor" if len(contests) == 1 else "measure")


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


EXPORTS = (
    *(Marked(is_hart) for is_hart in (True, False)),
    *map(Lines, ("blt", "order", "toi", "old")),
)
