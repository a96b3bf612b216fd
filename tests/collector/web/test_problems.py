import pytest

from hushrank.collector.refusals import Refusal
from hushrank.collector.store.store import StoreFailure
from hushrank.collector.web.problems import Rejected, told
from hushrank.errors import HushrankError

SENT = "5ecret"


@pytest.mark.parametrize("error", [HushrankError(f"got {SENT}"), StoreFailure(f"row {SENT}")])
def test_words_that_may_name_what_was_sent_are_told_to_nobody(error):
    said = told(error)
    assert SENT not in f"{said} {said.document} {said.headers}"
    assert said.detail is None


@pytest.mark.parametrize(
    ("error", "kind", "headers"),
    [
        (HushrankError("row 3"), "malformed", {}),
        (Refusal("closed", "it has ended"), "closed", {}),
        (StoreFailure("row 3"), "unavailable", {"retry-after": "2"}),
        (Rejected("too-many", wait=1.5), "too-many", {"retry-after": "2"}),
        (Rejected("too-large"), "too-large", {"connection": "close"}),
        (Rejected("long-header"), "long-header", {"connection": "close"}),
    ],
)
def test_it_is_told_what_kind_of_problem_it_is_and_when_to_come_again(error, kind, headers):
    said = told(error)
    assert (said.kind, said.headers) == (kind, headers)


@pytest.mark.parametrize(("path", "is_page"), [("/v1/surveys/x", False), ("/nothing", True)])
def test_a_browser_is_told_on_a_page_and_a_program_in_a_document(on_collector, path, is_page):
    async def use(collector):
        answer = await collector.client.get(path, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
            404,
            "text/html" if is_page else "application/problem+json",
        )

    on_collector(use)
