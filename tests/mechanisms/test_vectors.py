"""Golden vectors: what every language must draw from the same bytes."""

import json

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import HASHED_REPORT
from hushrank.randomness import Randomness
from tests.conformance import MECHANISMS
from vectors.make import FOLDER, report_json, text
from vectors.make import MECHANISMS as NAMED

every_mechanism = pytest.mark.parametrize("name", NAMED)


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def cases(name):
    for case in read(name)["cases"]:
        yield case, NAMED[name](case["n_categories"], case["epsilon"])


def report_array(kind, report):
    if isinstance(report, dict):
        words = int(report["multiplier"]), int(report["offset"]), report["bucket"]
        return np.array([words], dtype=HASHED_REPORT)
    if isinstance(report, str):
        return np.frombuffer(bytes.fromhex(report), dtype=np.uint8).reshape(1, -1)
    return np.array([report], dtype=np.uint32 if kind is Harmony else np.int64)


def test_every_mechanism_has_vectors():
    assert set(NAMED.values()) == set(MECHANISMS)


@every_mechanism
def test_vectors_are_those_of_the_script(name):
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == text(name)


@every_mechanism
def test_thresholds_are_those_of_the_vectors(name):
    for case, mechanism in cases(name):
        assert case["hit_words"] == str(mechanism.rates.hit_words)
        assert case["false_hit_words"] == str(mechanism.rates.false_hit_words)
        assert case.get("n_buckets") == getattr(mechanism, "n_buckets", None)
        assert case.get("n_rows") == getattr(mechanism, "n_rows", None)


@every_mechanism
def test_reports_are_those_of_the_vectors_and_use_the_tape_up(name):
    for case, mechanism in cases(name):
        for vector in case["vectors"]:
            tape = bytes.fromhex(vector["random_bytes"])
            rng = Randomness.replayed(tape)
            report = mechanism.randomise(np.array([vector["category"]]), rng=rng)
            assert report_json(report) == vector["report"]
            np.testing.assert_array_equal(report, report_array(NAMED[name], vector["report"]))
            with pytest.raises(EOFError):
                rng.words(1)


@every_mechanism
def test_a_tape_that_is_too_short_ends(name):
    for case, mechanism in cases(name):
        vector = case["vectors"][0]
        rng = Randomness.replayed(bytes.fromhex(vector["random_bytes"])[:-1])
        with pytest.raises(EOFError):
            mechanism.randomise(np.array([vector["category"]]), rng=rng)


@every_mechanism
def test_bad_parameters_are_refused(name):
    for bad in read(name)["bad_parameters"]:
        with pytest.raises(HushrankError):
            NAMED[name](bad["n_categories"], float(bad["epsilon"]))


@every_mechanism
def test_bad_categories_are_refused_before_anything_is_drawn(name):
    for bad in read(name)["bad_categories"]:
        mechanism = NAMED[name](bad["n_categories"], bad["epsilon"])
        with pytest.raises(HushrankError, match=r"expected categories 0\.\.19"):
            mechanism.randomise(np.array([bad["category"]]), rng=Randomness.replayed(b""))


@every_mechanism
def test_bad_reports_are_refused_and_not_shown(name):
    for bad in read(name)["bad_reports"]:
        mechanism = NAMED[name](bad["n_categories"], bad["epsilon"])
        with pytest.raises(HushrankError) as refusal:
            mechanism.tally(report_array(NAMED[name], bad["report"]))
        assert str(bad["report"]) not in str(refusal.value) or bad["report"] in ("", 20)
