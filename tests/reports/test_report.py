"""What the HTML page promises."""

import re
import stat
from base64 import b64decode
from html.parser import HTMLParser

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.hierarchy import ThinChain
from hushrank.reports.collection_page import write_collection_report
from hushrank.reports.order_page import SureOrder
from hushrank.reports.order_plots import rank_intervals_figure
from hushrank.reports.page import STYLE, privacy_box
from hushrank.reports.plots import pair_majority_figure, rank_marginals_figure
from hushrank.reports.release_page import GroupPicture, trade_off_figure
from tests.experiments.populations import plackett_luce

NAMES = ["<script>alert(1)</script>", 'a "quoted" & long name', "</li><img src=x>", "plain"]
VOID = {"meta", "img"}


class Page(HTMLParser):
    """Checks that tags close in order, and keeps them with their attributes and text."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attributes for each, attributes in self.tags if each == tag]


@pytest.fixture
def write(tmp_path):
    def write(true=None, chain=None, **changes):
        arguments = {
            "collected": plackett_luce(50, 4, names=NAMES),
            "title": "A <title> & more",
            "privacy_statement": "Each of 50 people is protected by 1-LDP.",
            "is_private": True,
            "figures": {"Q2 <distance>": "0.25 & more"},
        }
        path = tmp_path / "report.html"
        write_collection_report(path, true=true, chain=chain, **arguments | changes)
        return path.read_text("utf-8")

    return write


def test_report_is_well_formed_and_self_contained(write):
    source = write(true=plackett_luce(60, 4, names=NAMES), chain=ThinChain(((1,), (0, 2), (3,))))
    page = Page(source)
    pictures = page.all("img")
    assert len(pictures) == 3
    for picture in pictures:
        kind, data = picture["src"].split(",")
        assert kind == "data:image/png;base64"
        assert b64decode(data, validate=True).startswith(b"\x89PNG")
        assert len(picture["alt"]) > 20
    assert not {"script", "link", "iframe", "object", "a"} & {tag for tag, _ in page.tags}
    assert not re.search(r"https?:|//\w|url\(|@import", re.sub(r'src="data:[^"]*"', "", source))
    policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
    assert "default-src 'none'" in policy


def test_report_escapes_whatever_comes_from_outside(write):
    source = write(chain=ThinChain(((1,), (0, 2), (3,))))
    page = Page(source)
    for text in (*NAMES, "A <title> & more", "Q2 <distance>", "0.25 & more"):
        assert text in page.text
    assert "<script" not in source
    assert len(page.all("li")) == 4


def test_report_warns_exactly_where_it_shows_raw_statistics(write):
    def has_warning(page):
        return "box warning" in {attributes.get("class") for attributes in page.all("p")}

    without, with_truth = Page(write()), Page(write(true=plackett_luce(60, 4, names=NAMES)))
    assert not has_warning(without)
    assert "true" not in without.text
    assert has_warning(with_truth)
    assert "not protected" in with_truth.text


def test_report_says_first_what_was_protected(write):
    page = Page(write())
    assert page.text.index("protected by 1-LDP") < page.text.index("Summary")


def test_what_promises_nothing_stands_in_no_box_of_a_guarantee(write):
    kept = Page(write())
    assert [each["class"] for each in kept.all("p") if "class" in each] == ["box"]
    void = Page(write(privacy_statement="Not private: a <seed>.", is_private=False))
    boxes = [each["class"] for each in void.all("p") if "class" in each]
    assert boxes == ["box warning", "box warning"]
    assert "Not private: a <seed>." in void.text
    assert "Do not publish" in void.text
    assert privacy_box(["A promise.", "Another."]) == '<p class="box">A promise.<br>Another.</p>'
    assert "warning" in privacy_box(["Not private: all is told.", "A note."])


@pytest.mark.parametrize(("has_truth", "is_private"), [(0, 1), (0, 0), (1, 1), (1, 0)])
def test_only_a_page_with_a_warning_is_kept_from_others(tmp_path, write, has_truth, is_private):
    write(plackett_luce(60, 4, names=NAMES) if has_truth else None, is_private=bool(is_private))
    other = tmp_path / "other.txt"
    other.write_text("for all")
    mode = stat.S_IMODE((tmp_path / "report.html").stat().st_mode)
    may_be_handed_on = bool(is_private and not has_truth)
    assert mode == (stat.S_IMODE(other.stat().st_mode) if may_be_handed_on else 0o600)


def test_captions_say_shares_where_cells_are_per_cent(write):
    captions = [image["alt"] for image in Page(write()).all("img")]
    assert all(each.startswith("The share of people who put ") for each in captions)
    assert all("in per cent" in each for each in captions)


def test_heads_of_columns_do_not_break_within_a_word():
    assert "th[scope=col] { overflow-wrap: normal; }" in STYLE


def test_no_row_of_the_intervals_sits_on_the_frame():
    for n_items in (2, 5, 16):
        intervals = ((0, n_items - 1),) * n_items
        figure = rank_intervals_figure(list("abcdefghijklmnop"), range(n_items), intervals)
        assert figure.axes[0].get_ylim() == (n_items - 0.5, -0.5)


def test_the_least_leakages_are_points_and_the_line_between_them_a_guide():
    least = np.array([[0.0, 1.0], [0.2, 0.4], [1.0, 0.0]])
    shown = GroupPicture("group", 1.0, 0.2, 0.3, least, np.eye(2))
    line = trade_off_figure(shown, "kendall").axes[0].lines[0]
    np.testing.assert_array_equal(line.get_xydata(), least)
    assert (line.get_marker(), line.get_linestyle()) == ("o", "--")


def test_report_lists_items_by_collected_mean_rank(write):
    """The made-up people prefer later items; 5,000 of them hardly err."""
    names = ["worst", "third", "second", "best"]
    source = write(collected=plackett_luce(5000, 4, names=names, strength=4))
    listed = re.findall(r"<li>(\w+) <small>\(item (\d)\)", source)
    assert listed == [("best", "4"), ("second", "3"), ("third", "2"), ("worst", "1")]


def test_report_shows_the_order_that_is_given_with_what_is_known_of_it(write):
    sure = SureOrder((2, 0, 3, 1), (0.875, 0.625, 0.5), ((1, 2), (3, 3), (0, 0), (1, 3)))
    source = write(sure=sure)
    listed = re.findall(r"<small>\(item (\d)\)</small></td><td>([\d.]*)</td><td>(.*?)</td>", source)
    assert listed == [
        ("3", "0.875", "1 to 1"),
        ("1", "0.625", "2 to 3"),
        ("4", "0.500", "2 to 4"),
        ("2", "", "4 to 4"),
    ]
    assert "mean rank" not in source
    assert len(Page(source).all("img")) == 3
    unsure = write(sure=SureOrder((2, 0, 3, 1), None, None))
    assert "How sure each rank is" not in unsure
    assert len(Page(unsure).all("img")) == 2


def test_all_pictures_follow_the_order_that_is_given(write):
    known = None, ((0, 3),) * 4
    pages = [Page(write(sure=SureOrder(order, *known))) for order in ((2, 0, 3, 1), (0, 1, 2, 3))]
    for one, other in zip(*(page.all("img") for page in pages), strict=True):
        assert one["src"] != other["src"]


@pytest.mark.parametrize("draw", [rank_marginals_figure, pair_majority_figure])
def test_rows_of_a_picture_stand_in_the_order_that_is_given(draw):
    people = plackett_luce(50, 4, names=["a", "b", "c", "d"])
    labels = draw(people, order=(2, 0, 3, 1)).axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["3 c", "1 a", "4 d", "2 b"]


def test_report_refuses_other_items(write):
    with pytest.raises(HushrankError, match="one item set"):
        write(true=plackett_luce(10, 4))
    with pytest.raises(HushrankError, match="chain of 4 items"):
        write(chain=ThinChain(((0,), (1,), (2,))))


def test_a_missing_directory_is_a_clear_error(tmp_path):
    with pytest.raises(HushrankError, match="existing folder"):
        write_collection_report(
            tmp_path / "nowhere" / "report.html",
            collected=plackett_luce(50, 4, names=NAMES),
            true=None,
            chain=None,
            title="",
            privacy_statement="",
            is_private=True,
            figures={},
        )
