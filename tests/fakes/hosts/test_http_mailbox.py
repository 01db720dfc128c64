import asyncio

from fakes import as_json, as_sse, cut, deliver, hang_up, stall, status
from fakes.hosts.http_mailbox import End, Item, Mailbox
from fakes.http_steps import As, Deliver, HangUp, Status
from fakes.line import Line
from fakes.outputs import Do, Over, Write

LINE = Line(b"x\n")


def planned(*steps: As | Deliver | HangUp | Status, writes: int = 1, over: bool = True) -> Mailbox:
    mail = Mailbox(1)
    mail.plan = [Do(at=0, step=step) for step in steps]
    mail.plan += [Write(at=0, line=LINE)] * writes
    mail.plan += [Over(at=0)] if over else []
    return mail


def test_a_reader_gets_what_comes_in_order_until_the_end() -> None:
    """Ours: every reader sees the same items, and nothing comes after an end."""

    async def run() -> None:
        mail = Mailbox(1)
        mail.put(LINE)

        async def all_from(start: int) -> list[tuple[int, Item]]:
            return [item async for item in mail.read(start)]

        first, second = asyncio.ensure_future(all_from(0)), asyncio.ensure_future(all_from(1))
        await asyncio.wait([first, second], timeout=0)
        mail.put(Line(b"y\n"))
        mail.put(End.OVER)
        mail.put(LINE)
        tail = [(2, Line(b"y\n")), (3, End.OVER)]
        assert await asyncio.wait_for(first, 5) == [(1, LINE), *tail]
        assert await asyncio.wait_for(second, 5) == tail
        assert mail.ended and not mail.killed.is_set()

    asyncio.run(run())


def test_a_killed_mailbox_ends_at_once() -> None:
    """Ours: there is no server any more."""

    async def run() -> None:
        mail = Mailbox(1)
        mail.kill()
        assert [item async for item in mail.read()] == [(1, End.DEAD)]
        assert mail.killed.is_set()

    asyncio.run(run())


def test_the_form_follows_from_the_plan() -> None:
    """Spec: one answer may be JSON; anything more needs a stream."""
    assert planned().form == "json"
    assert planned(writes=2).form == "sse"
    assert planned(writes=0, over=False).form == "sse"
    assert planned(over=False).form == "sse"
    assert planned(hang_up()).form == "sse"
    assert planned(as_json(), writes=2).form == "json"
    assert planned(as_sse()).form == "sse"
    assert planned(as_sse(), as_json()).chosen == "json"


def test_edits_are_merged_and_the_last_one_wins() -> None:
    """Ours: `stall` and `deliver` can be said together."""
    mail = planned(deliver(status=201, headers={"A": "1"}), stall(3), deliver(content_type="x/y"))
    assert mail.edits == Deliver(
        status=201, headers={"A": "1"}, content_type="x/y", stop_after=3, stop="stall"
    )
    assert planned(stall(3), cut(4)).edits == Deliver(stop_after=4, stop="close")
    assert planned().edits == Deliver()


def test_a_whole_response_is_found_in_the_plan() -> None:
    """Ours: a notification is answered with it."""
    assert planned(status(400)).status == status(400)
    assert planned().status is None
