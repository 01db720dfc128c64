"""What waits to be written to one pipe."""

import asyncio
import os

from workbench.transports.outbox import Outbox


class Pipe:
    """A real pipe with asyncio's writing end."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    async def transport(self) -> asyncio.WriteTransport:
        loop = asyncio.get_running_loop()
        end = os.fdopen(self.writing, "wb", 0)
        transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, end)
        return transport

    def read(self) -> bytes:
        return os.read(self.reading, 65536)


async def turn() -> None:
    passed = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(passed.set_result, None)
    await passed


def test_the_frames_of_one_turn_leave_together_each_with_its_line_end() -> None:
    """Spec: basic/transports/stdio, one message a line."""

    async def story() -> bytes:
        pipe = Pipe()
        box = Outbox(asyncio.get_running_loop(), await pipe.transport())
        box.put(b"one")
        box.put(b"two")
        await turn()
        got = pipe.read()
        box.close()
        os.close(pipe.reading)
        return got

    assert asyncio.run(story()) == b"one\ntwo\n"


def test_in_a_hurry_one_frame_leaves_at_once_and_the_rest_of_the_turn_together() -> None:
    """Ours: a call that follows a call does not wait for company; many at once still do."""

    async def story() -> list[bytes]:
        pipe = Pipe()
        box = Outbox(asyncio.get_running_loop(), await pipe.transport())
        box.in_a_hurry = True
        box.put(b"one")
        got = [pipe.read()]
        box.put(b"two")
        box.in_a_hurry = True  # too late for what is queued: frames keep their order
        box.put(b"three")
        await turn()
        got.append(pipe.read())
        box.put(b"four")
        got.append(pipe.read())
        box.close()
        os.close(pipe.reading)
        return got

    assert asyncio.run(story()) == [b"one\n", b"two\nthree\n", b"four\n"]


def test_a_hurry_does_not_write_into_a_pipe_that_is_being_closed() -> None:
    """Ours: what nobody can read is dropped, as it is for a whole turn."""

    async def story() -> bytes:
        pipe = Pipe()
        box = Outbox(asyncio.get_running_loop(), await pipe.transport())
        box.close()
        box.in_a_hurry = True
        box.put(b"late")
        for _ in range(3):
            await turn()
        got = pipe.read()
        os.close(pipe.reading)
        return got

    assert asyncio.run(story()) == b""


def test_closing_writes_what_is_queued_and_ends_the_pipe() -> None:
    """Ours: the last word is not lost."""

    async def story() -> list[bytes]:
        pipe = Pipe()
        box = Outbox(asyncio.get_running_loop(), await pipe.transport())
        box.put(b"last")
        box.close()
        for _ in range(3):
            await turn()
        got = [pipe.read(), pipe.read()]
        os.close(pipe.reading)
        return got

    assert asyncio.run(story()) == [b"last\n", b""]


def test_it_takes_no_more_than_the_cap_when_nobody_reads() -> None:
    """Ours: everything is bounded."""

    async def story() -> list[bool]:
        pipe = Pipe()
        box = Outbox(asyncio.get_running_loop(), await pipe.transport(), cap=1_000)
        taken = [box.put(b"x" * 1_001), box.put(b"y")]
        await turn()
        pipe.read()
        # More than the system's own buffer of a pipe holds.
        taken.append(box.put(b"x" * 4_000_000))
        await turn()
        taken.append(box.put(b"y"))
        box.abort()
        await turn()
        os.close(pipe.reading)
        return taken

    assert asyncio.run(story()) == [True, False, True, False]
