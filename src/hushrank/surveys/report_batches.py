"""From a record batch of reports to a tally: the one function that every engine runs.

A row is one report: `survey`, the fingerprint of the survey that it answers; `question`, the number
of the question; `report`, whole numbers where the mechanism reports such, or else the report's JSON
as devices send it. What no device can have sent is refused and counted, and shown nowhere. A tally
is a sum, so rows may be split as one likes: over batches, files, processes and machines. A report
is noisy when it comes here, so that a batch may be counted again after a crash at no one's cost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Indices, Integers
from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE
from hushrank.kernels import kernel
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local import Reporting, Tally
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.surveys.supports import MOST_DISTINCT_REPORTS, support_by_kind, support_each
from hushrank.surveys.survey import RoundTallies
from hushrank.surveys.wire import PublishedSurvey
from hushrank.surveys.wire_reports import WireReport, require_possible

if TYPE_CHECKING:
    import pyarrow as pa

Parts: TypeAlias = tuple[PublishedSurvey, ...]
"""The surveys of a round, each of which asks other people."""

COLUMNS = ("survey", "question", "report")
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """What reports add up to, how many were refused, and how many came again: a sum."""

    tallies: RoundTallies
    n_refused: int = 0
    n_repeated: int = 0

    def __add__(self, other: "Counted") -> "Counted":
        """Count both."""
        each = zip(self.tallies, other.tallies, strict=True)
        tallies = tuple(tuple(a + b for a, b in zip(*parts, strict=True)) for parts in each)
        refused, repeated = self.n_refused + other.n_refused, self.n_repeated + other.n_repeated
        return Counted(tallies, refused, repeated)

    @classmethod
    def nothing(cls, parts: Parts) -> "Counted":
        """Return the sum of no report."""
        return cls(
            tuple(
                tuple(Tally.empty(each.n_categories) for each in part.survey.mechanisms)
                for part in parts
            )
        )


def tally_batch(parts: Parts, batch: "pa.RecordBatch") -> Counted:
    """Tally the reports of a record batch, for each question of each part of a round.

    Raises HushrankError where a column is missing or of another type. Cost: linear in rows.
    """
    return read_batch(parts, batch).counted()


def read_batch(parts: Parts, batch: "pa.RecordBatch") -> "Reports":
    """Tell which rows of a batch are reports that devices can have sent."""
    from pyarrow import types

    missing = [each for each in COLUMNS if each not in batch.schema.names]
    require(not missing, f"expected a column {', '.join(missing)}")
    question, report = _plain(batch.column("question")), batch.column("report")
    number = _question_numbers(parts, batch.column("survey"), question)
    if types.is_dictionary(report.type) and _is_text(report.type.value_type):
        return _read_texts(parts, number, report)
    report = _plain(report)
    if types.is_integer(report.type):
        return _read_numbers(parts, number, _whole_numbers(report))
    expected = f"expected the column report as numbers or JSON, got {report.type}"
    require(_is_text(report.type), expected)
    return _read_texts(parts, number, report.dictionary_encode())


def report_table(parts: Parts, kinds: Iterable[tuple[int, int, bytes, int]]) -> "pa.Table":
    """Return a table of reports that `tally_batch` reads: of part, question, JSON and how often.

    One row a report, sorted, so that neither when nor from whom it came is in the table.
    """
    import pyarrow as pa

    rows = sorted(kinds)
    times = [each[3] for each in rows]
    part, question, place = (np.repeat(numbers, times) for numbers in _places(rows))
    texts = [each[2].decode() for each in rows]
    report = pa.DictionaryArray.from_arrays(place, pa.array(texts, pa.string()))
    if all(map(_n_numbers, _mechanisms(parts))):
        report = pa.array(np.repeat(np.array(list(map(int, texts)), dtype=np.int64), times))
    names = pa.array([each.fingerprint for each in parts])
    survey = pa.DictionaryArray.from_arrays(part, names)
    return pa.table([survey, pa.array(question), report], names=list(COLUMNS))


def _places(rows: Sequence[tuple[int, int, bytes, int]]) -> tuple[NDArray[np.int32], ...]:
    part, question = ([each[n] for each in rows] for n in (0, 1))
    return tuple(np.array(each, dtype=np.int32) for each in (part, question, range(len(rows))))


@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """Rows of a batch. number[row]: of all questions of all parts; is_possible[row]: or refused.

    values[row]: a whole number, or the position of its JSON value among `texts`.
    """

    parts: Parts
    number: Indices
    values: Integers
    is_possible: Mask
    texts: tuple[WireReport | None, ...] | None = field(default=None)

    def counted(self) -> Counted:
        """Tally what is possible, and count what is not."""
        all_possible = bool(self.is_possible.all())
        number = self.number if all_possible else self.number[self.is_possible]
        values = self.values if all_possible else self.values[self.is_possible]
        add = _tally_numbers if self.texts is None else self._tally_texts
        flat = add(self.parts, number, values)
        tallies = tuple(tuple(flat[a:b]) for a, b in pairwise(_ends(self.parts)))
        return Counted(tallies, n_refused=self.number.size - number.size)

    def _tally_texts(self, parts: Parts, number: Indices, values: Integers) -> list[Tally]:
        texts = self.texts or ()
        kinds, counts = np.unique(number * len(texts) + values, return_counts=True)
        of_question: dict[int, tuple[list[WireReport], list[int]]] = {}
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            report = texts[kind % len(texts)]
            reports, times = of_question.setdefault(kind // len(texts), ([], []))
            if report is not None:
                reports.append(report)
                times.append(count)
        flat: list[Tally] = []
        for part in parts:
            first, n = len(flat), len(part.survey.questions)
            own = {q - first: of_question[q] for q in of_question if first <= q < first + n}
            flat += part.tally_values(own)
        return flat


def _question_numbers(parts: Parts, survey: Any, question: Any) -> Indices:
    """Return the number of each row's question among those of all parts, -1 where there is none.

    Parts are looked for in Python: `pyarrow.array` loads pandas where it is installed, .4 s.
    """
    from pyarrow import types

    require(types.is_integer(question.type), "expected the column question as whole numbers")
    coded = survey if types.is_dictionary(survey.type) else _coded(survey)
    names = coded.dictionary
    is_text = types.is_string(names.type) or types.is_large_string(names.type)
    require(is_text, "expected the column survey as the fingerprint's text")
    known = {part.fingerprint.encode(): number for number, part in enumerate(parts)}
    part_of_code = np.array([known.get(name, -1) for name in _bytes_of(names)], dtype=np.int64)
    ends = _ends(parts)
    first, size = np.array([*ends[:-1], 0]), np.array([*np.diff(ends), 0])  # the last: of no part
    asked, part = _whole_numbers(question), part_of_code
    if len(part) != 1 or coded.indices.null_count:  # else all rows are of one part
        part = np.append(part_of_code, -1)[_whole_numbers(coded.indices)]
    is_known = _are_below(asked, size[part])
    number = asked + first[part] if first.any() else asked
    return number if is_known.all() else np.where(is_known, number, -1)


def _plain(column: Any) -> Any:
    """Return a column without its dictionary, if it has one."""
    from pyarrow import types

    return column.dictionary_decode() if types.is_dictionary(column.type) else column


def _is_text(kind: Any) -> bool:
    """Tell whether a column holds texts, as letters or as bytes."""
    from pyarrow import types

    are_letters = types.is_string(kind) or types.is_large_string(kind)
    return bool(are_letters or types.is_binary(kind) or types.is_large_binary(kind))


def _coded(texts: Any) -> Any:
    from pyarrow import types

    is_text = types.is_string(texts.type) or types.is_large_string(texts.type)
    require(is_text, "expected the column survey as the fingerprint's text")
    return texts.dictionary_encode()


def _whole_numbers(column: Any) -> Integers:
    """Return whole numbers as int64, -1 where there is none; what is beyond is negative, too.

    By DLPack, which copies nothing: `to_numpy` loads pandas where it is installed.
    """
    import pyarrow as pa

    numbers = column.cast(pa.int64(), safe=False)
    filled = numbers.fill_null(-1) if numbers.null_count else numbers
    return np.asarray(np.from_dlpack(filled), dtype=np.int64)


def _are_below(numbers: Integers, bound: Integers | int) -> Mask:
    """Tell which are of 0..bound-1: a negative number is a huge one without its sign."""
    return numbers.view(np.uint64) < np.asarray(bound).astype(np.uint64)


def _ends(parts: Parts) -> list[int]:
    """Return where the questions of each part begin among all of them, and where the last end."""
    return list(accumulate((len(part.survey.questions) for part in parts), initial=0))


def _mechanisms(parts: Parts) -> list[Reporting]:
    return [each for part in parts for each in part.survey.mechanisms]


def _n_numbers(mechanism: Reporting) -> int:
    """Return how many whole numbers a mechanism can report, 0 where it reports none."""
    if isinstance(mechanism, Harmony):
        return 2 * mechanism.n_rows
    names_one = isinstance(mechanism, GeneralizedRandomizedResponse | NamedMember)
    return mechanism.n_categories if names_one else 0


def _read_numbers(parts: Parts, number: Indices, values: Integers) -> Reports:
    most = np.array(list(map(_n_numbers, _mechanisms(parts))))
    alike = bool((most == most[0]).all())  # spares a look at each row's mechanism
    is_possible = _are_below(values, most[0] if alike else most[number])
    if number.size and number.min() < 0:
        is_possible &= number >= 0
    return Reports(parts, number, values, is_possible)


def _read_texts(parts: Parts, number: Indices, coded: Any) -> Reports:
    """Decode each distinct text once, and ask once for each question that it answers."""
    texts = tuple(map(_decoded, _bytes_of(coded.dictionary)))
    codes, mechanisms = _whole_numbers(coded.indices), _mechanisms(parts)
    kinds, kind_of_row = np.unique(number * (len(texts) + 1) + codes, return_inverse=True)
    question, code = np.divmod(kinds, len(texts) + 1)
    each = zip(question.tolist(), code.tolist(), strict=True)
    possible = [
        0 <= q < len(mechanisms) and c < len(texts) and _is_possible(mechanisms[q], texts[c])
        for q, c in each
    ]
    return Reports(parts, number, codes, np.array(possible, dtype=np.bool_)[kind_of_row], texts)


def _bytes_of(texts: Any) -> list[bytes]:
    """Return texts as they were written: one that is no UTF-8 is refused, and ends no count."""
    import pyarrow as pa

    return [text or b"" for text in texts.cast(pa.large_binary()).to_pylist()]


def _decoded(text: bytes) -> WireReport | None:
    """Return the value of a report's JSON, None where it is none."""
    try:
        value: WireReport = msgspec.json.decode(text, type=WireReport)
    except UNREADABLE:
        return None
    return value


def _is_possible(mechanism: Reporting, value: WireReport | None) -> bool:
    if value is None:
        return False
    try:
        require_possible(mechanism, value)
    except HushrankError:
        return False
    return True


def _tally_numbers(parts: Parts, number: Indices, values: Integers) -> list[Tally]:
    """Tally whole-number reports to all questions, those of one mechanism together."""
    mechanisms = _mechanisms(parts)
    of_mechanism: dict[Reporting, list[int]] = {}
    for question, mechanism in enumerate(mechanisms):
        of_mechanism.setdefault(mechanism, []).append(question)
    tallies = [Tally.empty(each.n_categories) for each in mechanisms]
    for mechanism, questions in of_mechanism.items():
        some = _only(questions, len(mechanisms), number, values)
        supports, came = _supports(mechanism, len(questions), *some)
        for question, support, n in zip(questions, supports, came.tolist(), strict=True):
            tallies[question] = Tally(support, n)
    return tallies


def _only(
    questions: Sequence[int], n_questions: int, number: Indices, values: Integers
) -> tuple[Indices, Integers]:
    """Return the rows of some questions, numbered by their place among them."""
    if len(questions) == n_questions:
        return number, values
    place = np.full(n_questions, -1)
    place[questions] = np.arange(len(questions))
    is_one = place[number] >= 0
    return place[number[is_one]], values[is_one]


def _supports(
    mechanism: Reporting, n_questions: int, number: Indices, values: Integers
) -> tuple[Counts, Counts]:
    """Return supports (questions, k), and how many reports each question got."""
    n_kinds = _n_numbers(mechanism)
    kind = np.dtype(np.uint32 if isinstance(mechanism, Harmony) else np.intp)
    if n_kinds and n_kinds <= MOST_DISTINCT_REPORTS:
        came = _counts(number, values, n_questions, n_kinds)
        return support_by_kind(mechanism, came, kind), came.sum(axis=1)
    each = np.bincount(number, minlength=n_questions)
    if not values.size:
        return np.zeros((n_questions, mechanism.n_categories), dtype=np.int64), each
    by_question = np.argsort(number, kind="stable")
    ends = np.concatenate([[0], each.cumsum()])
    return support_each(mechanism, values[by_question].astype(kind), ends), each


@kernel
def _counts(number: Indices, values: Integers, n_questions: int, n_kinds: int) -> Counts:
    """Count how often each value came to each question (questions, kinds): all are in range.

    One pass, three times as fast as `bincount` of cells that are made first.
    """
    found = np.zeros((n_questions, n_kinds), dtype=np.int64)
    for row in range(number.size):
        found[number[row], values[row]] += 1
    return found
