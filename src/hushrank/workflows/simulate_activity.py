"""Make up users, what they do, and what some of them keep private."""

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.errors import require
from hushrank.workflows.arguments import expect_number, expect_seed, expect_whole
from hushrank.workflows.seeds import stream

VALUES = ("female", "male")


def simulate_activity(
    *,
    users: int,
    items: int,
    attribute: str = "gender",
    values: tuple[str, ...] = VALUES,
    tilt: float = 0.7,
    protecting: float = 0.5,
    seed: int | None = None,
) -> tuple[Activity, Profiles]:
    """Draw made-up users of groups that like different items; the group is what they keep private.

    users, items: how many. A user has about 20 records, of popular items more often.
    attribute, values: what is private, and 2 to 26 values of it; groups are about equally large.
    tilt: how far the groups' tastes are apart, so how much records betray; 0 betrays nothing.
    protecting: the share of users who protect the attribute; attackers learn from the others.
    seed: draws the same users again.

    Raises HushrankError for parameters out of range. Nobody real is in it.

    Example:
        >>> import hushrank
        >>> visits, people = hushrank.simulate_activity(users=100, items=30, seed=1)
        >>> people
        Profiles(100 users, attributes gender)
    """
    share = expect_number(protecting, "protecting")
    require(0 <= share <= 1, f"protecting: expected a share of 0..1, got {share:g}")
    require(len(set(values)) == len(values), "values: expected distinct values")
    rng = stream(expect_seed(seed), "people")
    log, groups = draw_planted(
        expect_whole(users, "users", at_least=2),
        expect_whole(items, "items", at_least=1),
        n_groups=len(values),
        tilt=expect_number(tilt, "tilt"),
        rng=rng,
    )
    (group,) = groups.attributes
    people = Profiles(
        log.users,
        (Attribute(attribute, tuple(values), group.codes),),
        {attribute: rng.random(users) < share},
    )
    return log.activity(), people
