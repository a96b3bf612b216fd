"""Check a local mechanism: its loss exactly, from whole numbers, and its draws by sampling."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Indices, Reports
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import LocalMechanism, SimulatedTally
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import exp_below
from hushrank.surveys.survey import MakeMechanism
from hushrank.testing.statistics import (
    assert_counts_follow,
    assert_tables_follow,
    draws_needed,
    promise,
)

TOO_MUCH = 1.05
"""The wrong mechanism that sampling must catch spends this much more epsilon."""
MOST_DRAWS = 10**8
LEAST_EFFECT = 100 / MOST_DRAWS
"""Of chi-square, a draw: with less the wrong mechanism would not be caught in MOST_DRAWS."""
TAPES, CALLS_ALONE, PAIRS_OF_PEOPLE = 20, 500, 20_000
CROWD, CROWDS, TOO_WIDE = 50, 400, 1.7
"""People of a simulated tally, how many are drawn, by which factor their variance may be off."""
MOST_TOLD = 32
"""Values that are told apart of a neighbour's category or report."""


@dataclass(frozen=True)
class StatedChannel:
    """P(report | category) = words (k, reports) / total, in whole numbers.

    `reports` are those of the columns, in the form in which `randomise` returns them.
    """

    reports: Reports
    words: NDArray[Any]
    total: int

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The channel (k, reports) in floating point."""
        return (self.words / self.total).astype(np.float64)


def check_mechanism(
    make_mechanism: MakeMechanism,
    channel_of: Callable[[Any], StatedChannel],
    *,
    n_categories: Sequence[int] = (2, 3, 5),
    epsilons: Sequence[float] = (0.5, 1.0, 2.0),
    seed: int = 2026,
) -> None:
    """Check a local mechanism, for each number of categories and epsilon.

    make_mechanism: as a plug-in has it, from a number of categories and epsilon.
    channel_of: states the channel of a mechanism, from the whole numbers that it compares with.

    Exactly: the loss of the channel is what `rates.worst_ratio` states, and at most e^epsilon; each
    report supports its owner's category and the others at the stated rates; a person alone draws as
    many words whatever they hide; what is out of domain is refused before a word is drawn; the same
    words give the same reports, whoever was asked before, and in production as in simulations. By
    sampling, with false alarms of 1e-6 each: reports follow the channel, for every category; a
    mechanism that spends 5 % more passes with probability 1e-3. So do those of people who are asked
    alone, as on a device, 500 for each category, and those of people among others, whatever the
    neighbour hides or reports: this catches gross faults only. Where there is a `simulate_tally`,
    it gives the stated rates, and the spread of reports.   Raises AssertionError.
    """
    for k in n_categories:
        for epsilon in epsilons:
            mechanism = make_mechanism(k, epsilon)
            channel = channel_of(mechanism)
            _check_form(mechanism, k, epsilon)
            _check_loss(mechanism, channel, epsilon)
            _check_rates(mechanism, channel)
            _check_words(mechanism, seed)
            _check_tallies(mechanism, seed)
            _check_refusals(mechanism)
            _check_repeats(mechanism, make_mechanism(k, epsilon), seed)
            _check_people_alone(mechanism, channel, seed)
            _check_neighbours(mechanism, channel, seed)
            _check_short_cut(mechanism, seed)
            wrong = channel_of(make_mechanism(k, TOO_MUCH * epsilon))
            _check_law(mechanism, channel, wrong, seed)


def _check_form(mechanism: LocalMechanism, k: int, epsilon: float) -> None:
    promise(isinstance(mechanism, LocalMechanism), "not a LocalMechanism: see mechanisms/local.py")
    promise(mechanism.n_categories == k, f"has {mechanism.n_categories} categories, not {k}")
    stated = f"states an epsilon of {mechanism.epsilon}, was given {epsilon}"
    promise(0 < mechanism.epsilon <= epsilon, stated)


def _check_loss(mechanism: LocalMechanism, channel: StatedChannel, epsilon: float) -> None:
    rows = {int(row) for row in channel.words.sum(axis=1)}
    promise(rows == {channel.total}, "the words of a row do not sum to the total")
    lowest, highest = channel.words.min(axis=0), channel.words.max(axis=0)
    promise(lowest.min() > 0, "some report betrays a category: it is impossible for another")
    ratios = (Fraction(int(a), int(b)) for a, b in zip(highest, lowest, strict=True))
    worst = max(ratios)
    promise(worst <= exp_below(epsilon), f"the exact loss of the channel exceeds {epsilon}")
    stated = mechanism.rates.worst_ratio
    promise(worst == stated, "rates.worst_ratio is not that of the channel")


def _check_rates(mechanism: LocalMechanism, channel: StatedChannel) -> None:
    """Read each report alone, and add up which categories it supports, how often."""
    alone = (mechanism.tally(channel.reports[nth : nth + 1]) for nth in range(len(channel.reports)))
    supports = np.stack([tally.support for tally in alone])
    rates = channel.probabilities @ supports
    stated = np.full(rates.shape, mechanism.rates.false_hit_rate)
    np.fill_diagonal(stated, mechanism.rates.hit_rate)
    fits = np.allclose(rates, stated, rtol=1e-12, atol=1e-15)
    promise(fits, "reports do not support categories at the stated rates: estimates are biased")


def _check_words(mechanism: LocalMechanism, seed: int) -> None:
    """The number of words must tell nothing beside the report."""
    drawn = set()
    for tape in range(TAPES):
        for category in range(mechanism.n_categories):
            source, n_bytes = np.random.default_rng([seed, tape]), [0]

            def read(size: int, source: Any = source, n_bytes: list[int] = n_bytes) -> bytes:
                n_bytes[0] += size
                return bytes(source.bytes(size))

            mechanism.randomise(np.array([category]), rng=Randomness(read, is_private=False))
            drawn.add(n_bytes[0])
    promise(len(drawn) == 1, "the number of words that a person draws varies")
    promise(0 not in drawn, "a person draws no word: noise must come from `rng`")


def _check_tallies(mechanism: LocalMechanism, seed: int) -> None:
    categories = np.arange(60) % mechanism.n_categories
    reports = mechanism.randomise(categories, rng=Randomness.seeded(seed))
    promise(len(reports) == 60, "expected one report a person, along the first axis")
    whole = mechanism.tally(reports)
    parts = mechanism.tally(reports[:17]) + mechanism.tally(reports[17:])
    same = whole.n_reports == parts.n_reports == 60
    promise(same and np.array_equal(whole.support, parts.support), "tallies do not add up")


def _check_refusals(mechanism: LocalMechanism) -> None:
    """An empty tape: what is refused after a word was drawn ends it."""
    for wrong in (-1, mechanism.n_categories):
        try:
            mechanism.randomise(np.array([0, wrong]), rng=Randomness.replayed(b""))
        except HushrankError:
            continue
        except EOFError:
            promise(False, "a category out of domain is refused after words were drawn, or never")
        promise(False, "a category out of domain is not refused")


def _check_repeats(mechanism: LocalMechanism, another: LocalMechanism, seed: int) -> None:
    """Noise of another source, a memory of earlier calls, or a switch for production shows here."""
    categories = np.arange(60) % mechanism.n_categories
    before = categories.copy()
    first = mechanism.randomise(categories, rng=Randomness.seeded(seed))
    promise(np.array_equal(categories, before), "changes the categories that it is given")
    mechanism.randomise(categories[::-1], rng=Randomness.seeded(seed + 1))
    for one in (mechanism, another):
        again = one.randomise(categories, rng=_as_in_production(Randomness.seeded(seed)))
        same = np.array_equal(first, again)
        promise(same, "the same words give other reports: noise must come from `rng` alone")


def _check_people_alone(mechanism: LocalMechanism, channel: StatedChannel, seed: int) -> None:
    """Ask each person in a call of their own, as a device does."""
    rng = _as_in_production(Randomness.seeded(seed))
    drawn = []
    for category in range(mechanism.n_categories):
        alone = np.array([category])
        calls = [mechanism.randomise(alone, rng=rng) for _ in range(CALLS_ALONE)]
        columns = _columns(channel.reports, np.concatenate(calls))
        drawn.append(np.bincount(columns, minlength=len(channel.reports)))
    what = "reports of people who are asked alone"
    assert_tables_follow(np.stack(drawn)[None], channel.probabilities, what)


def _check_neighbours(mechanism: LocalMechanism, channel: StatedChannel, seed: int) -> None:
    """Ask many at once: a report must tell nothing of the neighbour, nor of the neighbour's report.

    A neighbour is the person before, and the one as far ahead as half of them.
    """
    k = mechanism.n_categories
    source = np.random.default_rng(seed)
    categories = source.integers(k, size=2 * PAIRS_OF_PEOPLE)
    rng = _as_in_production(Randomness.seeded(seed))
    columns = _columns(channel.reports, mechanism.randomise(categories, rng=rng))
    for pairs in (np.s_[0::2], np.s_[1::2]), (np.s_[:PAIRS_OF_PEOPLE], np.s_[PAIRS_OF_PEOPLE:]):
        for one, other in (pairs, pairs[::-1]):
            for told in (categories[one] % MOST_TOLD, columns[one] % MOST_TOLD):
                counts = _counts(told, categories[other], columns[other], channel)
                what = "reports of people who are asked together"
                assert_tables_follow(counts, channel.probabilities, what)


def _check_short_cut(mechanism: LocalMechanism, seed: int) -> None:
    """Compare `simulate_tally` with what as many reports would add up to, cell by cell."""
    if not isinstance(mechanism, SimulatedTally):
        return
    k, rng = mechanism.n_categories, np.random.default_rng(seed)
    for category in range(k):
        crowd = CROWD * np.eye(k, dtype=np.int64)[category]
        tallies = [mechanism.simulate_tally(crowd, rng=rng) for _ in range(CROWDS)]
        counted = all(tally.n_reports == CROWD for tally in tallies)
        promise(counted, "simulate_tally does not count its people")
        rates = np.where(crowd > 0, mechanism.rates.hit_rate, mechanism.rates.false_hit_rate)
        supports = np.stack([tally.support for tally in tallies])
        totals = supports.sum(axis=0)
        both = np.stack([totals, CROWD * CROWDS - totals], axis=1)
        chances = np.stack([rates, 1 - rates], axis=1)
        assert_tables_follow(both[None], chances, "supports that simulate_tally draws")
        variances = CROWD * rates * (1 - rates)
        spread = (supports.var(axis=0, ddof=1) / variances)[variances >= 1]
        fits = ((spread > 1 / TOO_WIDE) & (spread < TOO_WIDE)).all()
        promise(fits, "simulate_tally varies more or less than reports do")


def _counts(told: Indices, own: Indices, columns: Indices, channel: StatedChannel) -> Counts:
    """Count reports (told, categories, columns) by what is told of the neighbour."""
    k, n_reports = channel.words.shape
    counts = np.zeros((MOST_TOLD, k, n_reports), dtype=np.int64)
    np.add.at(counts, (told, own, columns), 1)
    return counts


def _as_in_production(rng: Randomness) -> Randomness:
    """Return the same words, said to be secret."""
    return Randomness(lambda size: rng.words(size // 8).tobytes(), is_private=True)


def _check_law(
    mechanism: LocalMechanism, channel: StatedChannel, wrong: StatedChannel, seed: int
) -> None:
    stated, other, k = channel.probabilities, wrong.probabilities, mechanism.n_categories
    counts = []
    effect = ((other - stated) ** 2 / stated).sum(axis=1).min()
    promise(effect > LEAST_EFFECT, "the channel hardly changes with 5 % more epsilon")
    n_draws = max(draws_needed(stated[c], other[c], k) for c in range(k))
    many = f"{n_draws:,} draws a category are too many: choose a smaller epsilon, or a larger one"
    promise(n_draws <= MOST_DRAWS, many)
    for category in range(k):
        rng = Randomness.seeded(seed + category)
        reports = mechanism.randomise(np.full(n_draws, category), rng=rng)
        counts.append(np.bincount(_columns(channel.reports, reports), minlength=stated.shape[1]))
    assert_counts_follow(np.stack(counts), stated)


def _columns(known: Reports, drawn: Reports) -> Indices:
    """Return the column of each report that was drawn."""
    keys, values = _as_keys(known), _as_keys(drawn)
    order = np.argsort(keys)
    found = np.searchsorted(keys[order], values).clip(max=len(keys) - 1)
    columns: Indices = order[found]
    promise((keys[columns] == values).all(), "a report was drawn that the channel does not list")
    return columns


def _as_keys(reports: Reports) -> NDArray[Any]:
    """Return one number for each report: itself, or that of its bytes."""
    if reports.ndim == 1 and reports.dtype.kind in "iu":
        return reports.astype(np.int64)
    rows = np.ascontiguousarray(reports).reshape(len(reports), -1)
    raw = rows.view(np.uint8).reshape(len(reports), -1)
    promise(raw.shape[1] <= 8, "expected reports of at most 8 bytes where they are listed")
    padded = np.zeros((len(reports), 8), dtype=np.uint8)
    padded[:, : raw.shape[1]] = raw
    return padded.view(np.int64).ravel()
