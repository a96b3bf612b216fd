"""Sliced coins are exact comparisons of 64-bit numbers; sliced counters count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.randomness import Randomness
from hushrank.samplers import bit_slicing
from hushrank.samplers.bit_slicing import LANES, count_bits, draw_bits
from tests.conformance import WORDS, tape_of_a_crowd, tape_of_a_person

thresholds = st.one_of(
    st.integers(1, WORDS - 1), st.sampled_from([1, 7, 8, 2**60, 2**61, 2**63, WORDS - 1])
)
n_lanes = st.sampled_from([1, 20, 63, 64, 65, 140])
seeds = st.integers(0, 2**32 - 1)


def close_lanes(threshold, n_lanes, seed):
    """Return lanes at the threshold, beside it, one bit away from it, or anywhere.

    From a seed, and not from hypothesis, which would shrink each lane of a failure by itself.
    """
    rng = np.random.default_rng(seed)
    kinds, places = rng.integers(5, size=n_lanes), rng.integers(64, size=n_lanes)
    anywhere = rng.integers(WORDS - 1, size=n_lanes, dtype=np.uint64, endpoint=True)
    return [
        (threshold, threshold - 1, (threshold + 1) % WORDS, threshold ^ 1 << place, lane)[kind]
        for kind, place, lane in zip(
            *map(np.ndarray.tolist, (kinds, places, anywhere)), strict=True
        )
    ]


def bits_of(blocks):
    return np.unpackbits(blocks.astype("<u8").view(np.uint8), axis=1, bitorder="little")


@given(thresholds, n_lanes, seeds)
def test_a_bit_of_a_person_is_true_where_its_lane_is_below_the_threshold(threshold, n_lanes, seed):
    lanes = close_lanes(threshold, n_lanes, seed)
    rng = Randomness.replayed(tape_of_a_person(lanes))
    bits = bits_of(draw_bits(1, n_lanes, threshold, rng=rng))[0]
    assert bits[:n_lanes].tolist() == [lane < threshold for lane in lanes]
    assert not bits[n_lanes:].any()
    with pytest.raises(EOFError):
        rng.words(1)


@given(thresholds, n_lanes, seeds, st.integers(2, 4))
def test_bits_of_a_crowd_are_those_of_each_person(threshold, n_lanes, seed, n_people):
    people = [close_lanes(threshold, n_lanes, seed + nth) for nth in range(n_people)]
    rng = Randomness.replayed(tape_of_a_crowd(people, threshold))
    crowd = draw_bits(n_people, n_lanes, threshold, rng=rng)
    with pytest.raises(EOFError):
        rng.words(1)
    for bits, lanes in zip(crowd, people, strict=True):
        alone = Randomness.replayed(tape_of_a_person(lanes))
        np.testing.assert_array_equal(bits[None], draw_bits(1, n_lanes, threshold, rng=alone))


def test_each_open_lane_of_a_large_crowd_has_digits_of_its_own():
    """Many thousands are open at once, and none is told by the digits of another."""
    threshold, n_lanes, rng = 5 * 2**60 + 12345, 140, np.random.default_rng(9)
    people = [(5 * 2**60 + rng.integers(2**60, size=n_lanes)).tolist() for _ in range(500)]
    tape = Randomness.replayed(tape_of_a_crowd(people, threshold))
    bits = bits_of(draw_bits(len(people), n_lanes, threshold, rng=tape))[:, :n_lanes]
    np.testing.assert_array_equal(bits, np.array(people) < threshold)
    with pytest.raises(EOFError):
        tape.words(1)


@pytest.mark.parametrize("threshold", [WORDS // 3, 5 * 2**60 + 12345])
def test_each_of_a_persons_many_thousand_lanes_has_a_word_of_its_own(threshold):
    """As of RAPPOR over all orders of seven items."""
    lanes = np.random.default_rng(11).integers(WORDS - 1, size=5040, dtype=np.uint64).tolist()
    rng = Randomness.replayed(tape_of_a_person(lanes))
    bits = bits_of(draw_bits(1, len(lanes), threshold, rng=rng))[0, :5040]
    np.testing.assert_array_equal(bits, np.array(lanes, dtype=np.uint64) < threshold)


@given(thresholds, n_lanes, seeds)
def test_lanes_of_a_person_past_the_last_are_drawn_and_dropped(threshold, n_lanes, seed):
    """Whatever stands there: the number of words is that of whole blocks."""
    noise = Randomness.seeded(seed)
    n_blocks = -(-n_lanes // LANES)
    tape = noise.words(LANES * n_blocks).tobytes()
    blocks = draw_bits(1, n_lanes, threshold, rng=Randomness.replayed(tape))
    assert not bits_of(blocks)[:, n_lanes:].any()


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


def test_counters_are_those_that_are_written():
    """And not compiled, which does not ask for bounds."""
    words = np.random.default_rng(1).integers(2**64, size=100, dtype=np.uint64)
    counts = np.zeros(64, dtype=np.int64)
    bit_slicing._add_planes.py_func(words, counts)
    assert (counts == count_bits(words[:, None])).all()
