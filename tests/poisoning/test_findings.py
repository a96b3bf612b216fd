"""Many tests share one rate of false alarms, half of it each half of them."""

import pytest

from hushrank.poisoning.findings import Finding, half_of


def found_of(n_tests, p_value):
    return half_of(n_tests, p_value, [Finding("answer", 0, 0, True, p_value)], 0.001)


def test_all_tests_of_a_half_together_alarm_in_half_of_the_rate():
    """Of ten each by a twentieth: 20 such chances are the rate of both halves."""
    (finding,) = found_of(10, 0.99 * 0.001 / 20).findings
    assert finding.p_value == pytest.approx(0.99 * 0.001)
    assert not found_of(10, 1.01 * 0.001 / 20).is_suspicious
    assert found_of(10, 1.01 * 0.001 / 20).p_value == pytest.approx(1.01 * 0.001)
    assert found_of(10, 0.7).p_value == 1.0
