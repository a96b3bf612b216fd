"""Local mechanisms: what a device and a collector can do in a second."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
import opendp.prelude as dp
from environments import LDP_PEERS
from harness import Row, Series, check, check_binomial, main, rates, run_json, seconds
from people import categories, orders, popular_share

from hushrank.engines.local import run
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.questions.rank_and_precedence import rank_and_precedence_questions
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey, Tallies

INTRODUCTION = """## Mechanisms

Epsilon is 1, and half of the people hold category 0. "Secure" draws from the operating system,
"seeded" from numpy's generator, which protects nobody; pure-ldp and multi-freq-ldpy are seeded,
opendp is secure. The peers take one person a call, and fewer people: rates compare."""

EPSILON = 1.0
NEAR = "the count for category 0 within 6 standard errors of its expectation, ours and theirs"


def grr_client(is_quick: bool) -> Sequence[Row]:
    """Measure generalised randomised response on devices, k = 20."""
    mechanism = GeneralizedRandomizedResponse(20, EPSILON)
    n_people = 100_000 if is_quick else 4_000_000
    peers = _ldp_peers("grr_client", mechanism, 2_000 if is_quick else 200_000)
    peers["opendp"] = _opendp_grr(200 if is_quick else 10_000)
    return [
        Row(
            f"GRR client, k = 20, {source}",
            "people/s",
            2e7,
            _client(mechanism, n_people, rng),
            peers,
            NEAR,
        )
        for source, rng in _sources()
    ]


def unary_clients(is_quick: bool) -> Sequence[Row]:
    """Measure both unary encodings on devices, k = 1024."""
    n_people, n_peers = (10_000, 100) if is_quick else (200_000, 4_000)
    rows = []
    for mechanism, name, peer in (
        (OptimisedUnaryEncoding(1024, EPSILON), "OUE", "unary_client"),
        (SymmetricUnaryEncoding(1024, EPSILON), "SUE (basic RAPPOR)", "symmetric_unary_client"),
    ):
        report = mechanism.randomise(categories(1, 1024), rng=Randomness.secure())
        check(report.nbytes == 128, f"expected a report of 128 bytes, got {report.nbytes}")
        peers = _ldp_peers(peer, mechanism, n_peers)
        checked = f"{NEAR}; a report has 128 bytes"
        for source, rng in _sources():
            ours = _client(mechanism, n_people, rng)
            task = f"{name} client, k = 1024, {source}"
            rows.append(Row(task, "people/s", 5e5, ours, peers, checked))
    return rows


def olh_server(is_quick: bool) -> Sequence[Row]:
    """Measure the collector of optimised local hashing, k = 1024."""
    mechanism = OptimisedLocalHashing(1024, EPSILON)
    n_people, n_peers = (10_000, 500) if is_quick else (200_000, 2_000)
    reports = mechanism.randomise(categories(n_people, 1024), rng=Randomness.secure())
    _check_tally(mechanism, mechanism.tally(reports))
    ours = rates(n_people, seconds(lambda: mechanism.tally(reports), 5))
    peers = _ldp_peers("olh_server", mechanism, n_peers)
    checked = f"{NEAR} (multi-freq-ldpy clips its shares: that category 0 leads)"
    return [Row("OLH server, k = 1024", "reports/s", 1e6, ours, peers, checked)]


def rule_one(is_quick: bool) -> Sequence[Row]:
    """Measure SAFARI's first round for d = 10: draw a question, answer, randomise, count."""
    n_people = 50_000 if is_quick else 1_000_000
    rankings = Rankings.from_orders(orders(n_people, 10))
    survey = sampled_survey("structure", rank_and_precedence_questions(10), EPSILON)
    rows = []
    for source, rng in _sources():
        _check_survey(survey, rankings, _collect(survey, rankings, rng))
        spent = seconds(lambda rng=rng: _collect(survey, rankings, rng), 7)  # type: ignore[misc]
        task = f"Rule I randomise and count, d = 10, {source}"
        checked = (
            "the mean squared error of all 7,200 counts is the noise that the channel predicts"
        )
        rows.append(Row(task, "people/s", 5e6, rates(n_people, spent), checked=checked))
    return rows


def _sources() -> tuple[tuple[str, Randomness], ...]:
    return ("secure", Randomness.secure()), ("seeded", Randomness.seeded(9))


def _client(mechanism: LocalMechanism, n_people: int, rng: Randomness) -> Series:
    people = categories(n_people, mechanism.n_categories)
    _check_tally(mechanism, mechanism.tally(mechanism.randomise(people, rng=rng)))
    return rates(n_people, seconds(lambda: mechanism.randomise(people, rng=rng), 7))


def _ldp_peers(task: str, mechanism: LocalMechanism, n_people: int) -> dict[str, Series | str]:
    k = mechanism.n_categories
    found = run_json(LDP_PEERS.python, "ldp_peers.py", task, str(n_people), str(k), "5")
    for peer, measured in found.items():
        if measured["support"] is not None:
            _check_support(mechanism, measured["support"], n_people, peer)
    return {peer: rates(n_people, measured["seconds"]) for peer, measured in found.items()}


def _opendp_grr(n_people: int) -> Series:
    dp.enable_features("contrib")
    probability = GeneralizedRandomizedResponse(20, EPSILON).rates.hit_rate
    randomise: Callable[[int], Any] = dp.m.make_randomized_response(list(range(20)), probability)
    people = categories(n_people, 20).tolist()
    support = [randomise(person) for person in people].count(0)
    _check_support(GeneralizedRandomizedResponse(20, EPSILON), support, n_people, "opendp")
    return rates(n_people, seconds(lambda: [randomise(person) for person in people], 5))


def _check_tally(mechanism: LocalMechanism, tally: Tally) -> None:
    _check_support(mechanism, float(tally.support[0]), tally.n_reports, "hushrank")


def _check_support(mechanism: LocalMechanism, support: float, n_people: int, who: str) -> None:
    share = popular_share(n_people, mechanism.n_categories)
    rate = share * mechanism.rates.hit_rate + (1 - share) * mechanism.rates.false_hit_rate
    check_binomial(support, rate, n_people, f"{who}, category 0")


def _collect(survey: Survey, rankings: Rankings, rng: Randomness) -> Tallies:
    return run(_one_round(survey), rankings, rng=rng).result


def _one_round(survey: Survey) -> Generator[Survey, Tallies, Tallies]:
    return (yield survey)


def _check_survey(survey: Survey, rankings: Rankings, tallies: Tallies) -> None:
    squares = []
    for question, mechanism, tally in zip(
        survey.questions, survey.mechanisms, tallies, strict=True
    ):
        counts = np.bincount(question.answer(rankings.ranks), minlength=question.n_categories)
        truth = counts / rankings.n_people
        rates = truth * mechanism.rates.hit_rate + (1 - truth) * mechanism.rates.false_hit_rate
        expected = tally.n_reports * rates
        squares.append((tally.support - expected) ** 2 / (expected * (1 - rates)))
    mean, error = float(np.mean(squares)), (2 / np.size(squares)) ** 0.5
    check(abs(mean - 1) <= 6 * error, f"Rule I: expected a mean squared error of 1, got {mean:.3f}")


if __name__ == "__main__":
    main(INTRODUCTION, (grr_client, unary_clients, olh_server, rule_one))
