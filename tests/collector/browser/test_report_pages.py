"""The pages of results, as a reader has them: on a phone and a screen, in light and in the dark."""

import numpy as np
import pytest

import hushrank
from hushrank.estimators.goodness_of_fit import GoodnessOfFit
from tests.collector.browser.accessible import accessible

ODD_NAMES = (
    "寿司と刺身の盛り合わせ",
    "שלום",
    "a name that is much longer than a line can be",
    "<b>",
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    made = hushrank.simulate("mallows", people=200, items=4, dispersion=0.8, seed=3)
    people = hushrank.Rankings(np.array(made.ranks), ODD_NAMES)
    learnt = hushrank.collect(people, 4, seed=1)
    learnt.compared_with(people).report(folder / "collected.html")
    hushrank.aggregate(people).report(folder / "exact.html")
    private = hushrank.aggregate(people, epsilon=1.0, method="p-borda-knorm")
    private.compared_with(people).report(folder / "private.html")
    many = hushrank.simulate("mallows", people=200, items=20, dispersion=0.7, seed=3)
    widest = hushrank.aggregate(many, epsilon=1.0, method="p-borda-knorm", seed=1)
    widest.compared_with(many).report(folder / "many.html")
    visits, users = hushrank.simulate_activity(users=200, items=30, seed=1)
    release = hushrank.publish(visits, users, private=["gender"], budget=0.02)
    release.report(folder / "released.html")
    release.compared_with(visits, users).report(folder / "publishing.html")
    shuffled = hushrank.collect(people, shuffled=True, central_epsilon=2.0, seed=1)
    vars(shuffled.outcome.result.outcome)["goodness"] = GoodnessOfFit(48.0, 12.0, 24.0)
    shuffled.compared_with(people).report(folder / "shuffled-and-does-not-fit.html")
    withheld = hushrank.publish(visits, users, private=["gender"], budget=0.5, method="withhold")
    withheld.report(folder / "withheld.html")
    withheld.compared_with(visits, users).report(folder / "withholding.html")
    return sorted(folder.iterdir())


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1300, "dark")])
def test_pages_of_results_are_accessible_and_no_wider_than_the_screen(
    chromium, pages, width, scheme
):
    size = {"width": width, "height": 800}
    reader = chromium.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)
    page = reader.new_page()
    for path in pages:
        page.goto(path.as_uri())
        assert accessible(page) == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, path.name
    reader.close()
