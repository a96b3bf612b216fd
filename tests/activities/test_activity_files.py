import gzip
from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import (
    read_activity,
    read_log,
    require_writable,
    write_activity,
    write_log,
)
from hushrank.activities.identifiers import numbered, require_users
from hushrank.activities.log import ActivityLog
from hushrank.errors import HushrankError

FORMATS = ("csv", "parquet", "csv.gz", "parquet.gz")


def written(folder, text, name="activity.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parquet_of(**columns):
    sink = BytesIO()
    parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


def cells_of(activity):
    """Return the scores by names."""
    records = activity.scores.tocoo()
    pairs = zip(records.row, records.col, records.data, strict=True)
    return {(activity.users[u], activity.items[i]): score for u, i, score in pairs}


def test_a_file_has_one_record_a_row(tmp_path):
    path = written(tmp_path, "user,item,score\n10,plum,2\n9,fig,0.5\n9,plum,3\n")
    activity = read_activity(path)
    assert (activity.users, activity.items) == (("9", "10"), ("fig", "plum"))
    assert activity.scores.toarray().tolist() == [[0.5, 3], [0, 2]]


def test_without_scores_every_record_is_one(tmp_path):
    activity = read_activity(written(tmp_path, "item,user\nplum,ann\nfig,bob\n"))
    assert activity.binary
    assert cells_of(activity) == {("ann", "plum"): 1, ("bob", "fig"): 1}


def test_columns_come_in_any_order_and_case(tmp_path):
    plain = written(tmp_path, "user,item,score,time\nann,fig,2,5\n")
    other = written(
        tmp_path, b"\xef\xbb\xbf TIME,Score,ITEM , User\r\n5,2,fig,ann\r\n\r\n", "b.csv"
    )
    assert read_log(plain) == read_log(other)


def test_the_order_of_the_rows_makes_no_difference_to_the_activity(tmp_path):
    rows = ["ann,fig,2", "bob,plum,1", "ann,plum,3"]
    paths = [
        written(tmp_path, "\n".join(["user,item,score", *order]), f"{n}.csv")
        for n, order in enumerate((rows, rows[::-1]))
    ]
    assert read_activity(paths[0]) == read_activity(paths[1])


@pytest.mark.parametrize(("duplicates", "merged"), [("sum", 10), ("max", 5), ("last", 3)])
def test_repeated_pairs_are_merged_by_the_rule(tmp_path, duplicates, merged):
    path = written(tmp_path, "user,item,score,time\na,x,3,9\na,y,1,0\na,x,5,1\na,x,2,4\n")
    activity = read_activity(path, duplicates=duplicates)
    assert cells_of(activity) == {("a", "x"): merged, ("a", "y"): 1}


def test_repeated_visits_are_counted(tmp_path):
    path = written(tmp_path, "user,item\na,x\na,y\na,x\n")
    assert cells_of(read_activity(path)) == {("a", "x"): 2, ("a", "y"): 1}


def test_a_log_keeps_the_records_as_they_come(tmp_path):
    log = read_log(written(tmp_path, "user,item,score,time\nb,x,1,2.5\na,x,0,-1\nb,x,1,1e3\n"))
    expected = ActivityLog(
        np.array([1, 0, 1]),
        np.array([0, 0, 0]),
        np.array([1.0, 0, 1]),
        ("a", "b"),
        ("x",),
        np.array([2.5, -1, 1000]),
    )
    assert log == expected


def test_a_score_of_0_is_no_activity(tmp_path):
    path = written(tmp_path, "user,item,score\na,x,1\na,y,0\nb,y,2\n")
    assert cells_of(read_activity(path)) == {("a", "x"): 1, ("b", "y"): 2}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [("b,x,0", "every user, got none of 1 users"), ("a,y,0", "every item, got none on 1 items")],
)
def test_users_and_items_with_nothing_but_0_are_refused(tmp_path, rows, expected):
    path = written(tmp_path, f"user,item,score\na,x,1\n{rows}\n")
    with pytest.raises(HushrankError, match=expected):
        read_activity(path)
    assert read_log(path).n_records == 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("activities")


def are_users(texts):
    try:
        require_users(texts)
    except HushrankError:
        return False
    return True


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1).filter(
    lambda text: text == text.strip() and len(text.splitlines()) == 1 and "\ufeff" not in text
)
USERS = st.lists(NAMES, min_size=1, max_size=4, unique=True).filter(are_users)
SCORES = st.floats(min_value=0, exclude_min=True, allow_infinity=False) | st.integers(1, 5)


@settings(max_examples=50)
@given(
    USERS,
    st.lists(NAMES, min_size=1, max_size=4, unique=True),
    st.data(),
    st.sampled_from(FORMATS),
)
def test_an_activity_round_trips(folder, users, items, data, extension):
    """In any order of names; what has no score at all is not in the file."""
    cells = data.draw(st.dictionaries(st.sampled_from(users), st.integers(0), min_size=1))
    dense = np.zeros((len(users), len(items)))
    for user, number in cells.items():
        dense[users.index(user), number % len(items)] = data.draw(SCORES)
    activity = Activity(csr_array(dense), tuple(users), tuple(items))
    path = folder / f"activity.{extension}"
    write_activity(activity, path)
    again = read_activity(path, duplicates="refused")
    assert again.aligned(activity.users, activity.items) == activity
    assert cells_of(again) == cells_of(activity)


@settings(max_examples=50)
@given(st.data(), st.sampled_from(FORMATS), st.booleans())
def test_a_log_round_trips(folder, data, extension, timed):
    codes = np.array([0, 1, 2, *data.draw(st.lists(st.integers(0, 2), max_size=9))])
    scores = data.draw(st.lists(st.floats(0, 1e300), min_size=len(codes), max_size=len(codes)))
    n_records = len(codes)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    times = data.draw(st.lists(finite, min_size=n_records, max_size=n_records))
    names = ("2", "10", "plum, red")
    when = np.array(times) + 0.0 if timed else None
    log = ActivityLog(codes, codes[::-1].copy(), np.array(scores), names, names, when)
    path = folder / f"log.{extension}"
    write_log(log, path, secret=False)
    assert read_log(path) == log


def test_plain_names_are_written_without_quotes(tmp_path):
    path = tmp_path / "activity.csv"
    write_activity(Activity(csr_array(np.eye(2)), ("ann", "bob"), ("1", "2")), path)
    assert path.read_text() == "user,item\nann,1\nbob,2\n"
    write_activity(Activity(csr_array(np.eye(2) / 2), ("ann", "b,b"), ('1"', "2")), path)
    assert path.read_text() == 'user,item,score\nann,"1""",0.5\n"b,b",2,0.5\n'


def test_scores_are_written_where_the_last_of_many_is_not_one(tmp_path):
    path = tmp_path / "activity.csv"
    scores = np.eye(40)
    scores[-1, -1] = 2
    activity = Activity(csr_array(scores), numbered(40), numbered(40))
    write_activity(activity, path)
    assert read_activity(path) == activity


def test_whole_numbers_are_written_as_such(tmp_path):
    path = tmp_path / "log.csv"
    codes = np.zeros(2, dtype=np.int32)
    log = ActivityLog(codes, codes, np.array([3.0, 2]), ("a",), ("x",), np.array([978300760.0, 7]))
    write_log(log, path, secret=False)
    assert path.read_text() == "user,item,score,time\na,x,3,978300760\na,x,2,7\n"


def test_parquet_holds_text_or_numbers(tmp_path):
    content = parquet_of(user=[10, 9], item=["fig", "plum"], score=pa.array([2, 0.5]))
    activity = read_activity(written(tmp_path, content, "a.parquet"))
    assert cells_of(activity) == {("10", "fig"): 2, ("9", "plum"): 0.5}


def test_names_that_no_row_has_are_neither_written_nor_read(tmp_path):
    """A Parquet dictionary could list them: who has no score is nobody's business."""
    path = tmp_path / "a.parquet"
    dense = np.zeros((3, 3))
    dense[1, 1] = 2
    write_activity(Activity(csr_array(dense), ("ann", "bob", "zebra"), ("x", "y", "okapi")), path)
    content = path.read_bytes()
    assert b"bob" in content
    assert not any(name in content for name in (b"ann", b"zebra", b"okapi"))
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["a", "b", "zebra"]))
    other = written(tmp_path, parquet_of(user=column, item=["x", "y"]), "b.parquet")
    assert read_activity(other).users == ("a", "b")


SECRET = "zebra"
HEADER = "user,item,score,time\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1: expected content, the file is empty"),
        (" \n", "line 1: expected content, the file is empty"),
        ("user,item\n", "line 2: expected at least 1 row"),
        (f"user,score\n{SECRET},1\n", "line 1: expected the columns user and item, and perhaps"),
        (f"user,item,scores\n{SECRET},a,1\n", "line 1: expected the columns user and item"),
        (f"user,item,item\n{SECRET},a,1\n", "line 1: expected the columns user and item"),
        (f"1,{SECRET}\n2,3\n", "line 1: expected the columns user and item"),
        (f"{HEADER}{SECRET},a,1,1\n,a,1,1\n", "line 3: expected a value in the column 'user'"),
        (f"{HEADER}\n{SECRET},,1,1\n", "line 3: expected a value in the column 'item'"),
        (f"{HEADER}{SECRET},a,-1,1\n", "line 2: expected a score that is a number of 0 or more"),
        (f"{HEADER}{SECRET},a,inf,1\n", "line 2: expected a score"),
        (f"{HEADER}{SECRET},a,nan,1\n", "line 2: expected a score"),
        (f"{HEADER}{SECRET},a,1e999,1\n", "line 2: expected a score"),
        (f"{HEADER}b,a,1,1\n{SECRET},a,,1\n", "line 3: expected a score"),
        (f"{HEADER}{SECRET},a,five,1\n", "line 2: expected a score"),
        (f"{HEADER}{SECRET},a,1_0,1\n", "line 2: expected a score"),
        (f"{HEADER}{SECRET},a,1,2001-13-01\n", "line 2: expected a time that is a finite number"),
        (f"{HEADER}{SECRET},a,1,\n", "line 2: expected a time"),
        (f"{HEADER}{SECRET},a,1\n", "line 2: expected 4 cells parted by commas"),
        (f'{HEADER}{SECRET},a,1,"1\n', "line 2: expected a closing quote"),
        (
            f"{HEADER}{SECRET},a,1,1\n".encode() + b"\xff\x81,a,1,1\n",
            "line 3: expected text in UTF-8",
        ),
        (
            f"{HEADER}{SECRET},a,1,1\n".encode() + b"\xff\x02,a,1,1\n",
            "line 3: expected text in UTF-8, got other bytes; save it as UTF-8",
        ),
        (f"{HEADER}{SECRET},a\0,1,1\n", "expected a table or a text, .*, got a binary file"),
        (b"PAR1 zebra PAR1", "expected a whole Parquet file"),
        (gzip.compress(b"user,item\nzebra,a\n", mtime=0)[:-9], "expected a whole gzip file"),
        (parquet_of(user=[SECRET], item=["a"], score=[-1]), "row 1: expected a score"),
        (parquet_of(user=[SECRET, None], item=["a", "b"]), "row 2: expected a value in"),
    ],
)
def test_a_bad_file_gives_one_clear_line(tmp_path, text, expected):
    path = written(tmp_path, text, "activity.csv")
    for read in (read_activity, read_log):
        with pytest.raises(HushrankError, match=expected) as refusal:
            read(path)
        message = str(refusal.value)
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
        assert SECRET not in message


def test_a_repeated_pair_can_be_refused_with_its_line(tmp_path):
    path = written(tmp_path, "user,item\na,x\nb,x\na,x\n")
    with pytest.raises(HushrankError, match="line 4: expected one record at most of each"):
        read_activity(path, duplicates="refused")


def test_a_missing_file_and_a_wrong_extension_are_said(tmp_path):
    activity = Activity(csr_array(np.eye(1)), ("a",), ("x",))
    with pytest.raises(HushrankError, match="No such file"):
        read_activity(tmp_path / "none.csv")
    for path in (tmp_path / "a.txt", tmp_path / "a.gz", tmp_path / "none" / "a.csv"):
        with pytest.raises(HushrankError, match=r"expected (an extension|a path)"):
            write_activity(activity, path)
        with pytest.raises(HushrankError, match=r"expected (an extension|a path)"):
            require_writable(path)
    require_writable(tmp_path / "a.csv.gz")


def test_columns_of_other_names_are_named_and_the_rest_is_ignored_and_said(tmp_path):
    text = "userId;movieId;rating;timestamp;genre\n1;10;4,5;2026-03-01;x\n2;10;3;2026-03-02;y\n"
    path = written(tmp_path, text, "ratings.csv")
    activity = read_activity(path, user="userId", item="movieId", score="rating")
    assert activity.scores.toarray().tolist() == [[4.5], [3]]
    assert str(activity.reading) == (
        "ratings.csv: 2 users, 1 item; 2 records, with scores;"
        " columns timestamp, genre ignored; text with semicolons"
    )
    with pytest.raises(HushrankError, match=r"no column for user=, item=$"):
        read_activity(path, user="who", item="what")


def test_cells_may_be_parted_by_double_colons_as_in_movielens(tmp_path):
    rows = "1::10::4.5::978300760\n2::20::3::978302109\n2::10::1::978301968\n"
    path = written(tmp_path, rows, "ratings.dat")
    for delimiter in (None, "::"):
        activity = read_activity(path, user="1", item="2", score="3", delimiter=delimiter)
        assert activity.scores.toarray().tolist() == [[4.5, 0], [1, 3]]
        assert str(activity.reading).endswith("columns 4 ignored; text with double colons")
    with pytest.raises(HushrankError, match=r'which is which: user="1", item="2"$'):
        read_activity(path)
    with pytest.raises(HushrankError, match="line 2: expected 4 cells parted by double colons"):
        read_activity(written(tmp_path, rows.replace("3::", "")), delimiter="::")


def test_a_single_record_is_said_as_one_and_a_column_of_lists_is_named(tmp_path):
    path = written(tmp_path, "user,item\na,b\n")
    assert "1 user, 1 item; 1 record, each counts 1" in str(read_activity(path).reading)
    lists = pa.table({"user": [["a"], ["b"]], "item": ["x", "y"]})
    with pytest.raises(HushrankError, match="text or numbers in the column 'user'"):
        read_activity(lists)


def test_a_score_that_nobody_names_is_said_to_be_ignored(tmp_path):
    path = written(tmp_path, "u,i,rating\n1,2,5\n1,2,4\n", "ratings.csv")
    said = str(read_activity(path, user="u", item="i").reading)
    assert "2 records, each counts 1" in said
    assert "1 of a user and an item that have an earlier one (added up)" in said
    assert said.endswith("columns rating ignored")


def test_times_may_be_written_as_iso_8601(tmp_path):
    text = "user,item,time\na,b,1970-01-01T00:01\na,b,1970-01-01T01:00:00+01:00\n"
    assert read_log(written(tmp_path, text, "log.csv")).times.tolist() == [60, 0]


def test_one_time_as_a_day_does_not_make_days_of_the_numbers_of_others(tmp_path):
    text = "user,item,time\na,b,20260301\nc,b,20260302\n"
    assert read_log(written(tmp_path, text)).times.tolist() == [20260301, 20260302]
    with pytest.raises(HushrankError, match="line 4: expected a time that is a finite number"):
        read_log(written(tmp_path, f"{text}d,b,2026-03-02T10:00\n"))


@pytest.mark.parametrize("others", ["7\n8\n9", "7\n8\nsoon\n9", "2026-03-01\n2026-03-02T10:00"])
def test_of_times_that_one_is_none_its_line_is_said(tmp_path, others):
    text = "user,item,time\n" + "".join(f"a,b,{time}\n" for time in [*others.split(), "soon"])
    line = 2 + [*others.split(), "soon"].index("soon")
    with pytest.raises(HushrankError, match=f"line {line}: expected a time"):
        read_log(written(tmp_path, text))


def test_a_first_record_does_not_tell_by_what_sign_all_others_are_parted(tmp_path):
    """By commas, too, all others have equally many cells: so they are read below `9,3`."""
    others = "".join(f"{n};{n % 5};{n % 4},5\n" for n in range(10, 40))
    path, named = written(tmp_path, f"9;3;4\n{others}"), {"user": "1", "item": "2"}
    with pytest.raises(HushrankError, match="parted by commas in every row"):
        read_activity(path, **named)
    assert read_activity(path, delimiter=";", **named).n_users == 31


def test_a_table_without_a_header_has_columns_by_number(tmp_path):
    path = written(tmp_path, "196\t242\t3\t881\n186\t302\t1\t891\n", "u.data")
    activity = read_activity(path, user="1", item="2", score="3", time="4")
    assert (activity.users, activity.items) == (("186", "196"), ("242", "302"))
    assert activity.scores.toarray().tolist() == [[0, 1], [3, 0]]


@pytest.mark.parametrize("n_numbers", [1, 2, 22, 30])
def test_a_first_line_with_one_name_is_a_header_however_many_numbers_it_has(tmp_path, n_numbers):
    numbers = [str(n) for n in range(5, 5 + n_numbers)]
    path = written(tmp_path, f"{','.join([*numbers, 'item'])}\n{'1,' * n_numbers}2\n")
    for named, said in (({"user": "1", "item": "2"}, "no column"), ({}, "called otherwise")):
        with pytest.raises(HushrankError, match=said):
            read_activity(path, **named)
    assert read_activity(path, user="5", item="item").users == ("1",)


MANY = [f"column {n}" for n in range(30)]


def test_columns_behind_many_others_are_found_and_the_others_said(tmp_path):
    text = ",".join([*MANY, "u", "i", "when"]) + "\n" + "7," * 30 + "ann,fig,9\n"
    path = written(tmp_path, text)
    activity = read_activity(path, user="u", item="i", time="when")
    assert (activity.users, activity.items) == (("ann",), ("fig",))
    assert activity.reading.ignored == tuple(MANY)
    with pytest.raises(HushrankError, match="got 33 columns"):
        read_activity(path)


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_times_that_is_none_is_refused(tmp_path, at):
    times = [str(n) for n in range(30)]
    rows = [f"user {n},fig,{time}" for n, time in enumerate(times)]
    assert read_log(written(tmp_path, "\n".join(["user,item,time", *rows]))).times[-1] == 29
    rows[at] = f"user {at},fig,soon"
    with pytest.raises(HushrankError, match="expected a time"):
        read_log(written(tmp_path, "\n".join(["user,item,time", *rows])))


def test_all_of_many_days_are_read(tmp_path):
    rows = [f"user {n},fig,1970-01-{n + 1:02}" for n in range(30)]
    log = read_log(written(tmp_path, "\n".join(["user,item,time", *rows])))
    assert log.times.tolist() == [86_400 * n for n in range(30)]
