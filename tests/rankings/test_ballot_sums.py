from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import hushrank
from hushrank.errors import HushrankError
from hushrank.files.pieces import pieces_of
from hushrank.rankings.ballot_sums import BallotSums, BallotTerms, read_piece
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.marginals import majority

NAMES = ("10", "9", "milk", "tea")
BALLOTS = st.lists(
    st.permutations(NAMES).flatmap(lambda order: st.integers(1, 4).map(lambda n: order[:n])),
    min_size=1,
    max_size=12,
)


@settings(max_examples=50)
@given(BALLOTS, st.lists(st.integers(1, 11), max_size=3), st.sampled_from(["last", "unknown"]))
def test_any_partitioning_adds_to_the_same_counts(ballots, cuts, unranked):
    """Also where a piece names fewer items than all pieces together."""
    whole = hushrank.read_rankings(ballots)
    ends = [0, *sorted({cut for cut in cuts if cut < len(ballots)}), len(ballots)]
    pieces = [hushrank.read_rankings(ballots[a:b]) for a, b in pairwise(ends)]
    first, *others = [BallotSums.of(piece, unranked) for piece in pieces]
    total = sum(others, start=first)
    assert total.names == whole.names
    assert total.counts.tolist() == majority(whole, unranked=unranked).tolist()
    assert total.ranked.tolist() == (whole.people_of_rows @ whole.is_ranked).tolist()
    assert total.n_people == whole.n_people


def test_pieces_that_mean_other_things_do_not_add_up():
    ballots = hushrank.read_rankings([["tea", "milk"], ["milk"]])
    with pytest.raises(HushrankError, match=r"one form in all pieces, got .*last\) and .*unknown"):
        BallotSums.of(ballots, "last") + BallotSums.of(ballots, "unknown")


def test_what_is_told_depends_on_no_order_of_items():
    sums = BallotSums.of(hushrank.read_rankings([["tea", "milk"], ["milk"]]))
    swapped = BallotSums(
        sums.names[::-1], sums.counts[::-1, ::-1], sums.ranked[::-1], 2, sums.form, sums.unranked
    )
    assert sums.told == swapped.told
    other = np.array(sums.counts) + 1
    assert BallotSums(sums.names, other, sums.ranked, 2, "", "last").told != sums.told


def test_a_row_counts_for_all_people_whom_it_stands_for():
    ballots = hushrank.read_rankings([["tea", "milk"]] * 3 + [["milk"]]).counted()
    total = BallotSums.of(ballots) + BallotSums.of(hushrank.read_rankings([["cola"]]).counted())
    cola, milk, tea = map(total.names.index, ("cola", "milk", "tea"))
    assert total.ranked[[cola, milk, tea]].tolist() == [1, 4, 3]
    assert total.counts[[milk, tea], cola].tolist() == [4, 3]


def test_items_that_ballots_chose_are_not_counted():
    """From counts nobody could see it any more, and they are released with noise for one ballot."""
    chosen = hushrank.read_rankings([["a", "b"], ["b", "a"], ["a", "c"]], drop=["50%"])
    with pytest.raises(HushrankError, match="drop: a share of the people"):
        BallotSums.of(chosen)


MANY = tuple(f"item {n}" for n in range(10, 40))


def test_pieces_of_many_items_add_up():
    ballots = [MANY[n:] for n in range(28)]
    whole = BallotSums.of(hushrank.read_rankings(ballots))
    early, late = (hushrank.read_rankings(part) for part in (ballots[25:], ballots[:25]))
    total = BallotSums.of(early) + BallotSums.of(late)
    assert total.names == whole.names
    assert np.array_equal(total.counts, whole.counts)
    assert np.array_equal(total.ranked, whole.ranked)


@pytest.mark.parametrize("item", [0, 29])
def test_what_is_told_holds_every_one_of_many_items(item):
    sums = BallotSums.of(hushrank.read_rankings([MANY]))
    names = tuple("zebra" if n == item else name for n, name in enumerate(MANY))
    ranked = sums.ranked + (np.arange(30) == item)
    assert replace(sums, names=names).told != sums.told
    assert replace(sums, ranked=ranked).told != sums.told


def test_a_share_among_many_items_to_drop_is_refused():
    terms = BallotTerms(Asked(drop=(*MANY, "1%")))
    with pytest.raises(HushrankError, match="drop: a share of the people"):
        terms.require_additive()


@pytest.mark.parametrize("gap", [None, 0, 25])
def test_a_long_piece_of_many_columns_is_read_as_the_table(tmp_path, gap):
    columns = {name: np.roll(np.arange(1, 31), n).tolist() * 50 for n, name in enumerate(MANY)}
    if gap is not None:
        columns[MANY[gap]][-1] = None
    parquet.write_table(pa.table(columns), tmp_path / "b.parquet")
    (piece,) = pieces_of(tmp_path / "b.parquet", most_rows=10_000)
    read = read_piece(BallotTerms(), piece)
    assert read == hushrank.read_rankings(tmp_path / "b.parquet")
    assert read.is_complete == (gap is None)


def test_one_number_a_row_is_refused_behind_many_other_columns(tmp_path):
    columns = {f"note {n}": ["x"] for n in range(30)} | {"person": [1], "item": ["a"], "score": [2]}
    parquet.write_table(pa.table(columns), tmp_path / "b.parquet")
    (piece,) = pieces_of(tmp_path / "b.parquet", most_rows=10_000)
    with pytest.raises(HushrankError, match="got numbers of people"):
        read_piece(BallotTerms(), piece)


def test_places_that_name_items_by_numbers_are_no_ranks_however_many_rows_say_the_same(tmp_path):
    """Of 2, 1, 3 it is the same, of 2, 3, 1 it is not."""
    rows = [(2, 1, 3)] * 1500 + [(2, 3, 1)]
    columns = {name: [row[n] for row in rows] for n, name in enumerate("123")}
    parquet.write_table(pa.table(columns), tmp_path / "b.parquet")
    (piece,) = pieces_of(tmp_path / "b.parquet", most_rows=10_000)
    read = {form: read_piece(BallotTerms(Asked(form=form)), piece) for form in ("places", "ranks")}
    assert read["places"].orders()[-1].tolist() == [1, 2, 0]
    assert read["ranks"].orders()[-1].tolist() == [2, 0, 1]
    assert read["places"] == hushrank.read_rankings(tmp_path / "b.parquet", form="places")
