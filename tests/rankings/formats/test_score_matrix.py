"""Score matrices: the highest score is best, and nothing of a row is ever shown."""

import gzip

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.formats.score_matrix import parse_score_matrix, read_score_matrix
from hushrank.rankings.profile import Rankings

MADE_UP = b"3,1.5,-2.25,8\n2,99,0,0\r\n\n1,99,99,-1e1\n"
"""The first column counts, 99 = not rated; the third line is blank."""


def parsed(text, *, missing=99.0, skip_columns=0):
    return parse_score_matrix(text, missing=missing, skip_columns=skip_columns)


def test_scores_become_ranks_with_ties_and_gaps():
    keys = [[1, 2, 0], [np.nan, 0, 0], [np.nan, np.nan, 0]]
    assert parsed(MADE_UP, skip_columns=1) == Rankings.from_keys(keys, ("1", "2", "3"))


def test_skipped_columns_may_hold_anything():
    assert parsed(b"zoe,1,2\nadam,2,1\n", skip_columns=1).ranks.tolist() == [[1, 0], [0, 1]]


def test_the_missing_score_is_the_one_given():
    assert parsed(b"99,1\n", missing=1.0).is_ranked.tolist() == [[True, False]]


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_files_are_read_plain_or_gzipped(tmp_path, name):
    content = gzip.compress(MADE_UP) if name.endswith(".gz") else MADE_UP
    (tmp_path / name).write_bytes(content)
    found = read_score_matrix(tmp_path / name, missing=99, skip_columns=1)
    assert found == parsed(MADE_UP, skip_columns=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1: expected scores, the file is empty"),
        (b"\n \n", "line 1: expected scores, the file is empty"),
        (b"7", "line 1: expected 2\\+ columns"),
        (b"7,1,2\n\n7,4321\n", "line 3: expected 3 comma-separated cells in every row"),
        (b"7,1,2\n7,1,2,4321\n", "line 2: expected 3 comma-separated cells in every row"),
        (b"7,4321\n\n7,4321x\n", "line 3: expected scores that are finite numbers"),
        (b"7,4321\n7,\n", "line 2: expected scores that are finite numbers"),
        (b"7,4321\n7,nan\n", "line 2: expected scores that are finite numbers"),
        (b"7,4321\n7,4321\n7,-inf\n", "line 3: expected scores that are finite numbers"),
        (b"7,\xff4321\n", "line 1: expected scores that are finite numbers"),
        (b"count,4321 apples\n7,4321\n", "line 1: expected scores that are finite numbers"),
    ],
)
def test_errors_name_the_line_and_never_a_score(text, message):
    with pytest.raises(HushrankError, match=f"^{message}$") as caught:
        parsed(text, skip_columns=1)
    assert "4321" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(HushrankError, match=r"nowhere\.csv: "):
        read_score_matrix(tmp_path / "nowhere.csv", missing=99, skip_columns=1)
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(MADE_UP)[:-9])
    with pytest.raises(HushrankError, match="expected a whole gzip file"):
        read_score_matrix(damaged, missing=99, skip_columns=1)


@pytest.mark.parametrize(("missing", "skip_columns"), [(np.nan, 1), (np.inf, 1), (99, -1)])
def test_senseless_parameters_are_refused(tmp_path, missing, skip_columns):
    with pytest.raises(HushrankError, match="expected"):
        read_score_matrix(tmp_path / "any.csv", missing=missing, skip_columns=skip_columns)


def test_jester_is_as_its_publisher_describes_it(data_folder):
    path = data_folder / "jester" / "jester-data-1.csv.gz"
    found = read_score_matrix(path, missing=99, skip_columns=1)
    assert (found.n_people, found.n_items) == (24_983, 100)
    assert found.is_ranked.sum() == 1_810_455
    assert found.is_ranked.all(axis=1).sum() == 7_200


def many(**changes):
    """Thirty lines of thirty numbers; nLINE: other cells of that line."""
    rows = [[str(row + column) for column in range(30)] for row in range(30)]
    lines = [",".join(changes.get(f"n{row}", cells)) for row, cells in enumerate(rows)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("line", [1, 29])
@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["nan", *"1" * 29], "expected scores that are finite numbers"),
        ([*"1" * 29, "nan"], "expected scores that are finite numbers"),
        ([*"1" * 29], "expected 30 comma-separated cells in every row"),
    ],
)
def test_one_line_of_many_is_refused_by_any_of_its_cells(line, cells, message):
    assert parsed(many()).n_people == 30
    with pytest.raises(HushrankError, match=f"^line {line + 1}: {message}$"):
        parsed(many(**{f"n{line}": cells}))
