"""Work that several want at once is done once."""

import asyncio

import pytest
from driven import turns

from workbench.drivers.shared_work import SharedWork


def test_all_who_ask_meanwhile_share_one_result() -> None:
    """Fault matrix C08: at most one refetch running; the next one starts anew."""
    done: list[str] = []

    async def story() -> None:
        shared: SharedWork[str] = SharedWork()
        gate = asyncio.Event()

        async def work() -> str:
            await gate.wait()
            done.append("once")
            return f"result {len(done)}"

        asking = [asyncio.ensure_future(shared.do("a", work)) for _ in range(5)]
        other = asyncio.ensure_future(shared.do("b", work))
        await turns(1)
        gate.set()
        assert len(set(await asyncio.gather(*asking))) == 1
        await other
        assert len(done) == 2
        assert await shared.do("a", work) == "result 3"

    asyncio.run(story())


def test_one_who_gives_up_takes_nobody_along() -> None:
    """Ours: a cancelled caller must not cancel the others' work; the last one does."""

    async def story() -> None:
        shared: SharedWork[int] = SharedWork()
        gate, ended = asyncio.Event(), asyncio.Event()

        async def work() -> int:
            try:
                await gate.wait()
            finally:
                ended.set()
            return 1

        first, second = (asyncio.ensure_future(shared.do("a", work)) for _ in range(2))
        await turns(1)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert not ended.is_set()
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        async with asyncio.timeout(5):
            await ended.wait()
        gate.set()
        assert await shared.do("a", work) == 1

    asyncio.run(story())


def test_a_failure_reaches_everybody_and_is_not_kept() -> None:
    """Ours: an exception is a result like any other."""

    async def story() -> None:
        shared: SharedWork[int] = SharedWork()
        tries: list[int] = []

        async def work() -> int:
            tries.append(1)
            await turns(1)
            if len(tries) == 1:
                raise ValueError("no")
            return 2

        ends = await asyncio.gather(
            *(shared.do("a", work) for _ in range(3)), return_exceptions=True
        )
        assert [type(end) for end in ends] == [ValueError] * 3
        assert await shared.do("a", work) == 2

    asyncio.run(story())
