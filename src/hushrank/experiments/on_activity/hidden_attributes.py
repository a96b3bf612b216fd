"""Users of made-up transactions, some of whose items are private attributes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.private_items import hide_items
from hushrank.activities.profiles import Profiles
from hushrank.activities.transactions import Patterns, draw_transactions
from hushrank.errors import HushrankError
from hushrank.experiments.experiment import Draws, Quantity
from hushrank.experiments.on_activity.attribute_attacks import attacks_on_each
from hushrank.experiments.on_activity.platforms import Platform
from hushrank.experiments.on_activity.publishing_measurements import (
    PublishingMeasurements,
    PublishingMethod,
)
from hushrank.experiments.populations import DrawnPopulation

N_USERS, N_ITEMS, MEAN_ITEMS = 1000, 200, 30
PATTERNS = Patterns(n_patterns=200, length=8)
"""With the 10,000 of the generator, of so few items, users would hardly differ in taste."""
QUICK_USERS = 300
FEWEST = 0.1
"""At least this part of the users has each value: an item of few users could not be attacked."""
MOST_DRAWN = 1000


@dataclass(frozen=True, eq=False, repr=False)
class HiddenAttributeMeasurements:
    """Releases in which half of the users protect attributes of these domain sizes.

    Which items the attributes are made of is drawn anew for each repetition.
    """

    transactions: Activity
    domain_sizes: Sequence[int]
    kept: dict[bytes, PublishingMeasurements] = field(default_factory=dict)

    def published(self, method: PublishingMethod, draws: Draws) -> dict[Quantity, float]:
        """Release by `method`; return means over the attributes, and how well it recommends."""
        measure = self._measure(draws.synthesis)
        found, precision = attacks_on_each(measure, measure.names, method, draws)
        attacks = list(found.values())
        return {
            "worst": float(np.mean([each["worst"] for each in attacks])),
            "SVM": float(np.mean([each["SVM"] for each in attacks])),
            "MAP": precision,
        }

    def _measure(self, rng: np.random.Generator) -> PublishingMeasurements:
        key = rng.bit_generator.seed_seq.generate_state(4).tobytes()
        if key not in self.kept:
            platform = hidden(self.transactions, self.domain_sizes, rng=rng)
            self.kept[key] = PublishingMeasurements(platform, platform.profiles.names)
        return self.kept[key]


def hidden(
    transactions: Activity, domain_sizes: Sequence[int], *, rng: np.random.Generator
) -> Platform:
    """Draw attributes one after the other, each until a tenth of the users have each value.

    Raises HushrankError where none of 1,000 drawn ones is so.
    """
    public, attributes = transactions, []
    for n_values in domain_sizes:
        public, attribute = _attribute(public, n_values, rng)
        attributes.append(attribute)
    return Platform(public, Profiles.protecting_all(public.users, attributes))


def _attribute(
    public: Activity, n_values: int, rng: np.random.Generator
) -> tuple[Activity, Attribute]:
    for _ in range(MOST_DRAWN):
        rest, profiles = hide_items(public, [n_values], rng=rng)
        (attribute,) = profiles.attributes
        if attribute.counts.min() >= FEWEST * public.n_users:
            return rest, attribute
    raise HushrankError("expected items that more users have, and more that have not")


def _part(activity: Activity, quick: np.random.Generator | None) -> Activity:
    """Return the first users where `quick`: they are drawn independently."""
    return activity if quick is None else activity.select(np.arange(QUICK_USERS))


def _drawn(rng: np.random.Generator) -> Activity:
    return draw_transactions(N_USERS, N_ITEMS, mean_items=MEAN_ITEMS, patterns=PATTERNS, rng=rng)


TRANSACTIONS = DrawnPopulation("transactions", "synthetic transactions", _drawn, _part)
