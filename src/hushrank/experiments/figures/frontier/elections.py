"""The frontier on the complete ballots of elections, with the same recipe as everywhere."""

from collections.abc import Sequence

from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.figures.frontier.epsilon import (
    DEAR,
    QUICK_EPSILONS,
    WITH_SHORT_CUT,
    frontier_views,
)
from hushrank.experiments.on_rankings.frontier import Spot, added_at, against_epsilon
from hushrank.experiments.populations import Populations, election

ELECTIONS = (
    election("dublin-north", "Dublin North 2002", "00001-00000001.soi"),
    election("meath", "Meath 2002", "00001-00000003.soi"),
    election("debian-2002", "Debian leader 2002", "00002-00000001.soi"),
    election("debian-2003", "Debian leader 2003", "00002-00000002.soi"),
    election("debian-2005", "Debian leader 2005", "00002-00000003.soi"),
    election("debian-2006", "Debian leader 2006", "00002-00000004.soi"),
    election("debian-2007", "Debian leader 2007", "00002-00000005.soi"),
    election("debian-2010", "Debian leader 2010", "00002-00000006.soi"),
    election("debian-2012", "Debian leader 2012", "00002-00000007.soi"),
    election("burlington-2006", "Burlington 2006", "00005-00000001.toi"),
    election("burlington-2009", "Burlington 2009", "00005-00000002.toi"),
    election("aspen", "Aspen mayor 2009", "00016-00000002.toi"),
    election("berkeley", "Berkeley 2010", "00017-00000001.toi"),
    election("san-francisco", "San Francisco 2008", "00021-00000004.toi"),
    election("apa-1998", "APA 1998", "00028-00000001.soi"),
    election("apa-2003", "APA 2003", "00028-00000006.soi"),
    election("apa-2009", "APA 2009", "00028-00000012.soi"),
    election("uk-labour", "UK Labour 2010", "00030-00000001.soi"),
)
"""Those of PrefLib's files at hand in which 100 or more ballots are complete."""
COLUMNS_OF_PANELS = 6
EPSILONS = (0.1, 0.4, 1.0, 2.0, 4.0, 8.0)
LONG_ITEMS, LONG_REPETITIONS = 12, 4
"""A model of so many items takes seconds to fit, and longer to exact answers."""


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all protocols, elections and epsilons."""
    return [each for spot in spots(people, quick) for each in _measurements(spot)]


def spots(people: Populations, quick: bool) -> Sequence[Spot]:
    """Return everybody of each election, at each epsilon."""
    return against_epsilon(people, QUICK_EPSILONS if quick else EPSILONS)


def _measurements(spot: Spot) -> Sequence[Measurement]:
    is_long = spot.crowd.everybody.n_items >= LONG_ITEMS
    return [
        *spot.references(1 if is_long else None),
        *spot.ours(LONG_REPETITIONS if is_long else None),
        *spot.safari(),
        *spot.whole_rankings((*WITH_SHORT_CUT, *DEAR)),
        *spot.orders(),
    ]


ROWS = [
    ELECTIONS[start : start + COLUMNS_OF_PANELS]
    for start in range(0, len(ELECTIONS), COLUMNS_OF_PANELS)
]
VIEWS = [frontier_views(row) for row in ROWS]

FRONTIER_ELECTIONS = Experiment(
    name="frontier-elections",
    title="Complete ballots of elections, every protocol against ε: rows (above), order (below)",
    shows="Q2 distance and excess of every protocol against epsilon, on complete ballots",
    x_label="ε (nats a person)",
    views=(*(distances for distances, _ in VIEWS), *(excesses for _, excesses in VIEWS)),
    plan=plan,
    plan_further=added_at(spots),
    populations=ELECTIONS,
    repetitions=5,
    has_log_x=True,
)
