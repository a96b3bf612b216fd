import os

import numpy as np
import pytest

from tests.collector.client.cases import pairs
from tests.collector.client.node import CLIENT, needs_node, node

pytestmark = pytest.mark.end_to_end
N_CASES = int(os.environ.get("HUSHRANK_CLIENT_CASES", "20_000"))
"""`make check` runs 100,000."""


@needs_node
def test_the_client_keeps_its_own_promises():
    files = sorted((CLIENT / "tests").glob("*.test.js"))
    assert len(files) > 5
    node("--test", *map(str, files))  # a folder means another thing to later versions of node


@needs_node
def test_the_client_has_no_type_errors():
    node("node_modules/typescript/bin/tsc")


@needs_node
def test_reports_are_those_of_python_byte_for_byte():
    rng = np.random.default_rng(2026)
    every = pairs(rng)
    each = -(-N_CASES // len(every))
    lines, expected = [], []
    for pair in every:
        lines.append(pair.line)
        for line, report in pair.cases(each, rng):
            lines.append(line)
            expected.append(report)
    answered = node("tests/answer_cases.js", stdin=b"\n".join(lines)).split(b"\n")
    assert len(expected) >= N_CASES
    wrong = sum(own != theirs for own, theirs in zip(expected, answered, strict=True))
    assert wrong == 0
