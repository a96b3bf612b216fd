"""Golden vectors: what every language must draw from the same bytes."""

import json

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.randomness import Randomness
from hushrank.samplers.shuffles import words_of_a_shuffle
from vectors.make_subset_order import FILE, text


def vectors():
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_vectors_are_those_of_the_script():
    assert FILE.read_text(encoding="utf-8") == text()


def test_reports_are_those_of_the_vectors_and_use_the_tape_up():
    for case in vectors()["cases"]:
        mechanism = SubsetOrder(case["n_categories"], case["epsilon"])
        assert case["far_words"] == str(mechanism.far_words)
        assert case["radius"] == mechanism.radius
        for vector in case["vectors"]:
            rng = Randomness.replayed(bytes.fromhex(vector["random_bytes"]))
            report = mechanism.randomise(np.array([vector["ranks"]]), rng=rng)
            assert report[0].tolist() == vector["report"]
            with pytest.raises(EOFError):
                rng.words(1)


def test_each_threshold_decides_in_some_vector():
    for case in vectors()["cases"]:
        near, far, retried = (case["vectors"][-6:][n : n + 2] for n in (0, 2, 4))
        m, words = case["n_categories"], case["words_of_a_try"] + len(case["swap_words"])
        lengths = [[len(each["random_bytes"]) // 16 for each in pair] for pair in (near, far)]
        assert lengths == [[words] * 2] * 2
        assert all(len(each["random_bytes"]) // 16 > words for each in retried)
        for swapped, unswapped in (near, far, retried):
            differ = [a != b for a, b in zip(swapped["report"], unswapped["report"], strict=True)]
            can_swap = [int(words) > 0 for words in case["swap_words"]]
            places = [min(rank, m - 1 - rank) for rank in unswapped["ranks"]]
            middle = m // 2
            assert differ == [place < middle and can_swap[place] for place in places]
        assert far[1]["report"] == [m - 1 - rank for rank in near[1]["report"]]
        assert retried[1]["report"] == near[1]["report"]


def slow_report(case, vector):
    """Read a tape by the definition, in Python's integers, as another language would."""
    m, raw = case["n_categories"], bytes.fromhex(vector["random_bytes"])
    words = iter([int.from_bytes(raw[at : at + 8], "little") for at in range(0, len(raw), 8)])
    is_accepted = False
    while not is_accepted:
        shuffle, is_spoilt = list(range(m)), False
        for draws, last in words_of_a_shuffle(m):
            word = next(words)
            is_spoilt |= word > last
            for bound in draws:
                word, drawn = divmod(word, bound)
                shuffle[bound - 1], shuffle[drawn] = shuffle[drawn], shuffle[bound - 1]
        distance = sum((rank - place) ** 2 for place, rank in enumerate(shuffle)) // 2
        is_lucky = next(words) < int(case["far_words"])
        is_accepted = not is_spoilt and (distance <= case["radius"] or is_lucky)
    for place, threshold in enumerate(map(int, case["swap_words"])):
        if next(words) < threshold:
            mirror = m - 1 - place
            shuffle[place], shuffle[mirror] = shuffle[mirror], shuffle[place]
    assert next(words, None) is None
    return [shuffle[rank] for rank in vector["ranks"]]


def test_vectors_follow_the_definition():
    for case in vectors()["cases"]:
        for vector in case["vectors"]:
            assert slow_report(case, vector) == vector["report"]


def test_bad_parameters_and_ranks_of_the_vectors_are_refused():
    for bad in vectors()["bad_parameters"]:
        with pytest.raises(HushrankError):
            SubsetOrder(bad["n_categories"], float(bad["epsilon"]))
    for bad in vectors()["bad_ranks"]:
        mechanism = SubsetOrder(bad["n_categories"], bad["epsilon"])
        with pytest.raises(HushrankError):
            mechanism.randomise(np.array([bad["ranks"]]), rng=Randomness.replayed(b""))
