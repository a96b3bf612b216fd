import asyncio
import json
from contextlib import asynccontextmanager

import numpy as np
import pytest

from tests.collector.client.node import CLIENT, NODE, needs_node
from tests.collector.web.running import running

pytestmark = [pytest.mark.end_to_end, needs_node]
N_PEOPLE = 30
PROTOCOLS = [
    ("max-entropy", {}),
    ("max-entropy", {"unranked": "last"}),
    ("max-entropy", {"unranked": "unknown"}),
    ("order", {}),
    ("pairs", {}),
    ("ldp-kwiksort-rr", {"queries": 2}),
    *[("safari", {"split": split}) for split in ("budget", "people")],
    *[(name, {}) for name in ("subset-order", "grr", "rappor", "sh", "olh")],
]


@asynccontextmanager
async def people(collector):
    """Begin a process in which people keep what they keep, and take part where they are told to."""
    pipe = asyncio.subprocess.PIPE
    command = (str(NODE), "tests/take_part.js")
    node = await asyncio.create_subprocess_exec(*command, cwd=CLIENT, stdin=pipe, stdout=pipe)

    async def take_part(survey, orders):
        told = {"origin": collector.origin, "survey": survey, "orders": orders}
        node.stdin.write(json.dumps(told).encode() + b"\n")
        return json.loads(await node.stdout.readline())

    try:
        yield take_part
    finally:
        node.stdin.close()
        await node.wait()


def rankings(seed, n_ranked=4):
    rng = np.random.default_rng(seed)
    return [rng.permutation(4)[:n_ranked].tolist() for _ in range(N_PEOPLE)]


def values(taken):
    return [
        [report["report"] for report in json.loads(each["upload"])["reports"]] for each in taken
    ]


@pytest.mark.parametrize(("protocol", "options"), PROTOCOLS, ids=str)
def test_people_take_part_in_a_survey_of_every_protocol_until_its_end(tmp_path, protocol, options):
    async def whole():
        async with running(tmp_path) as collector, people(collector) as take_part:
            survey = await collector.open(protocol=protocol, options=options, epsilon=4.0)
            n_ranked = 2 if options.get("unranked") in ("last", "unknown") else 4
            cost = np.zeros(N_PEOPLE)
            while (await collector.service.survey(survey)).life.state == "open":
                taken = await take_part(survey, rankings(1, n_ranked))
                cost += [each["nats"] for each in taken]
                (*_, counts) = (await collector.service.survey(survey)).counts
                assert counts.reported == sum(each["receipt"] is not None for each in taken) > 0
                await collector.service.close_round(survey)
                if (await collector.service.survey(survey)).life.state == "between":
                    await collector.service.open_round(survey)
            return cost, await collector.service.results(survey)

    cost, results = asyncio.run(whole())
    assert cost.max() <= 4.0
    assert results.names == ("tea", "coffee", "water", "juice")


def test_who_answers_again_with_the_same_ranking_sends_the_same_and_pays_nothing(tmp_path):
    async def whole():
        async with running(tmp_path) as collector, people(collector) as take_part:
            survey = await collector.open(protocol="olh", epsilon=4.0)
            first = await take_part(survey, rankings(1))
            await collector.service.close(survey)
            again = await collector.service.copy(survey)
            await collector.service.open(again)
            changed = [order[::-1] if nth < 10 else order for nth, order in enumerate(rankings(1))]
            return first, await take_part(again, changed)

    first, second = asyncio.run(whole())
    assert {each["nats"] for each in first} == {4.0}
    assert [each["nats"] for each in second] == [4.0] * 10 + [0.0] * 20
    assert values(second)[10:] == values(first)[10:]
    drawn_anew = zip(values(second)[:10], values(first), strict=False)
    assert all(new != old for new, old in drawn_anew)  # 128 random bits each


def test_a_closed_survey_is_told_by_its_kind(tmp_path):
    async def whole():
        async with running(tmp_path) as collector, people(collector) as take_part:
            survey = await collector.open()
            await collector.service.close(survey)
            return await take_part(survey, rankings(1)), await take_part("x" * 12, rankings(1))

    assert asyncio.run(whole()) == ({"kind": "not-open"}, {"kind": "not-found"})
