import pytest

from hushrank.collector.store.store import StoreFailure
from hushrank.collector.web.problems import told
from hushrank.errors import HushrankError

SENT = "5ecret"


@pytest.mark.parametrize("error", [HushrankError(f"got {SENT}"), StoreFailure(f"row {SENT}")])
def test_words_that_may_name_what_was_sent_are_told_to_nobody(error):
    said = told(error)
    assert SENT not in f"{said} {said.document} {said.headers}"
    assert said.detail is None
