import json
import re
from functools import partial

import msgspec
import numpy as np
import pytest

from hushrank.collector.announcement import read_announcement
from hushrank.errors import HushrankError
from hushrank.surveys.handout import read_handout
from hushrank.surveys.wire_documents import wire_mechanism
from tests.collector.client.announcements import announcements
from tests.collector.client.cases import MECHANISMS
from tests.collector.client.node import needs_node, node
from vectors.make_handouts import EPSILON, FILE

pytestmark = pytest.mark.end_to_end
CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
N_MECHANISMS = 3_000
N_CHANGED = 3_000
CHARACTERS = ['"', "\\", ",", "0", "1", "9", "-", ".", "e", "[", "]", "{", "}", " ", "\u202e", "é"]

OTHER_FLOAT = re.compile(r'epsilon\\":\d+[,}]|lots\\":\[(-|\d+,)|,\d+\],\\"takes')
"""A float without a point, or -0.0: the same number, but not as Python writes it."""


def taken_by_the_client(documents):
    lines = b"\n".join(map(msgspec.json.encode, documents))
    return node("tests/read_documents.js", stdin=lines).decode().split("\n")


def exists(kind, n_categories, epsilon):
    try:
        return wire_mechanism(kind(n_categories, epsilon))
    except HushrankError:
        return None


@needs_node
def test_thresholds_are_computed_as_in_python_for_any_epsilon():
    rng = np.random.default_rng(11)
    exponents = rng.uniform(-17, 3, N_MECHANISMS)
    edges = [1000.0, 44.3, 44.4, 2.0**-52, 1e-6, 11.1, 11.09, np.log(1.5), np.log(2.5)]
    described = [
        exists(MECHANISMS[nth % len(MECHANISMS)], int(rng.integers(2, 2000)), float(epsilon))
        for nth, epsilon in enumerate([*10**exponents, *np.repeat(edges, len(MECHANISMS))])
    ]
    known = [each for each in described if each]
    assert len(known) > N_MECHANISMS * 0.9
    assert set(taken_by_the_client({"mechanism": each} for each in known)) == {"taken"}


def changed(text, rng):
    """Change, leave out, repeat or insert a few characters somewhere."""
    at = int(rng.integers(len(text)))
    end = at + int(rng.integers(0, 4))
    return text[:at] + str(rng.choice([*CHARACTERS, "", text[at:end] * 2])) + text[end:]


def is_taken_by_python(read, document):
    try:
        read(document.encode())
    except HushrankError:
        return False
    return True


@needs_node
def test_changed_handouts_are_taken_where_python_takes_them():
    rng = np.random.default_rng(12)
    handouts = [case["handout"] for case in CASES]
    every = [changed(handouts[nth % len(handouts)], rng) for nth in range(N_CHANGED)]
    read = partial(read_handout, most_epsilon=EPSILON)
    documents = [{"handout": each, "most_epsilon": EPSILON} for each in every]
    expected = ["taken" if is_taken_by_python(read, each) else "refused" for each in every]
    answers = taken_by_the_client(documents)
    different = [
        (each, own)
        for each, own, theirs in zip(every, expected, answers, strict=True)
        if own != theirs and not OTHER_FLOAT.search(each)
    ]
    assert different == []
    assert "taken" in expected


@needs_node
def test_texts_are_shown_where_python_shows_them():
    every = [*announcements(json.loads(CASES[0]["announcement"]))]
    read = read_announcement
    expected = ["taken" if is_taken_by_python(read, each) else "refused" for each in every]
    answers = taken_by_the_client({"announcement": each} for each in every)
    pairs = zip(every, expected, answers, strict=True)
    assert [(each, own) for each, own, theirs in pairs if own != theirs] == []
    assert set(expected) == {"taken", "refused"}
