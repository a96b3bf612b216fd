"""Look for the pair of inputs and the event that betray most, then prove it by fresh draws."""

from collections.abc import Callable
from dataclasses import dataclass

from hushrank.accounting.rounding import places_below
from hushrank.accounting.words import loss_in_words
from hushrank.audit.bounds import loss_at_least
from hushrank.audit.events import Event, best_event
from hushrank.audit.subject import Observations, Subject
from hushrank.errors import require
from hushrank.randomness import Randomness

FALSE_ALARM = 1e-6
LEAST_DRAWS = 1000


@dataclass(frozen=True)
class Finding:
    """The loss is at least `bound` nats: `event` happens `hits` times of `draws` for the first of
    `inputs`, `others` times for its neighbour.

    Wrong with probability `false_alarm` at most. looked_at: how many pairs of inputs were tried.
    """

    subject: str
    claimed: float
    delta: float
    exact: float | None
    bound: float
    inputs: tuple[str, str]
    event: str
    hits: int
    others: int
    draws: int
    looked_at: int
    false_alarm: float

    @property
    def exceeds(self) -> bool:
        """Whether more is betrayed than was claimed."""
        return self.bound > self.claimed

    def __str__(self) -> str:
        """Say what was found, in one sentence."""
        verdict = "MORE THAN CLAIMED: " if self.exceeds else ""
        return (
            f"{self.subject}: {verdict}at least {places_below(self.bound, 4)} nats of"
            f" {loss_in_words(self.claimed)}: by {self.event}, {self.hits:,} of"
            f" {self.draws:,} times for {self.inputs[0]},"
            f" {self.others:,} times for {self.inputs[1]}"
        )


def audit(
    subject: Subject,
    *,
    draws: int | None = None,
    false_alarm: float = FALSE_ALARM,
    rng: Randomness | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Finding:
    """Return a lower bound of the loss of a subject, in nats, and what shows it.

    draws: of all inputs together; half of them look for the worst pair and event, the other half
    prove it. false_alarm: how likely a bound above the true loss is, at most. rng: the operating
    system's unless given. progress: is told the share that is done.
    A small bound proves nothing: the attacker may not have looked where it shows.
    Source: Clopper-Pearson bounds of one event, chosen on other draws: as Ding et al. (CCS 2018),
    Jagielski, Ullman, Oprea (NeurIPS 2020).   Raises HushrankError below 1,000 draws an input.
    """
    source = Randomness.secure() if rng is None else rng
    total = subject.draws if draws is None else draws
    looking = total // 2 // len(subject.inputs)
    require(
        looking >= LEAST_DRAWS, f"expected at least {LEAST_DRAWS * 2 * len(subject.inputs)} draws"
    )
    seen: dict[str, Observations] = {}
    for number, (name, value) in enumerate(subject.inputs.items(), start=1):
        seen[name] = subject.draw(value, looking, source)
        progress(number / len(subject.inputs) / 2)
    found = [
        (best_event(seen[one], seen[other], delta=subject.delta, error=false_alarm), (one, other))
        for one, other in subject.pairs
    ]
    event, pair = max(found, key=lambda each: each[0].expected)
    return _proved(subject, event, pair, total // 4, false_alarm, source)


def _proved(
    subject: Subject,
    event: Event,
    pair: tuple[str, str],
    draws: int,
    false_alarm: float,
    rng: Randomness,
) -> Finding:
    """Count the event in fresh draws: it is the only one that is judged by them."""
    inputs = pair if event.of_first else (pair[1], pair[0])
    hits, others = (
        event.happens(subject.draw(subject.inputs[name], draws, rng)) for name in inputs
    )
    bound = loss_at_least(hits, others, draws, delta=subject.delta, error=false_alarm)
    return Finding(
        subject.name,
        subject.epsilon,
        subject.delta,
        subject.exact,
        float(bound),
        inputs,
        event.view,
        hits,
        others,
        draws,
        len(subject.pairs),
        false_alarm,
    )
