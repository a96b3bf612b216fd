"""Stars are scores whichever way they are written; what may be a place is asked about."""

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.stars import stars

SCORES = [(5, 3, 1), (2, 4, 4), (1, 5, 3)]


def read(tmp_path, rows, **options):
    path = tmp_path / "ballots.csv"
    text = "\n".join(["tea,milk,cola", *(",".join(row) for row in rows)])
    path.write_text(text + "\n")
    return read_rankings(path, **options)


@pytest.mark.parametrize(
    "sign",
    [
        lambda n: "★" * n + "☆" * (5 - n),
        lambda n: "⭐️" * n,
        lambda n: "*" * n,
        lambda n: "★ " * n,
        lambda n: f"{n} stars" if n > 1 else "1 star",
        lambda n: f"{n} ★",
        lambda n: f"{n} Sterne",
    ],
)
def test_the_most_stars_are_best(tmp_path, sign):
    rankings = read(tmp_path, [[sign(n) for n in row] for row in SCORES])
    assert rankings.ranks.tolist() == [[0, 1, 2], [2, 0, 0], [2, 0, 1]]
    assert rankings.unranked == "unknown"
    said = str(rankings.reading)
    assert "scores of the items in columns 1 to 3, the highest is best" in said
    assert "stars are counted" in said


def test_items_without_stars_are_not_ranked(tmp_path):
    rankings = read(tmp_path, [["★★", "", "★"], ["-", "★★★", "☆☆☆☆☆"]])
    assert rankings.is_ranked.tolist() == [[True, False, True], [False, True, True]]


def test_four_of_five_may_be_a_place_or_a_score(tmp_path):
    rows = [[f"{n}/5" for n in row] for row in SCORES]
    with pytest.raises(HushrankError, match="say best="):
        read(tmp_path, rows)
    assert read(tmp_path, rows, best="high").ranks.tolist() == [[0, 1, 2], [2, 0, 0], [2, 0, 1]]
    with pytest.raises(HushrankError, match="line 2, column 2: expected a score that is a number"):
        read(tmp_path, [["4/5", "3/5", "1/5"], ["4/5", "3/10", "1/5"]], best="high")
    places = read(tmp_path, [["1 of 3", "2 of 3", "3 of 3"], ["3 of 3", "1 of 3", "2 of 3"]])
    assert places.ranks.tolist() == [[0, 1, 2], [2, 0, 1]]


def test_scores_of_other_largest_numbers_are_not_compared(tmp_path):
    rows = [[f"{n}/5" for n in row[:2]] + [f"{2 * row[2]}/10"] for row in SCORES]
    with pytest.raises(HushrankError, match="scores of one largest number"):
        read(tmp_path, rows, best="high")
    assert read(tmp_path, rows, best="high", columns=["tea", "milk"]).n_items == 2


def test_one_star_is_a_footnote_and_no_score(tmp_path):
    with pytest.raises(HushrankError):
        read(tmp_path, [["*", "", "*"], ["", "*", ""]])
    assert [stars(text) for text in ("x*", "2", "", "★x", "star")] == [None] * 5


def test_stars_in_one_row_each_are_read_too(tmp_path):
    path = tmp_path / "stars.csv"
    path.write_text('user,item,rating\na,tea,★★★\na,milk,★\nb,tea,"4,5"\nb,milk,"4,0"\n')
    assert read_rankings(path).ranks.tolist() == [[1, 0], [1, 0]]
