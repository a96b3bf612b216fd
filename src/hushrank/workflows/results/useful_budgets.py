"""Which budgets are worth trying, by the public size of the data alone.

Rules of thumb: docs/publishing.md, "Which budget".
"""

from typing import Protocol

from hushrank.accounting.words import as_given

SMALL, LARGE = 0.1, 0.5
"""Parts of the distance at which nothing of a record is left."""
HALF, LARGEST_SHARE = 0.5, 0.8
"""Of the users: what `withhold` withholds."""
SMALL_POOL, LARGE_POOL = 30, 90
"""Users of a pool of `microaggregate`: what a pool tells by chance is less, the larger it is."""
BY_RECORDS = ("user-level", "rand")
"""Methods whose budget is about single records, which are all but wholly different."""


class Sized(Protocol):
    """Activity, or what is publicly known of it."""

    @property
    def n_users(self) -> int:
        """How many users there are."""

    @property
    def n_items(self) -> int:
        """How many items there are."""

    @property
    def n_records(self) -> int:
        """How many pairs of them have a score."""


def useful_budgets(method: str, distance: str, activity: Sized) -> tuple[float, float] | None:
    """Return a small and a large budget of `publish`; None where no rule is known.

    Two records have Kendall distances, ties half, of up to about records / (users items): so many
    of a user's pairs of items are not tied. Sizes are the only thing looked at.
    """
    if method == "withhold":
        return HALF, LARGEST_SHARE
    if method == "microaggregate":
        return SMALL_POOL, LARGE_POOL
    if method in BY_RECORDS:
        return SMALL, LARGE
    if method != "privrank" or not distance.startswith("kendall"):
        return None
    filled = activity.n_records / (activity.n_users * activity.n_items)
    return SMALL * filled, LARGE * filled


def largest_useful_online(n_items: int) -> float:
    """Return the budget of `publish_online` from which all activities may become the same item.

    For a user of whom nothing was released all items are tied, and one for another costs 2 / items.
    """
    return 2 / n_items


def useful_online(n_items: int) -> tuple[float, float]:
    """Return a small and a large budget of `publish_online`."""
    most = largest_useful_online(n_items)
    return SMALL * most, LARGE * most


def useful_in_words(method: str, distance: str, activity: Sized) -> str:
    """Return the budgets to try, as a clause; empty where no rule is known."""
    found = useful_budgets(method, distance, activity)
    if found is None:
        return ""
    low, high = found
    return f"for data of this size try budgets of {low:.2g} to {high:.2g}"


def online_in_words(budget: float, n_items: int) -> str:
    """Return what is wrong with a budget of `publish_online` for so many items; empty: nothing."""
    most = largest_useful_online(n_items)
    if budget < most:
        return ""
    low, high = useful_online(n_items)
    return (
        f"A budget of {as_given(budget)} lets every activity become one and the same item: of"
        f" {n_items:,} items, budgets below {most:.2g} keep something; try {low:.2g} to {high:.2g}."
    )
