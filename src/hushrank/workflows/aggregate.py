"""Sum ballots up in one order, with or without differential privacy."""

from typing import get_args

from hushrank.aggregators.raw_order import Ballots
from hushrank.aggregators.registry import AggregationTerms, MethodName, method_named
from hushrank.errors import require
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked
from hushrank.workflows.arguments import (
    expect,
    expect_callable,
    expect_number,
    expect_seed,
    loss_if_any,
)
from hushrank.workflows.progress import AtMost, Progress, silent
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.seeds import secret_words, stream


def aggregate(
    ballots: Rankings,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    method: MethodName | None = None,
    unranked: Unranked | None = None,
    time_limit: float = 60.0,
    seed: int | None = None,
    progress: Progress = silent,
) -> Consensus:
    """Sum the ballots up in one order of their items, best first.

    With an epsilon a trusted curator, whoever calls this, protects each ballot against all who see
    the result; without one the order is computed from the raw ballots and protects nobody.

    ballots: complete or not, strict or not; see `hushrank.read_rankings`. The list of items is
        treated as public. `p-borda` and `p-borda-hist` take complete strict ballots only.
    epsilon: the privacy loss of one ballot added or removed, in nats. Every further call on the
        same ballots costs its epsilon again.
    delta: the probability of a larger loss, such as 1e-6; needed by `gaussian-borda` and
        `gaussian-kemeny`, welcome to `auto`, refused by all others.
    method: `auto` unless told, or `kemeny`, the exact optimum, without an epsilon. Private:
        `auto`, `p-borda`, `p-borda-centred`, `p-borda-knorm`, `p-borda-hist`, `p-sort`,
        `dp-kwiksort`, `p-sample`, `gaussian-borda`, `gaussian-kemeny`. Not private: `kemeny`,
        `borda`, `kwiksort`.
    unranked: an item that a ballot leaves out comes `last`, or says nothing (`unknown`). None: as
        `ballots.unranked` has it, which is `last` but for scores.
    time_limit: seconds for an exact optimum; after them the best order found counts.
    seed: repeats pivots and noise, and the result is not private. None: the noise is secret.
    progress: called with what is being done.

    Guarantee: (epsilon, delta)-differential privacy, delta 0 where none is given, when one ballot
    is added or removed: `Consensus.privacy` says it in words. How long it takes is not protected.
    Raises HushrankError, before anything is drawn, where method, budget and ballots do not go
    together, and TypeError, which names the argument, for a value of a wrong type.
    Source: Kemeny (Daedalus 1959); Hay, Elagina, Miklau (SDM 2017), and as each method says.

    Example:
        >>> import hushrank
        >>> ballots = hushrank.simulate("mallows", people=1000, items=5, seed=1)
        >>> consensus = hushrank.aggregate(ballots, epsilon=0.5)
        >>> sorted(consensus.items)
        ['1', '2', '3', '4', '5']
        >>> consensus.is_private
        True
        >>> 0 <= consensus.compared_with(ballots).excess <= 1  # from the raw ballots: for you alone
        True
    """
    expect(ballots, Rankings, "ballots", "hushrank.read_rankings")
    expect_callable(progress, "progress")
    if method is not None:
        expect(method, str, "method")
    epsilon, delta = loss_if_any(epsilon, "epsilon"), loss_if_any(delta, "delta")
    time_limit, seed = expect_number(time_limit, "time_limit"), expect_seed(seed)
    unranked, known = ballots.unranked if unranked is None else unranked, get_args(Unranked)
    require(unranked in known, f"expected unranked {' or '.join(known)}, got {unranked}")
    require(time_limit > 0, f"expected a positive time_limit in seconds, got {time_limit}")
    chosen = method_named(method, epsilon=epsilon, delta=delta)
    looks = "drop: items below a share are told by the raw ballots: name them instead"
    require(not (ballots.by_share and epsilon is not None), looks)
    progress("counting who puts which item before which")
    given = Ballots(ballots, majority(ballots, unranked=unranked), unranked)
    progress(AtMost.of("aggregating", time_limit) if chosen.is_timed else "aggregating")
    terms = AggregationTerms(epsilon, delta, time_limit, secret_words(seed), stream(seed, "pivots"))
    return Consensus(chosen.run(given, terms), ballots.names, chosen.name, unranked)
