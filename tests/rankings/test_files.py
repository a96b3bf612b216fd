import gzip
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.files import columns, disk
from hushrank.files.disk import replace_file
from hushrank.files.encodings import READABLE
from hushrank.rankings.files import read_rankings, read_ratings, write_rankings
from hushrank.rankings.forms import lists, tables
from hushrank.rankings.forms.asked import FORMS
from hushrank.rankings.forms.places import names_an_item
from hushrank.rankings.profile import Rankings
from hushrank.workflows.look import look

NAMES = ["apple", "pear", "plum"]
STRICT = Rankings.from_keys([[1, 2, 3], [3, 1, 2]], NAMES, np.array([2, 5]))
LOOSE = Rankings.from_keys([[1, 1, 3], [np.nan, 1, np.nan]], NAMES, np.array([2, 5]))
PREFLIB = """\
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 7
# NUMBER UNIQUE ORDERS: 2
# ALTERNATIVE NAME 1: apple
# ALTERNATIVE NAME 2: pear
# ALTERNATIVE NAME 3: plum
2: {1,2},3
5: 2
"""
OLD_PREFLIB = "3\n1,apple\n2,pear\n3,plum\n7,7,2\n2,{1,2},3\n5,2\n"
PLACES = "1,2,3,weight\npear,apple,plum,2\nplum,,,5\n"
WEB_PAGE = "{READABLE}, got a web page: copy its table to a spreadsheet"
RANKS = "apple,pear,plum,weight\n1,1,3,2\n,1,,5\n"
SCORES = "person,item,score\nzoe,apple,2\nzoe,pear,2\nzoe,plum,1\nadam,pear,4\n"
ORDER = "3 1\n0 3 0 1 2\n0 1 2\n"
SEEDS = [text.encode() for text in (PREFLIB, OLD_PREFLIB, PLACES, RANKS, SCORES, ORDER)]
FILE_SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@st.composite
def rankings_of(draw, cells):
    n_items, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    row = st.lists(cells, min_size=n_items, max_size=n_items)
    keys = np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows)))
    keys[np.isnan(keys).all(axis=1), 0] = 1  # a ballot that ranks nothing is left out
    letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n\ufeff")
    name = st.text(letters, min_size=1, max_size=12).filter(lambda name: name == name.strip())
    names = draw(st.lists(name, min_size=n_items, max_size=n_items, unique=True))
    people = draw(st.none() | st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
    return Rankings.from_keys(keys, names, None if people is None else np.array(people))


ANY_CELLS = st.sampled_from([1, 2, 3, np.nan])


@pytest.mark.parametrize("name", ["b.toi", "b.soc", "b.csv", "b.parquet", "b.order", "b.txt", "b"])
@pytest.mark.parametrize("text", [PREFLIB, OLD_PREFLIB])
def test_content_decides_the_form_whatever_the_extension(tmp_path, name, text):
    assert read_rankings(write(tmp_path / name, text)) == LOOSE


@pytest.mark.parametrize("name", ["b.csv", "b.parquet", "b.txt", "b"])
def test_a_text_of_no_other_form_is_a_table(tmp_path, name):
    assert read_rankings(write(tmp_path / name, RANKS)) == LOOSE


def test_the_extension_decides_when_the_content_says_nothing(tmp_path):
    with pytest.raises(HushrankError, match=r"NUMBER ALTERNATIVES|whole number"):
        read_rankings(write(tmp_path / "b.toi", RANKS))
    with pytest.raises(HushrankError, match="<number of items> 1"):
        read_rankings(write(tmp_path / "b.order.gz", gzip.compress(RANKS.encode())))


def test_order_files_and_scores_are_told_by_their_first_line(tmp_path):
    orders = read_rankings(write(tmp_path / "b.csv", ORDER))
    assert orders.ranks.tolist() == [[0, 1, 2], [255, 255, 0]]
    scores = read_rankings(write(tmp_path / "b.csv", SCORES))
    assert scores.ranks.tolist() == [[0, 0, 2], [255, 0, 255]]


def test_a_stated_form_overrides_content_and_extension(tmp_path):
    path = write(tmp_path / "b.toi", "1,2\n2,1\n")
    assert read_rankings(path, form="places").ranks.tolist() == [[1, 0]]
    with pytest.raises(HushrankError, match=r"b\.toi: line 1: expected"):
        read_rankings(path, form="preflib")
    with pytest.raises(HushrankError, match="'<number of items> 1'"):
        read_rankings(path, form="order")
    with pytest.raises(
        HushrankError, match="a form of preflib, order, places, ranks, scores, lists, blt"
    ):
        read_rankings(path, form="csv")


@pytest.mark.parametrize("form", ["places", "ranks", "scores", "lists", "order", "blt"])
def test_no_other_form_is_believed_of_a_file_that_says_it_is_preflib(tmp_path, form):
    """Its lines would be ballots, those about its items, too."""
    path = write(tmp_path / "b.csv", PREFLIB)
    with pytest.raises(HushrankError, match=f"a file of the form {form}, got PrefLib"):
        read_rankings(path, form=form)


def test_a_form_of_text_is_refused_for_parquet(tmp_path):
    write_rankings(LOOSE, tmp_path / "b.parquet")
    with pytest.raises(HushrankError, match="a file of the form preflib, got a table"):
        read_rankings(tmp_path / "b.parquet", form="preflib")


@pytest.mark.parametrize("text", [PREFLIB, OLD_PREFLIB, PLACES, RANKS, SCORES, ORDER])
@pytest.mark.parametrize("prepared", [gzip.compress, lambda text: b"\xef\xbb\xbf" + text])
def test_gzip_and_a_byte_order_mark_change_nothing(tmp_path, text, prepared):
    plain = read_rankings(write(tmp_path / "plain", text))
    assert read_rankings(write(tmp_path / "other", prepared(text.encode()))) == plain


def test_ratings_are_read_from_named_columns(tmp_path):
    text = SCORES.replace("person,item,score", "user,film,stars")
    path = write(tmp_path / "b.csv", text)
    expected = read_rankings(write(tmp_path / "c.csv", SCORES))
    assert read_ratings(path, person="user", item="film", score="stars") == expected
    with pytest.raises(HushrankError, match=r"b\.csv: line 1: expected one column named 'person'"):
        read_ratings(path)


@pytest.mark.parametrize(
    ("asked", "expectation"),
    [
        ({"weight": "score"}, "weight: each row is one score of one person, for whom no weight"),
        ({"weight": "city"}, "weight: each row is one score of one person, for whom no weight"),
        ({"id": "city"}, "id: each row is one score of one person, whom the column person names"),
        ({"ignore": ["2"]}, "ignore: each row is one score of one person, which needs the column"),
        ({"ignore": ["town"]}, "ignore: there is no column 'town'"),
        *(
            ({"form": form}, "ballot a row .* got one number")
            for form in ("places", "ranks", "lists")
        ),
    ],
)
def test_what_one_score_a_row_cannot_have_is_refused(tmp_path, asked, expectation):
    path = write(tmp_path / "b.csv", "person,item,score,city\nzoe,fig,2,Rome\nzoe,pear,1,Oslo\n")
    with pytest.raises(HushrankError, match=expectation):
        read_rankings(path, **asked)
    assert read_rankings(path, id="person", ignore=["city"]) == read_rankings(path)


def test_ratings_are_read_from_parquet(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"person": [7, 7, 3], "item": ["plum", "fig", "fig"], "score": [1.5, 2, 0]})
    parquet.write_table(table, tmp_path / "b.parquet")
    expected = [[0, 1], [0, 255]]
    assert read_ratings(tmp_path / "b.parquet").ranks.tolist() == expected
    assert read_rankings(tmp_path / "b.parquet").ranks.tolist() == expected


@pytest.mark.parametrize("ending", ["", ".gz", ".GZ"])
@pytest.mark.parametrize("extension", [".toi", ".csv", ".parquet", ".CSV"])
def test_the_extension_chooses_the_format(tmp_path, extension, ending):
    path = tmp_path / f"b{extension}{ending}"
    write_rankings(LOOSE, path)
    assert read_rankings(path) == LOOSE
    assert path.read_bytes().startswith(b"\x1f\x8b") == bool(ending)
    begins = {".toi": b"# FILE", ".csv": b"apple,", ".parquet": b"PAR1"}[extension.lower()]
    content = path.read_bytes()
    assert (gzip.decompress(content) if ending else content).startswith(begins)


@pytest.mark.parametrize("kind", ["soc", "soi", "toc", "toi"])
def test_strict_complete_rankings_fit_every_kind(tmp_path, kind):
    write_rankings(STRICT, tmp_path / f"b.{kind}")
    assert read_rankings(tmp_path / f"b.{kind}") == STRICT


def test_places_are_written_when_asked_for(tmp_path):
    write_rankings(STRICT, tmp_path / "b.csv", form="places")
    assert (tmp_path / "b.csv").read_text().startswith("place_1,place_2,place_3,weight\n")
    assert read_rankings(tmp_path / "b.csv") == STRICT
    with pytest.raises(HushrankError, match=r"expected the extension \.csv"):
        write_rankings(STRICT, tmp_path / "b.soc", form="places")


@pytest.mark.parametrize("name", ["b.soc", "b.toc.gz", "b.txt", "b", "b.gz"])
def test_a_refused_file_leaves_what_was_there(tmp_path, name):
    path = write(tmp_path / name, "what was there")
    with pytest.raises(HushrankError, match=name):
        write_rankings(LOOSE, path)
    assert path.read_text() == "what was there"
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("owner", "step"), [(disk.os, "fsync"), (disk.Path, "replace")])
def test_a_crash_while_writing_leaves_what_was_there(tmp_path, monkeypatch, owner, step):
    path = write(tmp_path / "b.csv", "what was there")

    def crash(*_):
        raise OSError(28, "no space left")

    monkeypatch.setattr(owner, step, crash)
    with pytest.raises(HushrankError, match=r"b\.csv: no space left"):
        write_rankings(LOOSE, path)
    assert path.read_text() == "what was there"
    assert [file.name for file in tmp_path.iterdir()] == ["b.csv"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    target, link, pipe = tmp_path / "target.txt", tmp_path / "link.txt", tmp_path / "pipe"
    target.write_bytes(b"old")
    link.symlink_to(target)
    replace_file(link, b"new", secret=False)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(pipe, b"sent", secret=False)
    assert os.read(reader, 10) == b"sent"
    assert pipe.is_fifo()
    os.close(reader)


@pytest.mark.parametrize("existed", [False, True])
def test_a_secret_file_is_for_its_owner_only(tmp_path, existed):
    path = tmp_path / "b.csv"
    if existed:
        write(path, "what was there").chmod(0o644)
    replace_file(path, b"new", secret=True)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("existed", [False, True])
def test_a_secret_behind_a_link_is_for_its_owner_only(tmp_path, existed):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    if existed:
        write(target, "what was there").chmod(0o644)
    link.symlink_to(target)
    replace_file(link, b"new", secret=True)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    path = write(tmp_path / "b.csv", "what was there")
    path.chmod(0o600)
    write_rankings(LOOSE, path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "expectation"),
    [
        (b"", "line 1: expected content, the file is empty"),
        (b" \n\n", "line 1: expected content, the file is empty"),
        (gzip.compress(b"", mtime=0), "line 1: expected content, the file is empty"),
        (gzip.compress(RANKS.encode(), mtime=0)[:-9], "expected a whole gzip file, it is damaged"),
        (b"\x1f\x8b\x08nonsense", "expected a whole gzip file, it is damaged"),
        (b"apple\0pear\n", "{READABLE}, got a binary file of no known kind"),
        (b"%PDF-1.7 apple", "{READABLE}, got a PDF document"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<apple/>", "{READABLE}, got XML of no known kind"),
        (
            "<?xml version='1.0'?>\n<apple/>".encode("utf-16"),
            "{READABLE}, got XML of no known kind",
        ),
        (b"\xef\xbb\xbf<html><td>A</td>\n", WEB_PAGE),
        ("<!DOCTYPE html>\n<html><td>A</td>".encode("utf-16-le"), WEB_PAGE),
        (b"<table><tr>\n<td>A</td>\n<td>B</td>\n", WEB_PAGE),
        (b"\xef\xbb\xbfapple\0pear\n1,2\n", "{READABLE}, got a binary file of no known kind"),
        (b"PK\x03\x04apple", "{READABLE}, got a ZIP archive"),
        (
            b"apple,pear\n1,2\n\xff\x81,1\n",
            "line 3: expected text in UTF-8, UTF-16 or Windows-1252; save it as UTF-8",
        ),
        (b"PAR1 nonsense PAR1", "expected a whole Parquet file with columns of text or numbers"),
    ],
)
def test_a_bad_file_is_named_with_what_was_expected(tmp_path, content, expectation):
    path = write(tmp_path / "ballots", content)
    with pytest.raises(HushrankError) as caught:
        read_rankings(path)
    assert str(caught.value) == f"{path}: {expectation.format(READABLE=READABLE)}"


def test_the_error_of_a_line_begins_with_the_path(tmp_path):
    path = write(tmp_path / "b.toi", PREFLIB.replace("5: 2", "5: 2,2"))
    with pytest.raises(HushrankError) as caught:
        read_rankings(path)
    assert str(caught.value) == f"{path}: line 9: expected each item at most once"
    assert caught.value.__suppress_context__


def test_a_missing_file_and_a_folder_are_clear_errors(tmp_path):
    with pytest.raises(HushrankError, match=r"none\.csv: No such file"):
        read_rankings(tmp_path / "none.csv")
    with pytest.raises(HushrankError, match="Is a directory"):
        read_rankings(tmp_path)
    with pytest.raises(HushrankError, match="existing folder"):
        write_rankings(STRICT, tmp_path / "none" / "b.csv")


@pytest.mark.parametrize("extension", [".csv", ".parquet"])
@pytest.mark.parametrize("names", [("tea", "coffee"), ("id", "tea"), ("tea", "age")])
@pytest.mark.parametrize("keys", [[1, np.nan], [np.nan, 1], [2, 1]])
def test_items_that_nobody_ranks_or_with_names_of_other_columns_round_trip(
    tmp_path, names, keys, extension
):
    rankings = Rankings.from_keys(np.array([keys, keys], dtype=float), names)
    write_rankings(rankings, tmp_path / f"b{extension}")
    assert read_rankings(tmp_path / f"b{extension}") == rankings


@FILE_SETTINGS
@given(rankings_of(ANY_CELLS), st.sampled_from([".csv", ".csv.gz", ".parquet"]))
def test_any_rankings_round_trip_through_tables(tmp_path, rankings, extension):
    write_rankings(rankings, tmp_path / f"b{extension}")
    assert read_rankings(tmp_path / f"b{extension}") == rankings


@FILE_SETTINGS
@given(rankings_of(ANY_CELLS), st.sampled_from([".soc", ".soi", ".toc", ".toi"]))
def test_preflib_files_round_trip_or_refuse(tmp_path, rankings, extension):
    is_held = (rankings.is_strict or extension[1] == "t") and rankings.is_ranked.any(axis=1).all()
    is_held = is_held and (rankings.is_complete or extension[3] == "i")
    path = tmp_path / f"b{extension}"
    if is_held:
        write_rankings(rankings, path)
        again = read_rankings(path)
        assert again.names == rankings.names
        assert again.counted() == rankings.counted()
    else:
        with pytest.raises(HushrankError, match="holds no"):
            write_rankings(rankings, path)


@FILE_SETTINGS
@given(rankings_of(ANY_CELLS))
def test_places_round_trip_up_to_the_order_of_columns_or_refuse(tmp_path, rankings):
    """Names such as "1" or "a;b" may be taken for ranks of an item, or lists, unless it is told."""
    path = tmp_path / "b.csv"
    is_named = all(map(names_an_item, rankings.names))
    if rankings.is_strict and rankings.is_ranked.any(axis=0).all() and is_named:
        write_rankings(rankings, path, form="places")
        is_plain = all(name.isalpha() for name in rankings.names)
        again = read_rankings(path, **({} if is_plain else {"form": "places", "header": 1}))
        assert again.restrict([again.names.index(name) for name in rankings.names]) == rankings
    else:
        with pytest.raises(HushrankError, match="one column a place"):
            write_rankings(rankings, path, form="places")


@pytest.mark.parametrize("extension", [".csv", ".parquet", ".soi", ".toi"])
def test_ballots_that_rank_one_of_many_items_each_are_no_empty_ones(tmp_path, extension):
    keys = np.where(np.eye(40, dtype=bool), 1, np.nan)
    rankings = Rankings.from_keys(keys, [f"item {n:02}" for n in range(40)])
    path = tmp_path / f"b{extension}"
    write_rankings(rankings, path)
    again = read_rankings(path)
    assert again.names == rankings.names
    assert again.counted() == rankings.counted()
    assert again.reading.irregular.empty == 0


def test_one_of_many_names_or_rows_tells_whether_columns_are_named_as_ranks(tmp_path):
    names, path = [f"item{n:02}" for n in range(40)], tmp_path / "b.csv"
    for odd in (None, "7", "name", "weight"):
        asked = [*names[:-1], odd or names[-1]]
        write_rankings(Rankings.from_orders(np.arange(40)[None], asked), path)
        header = path.read_text().splitlines()[0].split(",")
        assert header == (asked if odd is None else [f"rank of {name}" for name in asked])
    alone = Rankings.from_keys([*[[1, np.nan]] * 40, [np.nan, 1]], ["tea", "milk"])
    write_rankings(alone, path)
    assert path.read_text().splitlines()[0] == "tea,milk"


def test_ballots_are_uneven_or_incomplete_by_the_last_of_many_items(tmp_path):
    even = [*range(1, 41)]
    rows = [*[even] * 30, [*even[:-1], 38], [*even[:-2], "", 40], [*even[:-1], ""]]
    names = ",".join(f"item{n:02}" for n in even)
    lines = [names, *(",".join(map(str, row)) for row in rows)]
    reading = read_rankings(write(tmp_path / "b.csv", "\n".join(lines))).reading
    assert (reading.irregular.uneven, reading.incomplete, reading.tied) == (2, 2, 1)


def test_items_that_one_of_many_ballots_ranks_are_held_by_columns_of_places(tmp_path):
    keys = np.where(np.eye(40, dtype=bool), 1, np.nan)
    names, path = [f"item {n:02}" for n in range(40)], tmp_path / "b.csv"
    write_rankings(Rankings.from_keys(keys, names), path, form="places")
    assert path.read_text().splitlines()[1:] == names
    with pytest.raises(HushrankError, match="holds no item that nobody ranks"):
        write_rankings(Rankings.from_keys(keys[:-1], names), path, form="places")


@pytest.mark.parametrize("name", ["-", "n/a", "Undervote", "overvote", "Don't know"])
def test_an_item_whose_name_says_nobody_is_never_lost(tmp_path, name):
    rankings = read_rankings([[name, "tea"], ["tea", name]])
    with pytest.raises(HushrankError, match="a place is empty"):
        write_rankings(rankings, tmp_path / "b.csv", form="places")
    write_rankings(rankings, tmp_path / "b.csv")
    assert read_rankings(tmp_path / "b.csv").counted() == rankings.counted()


@settings(FILE_SETTINGS, max_examples=300)
@given(st.binary(max_size=60) | st.text(max_size=60), st.sampled_from([None, *FORMS]))
def test_any_bytes_load_or_raise_the_one_error(tmp_path, content, form):
    with suppress(HushrankError):
        assert isinstance(read_rankings(write(tmp_path / "b", content), form=form), Rankings)


@settings(FILE_SETTINGS, max_examples=600)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 4), st.binary(max_size=3)), max_size=4),
)
def test_mutated_files_load_or_raise_the_one_error(tmp_path, seed, edits):
    content = seed
    for at, n_removed, added in edits:
        at %= len(content) + 1
        content = content[:at] + added + content[at + n_removed :]
    with suppress(HushrankError):
        assert isinstance(read_rankings(write(tmp_path / "b", content)), Rankings)


@settings(FILE_SETTINGS, max_examples=150)
@given(
    st.sampled_from([".parquet", ".csv.gz", ".parquet.gz"]),
    st.lists(st.tuples(st.integers(0, 5000), st.binary(min_size=1, max_size=3)), min_size=1),
)
def test_mutated_binary_files_load_or_raise_the_one_error(tmp_path, extension, edits):
    path = tmp_path / f"b{extension}"
    write_rankings(LOOSE, path)
    content = bytearray(path.read_bytes())
    for at, added in edits:
        at %= len(content)
        content[at : at + len(added)] = added
    with suppress(HushrankError):
        assert isinstance(read_rankings(write(path, bytes(content))), Rankings)


def test_an_error_shows_no_cell_of_a_ballot(tmp_path):
    """Every ballot of these files holds the word; the errors say where, never what."""
    texts = (
        "1,2\nsecret,plum\nsecret\n",
        "a,b\nsecret,1\n2,1\n1,2\n",
        "a,weight\n1,secret\n",
        "person,item,score\nsecret,secret,secret\n",
        PREFLIB.replace("5: 2", "5: secret"),
        "3 1\n0 1 secret\n",
    )
    for text in texts:
        with pytest.raises(HushrankError, match=r"line \d+(, column 1)?: expected") as caught:
            read_rankings(write(tmp_path / "b", text))
        assert "secret" not in str(caught.value)


def test_long_blanks_do_not_hide_what_a_file_is(tmp_path):
    """A pattern that may share blanks between two repeats would take hours here."""
    content = "# A" + " " * 500_000 + "x\n1\n"
    with pytest.raises(HushrankError, match="NUMBER ALTERNATIVES"):
        read_rankings(write(tmp_path / "b.soc", content + PREFLIB))


def test_importing_the_readers_loads_no_heavy_library():
    code = "import sys, hushrank.rankings.files; print('pyarrow' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert shown.stdout == "False\n"


@pytest.mark.parametrize(("example", "n_people"), [*enumerate((7, 7, 2, 7, 7, 2))])
def test_every_example_of_the_documentation_loads(tmp_path, example, n_people):
    documentation = Path(__file__).parents[2] / "docs" / "data.md"
    fenced = re.findall(
        r"^```(\w*)\n(.*?)^```$", documentation.read_text(), re.DOTALL | re.MULTILINE
    )
    blocks = [block for language, block in fenced if not language]
    assert read_rankings(write(tmp_path / "b", blocks[example])).n_people == n_people


SPARSE = ("a.blt", "a.order", "a.soi", "a.toi", "a.csv", "places.csv", "rows.csv")


def of_single_items(form, n_items):
    """Return a file in which each item has a ballot of its own, and no other item."""
    items = range(1, n_items + 1)
    names = "\n".join(f'"n{n}"' for n in items)
    alternatives = "\n".join(f"# ALTERNATIVE NAME {n}: n{n}" for n in items)
    head = f"# NUMBER ALTERNATIVES: {n_items}\n# NUMBER VOTERS: {n_items}\n{alternatives}"
    return {
        "a.blt": f"{n_items} 1\n" + "".join(f"1 {n} 0\n" for n in items) + f"0\n{names}\n",
        "a.order": f"{n_items} 1\n" + "".join(f"0 1 {n - 1}\n" for n in items),
        "a.soi": f"{head}\n" + "".join(f"1: {n}\n" for n in items),
        "a.toi": f"{head}\n" + "".join(f"1: {{{n}}}\n" for n in items),
        "a.csv": "ballot\n" + "".join(f"n{n}>n{n % n_items + 1}\n" for n in items),
        "places.csv": "1st,2nd\n" + "".join(f"n{n},n{n % n_items + 1}\n" for n in items),
        "rows.csv": "person,item,rank\n" + "".join(f"p{n},n{n},1\n" for n in items),
    }[form]


@pytest.mark.parametrize("form", SPARSE)
def test_ballots_that_leave_nearly_all_items_out_are_refused_before_their_places_are_made(
    form, tmp_path, monkeypatch
):
    """Of 650 kB, 4.5 GB would be made."""
    monkeypatch.setattr(columns, "FEW_CELLS", 100)
    monkeypatch.setattr(columns, "MOST_CELLS_PER_BYTE", 1)
    path = tmp_path / form
    path.write_text(of_single_items(form, 5))
    assert read_rankings(path).n_items == 5
    path.write_text(of_single_items(form, 90))
    with pytest.raises(HushrankError, match=r"places of items, got 90 ballots of 90 items each"):
        read_rankings(path)
    monkeypatch.setattr(columns, "MOST_CELLS_PER_BYTE", 25)
    assert read_rankings(path).n_items == 90


def test_a_table_of_very_many_columns_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MOST_COLUMNS", 4)
    path = tmp_path / "a.csv"
    path.write_text("a,b,c,d\n1,2,3,4\n4,3,2,1\n")
    assert read_rankings(path, form="ranks").n_items == 4
    path.write_text("a,b,c,d,e\n1,2,3,4,5\n5,4,3,2,1\n")
    with pytest.raises(HushrankError, match="at most 4 columns, got 5: write an answer a row"):
        read_rankings(path, form="ranks")


@pytest.mark.parametrize(
    "content", ["ballot\ntea>milk\nmilk>tea\n", "ballot\ntea>milk\nmilk>milk\n"]
)
def test_no_cell_of_ballots_is_kept_once_they_are_read(tmp_path, content):
    (tmp_path / "a.csv").write_text(content)
    for reads in (read_rankings, look):
        with suppress(HushrankError):
            reads(tmp_path / "a.csv")
    assert lists.tiers_of.cache_info().currsize == 0
