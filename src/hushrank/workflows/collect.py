"""Collect rankings privately: run a protocol on everybody's device, and say what was learnt."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any, Unpack

from hushrank.accounting.rounding import at_most
from hushrank.accounting.spend import Spend
from hushrank.engines.local import held_to, run, simulate
from hushrank.engines.outcome import Outcome
from hushrank.engines.shuffler import forward, priced
from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters
from hushrank.protocols.distributions.max_entropy import MOST_ITEMS
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.registry import (
    DEFAULT,
    EVERY_OPTION,
    NamedProtocol,
    ProtocolOptions,
    make_protocol,
)
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties
from hushrank.workflows.arguments import (
    expect,
    expect_callable,
    expect_flag,
    expect_seed,
    loss_if_any,
)
from hushrank.workflows.progress import PartDone, Progress, silent
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.seeds import secret_words, stream
from hushrank.workflows.shuffled import Terms, Trust


def collect(
    people: Rankings,
    epsilon: float | None = None,
    *,
    protocol: str | NamedProtocol = DEFAULT,
    shuffled: bool = False,
    central_epsilon: float | None = None,
    delta: float | None = None,
    seed: int | None = None,
    short_cut: bool = False,
    progress: Progress = silent,
    **options: Unpack[ProtocolOptions],
) -> Collection:
    """Let everybody answer privately on a device of their own; return what the reports taught.

    A simulation of a collection: `people` holds what each person would tell their own device, and
    nothing but perturbed reports leaves it.

    people: complete strict rankings, see `hushrank.read_rankings`; `max-entropy` also takes such
        as leave items out, with the option `unranked`.
    epsilon: the most that any person's privacy costs over all rounds, in nats; in (0, 1000]. It is
        local: it holds against everybody. None: only where `shuffled` with a central_epsilon.
    protocol: `max-entropy` (ours, the default: a model of all rankings from one tiny question a
        person, up to 50 items), `safari`, `grr`, `rappor`, `sh`, `olh` (models); `order`
        (ours for one order), `pairs`, `ldp-kwiksort-rr`, `ldp-kwiksort-lap`, `subset-order` (one
        order); a plug-in's name; or a
        protocol of `hushrank.protocols.registry` with its options settled.
    shuffled: another trust model: a shuffler stands between people and collector, and forwards all
        reports of a round in random order and nothing else. Against whoever sees only that, the
        same reports cost (central_epsilon, delta), see docs/theory/shuffling.md; without epsilon,
        people report at the largest local one that is certified. delta: 1e-6 unless told.
    seed: repeats a simulation, and the result protects nobody. None: noise from the operating
        system's CSPRNG.
    short_cut: draw tallies instead of reports: exact in distribution, fast, protects nobody.
    progress: called with what is being done.
    options: of the protocol. max-entropy: `prior` (safe, typical), `rows` (herded, independent),
        `unranked` (refused, unknown, last), `popular_orders`; safari: `leaf_size`, `split` (budget,
        people), `shrink`, `mechanism`, `post_process` (simplex, clip); grr, rappor, sh, olh:
        `post_process`; pairs and ldp-kwiksort: `queries`, `post_process` (auto, scores, kwiksort,
        borda, kemeny).

    Privacy: epsilon-LDP for each person against everybody, the collector included; that a person
    took part is not hidden. `shuffled` adds a second guarantee, and takes nothing away. The result
    holds nothing that was computed from raw rankings.
    Raises HushrankError, before anybody is asked, for what does not fit together.

    Example:
        >>> import hushrank
        >>> people = hushrank.simulate("mallows", people=3000, items=4, seed=1)
        >>> learnt = hushrank.collect(people, epsilon=4, seed=2)
        >>> learnt.items
        ('1', '2', '3', '4')
        >>> learnt.is_private  # a seed repeats the noise
        False
    """
    expect(people, Rankings, "people", "hushrank.read_rankings")
    expect_callable(progress, "progress")
    local = loss_if_any(epsilon, "epsilon")
    seed, short_cut = expect_seed(seed), expect_flag(short_cut, "short_cut")
    trust = Trust.of(shuffled, central_epsilon, delta)
    require(not (trust.shuffled and short_cut), "short_cut: there are no reports to be shuffled")
    require(local is not None or trust.shuffled, "expected an epsilon")
    require_parameters(2, 1.0 if local is None else local)
    named = named_protocol(protocol, options)
    _require_suitable(people, named)
    terms = trust.terms(named, n_items=people.n_items, n_people=people.n_people, epsilon=local)
    progress("asking people")
    outcome = _ask(people, named, terms, seed, short_cut=short_cut, progress=progress)
    asked = asked_for(named, terms.local, in_words(options, protocol))
    ways = {"short_cut": short_cut, "seed": seed, **trust.asked}
    return Collection(people.names, named, outcome, asked | ways)


def named_protocol(protocol: str | NamedProtocol, options: ProtocolOptions) -> NamedProtocol:
    """Return the protocol of a name with these options, or the one that has its options."""
    if isinstance(protocol, str):
        return make_protocol(protocol, options)
    if isinstance(protocol, type) or not isinstance(protocol, NamedProtocol):
        got = protocol.__name__ if isinstance(protocol, type) else type(protocol).__name__
        raise TypeError(f"protocol: expected a name or a protocol with its options, got {got}")
    require(not options, "options: a protocol that has its options takes no others")
    return protocol


def asked_for(named: NamedProtocol, epsilon: float, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that a caller asked for; the options of the protocol that it did not name, too."""
    return {"protocol": named.name, "epsilon": at_most(epsilon), **EVERY_OPTION, **options}


def in_words(options: ProtocolOptions, protocol: str | NamedProtocol) -> dict[str, Any]:
    """Return options as JSON can hold them, a class by its name; of a protocol that has them, its.

    Without them the result would say that a settled option was not asked for.
    """
    given: dict[str, Any] = dict(options)
    if is_dataclass(protocol) and not isinstance(protocol, type):
        given = {each.name: getattr(protocol, each.name) for each in fields(protocol)}
    return {
        name: getattr(value, "__name__", type(value).__name__) if callable(value) else value
        for name, value in given.items()
    }


def strict_people(people: Rankings, *, seed: int | None = None) -> Rankings:
    """Put each person's tied items in a random order, as a person who must give a strict one."""
    expect(people, Rankings, "people", "hushrank.read_rankings")
    return break_ties(people, rng=stream(expect_seed(seed), "ties"))


def _require_suitable(people: Rankings, protocol: NamedProtocol) -> None:
    last = "unranked last, if what people leave out comes after the rest, or unranked unknown"
    takes = (
        f"say {last} (max-entropy, of up to {MOST_ITEMS} items); aggregate takes them as they are"
    )
    told = "drop: items below a share are told by raw rankings: name them instead"
    require(not people.by_share, told)
    is_taken = people.is_complete or protocol.unranked != "refused"
    require(is_taken, f"some items have no rank for somebody: {takes}")
    helps = (
        "`hushrank collect --break-ties`, or strict_people of workflows.collect, puts them in a"
        " random order"
    )
    tied = f"expected strict rankings, some items are tied: {helps}"
    require(people.is_strict, tied)


def _ask(
    people: Rankings,
    protocol: NamedProtocol,
    terms: Terms,
    seed: int | None,
    *,
    short_cut: bool,
    progress: Progress,
) -> Outcome[Learnt]:
    def tell(share: float) -> None:
        progress(PartDone.of("asking people", share) if share < 1 else "adding up what they said")

    public_seed = int(stream(seed, "pivots").integers(2**31))
    begun = protocol.begin(
        people.n_items, epsilon=terms.local, n_people=people.n_people, seed=public_seed
    )
    rounds = held_to(begun, terms.local)
    if short_cut:
        return simulate(rounds, people, rng=stream(seed, "noise"))
    words = secret_words(seed)
    if terms.target is None:
        return run(rounds, people, rng=words, on_share=tell)
    paid: list[Spend] = []
    limited = priced(rounds, terms.target, people.n_people, paid)
    shuffler = partial(forward, rng=words)
    found = run(limited, people, rng=words, on_share=tell, forward=shuffler)
    return replace(found, shuffled=tuple(paid))
