"""Signs that matplotlib's font lacks are drawn with others that are installed."""

from types import SimpleNamespace

import pytest

from hushrank.reports import fonts
from hushrank.reports.order_plots import rank_intervals_figure
from hushrank.reports.plots import png, rendered

SUSHI = ["寿司 🍣", "plain"]


class Font:
    """A font of a few signs; it has an outline of those that it draws."""

    def __init__(self, signs, drawn=None):
        self.signs, self.drawn = signs, signs if drawn is None else drawn

    def get_char_index(self, code):
        return self.signs.find(chr(code)) + 1

    def load_char(self, code):
        return SimpleNamespace(width=int(chr(code) in self.drawn))


@pytest.fixture
def installed(monkeypatch):
    """Return a function that installs fonts by name."""

    def install(**given):
        found = [(name.replace("_", " "), lambda font=font: font) for name, font in given.items()]
        monkeypatch.setattr(fonts, "_installed", lambda: iter(found))
        fonts._chosen.cache_clear()

    yield install
    fonts._chosen.cache_clear()


def families(figure):
    return figure.axes[0].get_yticklabels()[0].get_fontfamily()


def test_as_few_fonts_are_taken_as_have_all_signs(installed):
    both = {"A_Serif": Font("寿司"), "Z_Sans": Font("寿司"), "One": Font("寿"), "Emoji": Font("🍣")}
    installed(**both, Latin=Font("plain"))
    figure = rank_intervals_figure(SUSHI, (0, 1), None)
    usual = families(figure)
    assert not fonts.let_fonts_fall_back(figure)
    assert families(figure) == [*usual, "Z Sans", "Emoji"]


def test_a_figure_that_lacks_nothing_stays_as_it_is(installed):
    installed(Other=Font("plain"))
    figure = rank_intervals_figure(
        ["plain", "e\N{COMBINING ACUTE ACCENT}a\N{ZERO WIDTH JOINER}"], (0, 1), None
    )
    usual = families(figure)
    assert not fonts.let_fonts_fall_back(figure)
    assert families(figure) == usual


def test_what_no_font_has_is_said_in_one_line_but_of_an_svg(installed):
    installed(Half=Font("寿🍣", drawn="寿"))  # of emoji there are coloured layers alone
    figure = rank_intervals_figure(SUSHI, (0, 1), None)
    with pytest.warns(UserWarning, match=r"^2 signs are in no font that is installed") as said:
        assert png(figure).startswith(b"\x89PNG")
    assert len(said) == 1
    assert "\n" not in str(said[0].message)
    assert "寿司 🍣</text>" in rendered(figure, "svg").decode()


def test_the_fonts_of_this_machine_are_opened():
    families = dict(fonts._installed())
    assert "DejaVu Sans" in families
    assert not any("Last" in name for name in families)
    assert fonts._lacking(families["DejaVu Sans"](), "aé寿") == {"寿"}
