"""Write the table of the mixes to ask: `python -m hushrank.planning.mixes.tabulate`.

Numbers of items named behind it are written anew; without a number, all. Eleven minutes of one
processor; the table is written after each number of items, so that what is left can be named.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from math import exp, sqrt
from typing import cast

import numpy as np

from hushrank.arrays import Floats
from hushrank.planning.mixes.population_loss import population_losses
from hushrank.planning.mixes.predicted_loss import predicted_losses
from hushrank.planning.mixes.wide_loss import wide_losses
from hushrank.protocols.distributions.max_entropy import MOST_ITEMS
from hushrank.protocols.distributions.mixes.table import (
    EPSILONS,
    ITEMS,
    PEOPLE,
    Parts,
    known_mixes,
    write_mixes,
)
from hushrank.protocols.distributions.question_kinds import QuestionKind
from hushrank.protocols.distributions.question_mix import MIXES, Mix, MixPart, choose_mix

AS_GOOD = 1.01
"""A simpler mix is taken if its loss is so near to the least."""
STAYS = 1.05
"""What is asked already stays if its loss is so near to that of the mix that would be chosen."""
LEVELS = MixPart("levels-and-pairs", 0.5, 3)
RANKS = MixPart("ranks-and-pairs", 0.5)
WIDE_LEVELS = (
    MixPart("levels", 0.5, 3),
    LEVELS,
    MixPart("levels-and-pairs", 0.5, 6),
    MixPart("levels-and-pairs", 0.5, 12),
)


def tabulate(items: Sequence[int]) -> None:
    """Write what to ask of so many items anew, the table after each; say how much changed."""
    for n_items in items:
        found = [mixes_to_ask(n_items, epsilon) for epsilon in EPSILONS]
        n_changed = sum(
            one != other
            for epsilon, row in zip(EPSILONS, found, strict=True)
            for one, other in zip(known_mixes(n_items, epsilon), row, strict=True)
        )
        write_mixes(n_items, found)
        print(f"{n_items} items: {n_changed} mixes changed", flush=True)


def mixes_to_ask(n_items: int, epsilon: float) -> list[Parts]:
    """Return the best mixes, but what is asked already where it is about as good.

    Another mix is another protocol: people pay again for answers to other questions. Whether pairs
    are asked does not depend on that.
    """
    losses = predicted_losses if n_items <= MOST_ITEMS else wide_losses
    found = best_mixes(n_items, epsilon)
    for nth, asked in enumerate(known_mixes(n_items, epsilon)):
        both = _mix(asked), _mix(found[nth])
        if both[0] == both[1] or MIXES["pairs"] in both:
            continue
        kept, best = (losses(mix, n_items, epsilon, PEOPLE[nth : nth + 1])[0] for mix in both)
        if kept <= STAYS * best:
            found[nth] = asked
    return found


def best_mixes(n_items: int, epsilon: float) -> list[Parts]:
    """Return the mix that loses least for each number of people, or a simpler one that is near."""
    return (_of_sets if n_items <= MOST_ITEMS else _of_chains)(n_items, epsilon)


def _of_chains(n_items: int, epsilon: float) -> list[Parts]:
    """Return the mixes for more items than sums by sets allow."""
    mixes = list(wide_candidates(n_items, epsilon))
    losses = np.stack([wide_losses(mix, n_items, epsilon, PEOPLE) for mix in mixes])
    return [_parts(mixes[_simplest(mixes, loss, range(len(mixes)))]) for loss in losses.T]


def _of_sets(n_items: int, epsilon: float) -> list[Parts]:
    """Return pairs where they lose least of people who may agree, else what does near uniform."""
    mixes = list(candidates(n_items, epsilon))
    numbers = n_items, epsilon, PEOPLE
    near_uniform = np.stack([predicted_losses(mix, *numbers) for mix in mixes])
    of_all = np.stack([population_losses(mix, *numbers) for mix in mixes])
    found = []
    for nth, n_people in enumerate(PEOPLE):
        earlier = choose_mix(n_items, epsilon=epsilon, n_people=n_people, unranked="last")
        allowed = [n for n, mix in enumerate(mixes) if _tells_as_much(mix, earlier)]
        best = _simplest(mixes, near_uniform[:, nth], allowed)
        if mixes[of_all[:, nth].argmin()] == MIXES["pairs"]:
            best = mixes.index(MIXES["pairs"])
        found.append(_parts(mixes[best]))
    return found


def candidates(n_items: int, epsilon: float) -> Iterator[Mix]:
    """Yield mixes that identify the whole family, simple ones first.

    Bits; exact ranks and precedences; or half of the people are asked widely, for ranks or levels
    with precedences, and the others name sets of about 1 / (e^epsilon + 1) of all rankings: an item
    among the first k, and one after it (k > 1), or two among the first k, or half of them each.
    """
    yield from (MIXES["pairs"], MIXES["bits"], (MixPart("ranks-and-pairs"),))
    several = [("first-and-later" if k > 1 else "first", k) for k in _firsts(n_items, epsilon)]
    two = [("two-of-first", k) for k in _twos(n_items, epsilon)]
    for wide in (LEVELS, RANKS) if n_items > 3 else (RANKS,):
        yield from ((wide, _named(each)) for each in (*several, *two))
        for one in several:
            yield from ((wide, _named(one, 0.25), _named(other, 0.25)) for other in two)


def wide_candidates(n_items: int, epsilon: float) -> Iterator[Mix]:
    """Yield mixes for many items: bits, or half of the people asked widely, and half to name sets.

    Widely: levels, or levels or ranks with precedences. Levels alone tell nothing of how far apart
    two items are; what few reports could tell of that, of so many pairs, is less than it costs.
    """
    yield from (MIXES["pairs"], MIXES["bits"])
    sets = [("first", k) for k in _firsts(n_items, epsilon)]
    sets += [("first-and-later", k) for k in _firsts(n_items, epsilon) if k > 1]
    sets += [("two-of-first", k) for k in _twos(n_items, epsilon)]
    for wide in (*WIDE_LEVELS, RANKS):
        yield from ((wide, _named(each)) for each in sets)


def _named(kind_and_places: tuple[str, int], share: float = 0.5) -> MixPart:
    kind, n_places = kind_and_places
    known: dict[str, QuestionKind] = {
        "first": "first",
        "first-and-later": "first-and-later",
        "two-of-first": "two-of-first",
    }
    return MixPart(known[kind], share, n_places)


def _firsts(n_items: int, epsilon: float) -> list[int]:
    """Return of how many first places one may be named: about d / (e^eps + 1), and 1 at least."""
    best = n_items / (exp(epsilon) + 1)
    return [k for k in range(1, n_items // 2 + 1) if abs(k - best) <= 1.2] or [1]


def _twos(n_items: int, epsilon: float) -> list[int]:
    """Return the same where two are named: about d sqrt(2 / (e^eps + 1)), and 2 at least."""
    best = n_items * sqrt(2 / (exp(epsilon) + 1))
    return [k for k in range(2, n_items + 1) if abs(k - best) <= 1.7] or [2]


def _tells_as_much(mix: Mix, earlier: Mix) -> bool:
    """Whether exact ranks are asked where they were before there were sets to be named.

    Predictions are made where people prefer little; where they prefer much, exact ranks tell more.
    """
    return earlier != MIXES["ranks-and-pairs"] or any(part.kind == RANKS.kind for part in mix)


def _simplest(mixes: Sequence[Mix], losses: Floats, allowed: Sequence[int]) -> int:
    """Return bits if they are near the least loss; else of the fewest parts that are, the best."""
    least = min(losses[nth] for nth in allowed)
    near = [nth for nth in allowed if losses[nth] <= AS_GOOD * least]
    bits = (MIXES["pairs"], MIXES["bits"])
    return min(near, key=lambda nth: (mixes[nth] not in bits, len(mixes[nth]), losses[nth]))


def _parts(mix: Mix) -> Parts:
    return tuple((part.kind, part.share, part.n_levels) for part in mix)


def _mix(parts: Parts) -> Mix:
    return tuple(MixPart(cast(QuestionKind, kind), share, n) for kind, share, n in parts)


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m hushrank.planning.mixes.tabulate")
    parser.add_argument("items", nargs="*", type=int, choices=ITEMS, metavar="ITEMS")
    tabulate(parser.parse_args().items or ITEMS)
