"""One transport as its driver sees it: journal, decode, hand on, and match by id alone."""

import asyncio
from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.events import Closed, Event, ExchangeEnded, LifeSeen, Received
from workbench.core.journal.entry import id_text
from workbench.core.journal.facts import Facts
from workbench.core.journal.journal import Journal
from workbench.core.text.redact import Redactor
from workbench.core.wire.codec import encode
from workbench.core.wire.envelope import error_reply, result_reply
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.message import ErrorReply, Fault, Malformed, Result
from workbench.core.wire.versions import Era
from workbench.drivers.clock import ManualClock
from workbench.drivers.link import Link
from workbench.transports.base import Ending

SECRET = "keep-this-here"


class Pipe:
    """A transport that remembers what it was given."""

    def __init__(self) -> None:
        self.sent: list[tuple[bytes, Any]] = []

    async def open(self, receiver: Any) -> None:
        """Nothing to open."""

    def send(self, frame: bytes) -> None:
        self.sent.append((frame, None))

    async def close(self) -> Ending:
        return Ending(reason="closed by us", by_us=True)


class Exchanges(Pipe):
    """The same, with an exchange for each request."""

    def __init__(self) -> None:
        super().__init__()
        self.given_up: list[Any] = []

    def send(self, frame: bytes, tool: Any = None) -> None:
        self.sent.append((frame, tool))

    def give_up(self, request_id: Any) -> bool:
        self.given_up.append(request_id)
        return True


class Story:
    """A link, what it told, and futures that wait for ids."""

    def __init__(self, transport: Any, settled: Era | None = Era.MODERN) -> None:
        self.events: list[Event] = []
        self.journal = Journal(redactor=Redactor([SECRET]))
        self.endings: list[Ending] = []
        self.link = Link(
            "peer", transport, ManualClock(), self.journal, self.events.append, self.endings.append
        )
        if settled is not None:
            self.link.settle(settled)

    def waits(self, request_id: Any) -> Any:
        future = asyncio.get_running_loop().create_future()
        self.link.pending[request_id] = future
        return future


def run(story: Any) -> None:
    async def inside() -> None:
        story()

    asyncio.run(inside())


def ended(request_id: Any, trouble: Trouble = Trouble.NO_ANSWER, **facts: Any) -> ExchangeEnd:
    return ExchangeEnd(request_id=request_id, trouble=trouble, **facts)


def test_an_answer_in_its_own_exchange_reaches_whoever_waits() -> None:
    """Spec: the response stream is scoped to its request."""

    def story() -> None:
        told = Story(Exchanges())
        waiting = told.waits(7)
        told.link.frame_received(encode(result_reply(7, {"a": 1})), 7)
        assert waiting.result() == Result(7, {"a": 1})

    run(story)


@pytest.mark.parametrize("foreign", [8, "7"])
def test_an_answer_in_the_exchange_of_another_request_matches_nobody(foreign: Any) -> None:
    """Fault matrix C03: also when somebody waits for that very id."""

    def story() -> None:
        told = Story(Exchanges())
        mine, other = told.waits(7), told.waits(foreign)
        told.link.frame_received(encode(result_reply(foreign, {})), 7)
        broken = encode({"jsonrpc": "2.0", "id": foreign})
        told.link.frame_received(broken, 7)
        assert not mine.done() and not other.done()
        assert id_text(foreign) in told.journal.entries(kind="stray")[0].what

    run(story)


def test_an_error_without_an_id_answers_the_exchange_it_came_in() -> None:
    """Spec: an error for a request whose id could not be read has none; over HTTP it is clear."""

    def story() -> None:
        told = Story(Exchanges())
        waiting = told.waits(7)
        told.link.frame_received(encode(error_reply(None, -32700, "no")), 7)
        assert waiting.result() == ErrorReply(7, -32700, "no")
        probing = Story(Exchanges(), settled=None)
        probing.link.frame_received(encode(error_reply(None, -32020, "no")), 1)
        (event,) = probing.events
        assert isinstance(event, Received) and event.message == ErrorReply(1, -32020, "no")

    run(story)


def test_an_error_without_an_id_on_a_pipe_answers_nothing() -> None:
    """Fault matrix P15: without an exchange nothing says whose error it is."""

    def story() -> None:
        told = Story(Pipe())
        waiting = told.waits(7)
        told.link.frame_received(encode(error_reply(None, -32700, "no")))
        assert not waiting.done()

    run(story)


def test_a_foreign_answer_during_the_negotiation_is_a_wrong_id() -> None:
    """Fault matrix P15 over HTTP: an exchange answers its own request or nothing."""

    def story() -> None:
        told = Story(Exchanges(), settled=None)
        told.link.frame_received(encode(result_reply(1, {})), 2)
        (event,) = told.events
        assert isinstance(event, Received) and isinstance(event.message, Malformed)
        assert (event.message.fault, event.message.id) == (Fault.WRONG_ID, None)

    run(story)


def test_the_end_of_an_exchange_wakes_whoever_waits_and_nobody_else() -> None:
    """Case H06: the waiter is woken at once."""

    def story() -> None:
        told = Story(Exchanges())
        mine, other = told.waits(7), told.waits(8)
        for request_id in (7, 7, 99, None):
            told.link.exchange_ended(ended(request_id, status=202))
        failure = mine.result()
        assert isinstance(failure, Failure) and failure.kind is Kind.OUTCOME_UNKNOWN
        assert not other.done()
        assert len(told.journal.entries(kind="stray")) == 4

    run(story)


def test_the_end_of_an_exchange_during_the_negotiation_is_an_event() -> None:
    """Fault matrix H06: the core decides what it means."""

    def story() -> None:
        told = Story(Exchanges(), settled=None)
        told.link.life_seen()
        told.link.exchange_ended(ended(1, Trouble.STATUS, status=400))
        life, end = told.events
        assert isinstance(life, LifeSeen) and isinstance(end, ExchangeEnded)
        assert end.number == told.journal.entries(kind="stray")[0].number

    run(story)


def test_the_start_of_a_body_is_shown_without_secrets() -> None:
    """Case X01: hidden before it is cut, so that no half of a secret is left."""

    def story() -> None:
        told = Story(Exchanges(), settled=None)
        head = b"x" * 190 + SECRET.encode()
        told.link.exchange_ended(ended(1, Trouble.SERVER, status=502, head=head))
        (event,) = told.events
        assert isinstance(event, ExchangeEnded)
        assert "xxx" in event.end.sample and SECRET[:6] not in event.end.sample

    run(story)


def test_a_tool_is_told_to_a_transport_that_mirrors_and_to_no_other() -> None:
    """Spec: custom headers are a matter of HTTP; on stdio they are ignored."""

    def story() -> None:
        for transport, expected in ((Exchanges(), {"name": "t"}), (Pipe(), None)):
            told = Story(transport)
            told.link.send(b"{}", "tools/call", {"name": "t"})
            assert transport.sent == [(b"{}", expected)]

    run(story)


def test_giving_up_tells_the_peer_only_where_an_exchange_can_be_closed() -> None:
    """Spec: basic/patterns/cancellation, transport-specific."""

    def story() -> None:
        exchanges = Exchanges()
        assert Story(exchanges).link.give_up(7) is True
        assert exchanges.given_up == [7]
        assert Story(Pipe()).link.give_up(7) is False

    run(story)


def test_the_end_of_the_transport_fails_what_is_in_flight_and_is_told_last() -> None:
    """Fault matrix C04; field case S26."""

    def story() -> None:
        told = Story(Pipe())
        waiting = told.waits(7)
        told.link.transport_closed(Ending(reason="exited with status 3", stderr_tail="boom"))
        failure = waiting.result()
        assert (failure.kind, "boom" in failure.detail) == (Kind.OUTCOME_UNKNOWN, True)
        assert told.link.pending == {} and len(told.endings) == 1
        probing = Story(Pipe(), settled=None)
        probing.link.transport_closed(Ending(reason="gone"))
        assert isinstance(probing.events[-1], Closed)

    run(story)


def test_a_muted_link_only_records() -> None:
    """Ours: after a refusal nothing a peer says moves anything."""

    def story() -> None:
        told = Story(Pipe(), settled=None)
        told.link.mute()
        told.link.frame_received(b"hello")
        told.link.life_seen()
        assert told.events == []
        assert len(told.journal.entries(kind="stray")) == 1

    run(story)


@pytest.mark.parametrize(("era", "answered"), [(Era.MODERN, False), (Era.LEGACY, True)])
def test_a_ping_is_answered_by_era(era: Era, answered: bool) -> None:
    """Fault matrix C11: a modern server sends no requests."""

    def story() -> None:
        pipe = Pipe()
        told = Story(pipe, settled=era)
        told.link.frame_received(b'{"jsonrpc":"2.0","id":"s","method":"ping"}')
        assert [frame for frame, _ in pipe.sent] == [encode(result_reply("s", {}))] * answered

    run(story)


def test_headers_statuses_and_ends_are_kept_beside_the_frames() -> None:
    """Ours: lint judges headers, a replay repeats statuses; the head goes with one entry."""

    def story() -> None:
        pipe = Exchanges()
        told = Story(pipe)
        pipe.send = lambda frame, tool=None: {"Mcp-Method": "tools/list"}  # type: ignore[assignment,method-assign]
        told.link.send(b"{}", "tools/list")
        told.link.exchange_seen(7, 200, {"Content-Type": "application/json", "Set-Cookie": "x"})
        told.waits(7)
        told.link.frame_received(encode(result_reply(7, {})), 7)
        told.link.exchange_seen(8, 404, {"Allow": "POST"})
        end = ExchangeEnd(request_id=8, trouble=Trouble.STATUS, status=404)
        told.link.exchange_ended(end)
        told.link.transport_closed(Ending(reason="exited", exit_status=3, stderr_tail="bye"))
        sent, received, stray, closed = (entry.facts for entry in told.journal.entries())
        assert sent == Facts(headers={"mcp-method": "tools/list"})
        assert received == Facts(
            exchange=7, status=200, headers={"content-type": "application/json"}
        )
        assert stray == Facts(
            exchange=8, status=404, headers={"allow": "POST"}, trouble="error status"
        )
        assert closed == Facts(exit_status=3, stderr="bye")

    run(story)
