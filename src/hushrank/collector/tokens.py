"""Assignments as tokens: signed by the server, so that nobody can pick a question.

version 1 | key 1 | survey 9 | round 1 | part 1 | 0 | number 8 | position 4 | questions 3 each
| MAC 16

Number and position are encrypted under the MAC: who joins twice would see by them how many others
joined in between. Source: Rogaway, Shrimpton (EUROCRYPT 2006), SIV.
"""

import binascii
import hmac
import secrets
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from operator import xor
from struct import Struct

import msgspec

from hushrank.collector.refusals import Refusal
from hushrank.errors import require
from hushrank.redacted import Redacted

ID_BYTES, MAC_BYTES, QUESTION_BYTES = 9, 16, 3
HEAD, PLACE = Struct(f">BB{ID_BYTES}sBB"), Struct(">xQI")
VERSION = 2
MOST_QUESTIONS = 2 ** (8 * QUESTION_BYTES)
MOST_KEYS = 2**8
PLAIN = bytes.maketrans(b"-_+/=", b"+/???")
"""A token is of whole groups of 4 letters, so that it has one spelling: without `=`."""
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
FORGED = "this server signed no such assignment"


class Assignment(Redacted, msgspec.Struct, frozen=True):
    """Who is asked what: `number` of the store, part of the round, place in the deck, questions."""

    survey: str
    round: int
    part: int
    number: int
    position: int
    questions: tuple[int, ...]


def new_id() -> str:
    """Return an unguessable id of 12 characters for a survey: no command takes it for an option."""
    while (drawn := secrets.token_urlsafe(ID_BYTES)).startswith("-"):
        pass
    return drawn


def sign(assignment: Assignment, keys: Mapping[int, bytes]) -> str:
    """Return the token of an assignment, by the newest key."""
    key = max(keys)
    require(max(assignment.questions) < MOST_QUESTIONS, f"expected questions < {MOST_QUESTIONS}")
    survey = urlsafe_b64decode(assignment.survey)
    head = HEAD.pack(VERSION, key, survey, assignment.round, assignment.part)
    place = PLACE.pack(assignment.number, assignment.position)
    asked = b"".join(each.to_bytes(QUESTION_BYTES, "big") for each in assignment.questions)
    mac = _mac(keys[key], head + place + asked)
    return _text(head + _masked(place, keys[key], mac) + asked + mac)


def verify(token: str, keys: Mapping[int, bytes]) -> Assignment:
    """Return the assignment of a token; raise Refusal `forged` unless a key signed it."""
    try:
        raw = binascii.a2b_base64(token.encode("ascii").translate(PLAIN), strict_mode=True)
    except ValueError:
        raise Refusal("forged", FORGED) from None
    n_asked, rest = divmod(len(raw) - HEAD.size - PLACE.size - MAC_BYTES, QUESTION_BYTES)
    if n_asked < 1 or rest or raw[0] != VERSION or raw[1] not in keys:
        raise Refusal("forged", FORGED)
    key, begin = keys[raw[1]], HEAD.size + PLACE.size
    head, packed, mac = raw[: HEAD.size], raw[begin:-MAC_BYTES], raw[-MAC_BYTES:]
    place = _masked(raw[HEAD.size : begin], key, mac)
    if not hmac.compare_digest(_mac(key, head + place + packed), mac):
        raise Refusal("forged", FORGED)
    _, _, survey, round, part = HEAD.unpack(head)
    number, position = PLACE.unpack(place)
    return Assignment(_name(survey), round, part, number, position, _questions(packed))


def key_of(token: str) -> int | None:
    """Return the number of the key by which a token says it was signed, None if it is no token."""
    try:
        return binascii.a2b_base64(token[:4].encode("ascii").translate(PLAIN), strict_mode=True)[1]
    except (ValueError, IndexError):
        return None


def receipt(token: str, answers: bytes, keys: Mapping[int, bytes]) -> str:
    """Return what a device may keep as the server's word that it has these answers.

    By the key that signed the token: when they come again, another key may sign.
    """
    signed_by = key_of(token)
    digest = _keyed(keys[max(keys) if signed_by is None else signed_by], b"receipt")
    digest.update(token.encode())
    digest.update(answers)
    return digest.hexdigest()


def _mac(key: bytes, message: bytes) -> bytes:
    """Sign by keyed BLAKE2b, a MAC that takes a third of the time of HMAC."""
    digest = _keyed(key, b"assignment")
    digest.update(message)
    return digest.digest()


def _masked(place: bytes, key: bytes, mac: bytes) -> bytes:
    """Return a place hidden, or a hidden one shown, by a pad that belongs to the MAC."""
    pad = _keyed(key, b"place")
    pad.update(mac)
    return bytes(map(xor, place, pad.digest()))


def _keyed(key: bytes, person: bytes) -> blake2b:
    return _begun(key, person).copy()


@lru_cache(8)
def _begun(key: bytes, person: bytes) -> blake2b:
    """Return what has taken the key in, and no message; it is copied, never changed."""
    return blake2b(key=key, digest_size=MAC_BYTES, person=person)


@lru_cache(1024)
def _questions(packed: bytes) -> tuple[int, ...]:
    places = range(0, len(packed), QUESTION_BYTES)
    return tuple(int.from_bytes(packed[n : n + QUESTION_BYTES], "big") for n in places)


@lru_cache(1024)
def _name(survey: bytes) -> str:
    return _text(survey)


def _text(raw: bytes) -> str:
    return binascii.b2a_base64(raw, newline=False).translate(_URL_SAFE).decode().rstrip("=")
