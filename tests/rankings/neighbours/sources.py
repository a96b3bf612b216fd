"""Ballots as sources of every kind: text by any sign, JSON, sheets, frames; and odd records."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

import pandas as pd
import polars as pl

from tests.files.test_spreadsheets import excel, open_document
from tests.rankings.neighbours.forms import HEADERS, ITEMS, ODD, PLACES

SIGNS = (",", ";", "\t", "|", "::")
LINES = (
    *("", " ", '"', '""', "[1,2]", '["tea","milk"]', '{"a": 1}', "# x", "4", "tea", "'", "\x00"),
    *(sign.join(names) for sign in (*SIGNS, ">") for names in (ITEMS, PLACES, ("1", "2", "3"))),
    *("1: tea > milk > cola > water", "\ufeff1,2,3,4", "1 2 3 4"),
)
KEYS = (
    *("x", "id", "weight", "age", "coffee", "Tea", "tea ", " milk", "1st", "5th", "ballot", "rank"),
    *("count", "answer [tea]", "score", "item", "person", "", "a b"),
)
VALUES = (
    *([], {}, ["tea"], ["milk", "tea"], [["tea", "milk"], "cola"], [1, 2], {"a": 1}, {"tea": 1}),
    [{"tea": 1}],
)
OBJECTS = (date(2026, 1, 1), b"x", [1], {"a": 1}, 10**20, ("tea", "milk"), 1j)


def _with_one(cells, odd, random):
    own = list(cells)
    own[random.randrange(len(own))] = random.choice(odd)
    return own


@dataclass(frozen=True)
class Text:
    """Delimited text; a record is a line, perhaps several."""

    sign: str
    quotes: str
    end: str
    encoding: str

    def record(self, header, row):
        return self.sign.join(map(self._cell, row))

    def _cell(self, value):
        text = "" if value is None or value != value else str(value)
        needs = any(each in text for each in (self.sign, '"', "\n"))
        if self.quotes == "all" or (self.quotes == "where needed" and needs):
            return '"' + text.replace('"', '""') + '"'
        return text

    def odd(self, header, row, random):
        lengths = (1, 2, len(row) - 1, len(row) + 1)
        match random.randrange(7):
            case 0:
                return self.record(header, _with_one(row, ODD, random))
            case 1:
                return self.record(header, random.choices(ODD, k=len(row)))
            case 2:
                return self.record(header, [*random.choice(HEADERS), *[""] * 9][: len(row)])
            case 3:
                cells = map(str, random.choices(ODD, k=random.randint(1, 6)))
                return random.choice((*SIGNS, ">", " ")).join(cells)
            case 4:
                longer = [*row, *random.choices(ODD, k=2)]
                return self.record(header, longer[: max(random.choice(lengths), 1)])
            case 5:
                return random.choice(LINES)
        line = self.record(header, row)
        at = random.randrange(len(line) + 1)
        return line[:at] + random.choice(('"', *SIGNS, "\n", "\r", "é", " ")) + line[at:]

    def write(self, header, records, folder):
        path = folder / "ballots.csv"
        lines = [self.record(header, cells) for cells in header] + records
        text = self.end.join([*lines, ""])
        path.write_bytes(text.encode(self.encoding, errors="replace"))
        return path


@dataclass(frozen=True)
class Json:
    """JSON, or a record a line: of objects, or of lists where there is no header."""

    by_line: bool
    shape: str
    extension: str

    def record(self, header, row):
        if not header or self.shape == "lists":
            return list(row)
        found = dict(zip(header[0], row, strict=True))
        if self.shape == "without empty":
            found = {key: value for key, value in found.items() if value != ""}
        if self.shape == "arrays":
            found = {key: str(value).split(">") for key, value in found.items()}
        return {"answer": found} if self.shape == "nested" else found

    def odd(self, header, row, random):
        values = [*(each for each in ODD if each == each), *VALUES]
        record = self.record(header, row)
        if isinstance(record, list):
            others = (random.choices(values, k=random.randrange(6)), random.choice(values))
            return random.choice((_with_one(record, values, random), *others))
        inner = record["answer"] if self.shape == "nested" else record
        key = random.choice(list(inner) or ["tea"])
        match random.randrange(7):
            case 0:
                inner[key] = random.choice(values)
            case 1:
                inner[random.choice(KEYS)] = random.choice(values)
            case 2:
                inner.pop(key, None)
            case 3:
                return {each: random.choice(values) for each in record}
            case 4:
                return random.choice(({}, ["tea", "milk"], "tea", None, 1, {"x": 1}))
            case 5:
                inner[random.choice((key.upper(), f"{key} ", key.title()))] = inner.pop(key, 1)
            case 6:
                return dict(reversed(record.items()))
        return record

    def write(self, header, records, folder):
        path = folder / f"ballots.{self.extension}"
        lines = "\n".join(map(json.dumps, records))
        path.write_text(lines if self.by_line else json.dumps(records))
        return path


@dataclass(frozen=True)
class Sheet:
    """Excel, or OpenDocument."""

    is_excel: bool

    def record(self, header, row):
        return list(row)

    def odd(self, header, row, random):
        cells = [
            each
            for each in ODD
            if isinstance(each, str | int | float) and not isinstance(each, bool) and each == each
        ]
        match random.randrange(6):
            case 0:
                return _with_one(row, cells, random)
            case 1:
                return random.choices(cells, k=len(row))
            case 2:
                return [*row, *[""] * random.randrange(3), random.choice(cells)]
            case 3:
                return list(row[: random.randrange(len(row))])
            case 4:
                return [*[""] * random.randint(1, 3), *row]
        return [*random.choice(HEADERS), *[""] * 9][: len(row)]

    def write(self, header, records, folder):
        rows = [*map(list, header), *records]
        path = folder / f"ballots.{'xlsx' if self.is_excel else 'ods'}"
        path.write_bytes((excel if self.is_excel else open_document)(rows))
        return path


@dataclass(frozen=True)
class Frame:
    """A data frame, whose columns are of what its maker finds in them: None where there is none."""

    library: str

    def record(self, header, row):
        return [None if cell == "" else cell for cell in row]

    def odd(self, header, row, random):
        record, objects = self.record(header, row), (*ODD, *OBJECTS)
        others = (random.choices(objects, k=len(row)), [None] * len(row), [*map(str, record)])
        return random.choice((_with_one(record, objects, random), *others))

    def write(self, header, records, folder):
        columns = {name: [row[n] for row in records] for n, name in enumerate(header[0])}
        with suppress(Exception):  # whatever a library says of such cells
            match self.library:
                case "polars":
                    return pl.DataFrame(columns)
                case "pandas":
                    return pd.DataFrame(columns)
                case "pandas, its types":
                    return pd.DataFrame(columns).convert_dtypes()
                case "pandas, objects":
                    return pd.DataFrame(columns, dtype=object)
        return None
