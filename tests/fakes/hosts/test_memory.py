import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from fakes import (
    Fake,
    ScriptError,
    UnexpectedRequest,
    answer_default,
    close,
    delay,
    effect,
    exit_,
    modern,
    notify,
    on,
    on_input_end,
    on_start,
    raw,
    silence,
    stderr,
)
from workbench import MultiServerClient
from workbench.drivers.clock import ManualClock, SystemClock
from workbench.transports.base import Ending, Transport

Body = dict[str, Any]
Build = Callable[..., Body]


class Client:
    """A receiver that keeps everything, and can wait for it."""

    def __init__(self, fake: Fake, clock: ManualClock) -> None:
        self.transport: Transport = fake.new_transport(clock)
        self.frames: list[bytes] = []
        self.ending: Ending | None = None
        self._news = asyncio.Event()

    def frame_received(self, frame: bytes) -> None:
        self.frames.append(frame)
        self._news.set()

    def frame_dropped(self, size: int, head: bytes, cap: int) -> None:
        raise AssertionError("nothing here is that long")

    def life_seen(self) -> None:
        pass

    def transport_closed(self, ending: Ending) -> None:
        assert self.ending is None
        self.ending = ending
        self._news.set()

    def send(self, body: Body) -> None:
        self.transport.send(json.dumps(body).encode())

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def ids(self) -> list[Any]:
        return [json.loads(frame).get("id") for frame in self.frames]


def test_a_fake_answers_in_memory_and_remembers_what_it_received(modern_body: Build) -> None:
    """Ours: `received` holds the decoded bodies of every lifetime."""

    async def story() -> None:
        fake, clock = modern("notes"), ManualClock()
        for number in (1, 2):
            client = Client(fake, clock)
            await client.transport.open(client)
            client.send(modern_body(number, "tools/call", {"name": "search"}))
            await client.until(lambda: len(client.frames) == 1)  # noqa: B023
            assert client.ids() == [number]
            ending = await client.transport.close()
            assert ending.exit_status == 0 and ending.by_us
        assert fake.lifetimes == 2
        assert [body["id"] for body in fake.received] == [1, 2]
        assert fake.methods() == ["tools/call", "tools/call"]
        assert fake.effects == ["search", "search"]
        fake.check()

    asyncio.run(story())


def test_a_delayed_answer_comes_on_the_clock_and_holds_nothing_up(modern_body: Build) -> None:
    """Ours: time is an argument; a fake has no clock of its own."""

    async def story() -> None:
        fake = modern().script(on("tools/list").nth(1).then(delay(1.5), answer_default()))
        clock = ManualClock()
        client = Client(fake, clock)
        await client.transport.open(client)
        client.send(modern_body(1, "tools/list"))
        client.send(modern_body(2, "tools/list"))
        await client.until(lambda: client.ids() == [2])
        clock.advance(1.4)
        client.send(modern_body(3, "tools/list"))
        await client.until(lambda: client.ids() == [2, 3])
        clock.advance(0.1)
        await client.until(lambda: client.ids() == [2, 3, 1])
        await client.transport.close()

    asyncio.run(story())


def test_a_cancelled_request_loses_only_its_cancellable_answer(modern_body: Build) -> None:
    """Ours: `cancellable` is how a fake honours a cancellation, or does not."""

    async def story() -> None:
        fake = modern().script(
            on("tools/list").nth(1).then(delay(1, cancellable=True), answer_default()),
            on("tools/list").nth(2).then(delay(1), answer_default()),
        )
        clock = ManualClock()
        client = Client(fake, clock)
        await client.transport.open(client)
        for number in (1, 2):
            client.send(modern_body(number, "tools/list"))
            params = {"requestId": number}
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        client.send(modern_body(3, "tools/list"))
        await client.until(lambda: client.ids() == [3])
        clock.advance(1)
        await client.until(lambda: client.ids() == [3, 2])
        await client.transport.close()
        assert client.ids() == [3, 2]

    asyncio.run(story())


def test_a_fake_that_dies_at_its_start_ends_after_it_has_opened() -> None:
    """Ours: a link ends once, and not before it began, as a process would."""

    async def story() -> None:
        fake = modern().script(on_start().then(raw("hello"), stderr("no licence"), exit_(3)))
        client = Client(fake, ManualClock())
        await client.transport.open(client)
        await client.until(lambda: client.ending is not None)
        assert client.frames == [b"hello"] and client.ending is not None
        assert (client.ending.exit_status, client.ending.stderr_tail) == (3, "no licence")

    asyncio.run(story())


def test_a_fake_that_ignores_the_end_of_input_is_left_behind() -> None:
    """Ours: in memory the transport gives up on it, in bounded time."""

    async def story() -> None:
        fake = modern().script(on_input_end().then(silence()))
        client = Client(fake, ManualClock())
        await client.transport.open(client)
        ending = await client.transport.close()
        assert ending.exit_status is None and ending.by_us

    asyncio.run(story())


def test_a_test_can_make_a_live_fake_do_something(modern_body: Build) -> None:
    """Ours: `say` acts on every open link, and says so when there is none."""

    async def story() -> None:
        fake = modern()
        with pytest.raises(ScriptError):
            fake.say(close())
        client = Client(fake, ManualClock())
        await client.transport.open(client)
        fake.say(notify("notifications/message", {"level": "info", "data": "hi"}), effect("x"))
        await client.until(lambda: len(client.frames) == 1)
        fake.say(exit_(4))
        await client.until(lambda: client.ending is not None)
        assert fake.effects == ["x"] and client.ending is not None
        assert client.ending.exit_status == 4
        with pytest.raises(ScriptError):
            fake.say(close())

    asyncio.run(story())


def test_a_cell_can_tell_a_fake_what_to_do_on_the_loop_of_its_client() -> None:
    """Ours: `say` from another thread than the client's; it is done when it returns."""
    fake = modern(list_changed=True)
    with MultiServerClient(clock=ManualClock()) as client:
        client.add_server("notes", fake)
        client.connect_all()
        client.discover_tools()
        heard = client.listen()
        fake.say(notify("notifications/tools/list_changed", listeners=True), effect("x"))
        assert fake.effects == ["x"]
        assert heard.wait_for(lambda one: any(n.what == "tools changed" for n in one.events))
    with pytest.raises(ScriptError):
        fake.say(close())


def test_what_goes_wrong_while_a_fake_is_told_is_the_tellers_to_see() -> None:
    """Ours: an error on the loop would be seen by nobody, and the teller would wait."""

    class Deaf(Client):
        def frame_received(self, frame: bytes) -> None:
            raise ValueError("no ears")

    async def story() -> None:
        fake = modern()
        client = Deaf(fake, ManualClock())
        await client.transport.open(client)
        with pytest.raises(ValueError, match="no ears"):
            await asyncio.to_thread(fake.say, notify("notifications/message", {}))
        await client.transport.close()

    asyncio.run(story())


def test_a_fake_whose_client_left_it_behind_has_nobody_to_tell() -> None:
    """Ours: the loop is over; telling is no error, and nothing waits."""
    fake = modern().script(on_input_end().then(silence()))

    async def story() -> None:
        client = Client(fake, ManualClock())
        await client.transport.open(client)

    thread = threading.Thread(target=asyncio.run, args=(story(),))
    thread.start()
    thread.join(5)
    fake.say(effect("x"))
    assert fake.effects == []


def test_a_frame_that_is_no_object_is_not_forgotten() -> None:
    """Ours: a client that writes garbage must not go unnoticed."""

    async def story() -> None:
        fake = modern()
        client = Client(fake, ManualClock())
        await client.transport.open(client)
        client.transport.send(b"[1]")
        client.transport.send(b"")
        await client.until(lambda: len(client.frames) == 1)
        await client.transport.close()
        assert fake.received == []
        with pytest.raises(UnexpectedRequest, match="1"):
            fake.check()

    asyncio.run(story())


def test_what_is_written_at_once_belongs_to_the_lifetime_that_was_opened() -> None:
    """Ours: on a real clock a client writes before the loop's next turn."""
    first = on("server/discover").in_lifetime(1).then(answer_default())
    fake = modern().script(
        on_start().then(effect("started")), first, on("*").then(effect("later"), close())
    )

    async def ask_at_once() -> None:
        client = Client(fake, SystemClock())
        await client.transport.open(client)
        client.transport.send(b'{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}')
        await client.until(lambda: bool(client.frames) or client.ending is not None)
        await client.transport.close()

    for _ in range(2):
        asyncio.run(ask_at_once())
    assert fake.effects == ["started", "started", "later"]
