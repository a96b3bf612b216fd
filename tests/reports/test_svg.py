from xml.etree import ElementTree

from hushrank.reports.order_drawing import order_drawing, order_svg
from hushrank.reports.svg import is_from_the_right, wrapped

NAMES = (
    "a name that is much longer than a line can be",
    "寿司と刺身",
    "שלום",
    "<b>&",
)
LAID = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"


def texts(source):
    return [
        each.text for each in ElementTree.fromstring(source).iter() if each.tag.endswith("text")
    ]


def test_names_are_real_text_and_whole():
    source = order_svg(NAMES, (0, 1, 2, 3), ((0, 1), (0, 1), (2, 3), (2, 3)))
    told = " ".join(texts(source))
    for name in NAMES:
        assert name in told
    assert "<b>" not in source


def test_a_picture_says_what_it_shows():
    source = order_drawing(NAMES, (1, 0, 3, 2), ((0, 1), (0, 0), (2, 3), (2, 3)))
    label = ElementTree.fromstring(source).get("aria-label")
    assert label.endswith(f"1: {NAMES[1]}, place 1; 2: {NAMES[0]}, places 1 to 2; 3: <b>&, places"
                          f" 3 to 4; 4: {NAMES[2]}, places 3 to 4")  # fmt: skip
    many = [f"n{item}" for item in range(40)]
    label = ElementTree.fromstring(order_drawing(many, range(40), None)).get("aria-label")
    assert "36 more, in the table below" in label


def test_lines_are_no_longer_than_there_is_room_and_lose_nothing():
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("寿司寿司", 4) == ["寿司", "寿司"]
    assert wrapped(LAID * 2, 2) == [LAID, LAID]
    assert "".join(wrapped("x" * 50, 20)) == "x" * 50


def test_what_is_written_from_the_right_begins_there():
    assert is_from_the_right("1. שלום")
    assert not is_from_the_right("1. sushi שלום")
    assert not is_from_the_right("1.")
