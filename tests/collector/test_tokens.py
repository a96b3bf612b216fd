from base64 import urlsafe_b64decode, urlsafe_b64encode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.collector import tokens
from hushrank.collector.refusals import Refusal
from hushrank.collector.tokens import (
    MOST_QUESTIONS,
    Assignment,
    key_of,
    new_id,
    receipt,
    sign,
    verify,
)
from hushrank.errors import HushrankError

KEYS = {1: b"1" * 32, 2: b"2" * 32}
ID = "abcdefghijk-"
ASSIGNMENTS = st.builds(
    Assignment,
    survey=st.just(ID),
    round=st.integers(0, 255),
    part=st.integers(0, 255),
    number=st.integers(0, 2**63 - 1),
    position=st.integers(0, 2**32 - 1),
    questions=st.lists(st.integers(0, MOST_QUESTIONS - 1), min_size=1, max_size=9).map(tuple),
)


@given(ASSIGNMENTS)
def test_a_token_says_what_was_signed(assignment):
    assert verify(sign(assignment, KEYS), KEYS) == assignment


@pytest.mark.parametrize("n_questions", [20, 21, 300])
def test_of_however_many_questions_each_is_in_the_token(n_questions):
    assignment = Assignment(ID, 0, 0, 1, 2, tuple(range(n_questions))[::-1])
    assert verify(sign(assignment, KEYS), KEYS) == assignment


def test_a_token_is_laid_out_as_devices_hold_it():
    token = urlsafe_b64decode(sign(Assignment(ID, 3, 1, 77, 5, (12, 2**24 - 1)), KEYS))
    assert token[:13].hex() == "0202" + urlsafe_b64decode(ID).hex() + "0301"
    assert token[26:-16].hex() == "00000cffffff"


def test_tokens_do_not_tell_how_many_joined_between_them():
    """Number and position, which are next to each other, look like random bytes, and stay so."""
    assignments = [Assignment(ID, 0, 0, number, number // 3, (12,)) for number in range(500)]
    places = [urlsafe_b64decode(sign(each, KEYS))[13:26] for each in assignments]
    bits = np.unpackbits(np.frombuffer(b"".join(places), dtype=np.uint8)).reshape(500, 104)
    assert np.ptp(bits.mean(axis=0)) < 0.3  # of 104 means of 500 coins; above once in 1e6 keys
    assert abs(np.corrcoef(bits.T) - np.eye(104)).max() < 0.3
    assert places == [urlsafe_b64decode(sign(each, KEYS))[13:26] for each in assignments]


def test_no_two_tokens_hide_their_numbers_by_the_same_pad():
    """By two of one pad, whoever has both sees the difference of their numbers."""
    assignments = [Assignment(ID, 0, 0, number, 0, (12,)) for number in range(500)]
    hidden = [urlsafe_b64decode(sign(each, KEYS))[14:22] for each in assignments]
    pads = {int.from_bytes(each, "big") ^ number for number, each in enumerate(hidden)}
    assert len(pads) == 500  # of 64 bits: once in 1e14 keys


def test_every_changed_character_is_noticed():
    token = sign(Assignment(ID, 0, 1, 77, 5, (12,)), KEYS)
    assert len(token) == 60  # 45 bytes, of which 16 are the MAC
    for place, letter in enumerate(token):
        for other in {"A", "z", "-", "_", "="} - {letter}:
            with pytest.raises(Refusal) as refused:
                verify(token[:place] + other + token[place + 1 :], KEYS)
            assert refused.value.kind == "forged"


@pytest.mark.parametrize("questions", [(12,), (12, 3, 7)])
def test_no_question_is_added_to_those_that_are_signed_or_taken_from_them(questions):
    raw = urlsafe_b64decode(sign(Assignment(ID, 0, 1, 77, 5, questions), KEYS))
    begin = tokens.HEAD.size + tokens.PLACE.size
    head, asked, mac = raw[:begin], raw[begin:-16], raw[-16:]
    for other in (asked + bytes(3), bytes(3) + asked, asked + asked, asked[:-3], asked[3:]):
        with pytest.raises(Refusal) as refused:
            verify(urlsafe_b64encode(head + other + mac).decode(), KEYS)
        assert refused.value.kind == "forged"


@pytest.mark.parametrize("token", ["", "x", "é" * 60, "a" * 60, "A" * 20_000, " "])
def test_what_is_no_token_is_refused(token):
    with pytest.raises(Refusal) as refused:
        verify(token, KEYS)
    assert refused.value.kind == "forged"


def test_a_token_has_one_spelling():
    token = sign(Assignment(ID, 0, 1, 77, 5, (12,)), KEYS)
    for other in (token + "=", token + "\n", token + "==="):
        with pytest.raises(Refusal):
            verify(other, KEYS)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("n_bytes", [0, 2, 3, 4])
def test_what_has_another_version_or_layout_is_no_assignment_though_a_key_signed_it(
    version, n_bytes
):
    head = bytes((version, 2)) + bytes(tokens.HEAD.size - 2)
    place, asked = bytes(tokens.PLACE.size), bytes(n_bytes)
    mac = tokens._mac(KEYS[2], head + place + asked)
    hidden = tokens._masked(place, KEYS[2], mac)
    token = urlsafe_b64encode(head + hidden + asked + mac).decode().rstrip("=")
    if (version, n_bytes) == (2, 3):
        assert verify(token, KEYS).questions == (0,)
    else:
        with pytest.raises(Refusal):
            verify(token, KEYS)


def test_an_older_key_still_verifies_until_it_is_dropped():
    token = sign(Assignment(ID, 0, 0, 1, 0, (1,)), {1: KEYS[1]})
    assert verify(token, KEYS).number == 1
    with pytest.raises(Refusal):
        verify(token, {2: KEYS[2]})
    with pytest.raises(Refusal):
        verify(token, {1: KEYS[2]})


def test_nothing_that_hides_or_signs_a_place_is_known_without_the_key():
    assignment = Assignment(ID, 0, 0, 1, 0, (1,))
    one, other = (urlsafe_b64decode(sign(assignment, {1: key})) for key in KEYS.values())
    assert one[:13] + one[26:-16] == other[:13] + other[26:-16]
    assert one[-16:] != other[-16:]
    assert len({tokens._masked(bytes(13), key, one[-16:]) for key in KEYS.values()}) == 2


def test_all_of_what_a_key_signs_is_compared(monkeypatch):
    """Of four bytes one forged token in four billion would be taken."""
    compared = []
    compare = tokens.hmac.compare_digest
    monkeypatch.setattr(
        tokens.hmac, "compare_digest", lambda *both: compared.append(both) or compare(*both)
    )
    assignment = Assignment(ID, 3, 1, 77, 5, (12,))
    assert verify(sign(assignment, KEYS), KEYS) == assignment
    ((own, told),) = compared
    assert len(own) == len(told) == tokens.MAC_BYTES == 16


def test_the_newest_key_signs():
    token = sign(Assignment(ID, 0, 0, 1, 0, (1,)), KEYS)
    assert key_of(token) == 2
    assert verify(token, {2: KEYS[2]}).number == 1


def test_a_receipt_is_of_these_answers_to_this_assignment():
    one, other = (sign(Assignment(ID, 0, 0, number, 0, (1,)), KEYS) for number in (1, 2))
    marks = {receipt(token, told, KEYS) for token in (one, other) for told in (b"1", b"2")}
    assert len(marks) == 4
    assert receipt(one, b"1", KEYS) in marks
    assert receipt(one, b"1", {2: KEYS[1]}) not in marks


def test_what_a_key_makes_of_the_same_bytes_is_another_thing_for_each_purpose():
    """A receipt, which everybody gets, would else sign an assignment, or show a place."""
    said = b"whatever"
    signed, pad = tokens._mac(KEYS[1], said), tokens._masked(bytes(16), KEYS[1], said)
    received = bytes.fromhex(receipt("", said, {1: KEYS[1]}))
    assert len({signed, pad, received}) == 3


def test_a_receipt_stays_the_same_when_another_key_signs():
    token = sign(Assignment(ID, 0, 0, 1, 0, (1,)), {1: KEYS[1]})
    assert receipt(token, b"1", {1: KEYS[1]}) == receipt(token, b"1", KEYS)


def test_nothing_of_an_assignment_shows():
    assert repr(Assignment(ID, 0, 1, 77, 5, (12,))) == "Assignment()"
    for questions in ((2**24,), (0, 2**24), (2**24, 0), (*range(300), 2**24)):
        with pytest.raises(HushrankError, match="expected questions < 16777216"):
            sign(Assignment(ID, 0, 0, 1, 0, questions), KEYS)


def test_ids_are_random():
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {len(each) for each in ids} == {12}
    assert not any(each.startswith("-") for each in ids)  # else missed once in 7 million runs
