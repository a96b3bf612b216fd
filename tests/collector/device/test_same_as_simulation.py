"""People who answer live teach just what they teach in a simulation that draws the same words."""

from collections.abc import Generator
from io import BytesIO

import numpy as np
import pytest

from hushrank.collector.device.connection import HttpConnection
from hushrank.collector.rounds import encode_tallies
from hushrank.engines.local import run
from hushrank.protocols.registry import EVERY_OPTION
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.workflows.results.collection import Collection
from tests.collector.device.live import serving
from tests.collector.device.tapes import LOTS, Drew, Taped, engine_tape, words_of_reports
from tests.collector.drafts import NAMES

pytestmark = pytest.mark.block_sizes  # a simulation draws by blocks, a device by itself

N_PEOPLE = 30
SURVEYS = [
    {"protocol": "max-entropy"},
    {"protocol": "max-entropy", "epsilon": 4.0, "expected_people": 20_000},
    {"protocol": "max-entropy", "options": {"unranked": "last"}},
    {"protocol": "max-entropy", "options": {"popular_orders": True}},
    {"protocol": "order"},
    {"protocol": "order", "epsilon": 4.0},
    {"protocol": "pairs", "options": {"queries": 3}},
    {"protocol": "ldp-kwiksort-rr"},
    {"protocol": "safari", "options": {"split": "budget"}},
    {"protocol": "safari", "options": {"split": "people", "mechanism": "olh"}},
    {"protocol": "subset-order"},
    {"protocol": "grr"},
    {"protocol": "olh"},
    {"protocol": "sh"},
]


def orders_of(n_people: int, *, are_partial: bool) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(8)
    lengths = rng.integers(0, 5, n_people) if are_partial else [4] * n_people
    orders = (rng.permutation(4)[:length] for length in lengths)
    return [tuple(NAMES[item] for item in order) for order in orders]


def take_part(live, survey, orders, connection=None):
    """Let everybody answer every round through a device of their own; return what they drew."""
    tapes = [Taped(seed) for seed in range(len(orders))]
    settings = {"connection": connection or live.connection()}
    devices = [live.device(randomness=tape.randomness, **settings) for tape in tapes]
    everybody = [Drew() for _ in orders]
    while live.run(live.service.survey(survey)).life.state in ("open", "between"):
        for device, tape, drew, order in zip(devices, tapes, everybody, orders, strict=True):
            standing = device.join(survey)
            drew.lot = int(tape.words[0] % LOTS)
            if standing.handout is not None:
                before = len(tape.words)
                device.answer(survey, order)
                device.send(survey)
                mechanisms = [mechanism for _, mechanism in standing.handout.asked.values()]
                words = words_of_reports(mechanisms, tape.words[before:])
                numbered = zip(standing.handout.asked, words, strict=True)
                drew.rounds[standing.round] = dict(numbered)
        live.run(live.service.close_round(survey))
        if live.run(live.service.survey(survey)).life.state == "between":
            live.run(live.service.open_round(survey))
    return everybody


def rankings_of(orders) -> Rankings:
    keys = np.full((len(orders), len(NAMES)), np.nan)
    for person, order in enumerate(orders):
        keys[person, [NAMES.index(item) for item in order]] = range(len(order))
    return Rankings.from_keys(keys, NAMES)


def remembering(protocol: Generator, tallies: list) -> Generator:
    """Drive a protocol, and keep the tallies that it is sent."""
    try:
        surveys = next(protocol)
        while True:
            tallies.append((yield surveys))
            surveys = protocol.send(tallies[-1])
    except StopIteration as end:
        return end.value


@pytest.mark.parametrize("fields", SURVEYS, ids=str)
def test_the_same_people_and_words_give_the_same_tallies_and_result(live, fields):
    survey = live.open(**({"epsilon": 2.0, "expected_people": N_PEOPLE} | fields))
    require_same(live, survey)


def test_the_same_holds_over_http(live):
    survey = live.open(epsilon=2.0, expected_people=N_PEOPLE, protocol="safari")
    with serving(live) as origin, HttpConnection(origin) as connection:
        require_same(live, survey, connection)


def require_same(live, survey, connection=None):
    """Let people answer live; compare the tallies and the result with those of a simulation."""
    draft = live.run(live.service.survey(survey)).draft
    orders = orders_of(N_PEOPLE, are_partial="unranked" in draft.options)
    everybody = take_part(live, survey, orders, connection)
    ended = live.run(live.service.tallies(survey))
    learnt = live.run(live.service.results(survey))

    tape = engine_tape([asked.surveys for asked, _ in ended], everybody)
    seed, tallies = learnt.asked["seed"], []
    protocol = remembering(begun(draft, seed), tallies)
    outcome, n_left = run_on(tape, protocol, orders)

    assert n_left == 0
    of_ended = [encode_tallies(each) for _, each in ended]
    assert [encode_tallies(each) for each in tallies] == of_ended
    shown = {"protocol": draft.protocol, "epsilon": draft.epsilon, **EVERY_OPTION}
    shown |= {**draft.options, "short_cut": False, "seed": seed}
    simulated = Collection(NAMES, draft.named_protocol, outcome, shown)
    assert simulated.to_dict() == learnt.to_dict()
    if draft.named_protocol.has_model:
        assert simulated.synthetic == learnt.synthetic


def begun(draft, seed):
    n_people = draft.expected_people
    named = draft.named_protocol
    return named.begin(len(NAMES), epsilon=draft.epsilon, n_people=n_people, seed=seed)


def run_on(tape, protocol, orders):
    """Run the local engine on words of a tape; return the outcome, and how many are left over."""
    source = BytesIO(tape)
    secret = Randomness(source.read, is_private=True)
    outcome = run(protocol, rankings_of(orders), rng=secret)
    return outcome, len(source.read())


def test_another_word_of_one_person_gives_other_tallies(live):
    """Else the tapes would not be what the engine reads."""
    survey = live.open(protocol="grr", epsilon=2.0)
    orders = orders_of(N_PEOPLE, are_partial=False)
    everybody = take_part(live, survey, orders)
    ((asked, (tallies,)),) = live.run(live.service.tallies(survey))
    everybody[7].rounds[0] = {0: everybody[7].rounds[0][0] ^ np.uint64(2**63)}
    tape, kept = engine_tape([asked.surveys], everybody), []
    draft = live.run(live.service.survey(survey)).draft
    run_on(tape, remembering(begun(draft, 0), kept), orders)
    assert (kept[0][0][0].support != tallies[0].support).any()
