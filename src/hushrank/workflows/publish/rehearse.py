"""Find the budget at which the worst attacker learns no more than is wanted, by rehearsing.

A release is rehearsed on users who protect nothing: as many of them as protect something, but half
at most, drawn at random, are treated as if they protected, and attacked. Of users who do protect
something only their number is looked at, so the budget tells nothing of them; decision record 32.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil, sqrt
from statistics import fmean, variance
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.rounding import places_below
from hushrank.accounting.words import as_given
from hushrank.activities.activity import Activity
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Floats, Indices, WholeNumbers
from hushrank.errors import HushrankError, require
from hushrank.evaluation.attack_targets import Targets, attacked_users
from hushrank.evaluation.attackers import attack
from hushrank.evaluation.joint_attackers import copies
from hushrank.publishing.classifiers import variance_by_chance
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import GroupPlan, HistoricalRelease, exchange_records
from hushrank.publishing.record_channel.microaggregation import pools_of
from hushrank.randomness import Randomness
from hushrank.workflows.progress import PartDone, Progress
from hushrank.workflows.results.pool_bounds import bound_of_pools
from hushrank.workflows.results.release_terms import POOLED
from hushrank.workflows.results.release_warnings import FEWEST_REHEARSED

REHEARSALS, REHEARSALS_OF_POOLS = 4, 16
"""How many: two of them at a time share no user whom they protect. Pools are not attacked."""
SURE = 0.95
"""How likely the release is to keep what is promised, if its users are like the others."""
OUTSIDE = 1.6
"""Attackers whom we lack learn so many times what ours do in rehearsals: AUC beyond one half.

Not of pooled records, where no attacker is lacking.
"""
STEPS = 5
"""How often the interval of budgets is halved."""
UNLIKE = (
    "who protects one of the private attributes has to protect all of them, as rehearsals know one"
    " group: name one attribute, or say a budget"
)
TOO_FEW = f"expected {FEWEST_REHEARSED} or more users of each value who protect nothing"

Mask: TypeAlias = NDArray[np.bool_]
Planner: TypeAlias = Callable[..., Sequence[GroupPlan]]
Protector: TypeAlias = Callable[..., ProtectedUsers]


class Attacked(NamedTuple):
    """1 - AUC of the worst attacker, and the variance of that of one who knows nothing."""

    worst: float
    chance: float


@dataclass(frozen=True)
class Trial:
    """1 - AUC of the worst attacker at a budget, by rehearsal.

    chance: the variance of 1 - AUC of an attacker who knows nothing, the mean of the rehearsals.
    """

    budget: float
    worst: tuple[float, ...]
    chance: float


@dataclass(frozen=True)
class Rehearsal:
    """The budget that was found, and what is promised of it.

    promised: with chance `sure` the worst attacker on a release has this 1 - AUC or more, if those
    who protect are like those who do not, and attackers whom we lack learn OUTSIDE times as much as
    ours in rehearsals; of pooled records it is that of the worst conceivable attacker. trials: all
    budgets tried, in order.
    Privacy: computed from users who protect nothing alone, and from how many users there are.
    """

    wanted: float
    budget: float
    promised: float
    sure: float
    users: int
    trials: tuple[Trial, ...]

    @property
    def expected(self) -> float:
        """The mean 1 - AUC of the worst attacker at the budget."""
        return fmean(self._at_budget.worst)

    @property
    def is_largest(self) -> bool:
        """Whether no budget below the largest that was searched promises enough."""
        return self.budget == self.trials[0].budget

    @property
    def is_least(self) -> bool:
        """Whether every budget that was tried promises enough."""
        return self.budget == min(trial.budget for trial in self.trials)

    @property
    def _at_budget(self) -> Trial:
        return next(trial for trial in self.trials if trial.budget == self.budget)

    def __str__(self) -> str:
        """Say what was found, and how sure it is."""
        n_rehearsals, expected = len(self._at_budget.worst), places_below(self.expected, 3)
        return (
            f"worst 1 - AUC {expected} in {n_rehearsals} rehearsals,"
            f" {places_below(self.promised, 3)} or more in {self.sure:.0%} of releases"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, JSON-ready."""
        return asdict(self) | {"expected": self.expected}


@dataclass(frozen=True, eq=False, repr=False)
class Rehearsed:
    """Some users who protect nothing, as if they protected, and whom attackers know."""

    users: ProtectedUsers
    targets: Targets
    choices: int

    def attacked(self, plan: Planner, method: str, budget: float) -> Attacked:
        """Return how the worst attacker fares on a simulated release at the budget.

        Of pooled records that is the worst conceivable one who sees them alone: a bound, in which
        chance is counted already.
        """
        rng = np.random.default_rng(self.choices)
        plans = plan(self.users, budget=budget, choices=rng)
        secret = Randomness.seeded(int(rng.integers(2**62)))
        drawn = exchange_records(self.users, plans, method, budget, rng=secret)
        if method in POOLED:
            return Attacked(bound_of_pools(self.users, drawn), 0.0)
        case = replace(self.targets.release(drawn.activity), posterior=_posterior(self, drawn))
        worst = attack(case, rng=np.random.default_rng(self.choices)).worst
        return Attacked(worst, variance_by_chance(case.values, copies(case.records)))


@dataclass(eq=False, repr=False)
class Search:
    """Budgets tried so far, each on the same parts of the users who protect nothing.

    n_protecting: how many users protect something, of whom the release is to be.
    """

    parts: Sequence[Rehearsed]
    plan: Planner
    method: str
    n_protecting: int
    progress: Progress
    trials: list[Trial] = field(default_factory=list)

    def promised_at(self, budget: float) -> float:
        """Try a budget; return the 1 - AUC that a new release has or exceeds with chance SURE.

        The variance of rehearsals is the mean of that at all budgets tried, so that one that came
        out small by chance promises nothing, and not below that of an attacker who knows nothing.
        """
        found = []
        for number, part in enumerate(self.parts):
            done = (len(self.trials) + number / len(self.parts)) / (STEPS + 1)
            self.progress(PartDone.of("rehearsing on users who protect nothing", done))
            found.append(part.attacked(self.plan, self.method, budget))
        worst, chance = tuple(each.worst for each in found), fmean(each.chance for each in found)
        self.trials.append(Trial(budget, worst, chance))
        spread = fmean(variance(trial.worst) for trial in self.trials)
        spreads = max(spread, chance), self._times_as_spread
        return lower_bound(worst, *spreads, factor=self._factor(budget))

    @property
    def n_rehearsed(self) -> int:
        """How many users are treated as if they protected, in each part."""
        return len(self.parts[0].users.rows)

    @property
    def _times_as_spread(self) -> float:
        """The variance of a release by that of a rehearsal: chance falls with users of either kind.

        Theory: docs/theory/withholding.md; of pools, docs/theory/microaggregation.md
        """
        n, n_known = self.n_rehearsed, self.parts[0].users.activity.n_users
        of_chance = n / self.n_protecting
        if self.method not in POOLED:
            return max(1.0, of_chance)
        of_learning = (1 / self.n_protecting + 1 / n_known) / (1 / n + 1 / (n_known - n))
        return max(of_chance, of_learning)

    def _factor(self, budget: float) -> float:
        """Return how many times what is learnt in rehearsals is learnt from the release.

        Of more pools more is learnt, as fewer pairs of users are in one: no attacker parts those.
        """
        if self.method not in POOLED:
            return OUTSIDE
        one, other = (1 - 1 / pools_of(n, budget) for n in (self.n_rehearsed, self.n_protecting))
        return other / one if one else 1.0


def find_budget(
    parts: Sequence[Rehearsed],
    plan: Planner,
    method: str,
    wanted: float,
    budgets: tuple[float, float],
    *,
    n_protecting: int,
    progress: Progress,
) -> Rehearsal:
    """Return the least budget tried, between the two given, that promises what is wanted.

    The interval is halved: the worst attacker learns less at a larger budget, but for noise.
    Raises HushrankError when the larger budget does not promise it.
    """
    low, high = budgets
    search = Search(parts, plan, method, n_protecting, progress)
    promised = search.promised_at(high)
    if promised < wanted:
        raise HushrankError(_out_of_reach(method, wanted, promised, high))
    for _ in range(STEPS):
        middle = (low + high) / 2
        middle = float(ceil(middle)) if method in POOLED else middle  # pools are of whole users
        found = search.promised_at(middle)
        low, high, promised = (low, middle, found) if found >= wanted else (middle, high, promised)
    return Rehearsal(wanted, high, promised, SURE, search.n_rehearsed, tuple(search.trials))


def rehearsed_parts(
    activity: Activity,
    profiles: Profiles,
    names: Sequence[str],
    protect: Protector,
    *,
    n_rehearsals: int,
    rng: np.random.Generator,
) -> Sequence[Rehearsed]:
    """Return parts, as if they protected, of the users who protect nothing and tell all of `names`.

    As many as protect something, but at most half; two at a time are drawn that share no user.
    Raises HushrankError where they are too few to rehearse anything, and where somebody protects
    some of `names` alone: rehearsals know one group.
    """
    aligned = profiles.aligned(activity.users)
    value, protects = aligned.joint(names), aligned.protects(names)
    _require_one_group(aligned, names)
    rows = np.flatnonzero(value.told & ~protects)
    counts = np.bincount(value.codes[rows], minlength=value.n_values)
    enough = len(rows) > 0 and bool((counts >= FEWEST_REHEARSED).all())
    require(enough, f"protect: {TOO_FEW}")
    share = max(protects.sum() / len(rows), FEWEST_REHEARSED / 2 / counts.min())
    shown, known = with_used_items(activity.select(rows)), aligned.select(rows)
    parts = []
    for _ in range(n_rehearsals // 2):
        for mask in _two_parts(value.codes[rows], min(share, 0.5), rng):
            asking = known.with_protected(_protecting(known, names, mask))
            targets, seed = attacked_users(asking, names), int(rng.integers(2**31))
            parts.append(Rehearsed(protect(shown, asking, rng=rng), targets, seed))
    return parts


def with_used_items(activity: Activity) -> Activity:
    """Leave out items without a record: that they exist is raw, or of others."""
    used = np.flatnonzero(activity.records_of_items)
    items = tuple(activity.items[item] for item in used)
    return Activity(activity.scores[:, used], activity.users, items)


def budget_warnings(method: str, budget: float, rehearsal: Rehearsal | None) -> tuple[str, ...]:
    """Say that a budget leaves nothing of anybody, or is an end of what was searched.

    Privacy: computed from the budget and the rehearsal, which tell nothing of who protects.
    """
    said = []
    if method == "withhold" and budget >= 1:
        said.append("Nothing is released of any user who protects something: all is withheld.")
    if rehearsal is not None and rehearsal.is_largest:
        said.append(
            f"The budget found, {as_given(budget)}, is the largest that was searched: no smaller"
            f" one that was tried promises a worst 1 - AUC of {as_given(rehearsal.wanted)}. To keep"
            " more of the activity, ask for less protection."
        )
    elif rehearsal is not None and rehearsal.is_least:
        said.append(
            f"The budget found, {as_given(budget)}, is the least that was searched, and promises a"
            f" worst 1 - AUC of {places_below(rehearsal.promised, 3)}: more protection than you"
            " asked for may cost little."
        )
    return tuple(said)


def lower_bound(
    worst: Sequence[float], spread: float, times_as_spread: float = 1.0, *, factor: float = OUTSIDE
) -> float:
    """Return what a release has or exceeds with chance SURE; spread: the variance of a rehearsal.

    What is learnt is taken `factor` times, and so is the error of its mean; a release has
    `times_as_spread` the variance.
    Theory: docs/theory/withholding.md
    Source: the prediction interval of a normal sample, Student's t; the factor is measured.
    """
    from scipy.stats import t

    n, learnt = len(worst), max(0.0, 0.5 - fmean(worst))
    reserve = float(t.ppf(SURE, n - 1)) * sqrt(spread * (times_as_spread + factor**2 / n))
    return 0.5 - factor * learnt - reserve


def _require_one_group(profiles: Profiles, names: Sequence[str]) -> None:
    """Raise HushrankError unless whoever protects one of `names` protects all of them."""
    asks = profiles.protects(names)
    is_one = all(np.array_equal(profiles.protects([name]), asks) for name in names)
    require(is_one, f"protect: {UNLIKE}")


def _two_parts(codes: WholeNumbers, share: float, rng: np.random.Generator) -> tuple[Mask, Mask]:
    """Return two parts of the users (users,) with that share of each value, apart, at random."""
    masks = np.zeros((2, len(codes)), dtype=np.bool_)
    for code in np.unique(codes):
        own = rng.permutation(np.flatnonzero(codes == code))
        n = ceil(share * len(own))
        masks[0, own[:n]] = masks[1, own[n : 2 * n]] = True
    return masks[0], masks[1]


def _protecting(profiles: Profiles, names: Sequence[str], mask: Mask) -> Mapping[str, Mask]:
    nobody = dict.fromkeys(profiles.names, np.zeros_like(mask))
    return {**nobody, **dict.fromkeys(names, mask)}


def _posterior(part: Rehearsed, drawn: HistoricalRelease) -> Floats:
    """Return what the channel says of each released record (users, values)."""
    (plan,), users = drawn.plans, part.users
    sources: Indices = drawn.sources[users.rows]
    among = np.where(sources < 0, sources, np.searchsorted(users.rows, sources))
    return plan.posterior[among]


def _out_of_reach(method: str, wanted: float, promised: float, budget: float) -> str:
    at_most = "where every record is withheld" if method == "withhold" else f"at {as_given(budget)}"
    instead = (
        "nothing is told there, and some attacker is as lucky by chance: ask for less"
        if method == "withhold"
        else "to withhold every record (method withhold, budget 1) tells nothing"
    )
    return (
        f"protect: no budget of {method} keeps a worst 1 - AUC of {as_given(wanted)}; by rehearsals"
        f" on users who protect nothing, {at_most} one of"
        f" {places_below(max(promised, 0.0), 3)} could be promised; {instead}"
    )
