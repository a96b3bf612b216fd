"""What the figures of a release do not show by themselves: said to its owner alone."""

from collections.abc import Iterator, Sequence

from hushrank.accounting.words import as_given, loss_in_words
from hushrank.activities.attribute import Attribute
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import ChangedUsers, GroupPlan
from hushrank.workflows.results.release_terms import ReleaseTerms
from hushrank.workflows.results.useful_budgets import useful_in_words

FEWEST_TELL, FEWEST_OF_A_VALUE = 50, 10
"""With fewer, leakage is not judged: of three users, any release tells 0.0000 bits."""
FEWEST_REHEARSED = 20
"""Users of each value who protect nothing, for `protect`: five of a fold, in each half."""
WITHHOLDING = (
    "Compare with withholding: of whom nothing is released, nothing is told, and what is popular"
    " can still be recommended; evaluate says what that is worth beside this release."
)
NOTHING, LEFT_OVER = 1e-6, 1 - 1e-6


def values_told(users: ProtectedUsers, plan: GroupPlan) -> Attribute:
    """Return the private values of a group, as far as its users tell them."""
    return users.values(plan.names, plan.users)


def who_pays(plan: GroupPlan, changed: Sequence[ChangedUsers]) -> str:
    """Say how many users of each value have another's record, a pool's or none: a sentence."""
    parts = ", ".join(f"{each.value} {_percent(each)}" for each in changed)
    with_what = "their pool's mean record" if plan.is_pooled else "another's record or none"
    if all(each.withheld == each.changed for each in changed) and any(e.changed for e in changed):
        with_what, parts = (
            "nothing",
            ", ".join(f"{e.value} {_share(e.changed, e)}" for e in changed),
        )
    return f"Released with {with_what}, by {', '.join(plan.names)}: {parts}."


def _percent(each: ChangedUsers) -> str:
    none = f" (none: {_share(each.withheld, each)})" if each.withheld else ""
    return _share(each.changed, each) + none


def _share(users: int, each: ChangedUsers) -> str:
    return f"{100 * users / each.users:.0f} %"


def is_judged(users: ProtectedUsers, plan: GroupPlan) -> bool:
    """Tell whether enough users tell their value for a leakage to mean something."""
    counts = values_told(users, plan).counts
    return bool(counts.sum() >= FEWEST_TELL and counts.min() >= FEWEST_OF_A_VALUE)


def warnings_of(
    terms: ReleaseTerms, users: ProtectedUsers, plans: Sequence[GroupPlan]
) -> Iterator[str]:
    """Yield what the owner should know before handing the release over. Privacy: raw."""
    for plan in plans:
        if not is_judged(users, plan):
            yield _too_few(users, plan)
    budget = terms.settled_budget
    if terms.method == "privrank" and all(_is_all_hidden(plan, budget) for plan in plans):
        used = max(plan.expected_distortion for plan in plans)
        words = useful_in_words(terms.method, terms.distance, users.activity)
        yield (
            f"A budget of {as_given(budget)} is more than can be used: at"
            f" {loss_in_words(used, 2)} already nothing of what was learnt is told, and"
            " records have little to do with their users"
            f"{words and '; '}{words}."
        )


def _is_all_hidden(plan: GroupPlan, budget: float) -> bool:
    used_up = plan.expected_distortion >= LEFT_OVER * budget
    return plan.leaked.leakage_bits < NOTHING and not used_up


def _too_few(users: ProtectedUsers, plan: GroupPlan) -> str:
    counts = values_told(users, plan).counts
    named, each = ", ".join(plan.names), f"{FEWEST_OF_A_VALUE} of each value"
    return (
        f"Only {counts.sum():,} of {len(plan.users):,} protected users tell their {named}: what is"
        f" told of it cannot be judged with fewer than {FEWEST_TELL}, {each}, and a figure of 0"
        " would be no comfort."
    )
