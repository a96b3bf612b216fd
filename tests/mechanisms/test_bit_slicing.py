"""Sliced coins are exact comparisons of 64-bit numbers; sliced counters count."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.mechanisms.bit_slicing import count_bits, draw_bits
from hushrank.randomness import Randomness
from tests.conformance import WORDS, tape_of_lanes

thresholds = st.one_of(
    st.integers(1, WORDS - 1), st.sampled_from([1, 7, 8, 2**60, 2**61, 2**63, WORDS - 1])
)


@st.composite
def close_lanes(draw):
    """A threshold, and lanes that agree with it in some of the leading bits, or in all."""
    threshold = draw(thresholds)
    flipped = st.integers(0, 63).map(lambda place: threshold ^ (1 << place))
    nearby = st.sampled_from([threshold, threshold - 1, (threshold + 1) % WORDS])
    anything = st.integers(0, WORDS - 1)
    n_lanes = draw(st.sampled_from([1, 20, 63, 64, 65, 140]))  # lists would seldom fill a block
    lane = st.one_of(flipped, nearby, anything)
    return threshold, draw(st.lists(lane, min_size=n_lanes, max_size=n_lanes))


@settings(deadline=None)
@given(close_lanes())
def test_a_bit_is_true_where_its_lane_is_below_the_threshold(threshold_and_lanes):
    threshold, lanes = threshold_and_lanes
    rng = Randomness.replayed(tape_of_lanes(lanes, threshold))
    blocks = draw_bits(1, len(lanes), threshold, rng=rng)
    bits = np.unpackbits(blocks.astype("<u8").view(np.uint8), bitorder="little")
    assert bits[: len(lanes)].tolist() == [lane < threshold for lane in lanes]
    assert not bits[len(lanes) :].any()
    with pytest.raises(EOFError):
        rng.words(1)


@pytest.mark.parametrize("n_rows", [0, 1, 254, 255, 256, 1000])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_counters_count_every_bit(n_rows, n_blocks):
    words = Randomness.seeded(7).words(n_rows * n_blocks).reshape(n_rows, n_blocks)
    words = words | Randomness.seeded(8).words(n_blocks)  # some counters reach their limit
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    np.testing.assert_array_equal(
        count_bits(words), bits.reshape(n_rows, 64 * n_blocks).sum(axis=0)
    )


def test_counters_reach_all_rows_of_all_ones():
    assert set(count_bits(np.full((511, 2), WORDS - 1, dtype=np.uint64))) == {511}
