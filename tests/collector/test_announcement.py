"""What a device believes of what it is told: nothing that no draft can say."""

import msgspec
import pytest

from hushrank.collector.announcement import announce, read_announcement
from hushrank.errors import HushrankError
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.sampled_survey import sampled_survey
from tests.collector.drafts import draft

TOLD = msgspec.to_builtins(announce(draft(epsilon=8.0), "id", "series", (), ("0" * 64,)))


def test_what_a_draft_can_say_is_read():
    assert read_announcement(msgspec.json.encode(TOLD)).epsilon == 8.0


@pytest.mark.parametrize("last", [1.0, 2.0])
def test_one_cheaper_part_of_many_comes_back(last):
    surveys = [sampled_survey("", [RelativeOrder((0, 1))], 2.0)] * 23
    surveys.append(sampled_survey("", [RelativeOrder((0, 1))], last))
    told = announce(draft(epsilon=2.0), "id", "series", tuple(surveys), ("0" * 64,) * 24)
    assert told.comes_back is (last < 2.0)


@pytest.mark.parametrize(
    "closes", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59"]
)
def test_the_first_and_the_last_time_can_be_told(closes):
    told = read_announcement(msgspec.json.encode(TOLD | {"closes": closes}))
    assert told.closes.year in (1, 9999)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"epsilon": each} for each in (0.0, -1.0, 8.000001, 3e6, 1e300)),
        *({"smallest_group": each} for each in (1, -20, 10**7)),
        *({"items": each} for each in ([], TOLD["items"][:1], TOLD["items"][:1] * 2)),
        {"items": [{"name": "tea"}, {"name": "\u202eaet"}]},
        *({line: "one\nmore"} for line in ("title", "asked_by", "contact")),
        {"title": "x" * 201},
        {"language": "english please"},
        {"closes": "0001-01-01T00:00:00+14:00"},
        {"closes": "9999-12-31T23:59:59-14:00"},
    ],
)
def test_what_no_draft_can_say_is_refused(wrong):
    with pytest.raises(HushrankError):
        read_announcement(msgspec.json.encode(TOLD | wrong))


def test_a_refusal_quotes_no_document_at_length():
    for wrong in ({"joining": "x" * 10**6}, {"x" * 10**6: 1}):
        with pytest.raises(HushrankError) as refusal:
            read_announcement(msgspec.json.encode(TOLD | wrong))
        assert len(str(refusal.value)) < 300
