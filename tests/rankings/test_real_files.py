"""Real files, which are not part of the project: set HUSHRANK_DATA to the folder that holds them.

The tests read whole folders and say sizes only, so that nothing of the files stands here.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from hushrank.rankings.files import read_rankings, write_rankings
from hushrank.rankings.formats.preflib_body import any_body, strict_body
from hushrank.rankings.formats.preflib_header import split_header

FOLDERS = ("sushi", "sushi3", "turkdots", "turkpuzzle", "elections", "other")
ENDINGS = tuple(
    f".{kind}{gzip}" for kind in ("soc", "soi", "toc", "toi", "order") for gzip in ("", ".gz")
)
DATA = os.environ.get("HUSHRANK_DATA")
FILES = sorted(
    str(path.relative_to(DATA))
    for folder in FOLDERS
    for path in (Path(DATA, folder).rglob("*") if DATA else ())
    if path.name.endswith(ENDINGS)
)

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not DATA, reason="HUSHRANK_DATA names no folder of real files"),
]


def people_by_row(rankings):
    counted = rankings.counted()
    return dict(zip(map(bytes, counted.ranks), counted.people_of_rows.tolist(), strict=True))


def test_every_folder_has_files():
    assert {name.split(os.sep)[0] for name in FILES} == set(FOLDERS)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_of_the_kind_its_extension_says(name):
    rankings = read_rankings(Path(DATA, name))
    extension = Path(name.removesuffix(".gz")).suffix
    assert rankings.is_strict or extension[1] == "t"
    assert rankings.is_complete or extension[-1] == "i" or "3b" in name


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("extension", [".csv", ".parquet", None])
def test_a_real_file_round_trips(name, extension, tmp_path):
    rankings = read_rankings(Path(DATA, name))
    own = Path(name.removesuffix(".gz")).suffix
    path = tmp_path / f"again{extension or (own if own != '.order' else '.soi')}"
    write_rankings(rankings, path)
    again = read_rankings(path)
    assert again.names == rankings.names
    assert people_by_row(again) == people_by_row(rankings)


def test_the_two_publications_of_one_data_set_hold_the_same_people():
    """The first publisher numbers from 0; the second moved number 0 behind the others."""
    preflib = read_rankings(Path(DATA, "sushi/sushi.soc"))
    order = read_rankings(Path(DATA, "sushi3/sushi3a.5000.10.order.gz"))
    moved = order.restrict([*range(1, 10), 0])
    assert preflib.n_people == order.n_people == 5000
    assert people_by_row(moved) == people_by_row(preflib)


def test_the_fast_reader_and_the_line_reader_agree_on_real_files():
    n_fast = 0
    for name in FILES:
        if name.endswith((".soc", ".soi")):
            text = Path(DATA, name).read_bytes()
            header, body = split_header(text)
            fast, slow = strict_body(body, header), any_body(body, header)
            assert fast is not None
            assert np.array_equal(fast.ranks, slow.ranks)
            assert np.array_equal(fast.people, slow.people)
            n_fast += 1
    assert n_fast > 20
