import base64
import json
from datetime import UTC, datetime
from fractions import Fraction

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushrank.accounting.rounding import within
from hushrank.collector.draft import digest_of, make_draft, picture_type, read_draft, write_draft
from hushrank.collector.web.pages_organiser.form.typed import typed_of
from hushrank.errors import HushrankError
from tests.collector.drafts import NAMES, draft

MANY = [{"name": str(number)} for number in range(24)]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
TOML = """
title = "What to drink"
items = ["tea", { name = "coffee", description = "hot" }, "water"]
asked_by = "The kitchen"
purpose = "To buy the right things."
contact = "kitchen@example.org"
privacy_notice = "Only noisy answers leave your device."
epsilon = 1.5
closes = 2027-01-31T18:00:00+02:00
protocol = "safari"

[options]
split = "people"
"""


def test_a_file_says_what_the_form_says():
    read, pictures = read_draft(TOML, form="toml")
    assert read.names == ("tea", "coffee", "water")
    assert read.items[1].description == "hot"
    assert read.closes_utc == datetime(2027, 1, 31, 16, tzinfo=UTC)
    assert read.named_protocol.split == "people"
    assert pictures == {}


def test_each_of_many_items_has_its_name():
    assert draft(items=MANY).names == tuple(str(number) for number in range(24))


@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_survey_survives_its_file_with_its_pictures(form):
    pictures = {digest_of(each): each for each in (PNG + b"%d" % n for n in range(24))}
    items = [{"name": each, "picture": each} for each in pictures]
    held = draft(items=[{"name": "coffee"}, *items], closes="2027-01-31T18:00:00Z")
    assert read_draft(write_draft(held, pictures, form=form), form=form) == (held, pictures)


@pytest.mark.parametrize("form", ["toml", "json"])
@given(st.floats(0.001, 8.0))
@example(1 / 3)
@example(0.1 + 0.2)
@example(0.1)
def test_an_epsilon_of_however_many_digits_is_the_same_when_it_is_read_again(form, epsilon):
    """It is part of what surveys are known by: reports to another one are refused."""
    held = draft(epsilon=epsilon)
    again, _ = read_draft(write_draft(held, {}, form=form), form=form)
    assert again.epsilon == held.epsilon
    assert within(float(typed_of(held).epsilon)) == held.epsilon


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.1])
def test_an_epsilon_is_at_most_what_was_written_and_written_again_as_it_was(epsilon):
    """The float of 0.1 is above a tenth, and of what is below the numeral would be below."""
    held = draft(epsilon=epsilon)
    assert Fraction(held.epsilon) <= Fraction(str(epsilon))
    assert json.loads(write_draft(held, {}, form="json"))["epsilon"] == epsilon


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": ""}, "title"),
        ({"title": "one\ntwo"}, "printable"),
        ({"contact": "one\ntwo"}, "printable"),
        ({"items": [{"name": "tea"}]}, "items"),
        ({"items": [{"name": "tea"}, {"name": "tea"}]}, "distinct"),
        ({"items": [{"name": "tea"}, {"name": "milk"}, {"name": "tea"}]}, "distinct"),
        ({"items": [{"name": "tea"}, {"name": "te\x1ba"}]}, "printable"),
        ({"items": [*MANY, {"name": "7"}]}, "distinct"),
        ({"items": [*MANY, {"name": "te\x1ba"}]}, "printable"),
        ({"items": [{"name": "tea"}, {"name": "coffee", "size": 3}]}, "size"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 8.5}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"smallest_group": 1}, "smallest_group"),
        ({"closes": "2027-01-31T18:00:00"}, "zone"),
        ({"closes": "0001-01-01T00:00:00+14:00"}, "years 1 to 9999 in UTC"),
        ({"closes": "9999-12-31T23:59:59-14:00"}, "years 1 to 9999 in UTC"),
        ({"joining": "mail"}, "joining"),
        ({"language": "<b>"}, "language"),
        ({"language": "en\n"}, "language"),
        ({"protocol": "guess"}, "guess"),
        ({"options": {"split": "people"}}, "split"),
        ({"protocol": "safari", "options": {"split": "half"}}, "split|half"),
        ({"allowed_origins": ["https://example.org/path"]}, "allowed_origins"),
        ({"allowed_origins": ["*"]}, "allowed_origins"),
        ({"allowed_origins": ["https://example.org", "*"]}, "allowed_origins"),
        ({"allowed_origins": [f"https://{n}.example.org" for n in range(49)] + ["*"]}, "origins: "),
        ({"allowed_origins": ["https://example.org:port"]}, "allowed_origins"),
        ({"allowed_origins": ["https://example.org:0"]}, "allowed_origins"),
        ({"allowed_origins": ["ftp://example.org"]}, "allowed_origins"),
        ({"allowed_origins": ["https://"]}, "allowed_origins"),
        ({"allowed_origins": ["https://\u00e9.org"]}, "allowed_origins"),
        ({"allowed_origins": ["https://" + "a" * 300]}, "allowed_origins"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_does_not_fit_is_named(fields, said):
    with pytest.raises(HushrankError, match=said):
        draft(**fields)


@pytest.mark.parametrize(
    "picture",
    [
        "tea.png",
        "data:image/png,abc",
        "data:image/png;base64,?",
        "data:image/png;base64,é",
        "data:image/svg+xml;base64,PHN2Zz4=",
    ],
)
def test_a_picture_is_one_or_the_file_is_refused(picture):
    plain = json.loads(write_draft(draft(), {}, form="json"))
    plain["items"][0]["picture"] = picture
    with pytest.raises(HushrankError, match="picture"):
        read_draft(json.dumps(plain), form="json")


def test_an_origin_may_have_a_port():
    assert draft(allowed_origins=["https://example.org:8443"]).allowed_origins[0][-4:] == "8443"


@pytest.mark.parametrize("items", ["tea", {"tea": 1, "milk": 2}, 3])
def test_items_are_a_list_and_no_letters_of_a_text(items):
    plain = json.loads(write_draft(draft(), {}, form="json"))
    with pytest.raises(HushrankError, match="items"):
        read_draft(json.dumps(plain | {"items": items}), form="json")


def test_pictures_are_known_by_their_first_bytes_and_bounded():
    assert picture_type(PNG) == "image/png"
    assert picture_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert picture_type(b"RIFF0000WEBP") == "image/webp"
    assert picture_type(b"GIF89a") == "image/gif"
    for wrong in (b"<svg onload=x>", b"RIFF0000WAVE", b"", PNG + bytes(300_000)):
        with pytest.raises(HushrankError, match="picture"):
            picture_type(wrong)
    url = "data:image/png;base64," + base64.b64encode(PNG).decode()
    plain = {**json.loads(write_draft(draft(), {}, form="json"))}
    plain["items"][0]["picture"] = url
    assert read_draft(json.dumps(plain), form="json")[1] == {digest_of(PNG): PNG}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("toml", "a." * 20_000 + "a = 1"),
        ("toml", "[" + " a . " * 101 + "b]"),
        ("toml", "''." * 101 + "a = 1"),
        ("toml", "a = " + "{ a . b = " * 101),
        ("toml", f"title = 'a' # a comment'\n{TOML}" + "a." * 101 + "a = 1"),
        ("toml", "".join(f"[a{number}]\n" for number in range(20_000))),
        ("toml", "a = [" + "[]," * 50_000 + "]"),
        ("toml", b"a = [" + b"''," * 80_000 + b"]"),
        ("json", "[" + "[]," * 50_000 + "1]"),
        ("json", "{" + ",".join(f'"{number}":1' for number in range(50_000)) + "}"),
    ],
)
def test_a_file_with_more_marks_than_a_survey_has_is_refused_before_it_is_parsed(
    monkeypatch, form, text
):
    """tomllib takes 2 s and 1.5 GB for a key of 20,000 parts, and 100 bytes for each mark."""
    monkeypatch.setattr(getattr(msgspec, form), "decode", None)
    with pytest.raises(HushrankError, match="more than 131,072 marks or 100 dots outside texts"):
        read_draft(text, form=form)


def test_toml_with_more_backslashes_than_a_survey_has_is_refused_before_it_is_parsed(monkeypatch):
    """Of 16 MB tomllib takes 3 s, of as many as may be a quarter of a second."""
    monkeypatch.setattr(msgspec.toml, "decode", None)
    with pytest.raises(HushrankError, match="more than 1,048,576 backslashes"):
        read_draft('title = "' + "\\n" * (2**20 + 1) + '"', form="toml")


@pytest.mark.parametrize("form", ["toml", "json"])
@pytest.mark.parametrize(
    "title", ["." * 200, "...'''..." * 9, '.\\."""...' * 9, "# ' . \" .\\" * 9, '\\"' * 40, '"' * 6]
)
def test_texts_may_have_any_dots_and_marks(form, title):
    items = [
        {"name": f"{number} {title}"[:200], "description": '."' * 250} for number in range(999)
    ]
    held = draft(title=title, items=items, protocol="pairs", purpose="\n.'\"" * 1250)
    assert read_draft(write_draft(held, {}, form=form), form=form) == (held, {})


def test_texts_of_every_kind_and_comments_may_have_dots():
    dots = "." * 101
    old = 'purpose = "To buy the right things."'
    for text in (f'"\\"{dots}"', f"'\"{dots}'", f'"""a"{dots}\\""""""', f"'''a'\n{dots}'''''"):
        written = TOML.replace(old, f"purpose = {text} # '{dots}\"\n#").replace("\n", "\r\n")
        assert dots in read_draft(written.encode(), form="toml")[0].purpose


def test_a_thousand_items_in_many_lines_have_few_enough_marks():
    line = '[[items]]\n\n    name        =  "{}"   # an item\n\n    description =  "one"\n\n'
    items = "".join(line.format(number) for number in range(1000))
    fields = TOML.replace("items =", "#").replace("safari", "pairs").partition("[options]")[0]
    assert len(read_draft(fields + items, form="toml")[0].items) == 1000


def test_no_file_is_no_survey():
    for form, text in (("toml", "title ="), ("json", "{"), ("json", "[]"), ("json", b"\xff\xfe")):
        with pytest.raises(HushrankError):
            read_draft(text, form=form)
    with pytest.raises(HushrankError, match=r"lacks title, .*, privacy_notice$"):
        make_draft({"items": [{"name": name} for name in NAMES]})
