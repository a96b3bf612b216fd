import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.files.hashes import hash_buckets
from hushrank.files.pieces import pieces_of
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys import repeats, report_batches, report_files
from hushrank.surveys.repeats import first_reports
from hushrank.surveys.report_batches import Counted, read_batch, report_table, tally_batch
from hushrank.surveys.report_files import Keyed, spread_piece, tally_bucket, tally_piece
from hushrank.surveys.supports import support_each
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey
from hushrank.surveys.wire_reports import require_possible
from tests.conformance import MECHANISMS

NAMES = ("tea", "coffee", "water", "juice")
QUESTIONS = (RelativeOrder((0, 1)), RelativeOrder((1, 2, 3)), RelativeOrder((0, 3)))
SALT = (7, 2**63 + 5)
KINDS = [
    GeneralizedRandomizedResponse,
    Harmony,
    SymmetricUnaryEncoding,
    OptimisedLocalHashing,
    SubsetOrder,
]


@cache
def published(make, *, lots=(0.0, 1.0), answers=1):
    whole = make is SubsetOrder
    questions = (WholeOrder((0, 1, 2, 3)),) if whole else QUESTIONS
    each = tuple(make(question.n_categories, 1.0) for question in questions)
    return PublishedSurvey(Survey("drinks", questions, each, 3.0, answers, lots), NAMES)


@cache
def sent(part, n_people, seed):
    """Return the documents of people who answer a question each."""
    rng = np.random.default_rng(seed)
    ranks = np.argsort(rng.random((n_people, 4)), axis=1).astype(np.uint8)
    n_questions = len(part.survey.questions)
    draws = Randomness.seeded(seed)
    return [
        part.answer(
            Rankings(row[None], NAMES), [n % n_questions], lot=0, rng=draws, is_simulation=True
        )[0]
        for n, row in enumerate(ranks)
    ]


def batch_of(documents, **more):
    """Return a record batch as a pipeline has it: whole numbers where all reports are such."""
    each = [msgspec.json.decode(document) for document in documents]
    reports = [one["report"] for one in each]
    if not all(isinstance(report, int) for report in reports):
        reports = [msgspec.json.encode(report).decode() for report in reports]
    columns = {
        "survey": pa.array([one["survey"] for one in each]),
        "question": pa.array([one["question"] for one in each], pa.uint16()),
        "report": pa.array(reports),
    }
    return pa.RecordBatch.from_pydict(columns | {name: pa.array(v) for name, v in more.items()})


def supports(counted: Counted):
    return [[(t.n_reports, t.support.tolist()) for t in part] for part in counted.tallies]


@pytest.mark.parametrize("make", KINDS)
def test_a_batch_adds_up_to_what_the_documents_do(make):
    part = published(make)
    documents = sent(part, 60, 1)
    found = tally_batch((part,), batch_of(documents))
    assert found.n_refused == 0
    stated = part.tally(documents)
    assert supports(found) == [[(t.n_reports, t.support.tolist()) for t in stated.tallies]]


MANY = [
    lambda k, nth: GeneralizedRandomizedResponse(k, 1.0),
    lambda k, nth: GeneralizedRandomizedResponse(k, 1 + nth / 64),
    lambda k, nth: SymmetricUnaryEncoding(k, 1 + nth / 64),
]


@pytest.mark.parametrize("make", MANY, ids=["one mechanism", "one for each", "texts"])
@pytest.mark.parametrize("n_parts", [1, 30])
def test_of_however_many_questions_and_parts_each_report_counts(make, n_parts):
    """The sum of two batches is that of all documents; those to no part are refused."""
    pairs = tuple(RelativeOrder((a, b)) for a in range(8) for b in range(a + 1, 8))
    names, documents = tuple("abcdefgh"), []
    person = Rankings.from_orders(np.arange(8)[None, ::-1], names)
    ends = np.linspace(0, 1, n_parts + 1).tolist()
    parts = tuple(
        PublishedSurvey(
            Survey(f"{nth}", pairs, tuple(make(2, q) for q in range(28)), 2.0, lots=lots), names
        )
        for nth, lots in enumerate(pairwise(ends))
    )
    for nth, part in enumerate(parts):
        lot, draws = sum(part.survey.lots) / 2, Randomness.seeded(nth)
        asked = range(28) if n_parts == 1 else (nth % 28, 27)
        for question in asked:
            told = {"lot": lot, "rng": draws, "is_simulation": True}
            documents += part.answer(person, [question], **told)
    unknown = [each.replace(b'"survey":"', b'"survey":"0', 1) for each in documents]
    first = tally_batch(parts, batch_of(documents))
    both = first + tally_batch(parts, batch_of([*unknown, documents[-1]]))
    expected = [
        [(t.n_reports, t.support.tolist()) for t in part.tally(documents).tallies] for part in parts
    ]
    assert supports(first) == expected
    assert (first.n_refused, both.n_refused) == (0, len(unknown))
    assert sum(t.n_reports for part in both.tallies for t in part) == len(documents) + 1


def test_wide_domains_are_tallied_as_narrow_ones():
    question = RelativeOrder((0, 1, 2, 3, 4, 5, 6))  # 5,040 kinds of reports
    mechanism = GeneralizedRandomizedResponse(5040, 1.0)
    part = PublishedSurvey(Survey("all", (question,), (mechanism,), 1.0), tuple("abcdefg"))
    reports = np.random.default_rng(1).integers(5040, size=50)
    columns = {"survey": [part.fingerprint] * 50, "question": [0] * 50, "report": reports}
    found = tally_batch((part,), pa.RecordBatch.from_pydict(columns))
    assert supports(found) == [[(50, np.bincount(reports, minlength=5040).tolist())]]


@settings(max_examples=20, deadline=None)
@given(cuts=st.lists(st.integers(0, 40), max_size=4), make=st.sampled_from(KINDS))
def test_any_partitioning_adds_to_the_same_tally(cuts, make):
    part = published(make)
    whole = batch_of(sent(part, 40, 2))
    ends = [0, *sorted(cuts), 40]
    total = Counted.nothing((part,))
    for start, end in pairwise(ends):
        total += tally_batch((part,), whole.slice(start, end - start))
    assert supports(total) == supports(tally_batch((part,), whole))


BAD_NUMBERS = [-1, 2, 2**40, None]
BAD_TEXTS = ["", "{", '"00"', "-1", "2.5", "null", "[0,1]", "9" * 400, "[" * 3000, None, "true"]


def test_what_no_device_can_have_sent_is_refused_and_counted():
    part = published(GeneralizedRandomizedResponse)
    columns = {"survey": part.fingerprint, "question": 0}
    for bad in (BAD_NUMBERS, BAD_TEXTS):
        rows = [columns | {"report": each} for each in bad]
        good = 1 if bad is BAD_NUMBERS else "1"
        rows += [
            columns | {"report": good},
            columns | {"report": good, "question": 3},
            columns | {"report": good, "question": -1},
            columns | {"report": good, "question": None},
            columns | {"report": None, "question": 1},
            columns | {"report": good, "survey": "0" * 64},
            columns | {"report": good, "survey": None},
        ]
        found = tally_batch((part,), pa.RecordBatch.from_pylist(rows))
        assert found.n_refused == len(rows) - 1
        assert supports(found)[0][0] == (1, [0, 1])


@pytest.mark.parametrize(
    ("name", "column"),
    [("report", [0.5]), ("report", [True]), ("question", ["0"]), ("survey", [1])],
)
def test_columns_of_another_type_are_refused_by_name_only(name, column):
    part = published(GeneralizedRandomizedResponse)
    columns = {"survey": [part.fingerprint], "question": [0], "report": [1]} | {name: column}
    with pytest.raises(HushrankError, match=f"expected the column {name} as"):
        tally_batch((part,), pa.RecordBatch.from_pydict(columns))
    del columns[name]
    with pytest.raises(HushrankError, match=f"expected a column {name}"):
        tally_batch((part,), pa.RecordBatch.from_pydict(columns))


@pytest.mark.parametrize("column", ["survey", "report"])
def test_one_text_that_is_no_utf8_ends_no_count_of_others(column):
    """Arrow takes a writer's word for it: whose report it is, is refused alone."""
    part = published(SymmetricUnaryEncoding)
    whole = batch_of(sent(part, 9, 4))
    *texts, _ = (text.encode() for text in whole.column(column).to_pylist())
    columns = {name: whole.column(name) for name in whole.schema.names}
    columns[column] = pa.array([*texts, b"\xff\xfe"]).view(pa.string())
    found = tally_batch((part,), pa.RecordBatch.from_pydict(columns))
    assert (found.n_refused, supports(found)) == (1, supports(tally_batch((part,), whole[:8])))


def counted_one_by_one(rows, n_answers):
    """Return which rows count: what first_reports promises, in plain words."""
    answered: dict = {}
    kept = []
    for key, part, question in rows:
        own_part, own = answered.setdefault(key, (part, set()))
        counts = part == own_part and question not in own and len(own) < n_answers[part]
        if counts:
            own.add(question)
        kept.append(counts)
    return kept


ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 1), st.integers(0, 2)), max_size=25
)


@given(rows=ROWS, most=st.integers(1, 3))
def test_the_first_reports_of_each_key_count(rows, most):
    keys = pa.array([row[0] for row in rows], pa.string())
    part, question = (np.array([row[n] for row in rows], dtype=np.intp) for n in (1, 2))
    n_answers = np.array([most, 1])
    for each in (keys, keys.dictionary_encode()):
        found = first_reports(each, part, question, n_answers)
        assert found.tolist() == counted_one_by_one(rows, n_answers)


@pytest.mark.parametrize("own", [0, 1])
def test_nothing_of_another_part_counts_where_a_person_answers_several(own):
    """The other part may be the one before, or the one after."""
    part, question = np.array([own, 1 - own, own]), np.array([0, 1, 2])
    found = first_reports(pa.array(["a"] * 3), part, question, np.array([2, 2]))
    assert found.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "keys",
    [
        pa.array(["a", "", "longer", "a"]),
        pa.array([b"a", b"", b"longer", b"a"]),
        pa.array([5, 0, -9, 5]),
    ],
)
def test_equal_keys_are_of_one_bucket_in_any_batch(keys):
    whole = hash_buckets(keys, 1000, SALT)
    assert whole[0] == whole[3]
    assert len(set(whole.tolist())) == 3  # else a bucket for each would need chance
    assert hash_buckets(keys.slice(2), 1000, SALT).tolist() == whole[2:].tolist()


def written(folder, batches, *, rows=16):
    for number, batch in enumerate(batches):
        table = pa.Table.from_batches([batch])
        parquet.write_table(table, folder / f"part-{number}.parquet", row_group_size=rows)
    return pieces_of(folder / "*.parquet", most_rows=20)


@pytest.mark.parametrize("make", [GeneralizedRandomizedResponse, OptimisedLocalHashing])
def test_repeats_are_dropped_across_files_in_any_number_of_buckets(tmp_path, make):
    part = published(make)
    documents = sent(part, 40, 3)
    keys = [f"person {n}" for n in range(40)]
    twice = [*documents, *sent(part, 40, 4)]  # everybody a second time, with other noise
    whole = batch_of(twice, person=[*keys, *keys])
    pieces = written(tmp_path, [whole.slice(0, 30), whole.slice(30, 30), whole.slice(60)])
    assert len(pieces) > 3
    for n_buckets in (1, 2, 3):
        keyed = Keyed((part,), "person", n_buckets, SALT)
        spread = Workers().add_up(spread_piece, replace(keyed, folder=str(tmp_path)), pieces)
        assert spread.n_refused == 0
        for read in ({"pieces": tuple(pieces)}, {"files": spread.files}):
            found = Workers().add_up(tally_bucket, replace(keyed, **read), range(n_buckets))
            assert supports(found) == supports(tally_batch((part,), batch_of(documents)))
            assert (found.n_refused, found.n_repeated) == (0, 40)


@pytest.mark.parametrize(("n_people", "n_at_once"), [(10, 4), (90, 2)])
def test_pieces_are_counted_to_their_last_rows_however_few_are_held_at_a_time(
    tmp_path, monkeypatch, n_people, n_at_once
):
    part = published(GeneralizedRandomizedResponse)
    whole = batch_of(sent(part, n_people, 3), person=[f"person {n}" for n in range(n_people)])
    pieces = written(tmp_path, [whole], rows=100)
    monkeypatch.setattr(report_files, "MOST_ROWS_AT_ONCE", n_at_once)
    keyed = Keyed((part,), "person", 1, SALT, pieces=tuple(pieces))
    assert supports(tally_piece((part,), pieces[0])) == supports(tally_batch((part,), whole))
    assert supports(tally_bucket(keyed, 0)) == supports(tally_batch((part,), whole))


@pytest.mark.parametrize("n_at_once", [1, 3, 12])
def test_all_that_is_refused_is_counted_however_few_rows_are_held_at_a_time(
    tmp_path, monkeypatch, n_at_once
):
    part = published(GeneralizedRandomizedResponse)
    keys = [None if n % 2 else f"person {n}" for n in range(12)]
    (piece,) = written(tmp_path, [batch_of(sent(part, 12, 3), person=keys)], rows=100)
    monkeypatch.setattr(report_files, "MOST_ROWS_AT_ONCE", n_at_once)
    keyed = Keyed((part,), "person", 1, SALT, pieces=(piece,))
    assert tally_bucket(keyed, 0).n_refused == 6
    assert spread_piece(replace(keyed, folder=str(tmp_path)), piece).n_refused == 6


def test_the_last_report_of_a_file_is_refused_where_it_alone_names_nobody(tmp_path):
    part = published(GeneralizedRandomizedResponse)
    keys = [*[f"person {n}" for n in range(59)], None]
    pieces = written(tmp_path, [batch_of(sent(part, 60, 3), person=keys)])
    found = tally_bucket(Keyed((part,), "person", 1, SALT, pieces=tuple(pieces)), 0)
    assert (found.n_refused, sum(t.n_reports for t in found.tallies[0])) == (1, 59)


def test_of_each_part_as_many_reports_of_a_person_count_as_it_asks(tmp_path):
    """Also where parts differ in how many questions they have, and how many they ask."""
    one = part_of_one_question((0.0, 0.5))
    parts = one, published(GeneralizedRandomizedResponse, lots=(0.5, 1.0), answers=2)
    rows = [
        (0, 0, "a"),
        (1, 2, "b"),
        (0, 0, "a"),
        (1, 2, "b"),
        (1, 1, "b"),
        (1, 0, "b"),
        (1, 2, "c"),
    ]
    table = {
        "survey": [parts[part].fingerprint for part, _, _ in rows],
        "question": [question for _, question, _ in rows],
        "report": [1] * len(rows),
        "person": [person for _, _, person in rows],
    }
    pieces = written(tmp_path, [pa.RecordBatch.from_pydict(table)])
    found = tally_bucket(Keyed(parts, "person", 1, SALT, pieces=tuple(pieces)), 0)
    assert [[t.n_reports for t in part] for part in found.tallies] == [[1], [0, 1, 2]]
    assert (found.n_refused, found.n_repeated) == (0, 3)


def test_nobody_may_answer_as_often_as_another_part_asks(tmp_path):
    """Each of two people answers two questions: of one of them the survey asks one."""
    each = zip(pairwise((0.0, 0.5, 1.0)), (1, 2), strict=True)
    make = GeneralizedRandomizedResponse
    parts = tuple(published(make, lots=lots, answers=answers) for lots, answers in each)
    names = [part.fingerprint for part in parts]
    table = {
        "survey": [names[0], names[0], names[1], names[1]],
        "question": [0, 1, 0, 1],
        "report": [1] * 4,
        "person": ["a", "a", "b", "b"],
    }
    pieces = written(tmp_path, [pa.RecordBatch.from_pydict(table)])
    found = tally_bucket(Keyed(parts, "person", 1, SALT, pieces=tuple(pieces)), 0)
    assert [[t.n_reports for t in part] for part in found.tallies] == [[1, 0, 0], [1, 1, 0]]
    assert found.n_repeated == 1


def test_keys_of_a_bucket_that_arrow_holds_in_several_batches_are_refused():
    """Of more than 2 GB: who stands in two of them would count twice."""

    class Large:
        def combine_chunks(self):
            return pa.table({"person": pa.chunked_array([["a"], ["a"]])})

    with pytest.raises(HushrankError, match="expected shorter keys"):
        report_files._combined(Large())


def test_the_salt_that_spreads_keys_is_not_shown():
    """Whoever knows it chooses keys that are all of one bucket."""
    keyed = Keyed((published(GeneralizedRandomizedResponse),), "person", 3, SALT)
    assert "person" in repr(keyed)
    assert str(SALT[1]) not in repr(keyed)


@pytest.mark.parametrize("n_buckets", [1, 2, 3])
@pytest.mark.parametrize(
    ("nobody", "kind"), [(None, str), ("", str), (None, int), (b"", b"%d".__mod__)]
)
@pytest.mark.parametrize("is_wide", [True, False])
def test_reports_that_name_nobody_are_refused_and_counted(
    tmp_path, nobody, kind, is_wide, n_buckets
):
    """Numbers name somebody, 0 too."""
    part = published(GeneralizedRandomizedResponse)
    documents = sent(part, 40, 3)
    keys = pa.array([nobody if n < 3 else kind(n - 3) for n in range(40)])
    wide = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
    keys = keys.cast(wide.get(keys.type, keys.type)) if is_wide else keys
    pieces = written(tmp_path, [batch_of(documents, person=keys)])
    keyed = Keyed((part,), "person", n_buckets, SALT)
    spread = Workers().add_up(spread_piece, replace(keyed, folder=str(tmp_path)), pieces)
    for read, n_seen in (({"pieces": tuple(pieces)}, 0), ({"files": spread.files}, 3)):
        found = Workers().add_up(tally_bucket, replace(keyed, **read), range(n_buckets))
        assert supports(found) == supports(tally_batch((part,), batch_of(documents[3:])))
        assert (found.n_refused + n_seen, found.n_repeated) == (3, 0)
    assert spread.n_refused == 3


@pytest.mark.parametrize("alike", [1, 2**54])
def test_repeats_are_found_among_many_keys_whatever_their_hashes(monkeypatch, alike):
    """In several parts of the table; and where different keys have equal hashes, compared whole."""
    plain = repeats.hashes_of
    monkeypatch.setattr(repeats, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(repeats, "hashes_of", lambda *told: plain(*told) // alike * alike)
    numbers = np.random.default_rng(1).integers(3000, size=5000)
    nothing = np.zeros(5000, dtype=np.intp)
    stated = np.zeros(5000, dtype=np.bool_)
    stated[np.unique(numbers, return_index=True)[1]] = True
    for keys in (pa.array(numbers), pa.array(map(str, numbers))):
        found = first_reports(keys, nothing, nothing, np.array([1]))
        assert (found == stated).all()


@pytest.mark.parametrize("n_people", [2**14, 2**16, 2**17 + 1, 10**6])
def test_of_however_many_people_none_counts_twice(n_people):
    nothing = np.zeros(2 * n_people, dtype=np.intp)
    keys = pa.array(np.tile(np.arange(n_people), 2))
    found = first_reports(keys, nothing, nothing, np.array([1]))
    assert found[:n_people].all()
    assert not found[n_people:].any()


OF_NUMBERS = [
    GeneralizedRandomizedResponse(6, 1.0),
    Harmony(6, 1.0),
    Harmony(3, 1.0),
    NamedMember(6, 1.0, 2),
]


@pytest.mark.parametrize("mechanism", OF_NUMBERS, ids=repr)
def test_numbers_of_a_batch_are_possible_where_those_of_devices_are(mechanism):
    """As numbers, and as JSON beside another mechanism's texts."""
    levels = RankLevel(0, (0, 1, 2, 3, 4, 5)[: mechanism.n_categories])
    question = NamedSet((0, 1), 6) if isinstance(mechanism, NamedMember) else levels
    names = tuple("abcdef")[: mechanism.n_categories]
    part = PublishedSurvey(Survey("one", (question,), (mechanism,), 1.0), names)
    numbers = range(-3, 40)
    stated = [is_possible(mechanism, number) for number in numbers]
    assert 0 < sum(stated) < len(stated)
    for reports in (list(numbers), list(map(str, numbers))):
        columns = {"survey": part.fingerprint, "question": 0}
        rows = [columns | {"report": report} for report in reports]
        found = read_batch((part,), pa.RecordBatch.from_pylist(rows))
        assert found.is_possible.tolist() == stated


@pytest.mark.parametrize("order", [(0, 1), (1, 0), [1] * 24 + [0]])
def test_a_number_is_possible_by_its_own_question_whichever_is_the_first(order):
    """A number beyond its question's would be counted beside the counts."""
    asked = [RelativeOrder((0, 1)), RelativeOrder((1, 2, 3))]
    questions = tuple(asked[n] for n in order)
    each = tuple(GeneralizedRandomizedResponse(one.n_categories, 1.0) for one in questions)
    part = PublishedSurvey(Survey("drinks", questions, each, 1.0), NAMES)
    rows = [
        {"survey": part.fingerprint, "question": question, "report": report}
        for question, mechanism in enumerate(each)
        for report in (mechanism.n_categories - 1, mechanism.n_categories)
    ]
    found = read_batch((part,), pa.RecordBatch.from_pylist(rows))
    assert found.is_possible.tolist() == [True, False] * len(order)


def is_possible(mechanism, number):
    try:
        require_possible(mechanism, number)
    except HushrankError:
        return False
    return True


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize("sizes", [(7,), (0,), (3, 0, 4), (0, 0), (1, 2000)])
def test_reports_to_several_questions_are_tallied_as_those_to_each(make, sizes):
    mechanism, ends = make(5, 1.0), np.array([0, *np.cumsum(sizes)])
    categories = np.arange(ends[-1]) % 5
    reports = mechanism.randomise(categories, rng=Randomness.seeded(1))
    found = support_each(mechanism, reports, ends)
    each = [mechanism.tally(reports[start:end]).support for start, end in pairwise(ends)]
    assert found.tolist() == np.stack(each).tolist()
    assert found.dtype == np.int64


@pytest.mark.parametrize(
    ("n_rows", "n_bits"), [(1, 1), (2**15, 1), (2**16 - 1, 1), (2**16, 2), (2**17, 3), (10**6, 5)]
)
@pytest.mark.block_sizes
def test_a_table_of_keys_is_of_so_many_rows_as_a_cache_holds(monkeypatch, n_rows, n_bits):
    told = []
    come_again = repeats._come_again
    monkeypatch.setattr(
        repeats, "_come_again", lambda *given: told.append(given[1]) or come_again(*given)
    )
    nothing = np.zeros(n_rows, dtype=np.intp)
    keys = pa.array(np.arange(n_rows))
    assert first_reports(keys, nothing, nothing, np.array([1])).all()
    assert told == [n_bits]


@pytest.mark.parametrize("n_bits", [1, 2, 5])
@pytest.mark.parametrize("n_rows", [1, 7, 9, 40])
def test_rows_come_again_whose_whole_hash_others_have(n_bits, n_rows):
    """Hashes that begin, and end, alike meet in one place of the table."""
    rng = np.random.default_rng(n_rows)
    first, last = (rng.integers(4, size=n_rows).astype(np.uint64) for _ in range(2))
    for hashes in (first << np.uint64(62) | last << np.uint64(10), last, first << np.uint64(62)):
        found = repeats._come_again(hashes, n_bits)
        _, place, times = np.unique(hashes, return_inverse=True, return_counts=True)
        assert found.tolist() == (times[place] > 1).tolist()


@pytest.mark.end_to_end  # it starts processes
def test_every_scheduler_adds_up_to_the_same(tmp_path):
    part = published(GeneralizedRandomizedResponse)
    whole = batch_of(sent(part, 400, 5))
    pieces = written(tmp_path, [whole.slice(start, 80) for start in range(0, 400, 80)])
    assert len(pieces) > 16  # more than one level of additions
    here = Workers().add_up(tally_piece, (part,), pieces)
    assert supports(here) == supports(tally_batch((part,), whole))
    for workers in (Workers("threads", 3), Workers("processes", 2)):
        assert supports(workers.add_up(tally_piece, (part,), pieces)) == supports(here)


PROGRAM = """
import sys
from hushrank.engines.tasks import Workers
from hushrank.files.pieces import pieces_of
from hushrank.surveys.report_files import tally_piece
from tests.surveys.test_report_batches import GeneralizedRandomizedResponse, published
for name in ("pandas", "distributed"):
    sys.modules.pop(name, None)
pieces = pieces_of(sys.argv[1], most_rows=50)
Workers("threads", 2).add_up(tally_piece, (published(GeneralizedRandomizedResponse),), pieces)
print([name for name in ("pandas", "distributed") if name in sys.modules])
"""


@pytest.mark.end_to_end  # it starts a process
def test_to_count_reports_loads_nothing_that_it_does_not_need(tmp_path):
    """Half a second each, once in every worker."""
    part = published(GeneralizedRandomizedResponse)
    written(tmp_path, [batch_of(sent(part, 40, 5))] * 3)
    told = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    found = subprocess.run(told, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("scheduler", [None, "threads"])
def test_a_damaged_file_is_named_and_nothing_is_counted(tmp_path, scheduler):
    part = published(GeneralizedRandomizedResponse)
    pieces = written(tmp_path, [batch_of(sent(part, 40, 6))] * 2)
    file = tmp_path / "part-1.parquet"
    held = bytearray(file.read_bytes())
    held[8:300] = bytes(292)
    file.write_bytes(held)
    with pytest.raises(HushrankError, match=r"part-1\.parquet: expected a whole Parquet file"):
        Workers(scheduler).add_up(tally_piece, (part,), pieces)
    file.unlink()
    with pytest.raises(HushrankError, match=r"part-1\.parquet: there is no such file"):
        Workers(scheduler).add_up(tally_piece, (part,), pieces)


def failing(shared: str, piece: int) -> Counted:
    raise ValueError(f"{shared} {piece}")


@pytest.mark.parametrize("scheduler", [None, "threads"])
def test_what_a_task_dies_of_quotes_no_data(scheduler, capfd):
    with pytest.raises(HushrankError, match="ended with ValueError") as raised:
        Workers(scheduler).add_up(failing, "secret", [1, 2])
    assert "secret" not in str(raised.value)
    assert "secret" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("scheduler", "number"), [("nowhere", None), (None, 2), ("tcp://a:1", 2), ("threads", 0)]
)
def test_workers_are_checked_before_anything_runs(scheduler, number):
    with pytest.raises(HushrankError, match=r"expected|a scheduler elsewhere"):
        Workers(scheduler, number)


@pytest.mark.parametrize("make", [GeneralizedRandomizedResponse, SymmetricUnaryEncoding])
def test_a_table_of_reports_tells_nothing_of_the_order_in_which_they_came(make):
    """Rows of early people would stand first."""
    part = published(make)
    documents = [msgspec.json.decode(each) for each in sent(part, 60, 3)]
    came = [(0, each["question"], msgspec.json.encode(each["report"]), 1) for each in documents]
    kinds = [(*kind, came.count((*kind, 1))) for kind in dict.fromkeys(each[:3] for each in came)]
    table = report_table((part,), kinds)
    assert table.num_rows == 60
    assert table.equals(report_table((part,), kinds[::-1]))
    assert table["question"].to_pylist() == sorted(table["question"].to_pylist())


def test_a_table_of_several_parts_adds_up_to_what_each_question_was_told():
    ends = (0.0, 0.2, 0.5, 1.0)
    parts = tuple(published(GeneralizedRandomizedResponse, lots=each) for each in pairwise(ends))
    times = np.random.default_rng(1).integers(1, 9, size=(len(parts), len(QUESTIONS), 2))
    kinds = [
        (*place, b"%d" % report, n) for (*place, report), n in np.ndenumerate(times.astype(object))
    ]
    (batch,) = report_table(parts, kinds).combine_chunks().to_batches()
    found = tally_batch(parts, batch)
    for part, told in zip(found.tallies, times, strict=True):
        assert [tally.support[:2].tolist() for tally in part] == told.tolist()
    assert found.n_refused == 0


@pytest.mark.parametrize("place", [0, 12, 23])
def test_a_table_is_of_json_where_one_of_many_mechanisms_reports_no_number(place):
    questions = [RelativeOrder((0, other)) for other in range(1, 25)]
    of_numbers = [GeneralizedRandomizedResponse(2, 1.0)] * 24
    mixed = [*of_numbers[:place], SymmetricUnaryEncoding(2, 1.0), *of_numbers[place + 1 :]]
    names = [f"item {n}" for n in range(25)]
    for each, kind in ((of_numbers, pa.int64()), (mixed, pa.dictionary(pa.int32(), pa.string()))):
        part = PublishedSurvey(Survey("pairs", tuple(questions), tuple(each), 1.0), tuple(names))
        told = [(0, n, b'"02"' if each is mixed and n == place else b"1", 3) for n in range(24)]
        table = report_table((part,), told)
        assert table.schema.field("report").type == kind
        (found,) = tally_batch((part,), *table.combine_chunks().to_batches()).tallies
        assert [tally.support.tolist() for tally in found] == [[0, 3]] * 24


def test_a_file_of_one_batch_is_counted_by_key(tmp_path):
    part = published(GeneralizedRandomizedResponse)
    documents = sent(part, 10, 3)
    pieces = written(tmp_path, [batch_of(documents, person=[f"person {n}" for n in range(10)])])
    assert len(pieces) == 1
    keyed = Keyed((part,), "person", 1, SALT)
    found = tally_bucket(replace(keyed, pieces=tuple(pieces)), 0)
    assert supports(found) == supports(tally_batch((part,), batch_of(documents)))


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("n_unnamed", [0, 2])
def test_reports_of_two_parts_are_told_apart_and_those_of_none_refused(make, n_unnamed):
    """Also such as name no survey: those of one part are as many as there are parts."""
    parts = published(make, lots=(0.0, 0.5)), published(make, lots=(0.5, 1.0))
    alike = sent(published(make), 9, 1)
    documents = [
        document.replace(published(make).fingerprint.encode(), parts[n % 2].fingerprint.encode())
        for n, document in enumerate(alike)
    ]
    whole = batch_of([*documents, *documents[:n_unnamed]])
    named = [*whole.column("survey").to_pylist()[: len(documents)], *[None] * n_unnamed]
    found = tally_batch(parts, whole.set_column(0, "survey", pa.array(named)))
    assert found.n_refused == n_unnamed
    each = [part.tally(documents[n::2]) for n, part in enumerate(parts)]
    assert supports(found) == [
        [(t.n_reports, t.support.tolist()) for t in one.tallies] for one in each
    ]


@pytest.mark.parametrize("question", [-1, -3, 3, 2**40])
@pytest.mark.parametrize("make", [GeneralizedRandomizedResponse, SymmetricUnaryEncoding])
def test_a_number_beyond_a_part_is_no_question_of_its_neighbours(make, question):
    """Questions of all parts have one row of numbers: -1 of a part is the last of that before."""
    lots = pairwise((0.0, 0.2, 0.5, 1.0))
    parts = tuple(published(make, lots=each) for each in lots)
    report = 1 if make is GeneralizedRandomizedResponse else '"01"'
    names = [part.fingerprint for part in parts]
    rows = pa.table({"survey": names, "question": [question] * 3, "report": [report] * 3})
    assert tally_batch(parts, rows.to_batches()[0]).n_refused == 3


def part_of_one_question(lots):
    hides = GeneralizedRandomizedResponse(2, 1.0)
    return PublishedSurvey(Survey("one", QUESTIONS[:1], (hides,), 1.0, 1, lots), NAMES)


def test_a_part_of_few_questions_has_none_of_those_of_a_longer_one():
    one = part_of_one_question((0.0, 0.5))
    parts = one, published(GeneralizedRandomizedResponse, lots=(0.5, 1.0))
    rows = pa.table({"survey": [one.fingerprint] * 3, "question": [0, 1, 2], "report": [1] * 3})
    found = tally_batch(parts, rows.to_batches()[0])
    assert found.n_refused == 2
    assert [[t.n_reports for t in part] for part in found.tallies] == [[1], [0, 0, 0]]


def test_the_last_row_alone_may_be_beyond_its_part():
    each = [published(GeneralizedRandomizedResponse, lots=lots) for lots in ((0, 0.5), (0.5, 1))]
    names = [each[part].fingerprint for part in (0, 1, 0)]
    rows = pa.table({"survey": names, "question": [0, 1, 3], "report": [1, 1, 1]})
    found = tally_batch(tuple(each), rows.to_batches()[0])
    assert found.n_refused == 1
    assert [[t.n_reports for t in part] for part in found.tallies] == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("n_named", [0, 1, 3])
def test_reports_that_name_no_survey_are_refused_where_all_others_name_one(n_named):
    part = published(GeneralizedRandomizedResponse)
    names = pa.array([*[part.fingerprint] * n_named, None, None], pa.string())
    n = len(names)
    rows = pa.table({"survey": names, "question": [0] * n, "report": [1] * n})
    found = tally_batch((part,), rows.to_batches()[0])
    assert (found.n_refused, found.tallies[0][0].n_reports) == (2, n_named)


def test_what_is_refused_and_what_came_again_adds_up():
    nothing = Counted.nothing((published(GeneralizedRandomizedResponse),)).tallies
    both = Counted(nothing, n_refused=2, n_repeated=3) + Counted(nothing, 5, 7)
    assert (both.n_refused, both.n_repeated) == (7, 10)


def test_sums_of_other_rounds_are_not_added():
    one, other = published(GeneralizedRandomizedResponse), published(Harmony)
    with pytest.raises(ValueError, match="shorter"):
        Counted.nothing((one, other)) + Counted.nothing((one,))


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.string(), pa.large_string()])
def test_reports_are_texts_of_any_width_or_their_bytes(kind):
    part = published(SymmetricUnaryEncoding)
    whole = batch_of(sent(part, 12, 1))
    reports = whole.column("report").cast(kind)
    found = tally_batch((part,), whole.set_column(2, "report", reports))
    assert (found.n_refused, supports(found)) == (0, supports(tally_batch((part,), whole)))


@pytest.mark.parametrize("make", [GeneralizedRandomizedResponse, SymmetricUnaryEncoding])
@pytest.mark.parametrize("is_coded", [True, False])
def test_columns_of_text_may_be_as_polars_writes_them(make, is_coded):
    part = published(make)
    whole = batch_of(sent(part, 12, 1))
    told = [*whole.columns]
    for n in (0, 2):
        texts = told[n].cast(pa.large_string())
        told[n] = texts.dictionary_encode() if is_coded else texts
    found = tally_batch((part,), pa.RecordBatch.from_arrays(told, names=whole.schema.names))
    assert (found.n_refused, supports(found)) == (0, supports(tally_batch((part,), whole)))


def test_files_whose_columns_differ_are_refused_where_they_are_counted_together(tmp_path):
    part = published(GeneralizedRandomizedResponse)
    documents = sent(part, 8, 3)
    keys = [f"person {n}" for n in range(8)]
    other = batch_of(documents, person=[f"another {n}" for n in range(8)])
    wide = other.set_column(2, "report", other.column("report").cast(pa.int8()))
    pieces = written(tmp_path, [batch_of(documents, person=keys), wide])
    keyed = Keyed((part,), "person", 1, SALT, pieces=tuple(pieces))
    with pytest.raises(HushrankError, match="columns of the same types in all files"):
        tally_bucket(keyed, 0)


def test_a_number_of_workers_needs_a_scheduler():
    with pytest.raises(HushrankError, match="expected a scheduler beside their number"):
        Workers(None, 2)


def test_numbers_beyond_64_bits_are_none_and_fingerprints_are_texts():
    numbers = report_batches._whole_numbers(pa.array([0, 7, 2**63, None], pa.uint64()))
    assert numbers.tolist()[:2] == [0, 7]
    assert (numbers[2:] < 0).all()
    none_missing = report_batches._whole_numbers(pa.array([7, 2**63], pa.uint64()))
    assert none_missing[1] < 0
    with pytest.raises(HushrankError, match="survey as the fingerprint's text"):
        report_batches._coded(pa.array([1, 2]))


@pytest.mark.parametrize("question", [-1, 0, 3, 4])
def test_a_text_that_answers_no_question_is_impossible(question):
    part = published(GeneralizedRandomizedResponse)
    number = np.array([question], dtype=np.int64)
    found = report_batches._read_texts((part,), number, pa.array(["1"]).dictionary_encode())
    assert found.is_possible.tolist() == [question == 0]


@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_reports_to_another_survey_are_of_none_of_the_parts(n_parts):
    kinds = (GeneralizedRandomizedResponse, Harmony, SymmetricUnaryEncoding)
    parts = tuple(published(make) for make in kinds[:n_parts])
    names = ["f" * 64, *(part.fingerprint for part in parts)]
    rows = pa.table({"survey": names, "question": [0] * len(names), "report": [1] * len(names)})
    found = read_batch(parts, rows.to_batches()[0])
    assert found.number.tolist() == [-1, *(3 * n for n in range(n_parts))]
    assert not found.is_possible[0]


def test_fingerprints_that_are_coded_are_texts_too():
    part = published(GeneralizedRandomizedResponse)
    coded = pa.array([7, 7]).dictionary_encode()
    with pytest.raises(HushrankError, match="survey as the fingerprint's text"):
        read_batch(
            (part,), pa.record_batch([coded, [0, 0], [1, 1]], ["survey", "question", "report"])
        )
