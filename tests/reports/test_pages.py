"""What HTML pages promise."""

import re
import stat
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.hierarchy import ThinChain
from hushrank.rankings.profile import Rankings
from hushrank.reports.collection_page import CollectionPage, Truth, write_collection_page
from hushrank.reports.heat_table import heat_table, pair_table
from hushrank.reports.order_page import OrderPage, order_table, write_order_report
from hushrank.reports.order_words import counted, leader
from hushrank.reports.page import LEVELS, STYLE, privacy_box
from hushrank.reports.release_page import (
    GroupPicture,
    PublishingPage,
    write_publishing_report,
)
from hushrank.reports.release_pictures import guesses
from tests.experiments.populations import plackett_luce

NAMES = ("<script>alert(1)</script>", 'a "quoted" & long name', "</li><img src=x>", "寿司")
VOID = {"meta", "img", "br", "line", "circle", "rect"}
CHAIN = ThinChain(((1,), (0, 2), (3,)))
SHOWN = CollectionPage(
    title="A <title> & more",
    plain="Nobody ever saw what a person thinks.",
    statement="Each of 50 people is protected by 1-LDP.",
    caption="50 people answered.",
    is_private=True,
    figures={"Q2 <distance>": "0.25 & more"},
    names=NAMES,
    order=(2, 0, 3, 1),
    confidence=(0.99, 0.8, 0.5),
    intervals=((1, 2), (3, 3), (0, 0), (1, 3)),
    pair_shares={},
    synthetic=plackett_luce(50, 4, names=NAMES),
    hierarchy=CHAIN,
)
TRUTH = Truth(plackett_luce(60, 4, names=NAMES), {"excess *": "0.1"})
LEAST = np.array([[0.0, 1.0], [0.2, 0.4], [1.0, 0.0]])
GROUP = GroupPicture("gender", 90, 1.0, 0.2, 0.35, (50, 90, 60), 0.3, LEAST, np.eye(50))
NOTES = ("* of protected users", "No differential privacy.")
PUBLISHED = PublishingPage(
    "Release", NOTES, {"distortion *": "1"}, "kendall", np.arange(1, 51), (GROUP,)
)


class Page(HTMLParser):
    """Checks that tags close in order, and keeps them with their attributes and text."""

    def __init__(self, source):
        super().__init__()
        self.source, self.open, self.tags, self.text = source, [], [], ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attributes for each, attributes in self.tags if each == tag]

    def place(self, words):
        assert words in self.text, words
        return self.text.index(words)


@pytest.fixture
def write(tmp_path):
    def write(truth=None, **changes):
        path = tmp_path / "report.html"
        write_collection_page(path, replace(SHOWN, **changes), truth)
        return Page(path.read_text("utf-8"))

    return write


@pytest.fixture
def publishing(tmp_path):
    def publishing(shown=PUBLISHED):
        path = tmp_path / "release.html"
        write_publishing_report(path, shown)
        return Page(path.read_text("utf-8"))

    return publishing


def test_of_neighbours_those_are_counted_whom_most_people_put_the_other_way_round(tmp_path):
    people = Rankings.from_orders(np.array([SHOWN.order, [2, 0, 1, 3], [2, 0, 1, 3]]), NAMES)
    write_collection_page(tmp_path / "page.html", SHOWN, Truth(people, {}))
    assert "Of 1 of the 3 pairs of neighbours, a majority" in (tmp_path / "page.html").read_text()


def test_pages_are_well_formed_and_self_contained(write, publishing):
    for page in (write(TRUTH), publishing()):
        assert page.all("svg")
        for picture in page.all("svg"):
            assert picture["role"] == "img"
            assert len(picture["aria-label"]) > 30
        used = {tag for tag, _ in page.tags}
        assert not {"script", "link", "iframe", "object", "a", "img"} & used
        assert not re.search(r"https?:|//\w|url\(|@import", page.source)
        policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
        assert "default-src 'none'" in policy


def test_whatever_comes_from_outside_is_escaped_and_whole(write):
    page = write(TRUTH)
    for text in (*NAMES, "A <title> & more", "Q2 <distance>", "0.25 & more"):
        assert text in page.text
    assert "<script" not in page.source


def test_a_lay_reader_comes_first_and_details_last(write):
    page = write()
    places = [
        page.place(words)
        for words in (
            "comes first, almost certainly",
            "What was protected",
            "Nobody ever saw what a person thinks.",
            "protected by 1-LDP",
            "What to write under the picture",
            "50 people answered.",
            "Who is placed where",
            "Details",
        )
    ]
    assert places == sorted(places)


def test_what_speaks_against_a_result_is_said_before_it_is_shown(write):
    for name, said in (
        ("fit", "the reports do not fit the model: read it with care"),
        ("chains", "DID NOT SETTLE, do not rely on the model: 1.40 standard errors off"),
        ("unseen orders", "an exact order can go unseen"),
    ):
        page = write(figures={name: said})
        assert page.place(said[1:] + ".") < page.place("The order, and how sure it is")
    settled = "settled: 0.04 standard errors off"
    page = write(figures={"chains": settled})
    assert page.place(settled) > page.place("Details")


def test_a_page_warns_exactly_where_it_shows_raw_statistics(write):
    without, with_truth = write(), write(TRUTH)
    for page, warns in ((without, False), (with_truth, True)):
        assert ("Do not publish this page" in page.text) == warns
        assert ("true" in page.text) == warns
    assert "excess (from the raw rankings)" in with_truth.text


def test_what_promises_nothing_stands_in_no_box_of_a_guarantee(write):
    boxes = [each["class"] for each in write().all("p") if "class" in each]
    assert "box" in boxes
    assert "box warning" not in boxes
    void = write(statement="Not private: a <seed>.", is_private=False)
    assert "box" not in [each.get("class") for each in void.all("p")]
    assert "Not private: a <seed>." in void.text
    assert SHOWN.plain not in void.text
    assert privacy_box(["A promise.", "Another."]) == '<p class="box">A promise.<br>Another.</p>'
    assert "warning" in privacy_box(["Not private: all is told.", "A note."])


@pytest.mark.parametrize(("has_truth", "is_private"), [(0, 1), (0, 0), (1, 1), (1, 0)])
def test_only_a_page_with_a_warning_is_kept_from_others(tmp_path, write, has_truth, is_private):
    write(TRUTH if has_truth else None, is_private=bool(is_private))
    other = tmp_path / "other.txt"
    other.write_text("for all")
    mode = stat.S_IMODE((tmp_path / "report.html").stat().st_mode)
    may_be_handed_on = bool(is_private and not has_truth)
    assert mode == (stat.S_IMODE(other.stat().st_mode) if may_be_handed_on else 0o600)


@pytest.mark.parametrize("warning", [None, "Do not publish this page."])
def test_a_page_of_an_order_is_its_owner_s_where_it_has_a_warning(tmp_path, warning):
    texts = {"title": "An order", "plain": "Nothing.", "statement": "Not private.", "caption": ""}
    ordered = {"names": ("a", "b"), "order": (1, 0), "confidence": None, "intervals": None}
    shown = OrderPage(**texts, about=(), warning=warning, figures={}, **ordered)
    write_order_report(tmp_path / "order.html", shown)
    (tmp_path / "other.txt").write_text("for all")
    own, others = (
        stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("order.html", "other.txt")
    )
    assert own == (others if warning is None else 0o600)


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        *((0.9749, "likely (97 %)"), (0.8999, "leaning (89 %)"), (0.6999, "open (69 %)")),
        *((0.57, "open (57 %)"), (0.99, "almost certain (99 %)"), (0.9901, "(over 99 %)")),
    ],
)
def test_a_neighbour_is_never_said_to_be_surer_than_it_is(probability, said):
    told = order_table(("a", "b"), np.array([0, 1]), [probability], [(0, 1), (0, 1)])
    assert said in told.replace("\N{NO-BREAK SPACE}", " ")


def test_each_picture_has_its_table_with_the_order_that_is_given(write):
    page = write()
    first = page.text.index("ahead of the next")
    found = [page.text.index(NAMES[item], first) for item in SHOWN.order]
    assert found == sorted(found)
    told = " ".join(page.text[first:].replace("\N{NO-BREAK SPACE}", " ").split())
    assert "1almost certain (99 %)" in told
    assert "2 to 3leaning (80 %)" in told
    assert "2 to 4open (50 %)" in told


def test_shades_show_what_their_numbers_say(write):
    page = write(synthetic=None, pair_shares={"of all": np.full((4, 4), 0.8)})
    cells = re.findall(r'<td class="(more|less)(\d+)">(\d+)</td>', page.source)
    assert set(cells) == {("more", "6", "80")}
    assert len(cells) == 12


def test_shades_of_pairs_say_whether_more_or_fewer_than_half_agree():
    """Of either shade the distance from one half, and nothing where people are divided."""
    shares = np.array([[0.5, 0.75, 0.5], [0.25, 0.5, 1.0], [0.5, 0.0, 0.5]])
    html = heat_table(pair_table("Pairs", shares), ("a", "b", "c"), (0, 1, 2))
    _corner, *cells = re.findall(r"<td(?: class=\"(\w+)\")?>(\d*)</td>", html)
    half, full = round(LEVELS / 2), LEVELS
    assert cells == [
        *(("", ""), (f"more{half}", "75"), ("", "50")),
        *((f"less{half}", "25"), ("", ""), (f"more{full}", "100")),
        *(("", "50"), (f"less{full}", "0"), ("", "")),
    ]


def test_other_items_are_refused(write):
    with pytest.raises(HushrankError, match="one item set"):
        write(Truth(plackett_luce(10, 4), {}))
    with pytest.raises(HushrankError, match="chain of 4 items"):
        write(hierarchy=ThinChain(((0,), (1,), (2,))))


def test_a_missing_directory_is_a_clear_error(tmp_path):
    with pytest.raises(HushrankError, match="existing folder"):
        write_collection_page(tmp_path / "nowhere" / "report.html", SHOWN)


def test_heads_of_columns_do_not_break_within_a_word():
    assert "th[scope=col] { overflow-wrap: normal; }" in STYLE


def test_who_leads_is_said_as_surely_as_it_is_known():
    names, order = ("a", "b", "c", "d"), (0, 1, 2, 3)
    sure, first_two = ((0, 0), (1, 1), (2, 3), (2, 3)), ((0, 1), (0, 1), (2, 3), (2, 3))
    assert leader(names, order, (0.99, 1, 1), sure) == "“a” comes first, almost certainly."
    assert leader(names, order, (0.9, 1, 1), sure) == "“a” comes first, very likely."
    among = leader(names, order, (0.9, 1, 1), sure, "these ballots")
    assert among == "“a” comes first, very likely also in these ballots."
    assert leader(names, order, (0.6, 1, 1), first_two).endswith("but “b” may lead, too.")
    assert "who leads is open" in leader(names, order, (0.5, 0.5, 0.5), ((0, 3),) * 4)
    assert "does not tell" in leader(names, order, None, None)
    assert "does not tell" in leader(names, order, (0.69, 1, 1), None)
    assert leader(names, order, (0.7, 1, 1), None) == "“a” comes first, probably."
    assert counted((0.99, 0.95, 0.8, 0.4)).endswith(
        "1 almost certain, 1 likely, 1 leaning, 1 open."
    )
    assert counted(None) == ""


@pytest.mark.parametrize(
    ("bits", "said"), [(0.1230000014, "0.1231"), (0.123, "0.123"), (3e-16, "0"), (2e-9, "1e-06")]
)
def test_no_leak_of_the_best_channels_is_said_below_itself(publishing, bits, said):
    least = np.array([[0.0, 1.0], [0.2, bits], [1.0, 0.0]])
    page = publishing(replace(PUBLISHED, groups=(replace(GROUP, trade_off=least),)))
    assert f"best channel0.2{said}\nbest channel10\n" in page.text


def test_the_owner_of_a_release_reads_the_honest_leakage_first(publishing):
    page = publishing()
    told = "told 1 bits of gender before, and tells 0.35 bits after this release, of users held out"
    places = [
        page.place(words)
        for words in (
            "Do not publish",
            told,
            "right for 90 of 100 users before and 60 after; who sees nothing, for 50",
            "Privacy against utility",
            "before and after",
            "The channel",
            "No differential privacy",
        )
    ]
    assert places == sorted(places)
    assert (
        "nobody was held out"
        in publishing(replace(PUBLISHED, groups=(replace(GROUP, held_out=None),))).text
    )
    a_little_more = publishing(replace(PUBLISHED, groups=(replace(GROUP, guessed=(50, 90, 60.2)),)))
    assert "and 61 after" in a_little_more.text
    below_chance = publishing(replace(PUBLISHED, groups=(replace(GROUP, held_out=-0.01),)))
    assert "and tells nothing that shows (-0.01 bits) after this release" in below_chance.text


@pytest.mark.parametrize("step", [1, -1])
def test_of_several_groups_the_owner_reads_of_the_one_that_leaks_most(publishing, step):
    worse = replace(GROUP, protects="age", before=1.5, held_out=0.65)
    page = publishing(replace(PUBLISHED, groups=(GROUP, worse)[::step]))
    assert "told 1.5 bits of age before, and tells 0.65 bits after this release" in page.text


def test_what_is_guessed_after_a_release_is_rounded_up_in_the_table_too(publishing):
    page = publishing(replace(PUBLISHED, groups=(replace(GROUP, guessed=(50, 90, 53.04)),)))
    table = page.source.partition("guessed right, of 100 users")[2].partition("</table>")[0]
    assert re.findall(r">(\d+\.\d)<", table) == ["50.0", "90.0", "53.1"]
    assert "90 of 100 users before and 54 after" in page.text


def test_no_footnote_of_a_terminal_stands_on_a_page(publishing):
    page = publishing()
    assert "*" not in page.text.split("</style>")[-1].replace(STYLE, "")
    assert "distortion (protected users)" in page.text


def test_a_guesser_does_as_well_as_the_likeliest_value():
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    assert guesses(joint, np.eye(2)) == pytest.approx((50, 80, 80))
    assert guesses(joint, np.full((2, 2), 0.5)) == pytest.approx((50, 80, 50))
