"""Some items of an activity regarded as private attributes of the users."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hushrank.activities.activity import Activity, Scores
from hushrank.activities.attribute import Attribute
from hushrank.activities.profiles import Profiles
from hushrank.errors import require

ITEMS_FOR_EACH_CUT = 8


def hide_items(
    activity: Activity, domain_sizes: Sequence[int], *, least_users: int = 1, rng: Generator
) -> tuple[Activity, Profiles]:
    """Draw items that `least_users` have and as many have not; take them out of the activity.

    One a private attribute. 2 values: `no`, `yes`, whether the user has it. k > 2, `1`..`k`: the
    8 (k - 1) - 1 items that correlate most with it leave too; a user's sum of the correlations of
    those they have is cut into k classes as equal as its ties allow. All users protect all of it.
    Raises HushrankError when items run out, a value does not occur, or a user has nothing left.
    Source: Yang, Qu, Cudre-Mauroux (TKDE 2018), section 7.6; it does not say how k > 2 is made.
    """
    require(domain_sizes, "expected 1 or more private attributes")
    require(min(domain_sizes) >= 2, f"expected 2 or more values, got {min(domain_sizes)}")
    require(least_users >= 1, f"expected items of 1 or more users, got {least_users}")
    is_public = np.ones(activity.n_items, dtype=np.bool_)
    attributes = []
    for n_values in domain_sizes:
        attribute, hidden = _attribute(activity, n_values, least_users, is_public, rng)
        is_public[hidden] = False
        attributes.append(attribute)
    profiles = Profiles.protecting_all(activity.users, attributes)
    items = tuple(activity.items[item] for item in np.flatnonzero(is_public))
    public = activity.aligned(activity.users, items)
    require((public.records_of_users > 0).all(), "expected users with other items too")
    return public, profiles


def _attribute(
    activity: Activity, n_values: int, least: int, is_public: NDArray[np.bool_], rng: Generator
) -> tuple[Attribute, NDArray[np.intp]]:
    """Draw one item among the public ones that some users have; return what is hidden with it."""
    popularity = activity.records_of_items
    has_both = (popularity >= least) & (popularity <= activity.n_users - least)
    eligible = np.flatnonzero(is_public & has_both)
    n_hidden = 1 if n_values == 2 else ITEMS_FOR_EACH_CUT * (n_values - 1)
    fits = len(eligible) >= n_hidden
    require(fits, f"expected {n_hidden} items to hide, got {len(eligible)} that some users have")
    item = int(rng.choice(eligible))
    name = f"item {activity.items[item]}"
    if n_values == 2:
        has = activity.scores[:, [item]].toarray().ravel() > 0
        return Attribute(name, ("no", "yes"), has.astype(np.int16)), np.array([item])
    weights = _correlations(activity, item)
    others = eligible[eligible != item]
    closest = others[np.argsort(-weights[others], kind="stable")]
    hidden = np.append(closest[: n_hidden - 1], item)
    values = tuple(str(value + 1) for value in range(n_values))
    sums = _presence(activity)[:, hidden] @ weights[hidden]
    return Attribute(name, values, _classes(sums, n_values)), hidden


def _presence(activity: Activity) -> Scores:
    presence: Scores = activity.scores.copy()
    presence.data = np.ones_like(presence.data)
    return presence


def _correlations(activity: Activity, item: int) -> NDArray[np.float64]:
    """Return how having each item (items,) correlates with having this one; its own is 1."""
    presence, n_users = _presence(activity), activity.n_users
    share = activity.records_of_items / n_users
    has = presence[:, [item]].toarray().ravel()
    together = np.asarray(presence.T @ has) / n_users
    spread = np.sqrt(share * (1 - share))
    scale = spread * spread[item]
    covariance = together - share * share[item]
    correlations = np.zeros(len(share))
    np.divide(covariance, scale, out=correlations, where=scale > 0)
    return correlations


def _classes(sums: NDArray[np.float64], n_values: int) -> NDArray[np.int16]:
    """Cut the users (users,) by their sums into classes 0..n_values-1, all of them in use."""
    edges = np.quantile(sums, np.arange(1, n_values) / n_values)
    classes = np.searchsorted(edges, sums, side="left")
    complete = len(np.unique(classes)) == n_values
    require(complete, f"expected {n_values} values to occur, the users differ too little")
    return classes.astype(np.int16)
