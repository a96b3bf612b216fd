"""Judge a release as strangers would: what attackers learn from it, how well it recommends.

Both verbs compare raw activity with what was released of it: their results are for its owner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Protocol, get_args

import numpy as np

from hushrank.accounting.rounding import places_below
from hushrank.activities.activity import Activity
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.evaluation import attackers
from hushrank.evaluation.attack_targets import attacked_users
from hushrank.evaluation.attackers import Attacks
from hushrank.evaluation.recommendation.foretelling import Precision, Recommender, foretelling
from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.workflows.arguments import (
    expect,
    expect_attributes,
    expect_callable,
    expect_seed,
    expect_whole,
)
from hushrank.workflows.progress import Progress, parts_of, silent
from hushrank.workflows.results.words import as_text

OWNERS = "From raw data: for you, protected by nothing."
RECOMMENDERS = {
    "before": "on activity as it is",
    "after": "on released",
    "popularity": "popularity",
    "listed": "released scores as a list, then popularity",
    "withheld": "on released, popularity for users changed",
}


class HasActivity(Protocol):
    """A release, as `hushrank.publish` returns it, as far as it is judged here."""

    @property
    def activity(self) -> Activity:
        """What was released."""

    @property
    def private(self) -> Sequence[str]:
        """The attributes that were hidden."""


class ChannelKnowledge(Protocol):
    """What whoever knows the channel concludes from released records."""

    def chances_of(self, users: tuple[str, ...], values: tuple[str, ...]) -> Floats:
        """Return P(value | released record) (users, values) of these users and values."""


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult:
    """What attackers learn of `private`, from activity as it is and from what was released.

    All figures are 1 - AUC: 0.5 = a coin's guess, 0 = all is known.
    Privacy: computed from raw data, for the owner of it alone.
    """

    private: tuple[str, ...]
    n_protected: int
    n_open: int
    before: Attacks
    after: Attacks

    def __repr__(self) -> str:
        """Say the size, none of the figures."""
        return f"AttackResult({len(self.after.areas)} attackers of {self.n_protected} users)"

    def __str__(self) -> str:
        """Say what attackers reach, for `print`."""
        return as_text(self.summary, OWNERS)

    @property
    def worst(self) -> float:
        """1 - AUC of the strongest attacker on what was released: the figure that counts."""
        return self.after.worst

    @property
    def worst_untouched(self) -> float:
        """1 - AUC of the strongest attacker on activity as it is."""
        return self.before.worst

    @property
    def strongest(self) -> str:
        """The attacker who learns most from what was released."""
        return self.after.strongest

    @property
    def untouched(self) -> dict[str, float]:
        """1 - AUC of each attacker on activity as it is."""
        return {name: 1 - area for name, area in self.before.areas.items()}

    @property
    def released(self) -> dict[str, float]:
        """1 - AUC of each attacker on what was released."""
        return {name: 1 - area for name, area in self.after.areas.items()}

    @property
    def summary(self) -> dict[str, str]:
        """What a table for people says: 1 - AUC by attacker, rounded down, the worst last."""
        released = self.released | {"worst": self.worst}
        return {name: places_below(value, 3) for name, value in released.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return all figures, JSON-ready."""
        return {
            "private": list(self.private),
            "protected_users": self.n_protected,
            "open_users": self.n_open,
            "untouched": self.untouched,
            "released": self.released,
            "worst_untouched": self.worst_untouched,
            "worst": self.worst,
            "strongest": self.strongest,
        }

    def to_frame(self) -> Any:
        """Return a row an attacker: a pandas DataFrame, or an Arrow table without pandas."""
        return to_frame(self._columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame` over to whatever speaks the Arrow C stream interface."""
        return arrow_stream(self._columns, requested_schema)

    def _repr_html_(self) -> str:
        return _notebook(f"1 - AUC of {', '.join(self.private)}, released", self.summary)

    @property
    def _columns(self) -> Values:
        return {
            "attacker": list(self.released),
            "untouched": [self.untouched.get(name) for name in self.released],
            "released": list(self.released.values()),
        }


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResult:
    """Mean average precision of what was held out, by what a recommender was trained on.

    before: activity as it is; after: what was released; popularity: the same for everybody.
    listed: each user's released record itself, the items of the largest scores first.
    withheld: what was released, and popularity for users whose record changed: as if nothing had
    been released of them, which tells nothing of them.
    Privacy: computed from raw data, for the owner of it alone.
    """

    before: Precision
    after: Precision
    popularity: Precision
    listed: Precision
    withheld: Precision
    n_users: int
    n_changed_users: int

    def __repr__(self) -> str:
        """Say the size, none of the figures."""
        return f"EvaluationResult({self.n_users} users, {self.n_changed_users} of them changed)"

    def __str__(self) -> str:
        """Say how well recommenders do, for `print`."""
        return as_text(self.summary, OWNERS)

    @property
    def map(self) -> Mapping[str, Precision]:
        """The precisions by recommender."""
        return {name: getattr(self, name) for name in RECOMMENDERS}

    @property
    def summary(self) -> dict[str, str]:
        """What a table for people says: the precision of all users by recommender."""
        return {RECOMMENDERS[name]: f"{each.all_users:.4f}" for name, each in self.map.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the table does not say by itself: a recommender that knows nobody does better."""
        beaten = {"before": "activity as it is", "after": "the release"}
        said = [
            f"Popularity, the same list for everybody, does better than what learns from {words}."
            for name, words in beaten.items()
            if self.map[name].all_users < self.popularity.all_users
        ]
        return (*said, *self._cost_of_changes)

    @property
    def _cost_of_changes(self) -> tuple[str, ...]:
        """Say that users whose record changed were better off if nothing was released of them."""
        after, popular = self.after.changed_users, self.popularity.changed_users
        if after is None or popular is None or after >= popular:
            return ()
        return (
            f"The {self.n_changed_users:,} users whose record changed have {after:.4f}, and"
            f" {popular:.4f} from popularity: withholding their records, which tells nothing of"
            " them, would serve them better.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all figures, JSON-ready."""
        numbers = {name: asdict(each) for name, each in self.map.items()}
        return {"map": numbers, "users": self.n_users, "changed_users": self.n_changed_users}

    def to_frame(self) -> Any:
        """Return a row a recommender: a pandas DataFrame, or an Arrow table without pandas."""
        return to_frame(self._columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame` over to whatever speaks the Arrow C stream interface."""
        return arrow_stream(self._columns, requested_schema)

    def _repr_html_(self) -> str:
        return _notebook("Mean average precision", self.summary)

    @property
    def _columns(self) -> Values:
        return {
            "recommender": list(self.map),
            "all_users": [each.all_users for each in self.map.values()],
            "changed_users": [each.changed_users for each in self.map.values()],
        }


def attack(
    activity: Activity,
    released: Activity | HasActivity,
    profiles: Profiles,
    *,
    private: Sequence[str] | None = None,
    posterior: ChannelKnowledge | None = None,
    seed: int | None = 0,
    progress: Progress = silent,
) -> AttackResult:
    """Let all attackers guess a private value, from activity as it is and from what was released.

    Attackers are taught on users who do not protect the attribute, or on released records of
    protected users whose value leaked. The strongest one, `worst`, is what counts.

    activity, profiles: as `hushrank.read_activity` and `hushrank.read_profiles` return them; some
        users, not all of one value, must not protect the attribute, and of those who do at least 5
        must have each value that one of them has.
    released: what `hushrank.publish` returned, or the released activity.
    private: the attributes to guess, several jointly; those that the release hides unless told.
    posterior: what the channel tells, for an attacker who knows it too: the `posterior` of
        `release.compared_with(activity, profiles)`.
    seed: the attackers' own; it protects nobody. progress: called with what is being done.
    Privacy: the result is computed from raw data, for their owner alone.
    Raises TypeError, which names the argument, for a value of a wrong type, and HushrankError when
    attackers have nobody to learn from or nobody to attack, others were released, or scikit-learn
    is missing.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), 1 - AUC; retraining and the stack are ours.

    Example:
        >>> import hushrank, numpy
        >>> from hushrank.activities.planted import draw_planted
        >>> log, people = draw_planted(400, 60, tilt=0.7, rng=numpy.random.default_rng(1))
        >>> visits = log.activity()
        >>> people = people.with_protected({"group": numpy.arange(400) % 2 == 0})
        >>> release = hushrank.publish(visits, people, private=["group"], budget=0.05, seed=1)
        >>> found = hushrank.attack(visits, release, people)
        >>> found.worst_untouched < found.worst <= 0.5
        True
    """
    expect(activity, Activity, "activity", "hushrank.read_activity")
    expect(profiles, Profiles, "profiles", "hushrank.read_profiles")
    expect_callable(progress, "progress")
    seed = expect_seed(seed)
    if posterior is not None and not hasattr(posterior, "chances_of"):
        got = type(posterior).__name__
        raise TypeError(f"posterior: expected that of a comparison of a release, got {got}")
    raw, seen = _side_by_side(activity, _released_activity(released, activity))
    names = _attributes(released, private)
    targets = attacked_users(profiles.aligned(activity.users), names)
    known = targets.release(seen)
    if posterior is not None:
        of_users = tuple(activity.users[row] for row in targets.protected)
        known = replace(known, posterior=posterior.chances_of(of_users, targets.values))
    attacked = parts_of(progress, "attacking activity as it is")
    rng = np.random.default_rng(seed)
    before = attackers.attack(targets.release(raw), rng=rng, tell=attacked)
    attacked = parts_of(progress, "attacking what was released")
    after = attackers.attack(known, rng=np.random.default_rng(seed), tell=attacked)
    return AttackResult(names, len(targets.protected), len(targets.open_users), before, after)


def evaluate(
    activity: Activity,
    released: Activity | HasActivity,
    *,
    held_out: Activity,
    recommender: Recommender = "bpr",
    repetitions: int = 1,
    seed: int | None = 0,
    progress: Progress = silent,
) -> EvaluationResult:
    """Say how well a recommender that sees a release foretells what was held out of it.

    A recommender is trained on the activity without what was held out, and on what was released;
    mean average precision says how high it ranks what was held out. What a user was seen to do is
    not ranked, and users whose record changed are shown apart.

    activity: as `hushrank.read_activity` returns it.
    released: what `hushrank.publish` returned, or the released activity; it was made of the
        activity without what is held out.
    held_out: records of the activity, see `hushrank.workflows.publish.historical.hold_out`.
    recommender: `bpr`, Bayesian personalised ranking, which the paper has; or `ease`, a linear
        model of items, which learns much more from a record, of 10,000 items at most.
    repetitions: how often `bpr` is trained; the mean counts.
    seed: the recommender's own; it protects nobody. progress: called with what is being done.
    Privacy: the result is computed from raw data, for their owner alone.
    Raises TypeError, which names the argument, for a value of a wrong type, and HushrankError when
    what was held out is no part of the activity, or stands in the release.
    Source: Rendle, Freudenthaler, Gantner, Schmidt-Thieme (UAI 2009), BPR; Steck (WWW 2019), EASE.

    Example:
        >>> import hushrank, numpy
        >>> from hushrank.activities.planted import draw_planted
        >>> from hushrank.workflows.publish.historical import hold_out
        >>> log, people = draw_planted(400, 60, tilt=0.7, rng=numpy.random.default_rng(1))
        >>> visits = log.activity()
        >>> kept, held_out = hold_out(visits, seed=2)
        >>> release = hushrank.publish(kept, people, private=["group"], budget=0.05, seed=1)
        >>> found = hushrank.evaluate(visits, release, held_out=held_out)
        >>> 0 < found.after.all_users < 1
        True
    """
    expect(activity, Activity, "activity", "hushrank.read_activity")
    expect(held_out, Activity, "held_out", "hushrank.read_activity")
    expect_callable(progress, "progress")
    repetitions = expect_whole(repetitions, "repetitions", at_least=1)
    seed = expect_seed(seed)
    known = get_args(Recommender)
    require(recommender in known, f"recommender: expected one of {', '.join(known)}")
    trial = foretelling(activity, _released_activity(released, activity), held_out)
    trained = parts_of(progress, "training on activity as it is")
    train = partial(trial.by_training, recommender=recommender, repetitions=repetitions, seed=seed)
    before = train(trial.seen, tell=trained)
    trained = parts_of(progress, "training on what was released")
    after = train(trial.released, tell=trained)
    popular, n_changed = trial.by_popularity(), int(trial.is_changed.sum())
    withheld = trial.withholding(after, popular)
    found = before, after, popular, trial.by_list(), withheld
    return EvaluationResult(*found, activity.n_users, n_changed)


def _released_activity(released: Activity | HasActivity, activity: Activity) -> Activity:
    """Return what was released of an activity; raise TypeError, which names the argument.

    Raises HushrankError where it has other users: left out, they would tell nothing.
    """
    found = released if isinstance(released, Activity) else getattr(released, "activity", None)
    if not isinstance(found, Activity):
        got = type(released).__name__
        raise TypeError(f"released: expected a Release or an Activity, got {got}")
    n_others = len(set(found.users) - set(activity.users))
    require(n_others == 0, f"released: expected users of the activity, got {n_others} others")
    return found


def _side_by_side(activity: Activity, released: Activity) -> tuple[Activity, Activity]:
    """Return both with the users of the activity and the items of either: attackers see all."""
    known = set(activity.items)
    items = (*activity.items, *(item for item in released.items if item not in known))
    return activity.aligned(activity.users, items), released.aligned(activity.users, items)


def _attributes(released: Activity | HasActivity, private: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes to guess; raise TypeError where they are not a list of names."""
    if private is None:
        hidden = () if isinstance(released, Activity) else tuple(released.private)
        require(hidden, "private: expected the attributes to guess: an Activity does not name them")
        return hidden
    return expect_attributes(private)


def _notebook(title: str, rows: Mapping[str, str]) -> str:
    from hushrank.reports.notebook import notebook_html

    return notebook_html(title, rows, notes=[OWNERS])
