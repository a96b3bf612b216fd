"""BLT files: ties, skipped places, candidates that withdrew, and what is refused by its line."""

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.blt import parse_blt

NAMES = '"Ann"\n"Bob"\n"Cy"\n"Di"\n"a title"\n'


def text_of(*lines: str) -> bytes:
    return "\n".join([*lines, "0", NAMES]).encode()


def test_comments_may_stand_above_and_a_file_that_is_cut_off_is_told(tmp_path):
    path = tmp_path / "b.blt"
    path.write_bytes(b"# a board\n" + text_of("4 1 # seats", "3 2 0"))
    assert read_rankings(path).n_people == 3
    path.write_bytes(b"4 1\n3 2 0\n")
    with pytest.raises(HushrankError, match="expected a line of 0 between the ballots and the"):
        read_rankings(path)


def test_a_withdrawn_candidate_is_left_out_wherever_the_line_stands():
    ballots = ["3 2 0", "1 1 2 0", "2 2 3=1 4 0", "5 0"]
    first, last = (
        parse_blt(text_of("4 1", *lines)) for lines in (["-2", *ballots], [*ballots, "-2"])
    )
    for people, n_empty, n_withdrawn in (first, last):
        assert n_withdrawn == 1
        assert people.names == ("Ann", "Cy", "Di")
        assert n_empty == 8
        assert people.n_people == 3
        # nobody said anything of Cy and Di: they are unranked on the first ballot
        assert people.ranks.tolist() == [[0, 255, 255], [0, 0, 2]]


def test_candidates_withdraw_on_as_many_lines_as_there_are():
    people, _, n_withdrawn = parse_blt(text_of("4 1", "-2", "3 1 2 3 4 0", "-3"))
    assert (people.names, n_withdrawn) == (("Ann", "Di"), 2)


def test_a_comment_ends_where_its_line_does():
    """Signs that other texts part lines by make no ballot of what stands behind them."""
    people, _, _ = parse_blt(text_of("4 1", "3 2 0 # a note\u20281 3 0\x0b1 4 0\x851 1 0", "1 2 0"))
    assert people.n_people == 4
    assert people.is_ranked.sum() == 2


def test_who_withdrew_is_said(tmp_path):
    path = tmp_path / "b.blt"
    path.write_bytes(text_of("4 1", "-2 -3", "1 1 4 0"))
    assert "BLT; 2 candidates withdrawn, left out" in str(read_rankings(path).reading)
    path.write_bytes(text_of("4 1", "1 1 4 0"))
    assert "withdrawn" not in str(read_rankings(path).reading)


def test_empty_ballots_are_said_also_where_all_others_are_complete(tmp_path):
    path = tmp_path / "b.blt"
    path.write_bytes(text_of("4 1", "2 3 1 2 4 0", "5 0"))
    rankings = read_rankings(path)
    assert rankings.is_complete
    assert rankings.reading.irregular.empty == 5


def test_ballots_that_rank_one_of_many_candidates_each_are_no_empty_ones():
    names = [f'"{n}"' for n in range(1, 41)]
    ballots = [f"1 {n} 0" for n in range(1, 41)]
    people, n_empty, _ = parse_blt("\n".join(["40 1", *ballots, "2 0", "0", *names]).encode())
    assert (people.n_people, n_empty) == (40, 2)
    assert (people.is_ranked == np.eye(40, dtype=bool)).all()
    names[-1] = '""'
    with pytest.raises(HushrankError, match="names of candidates that are not empty"):
        parse_blt("\n".join(["40 1", *ballots, "0", *names]).encode())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["4 1", "-9", "1 1 0"], "line 2: expected withdrawn candidates of -1..-4"),
        (["4 1", "1 1 0", "1 5 0"], "line 3: expected candidates of 1..4"),
        (["4 1", "1 1 1 0"], "line 2: expected each candidate at most once"),
        (["4 1", "-1 -2", "1 1 0"], "at least 1 ballot that ranks somebody"),
        (["4 1", "0 1 0"], "line 2: expected a weight of 1"),
        (["0 1", "1 1 0"], "line 1: expected at least 1 candidate"),
    ],
)
def test_a_line_that_does_not_fit_is_refused_by_its_number(lines, words):
    with pytest.raises(HushrankError, match=words.replace(".", r"\.")):
        parse_blt(text_of(*lines))
