"""Learn what a population prefers without learning what anyone prefers.

    people = hushrank.read_rankings("people.soc")
    learnt = hushrank.collect(people, epsilon=4)
    print(learnt.items, learnt.privacy)

Three doors: `collect` learns from perturbed answers of people who trust nobody; `aggregate` sums up
ballots that somebody holds; `publish` (and `publish_online`) hand over activity data. `plan` says
what to expect before anybody is asked, `attack` and `evaluate` judge a release, and `simulate` and
`simulate_activity` make people up. Everything is imported when it is first used. Begin with
docs/python.md, which shows it all; docs/contributing.md says where is what.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hushrank.errors import HushrankError

if TYPE_CHECKING:
    from hushrank.activities.activity import Activity
    from hushrank.activities.activity_files import read_activity, write_activity
    from hushrank.activities.profile_files import read_profiles, write_profiles
    from hushrank.activities.profiles import Profiles
    from hushrank.rankings.files import read_rankings, write_rankings
    from hushrank.rankings.profile import Rankings
    from hushrank.workflows.aggregate import aggregate
    from hushrank.workflows.collect import collect
    from hushrank.workflows.judge import attack, evaluate
    from hushrank.workflows.plan.plan import plan
    from hushrank.workflows.publish.historical import Release, hold_out, publish
    from hushrank.workflows.publish.online import publish_online
    from hushrank.workflows.results.collection import Collection
    from hushrank.workflows.results.consensus.consensus import Consensus
    from hushrank.workflows.simulate import simulate
    from hushrank.workflows.simulate_activity import simulate_activity

__all__ = [
    "Activity",
    "Collection",
    "Consensus",
    "HushrankError",
    "Profiles",
    "Rankings",
    "Release",
    "aggregate",
    "attack",
    "collect",
    "evaluate",
    "hold_out",
    "plan",
    "publish",
    "publish_online",
    "read_activity",
    "read_profiles",
    "read_rankings",
    "simulate",
    "simulate_activity",
    "write_activity",
    "write_profiles",
    "write_rankings",
]
__version__ = "0.1.0"

_HOMES = {
    "activities.activity": ("Activity",),
    "activities.activity_files": ("read_activity", "write_activity"),
    "activities.profile_files": ("read_profiles", "write_profiles"),
    "activities.profiles": ("Profiles",),
    "rankings.files": ("read_rankings", "write_rankings"),
    "rankings.profile": ("Rankings",),
    "workflows.aggregate": ("aggregate",),
    "workflows.collect": ("collect",),
    "workflows.results.collection": ("Collection",),
    "workflows.results.consensus.consensus": ("Consensus",),
    "workflows.judge": ("attack", "evaluate"),
    "workflows.plan.plan": ("plan",),
    "workflows.publish.historical": ("Release", "hold_out", "publish"),
    "workflows.publish.online": ("publish_online",),
    "workflows.simulate": ("simulate",),
    "workflows.simulate_activity": ("simulate_activity",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: `import hushrank` costs next to nothing."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hushrank' has no attribute {name!r}")
    found = getattr(import_module(f"hushrank.{_HOME_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Name what can be used, imported or not."""
    return sorted([*__all__, "__version__"])
