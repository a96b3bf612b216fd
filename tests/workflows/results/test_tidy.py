import csv
from io import StringIO

import pytest

import hushrank
from hushrank.workflows.results.shares import SURE
from hushrank.workflows.results.tidy import consensus_csv

BALLOTS = hushrank.simulate("mallows", people=200, items=4, seed=1)
RELEASED = [
    ("p-borda", None, "noisy_score", 4),
    ("gaussian-borda", 1e-6, "noisy_score", 4),
    ("gaussian-kemeny", 1e-6, "noisy_margin", 12),
]


@pytest.mark.parametrize(("method", "delta", "measure", "n_rows"), RELEASED)
def test_noisy_numbers_come_with_the_interval_of_their_noise(method, delta, measure, n_rows):
    found = hushrank.aggregate(BALLOTS, epsilon=1, delta=delta, method=method, seed=1)
    table = csv.DictReader(StringIO(consensus_csv(found).decode()))
    rows = [row for row in table if row["measure"] == measure]
    assert len(rows) == n_rows
    reach = SURE * found.found.evidence.noise_sd
    for row in rows:
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        assert (value - low, high - value) == pytest.approx((reach, reach), abs=1e-4)
