import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.identifiers import numbered
from hushrank.activities.private_items import hide_items
from hushrank.errors import HushrankError


def draw_topics():
    """Draw 3,000 users of 20 topics, each of 10 items that a user likes or does not."""
    rng = np.random.default_rng(1)
    likes = np.repeat(rng.random((3000, 20)) < 0.3, 10, axis=1)
    uses = rng.random((3000, 200)) < np.where(likes, 0.5, 0.05)
    return Activity(csr_array(uses.astype(float)), numbered(3000), numbered(200))


ACTIVITY = draw_topics()


def test_a_binary_attribute_is_whether_a_user_has_the_item():
    public, profiles = hide_items(ACTIVITY, [2, 2], rng=np.random.default_rng(2))
    hidden = [name.removeprefix("item ") for name in profiles.names]
    assert set(public.items) == set(ACTIVITY.items) - set(hidden)
    assert public == ACTIVITY.aligned(ACTIVITY.users, public.items)
    for item, attribute in zip(hidden, profiles.attributes, strict=True):
        has = ACTIVITY.scores[:, [int(item) - 1]].toarray().ravel() > 0
        assert attribute.values == ("no", "yes")
        assert np.array_equal(attribute.codes, has)
    assert profiles.users == public.users
    assert all(mask.all() for mask in profiles.protected.values())


def test_an_item_that_few_users_have_or_lack_can_be_left_alone():
    popularity = dict(zip(ACTIVITY.items, ACTIVITY.records_of_items, strict=True))
    drawn = set()
    for seed in range(30):
        _, profiles = hide_items(ACTIVITY, [2], least_users=560, rng=np.random.default_rng(seed))
        drawn.add(profiles.names[0].removeprefix("item "))
    assert all(popularity[item] >= 560 for item in drawn)
    assert min(popularity.values()) < 500
    uses = np.ones((10, 3))  # all have the first, nine the second, six the third
    uses[0, 1] = uses[:4, 2] = 0
    known = Activity(csr_array(uses), numbered(10), numbered(3))
    found = {
        hide_items(known, [2], least_users=2, rng=np.random.default_rng(seed))[1].names[0]
        for seed in range(20)
    }
    assert found == {"item 3"}
    with pytest.raises(HushrankError, match="got 0 that some users have"):
        hide_items(ACTIVITY, [2], least_users=1501, rng=np.random.default_rng(0))
    with pytest.raises(HushrankError, match="expected items of 1 or more users, got 0"):
        hide_items(ACTIVITY, [2], least_users=0, rng=np.random.default_rng(0))


@pytest.mark.parametrize("n_values", [3, 5, 8])
def test_more_values_are_classes_of_about_equal_size(n_values):
    public, profiles = hide_items(ACTIVITY, [n_values], rng=np.random.default_rng(3))
    (attribute,) = profiles.attributes
    assert public.n_items == ACTIVITY.n_items - 8 * (n_values - 1)
    assert attribute.values == tuple(str(n + 1) for n in range(n_values))
    assert attribute.counts.min() > 0.8 * ACTIVITY.n_users / n_values
    item = int(attribute.name.removeprefix("item ")) - 1
    has = ACTIVITY.scores[:, [item]].toarray().ravel() > 0
    assert np.corrcoef(has, attribute.codes)[0, 1] > 0.2
    assert ACTIVITY.items[item] not in public.items


def test_classes_sum_the_items_that_correlate_most():
    """Items 41..48 go together and say who is who; the other 40 are noise."""
    rng = np.random.default_rng(4)
    level = rng.integers(0, 9, 2000)
    together = rng.permuted(np.arange(8) < level[:, None], axis=1)
    noise = rng.random((2000, 40)) < 0.5
    noise[:, 0] = True
    dense = np.hstack([noise, together]).astype(float)
    activity = Activity(csr_array(dense), numbered(2000), numbered(48))
    for seed in range(20):
        public, profiles = hide_items(activity, [3], rng=np.random.default_rng(seed))
        if int(profiles.names[0].removeprefix("item ")) > 40:
            break
    assert not set(public.items) & set(numbered(48)[40:])
    assert np.corrcoef(level, profiles.attributes[0].codes)[0, 1] > 0.85


def test_attributes_are_of_different_items():
    _, profiles = hide_items(ACTIVITY, [2, 3, 2, 4], rng=np.random.default_rng(5))
    assert len(set(profiles.names)) == 4


def ones(*shape):
    return Activity(csr_array(np.ones(shape)), numbered(shape[0]), numbered(shape[1]))


@pytest.mark.parametrize(
    ("activity", "sizes", "expected"),
    [
        (ACTIVITY, [], "1 or more private attributes"),
        (ACTIVITY, [2, 1], "2 or more values, got 1"),
        (ACTIVITY, [30], "expected 232 items to hide"),
        (ones(5, 3), [2], "expected 1 items to hide, got 0 that some users have"),
        (Activity(csr_array(np.eye(3)), numbered(3), numbered(3)), [2], "with other items too"),
    ],
)
def test_what_cannot_be_hidden_is_said(activity, sizes, expected):
    with pytest.raises(HushrankError, match=expected):
        hide_items(activity, sizes, rng=np.random.default_rng(6))


def test_the_last_user_of_many_must_have_another_item():
    uses = np.ones((40, 2))
    uses[:20, 0] = uses[-1, 1] = 0  # all but the last have the second
    activity = Activity(csr_array(uses), numbered(40), numbered(2))
    with pytest.raises(HushrankError, match="with other items too"):
        hide_items(activity, [2], least_users=5, rng=np.random.default_rng(7))


def test_as_many_items_are_hidden_as_are_asked_for():
    uses = np.eye(40) + np.eye(40, k=1) + np.eye(40, k=-1)
    activity = Activity(csr_array(np.hstack([uses, np.ones((40, 40))])), numbered(40), numbered(80))
    public, profiles = hide_items(activity, [2] * 30, rng=np.random.default_rng(1))
    assert (len(profiles.names), public.n_items) == (30, 50)
