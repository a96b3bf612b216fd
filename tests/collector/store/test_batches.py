import asyncio

import pytest

from hushrank.collector.store.batches import LARGEST_BATCH, Batches, ServerAway
from hushrank.collector.store.store import StoreFailure


def run(work, *sizes):
    """Ask for 0, 1, 2 ... at once; return what each is told."""

    async def ask():
        batches = Batches(work)
        asked = (batches.do(n, size=size) for n, size in enumerate(sizes))
        told = await asyncio.gather(*asked, return_exceptions=True)
        await batches.stop()
        with pytest.raises(StoreFailure, match="closed"):
            await batches.do(0)
        return told

    return asyncio.run(ask())


def test_all_who_wait_are_one_batch_up_to_its_size():
    batches = []

    async def work(arguments):
        batches.append(list(arguments))
        await asyncio.sleep(0)
        return [argument * 10 for argument in arguments]

    sizes = [1, 1, 1, LARGEST_BATCH, 1, 1, LARGEST_BATCH + 1, 1]
    assert run(work, *sizes) == [0, 10, 20, 30, 40, 50, 60, 70]
    assert batches == [[0, 1, 2, 3], [4, 5, 6], [7]]


@pytest.mark.parametrize("failing", [2, 22])
def test_one_that_fails_unforeseen_fails_alone(failing):
    async def work(arguments):
        return [1 // abs(argument - failing) for argument in arguments]

    told = run(work, *[1] * 24)
    assert type(told.pop(failing)) is ZeroDivisionError
    assert told == [int(abs(n - failing) == 1) for n in range(24) if n != failing]


def test_nobody_tries_alone_when_the_server_is_away():
    n_tries = []

    async def work(arguments):
        n_tries.append(len(arguments))
        raise ServerAway("away")

    assert {type(each) for each in run(work, 1, 1, 1)} == {ServerAway}
    assert sum(n_tries) == 3


@pytest.mark.block_sizes
def test_a_second_batch_begins_beside_the_first_when_much_waits():
    under_way, most = 0, 0

    async def work(arguments):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return arguments

    async def ask(size, at_once):
        batches = Batches(work, at_once=at_once)
        told = await asyncio.gather(*(batches.do(n, size=size) for n in range(10)))
        await batches.stop()
        assert told == list(range(10))

    for size, at_once, expected in ((1, 2, 1), (LARGEST_BATCH, 1, 1), (LARGEST_BATCH, 2, 2)):
        most = 0
        asyncio.run(ask(size, at_once))
        assert most == expected


def test_all_who_wait_are_told_when_their_batch_is_cancelled():
    async def scenario():
        batches = Batches(lambda _: asyncio.Event().wait())
        waiting = [asyncio.create_task(batches.do(number)) for number in range(24)]
        await asyncio.sleep(0.01)
        for task in batches._running:
            task.cancel()
        told = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in told] == [asyncio.CancelledError] * 24

    asyncio.run(asyncio.wait_for(scenario(), 60))


def test_nobody_is_forgotten_between_two_batches():
    async def work(arguments):
        await asyncio.sleep(0)
        return arguments

    async def ask():
        batches = Batches(work, at_once=2)

        async def one(name):
            for _ in range(name % 7):
                await asyncio.sleep(0)
            return await batches.do(name)

        async with asyncio.timeout(10):
            assert await asyncio.gather(*map(one, range(500))) == list(range(500))

    asyncio.run(ask())
