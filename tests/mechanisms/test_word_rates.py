"""What words say of a report."""

from hushrank.mechanisms.word_rates import WordRates


def test_the_reach_is_how_much_oftener_the_truth_is_told_than_a_lie():
    assert WordRates.of_bits(3 * 2**62, 2**62).reach == 0.5
