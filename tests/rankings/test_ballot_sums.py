from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushrank
from hushrank.errors import HushrankError
from hushrank.rankings.ballot_sums import BallotSums
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


def test_items_that_ballots_chose_are_not_counted():
    """From counts nobody could see it any more, and they are released with noise for one ballot."""
    chosen = hushrank.read_rankings([["a", "b"], ["b", "a"], ["a", "c"]], drop=["50%"])
    with pytest.raises(HushrankError, match="drop: a share of the people"):
        BallotSums.of(chosen)
