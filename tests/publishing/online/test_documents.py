from dataclasses import fields, replace

import msgspec
import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.item_channel.binary.solve import solve_binary
from hushrank.publishing.item_channel.channel import CompactChannel
from hushrank.publishing.online.documents import (
    ChannelDocument,
    UserDocument,
    channel_from_document,
    channel_to_document,
    current_to_bytes,
    user_from_bytes,
    user_to_bytes,
)
from hushrank.publishing.online.user import CurrentChannel, StreamUser
from tests.publishing.item_channel.problems import problem
from tests.publishing.item_channel.test_channel import small_channel

NAMES = [part.name for part in fields(CompactChannel)]


def test_a_channel_survives_its_document_exactly():
    channel = solve_binary(problem(60)).channel
    content = msgspec.msgpack.encode(channel_to_document(channel))
    again = channel_from_document(msgspec.msgpack.decode(content, type=ChannelDocument))
    for name in NAMES:
        before, after = getattr(channel, name), getattr(again, name)
        assert before.dtype == after.dtype
        assert np.array_equal(before, after)


def test_of_a_user_what_there_is_not_stays_away():
    stored = user_to_bytes(StreamUser(np.arange(3), leaked=0.5))
    assert user_from_bytes(stored, None).current is None
    made = CurrentChannel(small_channel(), 0.25, 0.5, 0.125, 0.0, None)
    again = user_from_bytes(stored, current_to_bytes(made))
    assert (again.leaked, again.current.leakage, again.current.worst_leakage) == (0.5, 0.25, 0.5)
    assert again.current.warm_start is None


@pytest.mark.parametrize("count", [2**7, 2**15, 2**31, 2**53])
def test_counts_of_any_size_stay_what_they_are(count):
    counts = np.array([count, 0, count - 1])
    stored = user_from_bytes(user_to_bytes(StreamUser(counts)), None)
    assert stored.counts.tolist() == [count, 0, count - 1]


def damaged(**changes):
    """Return the document of the small channel with other arrays."""
    channel = small_channel()
    parts = {name: changes.get(name, getattr(channel, name)) for name in NAMES}
    kinds = {name: getattr(channel, name).dtype for name in NAMES}
    return channel_to_document(
        CompactChannel(**{n: np.array(p, dtype=kinds[n]) for n, p in parts.items()})
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"starts": [0, 2, 3, 4]},
        {"starts": [0, 3, 2, 3]},
        {"starts": [1, 2, 3, 3]},
        {"starts": []},
        {"columns": [0, 2, 1]},
        {"columns": [0, -1, 1]},
        {"goods": [1, 2, 0, 1, 3]},
        {"bounds": [9, 8, 7]},
        {"bounds": [1, 2]},
        {"good_starts": [0, 0, 5]},
        {"starts": [0, 2, 4, 3]},
        {"columns": [0, 0, 1], "good_starts": [0, 5, 5], "good_bounds": [1, 2, 3, 4, 5]},
        {"good_bounds": [1, 2, 1, 3, 2]},
    ],
)
def test_a_damaged_document_is_refused(changes):
    with pytest.raises(HushrankError, match="channel"):
        channel_from_document(damaged(**changes))


@pytest.mark.parametrize(("rows", "bounds"), [("starts", "bounds"), ("good_starts", "good_bounds")])
def test_a_channel_is_refused_for_one_bound_of_many_that_falls(rows, bounds):
    channel = solve_binary(problem(60)).channel
    starts, whole = getattr(channel, rows), getattr(channel, bounds)
    rising = np.setdiff1d(np.flatnonzero(whole[1:] > whole[:-1]), starts - 1)
    assert len(rising) > 30
    for place in rising:
        swapped = whole.copy()
        swapped[[place, place + 1]] = whole[[place + 1, place]]
        with pytest.raises(HushrankError, match="never fall"):
            channel_from_document(channel_to_document(replace(channel, **{bounds: swapped})))


def test_the_last_row_and_column_of_a_large_channel_are_checked():
    channel = solve_binary(problem(60)).channel
    starts, columns = channel.starts.copy(), channel.columns.copy()
    starts[-2] = starts[-1] + 1
    with pytest.raises(HushrankError, match="whose parts agree"):
        channel_from_document(channel_to_document(replace(channel, starts=starts)))
    columns[-1] = channel.n_columns  # another one, which is empty
    good_starts = np.append(channel.good_starts, channel.good_starts[-1])
    changed = replace(channel, columns=columns, good_starts=good_starts)
    with pytest.raises(HushrankError, match="columns of a channel that release something"):
        channel_from_document(channel_to_document(changed))


def test_a_cut_document_is_refused():
    document = msgspec.structs.replace(channel_to_document(small_channel()), bounds=b"123")
    with pytest.raises(HushrankError, match="whole numbers"):
        channel_from_document(document)


def test_a_damaged_user_is_refused_and_one_of_another_version():
    stored = user_to_bytes(StreamUser(np.arange(3)))
    older = msgspec.msgpack.encode({**msgspec.msgpack.decode(stored), "version": 1})
    for content in (b"\x93nothing", older):
        with pytest.raises(HushrankError, match="version 2"):
            user_from_bytes(content, None)


@pytest.mark.parametrize(
    ("items", "counts"),
    [
        *(([0, 2], [5]), ([0, 3], [5, 1]), ([-1, 2], [5, 1]), ([0], [5, 1])),
        *(([0, 0], [5, 1]), ([2, 0], [5, 1]), ([0, 2], [5, -1]), ([0, 2], [0, 1])),
    ],
)
def test_counts_of_unknown_items_or_of_more_or_fewer_than_named_are_refused(items, counts):
    stored = msgspec.msgpack.decode(user_to_bytes(StreamUser(np.arange(3))))
    parts = {"items": np.array(items, "<i8").tobytes(), "counts": np.array(counts, "<i8").tobytes()}
    with pytest.raises(HushrankError, match="counts of known items"):
        user_from_bytes(msgspec.msgpack.encode({**stored, **parts}), None)


@pytest.mark.parametrize(
    "changes",
    [
        *({name: -1} for name in ("n_items", "n_released", "n_withheld", "n_since")),
        *({name: -1.0} for name in ("told", "worst_told")),
        {"told": float("nan")},
        *({name: 2**53} for name in ("n_items", "n_released", "n_withheld", "n_since")),
        {"items": b"123"},
    ],
)
def test_a_user_who_was_told_less_than_nothing_is_refused(changes):
    stored = msgspec.msgpack.decode(user_to_bytes(StreamUser(np.arange(3))))
    with pytest.raises(HushrankError, match="expected"):
        user_from_bytes(msgspec.msgpack.encode({**stored, **changes}), None)


@pytest.mark.parametrize(
    "changes",
    [
        *({name: -1.0} for name in ("leakage", "worst_leakage")),
        *({"dual": dual} for dual in ({}, {"parts": [1.0]}, {"parts": "x"})),
    ],
)
def test_a_channel_that_tells_less_than_nothing_or_lacks_its_start_is_refused(changes):
    made = CurrentChannel(small_channel(), 0.25, 0.5, 0.125, 0.0, None)
    stored = msgspec.msgpack.decode(current_to_bytes(made))
    user = user_to_bytes(StreamUser(np.arange(3)))
    with pytest.raises(HushrankError, match="expected the state of a user"):
        user_from_bytes(user, msgspec.msgpack.encode({**stored, **changes}))


@pytest.mark.parametrize("n_items", [1, 10])
def test_a_channel_of_other_items_is_refused(n_items):
    """It would be read beyond its end."""
    made = current_to_bytes(CurrentChannel(small_channel(), 0.25, 0.5, 0.125, 0.0, None))
    with pytest.raises(HushrankError, match="expected a channel of the items that are counted"):
        user_from_bytes(user_to_bytes(StreamUser(np.arange(n_items))), made)


def test_representations_show_nothing():
    assert repr(channel_to_document(small_channel())) == "ChannelDocument()"
    content = user_to_bytes(StreamUser(np.arange(3)))
    assert repr(msgspec.msgpack.decode(content, type=UserDocument)) == "UserDocument()"
