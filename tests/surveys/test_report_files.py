import pytest

from hushrank.errors import HushrankError
from hushrank.files.pieces import Piece
from hushrank.surveys.report_files import n_buckets_of


@pytest.mark.parametrize(
    ("rows", "most_rows", "n_buckets"),
    [((), 5, 1), ((0,), 5, 1), ((3, 2), 5, 1), ((3, 3), 5, 2), ((7, 4), 5, 3), ((4,), 1, 4)],
)
def test_a_bucket_has_about_as_many_rows_as_may_be(rows, most_rows, n_buckets):
    pieces = [Piece("a.parquet", (0,), n_rows, 100) for n_rows in rows]
    assert n_buckets_of(pieces, most_rows=most_rows) == n_buckets


def test_a_bucket_of_no_rows_is_refused():
    with pytest.raises(HushrankError, match="expected at least 1 row of a bucket, got 0"):
        n_buckets_of([], most_rows=0)
