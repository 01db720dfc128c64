"""A recorded server answers from its tape, and owns up where the tape has nothing."""

import json
from typing import Any

from fakes.engine import begin, react
from fakes.eras.modern import ACKNOWLEDGED, LISTEN
from fakes.events import Heard, Started, Told
from fakes.outputs import End, Write
from fakes.program import Program
from fakes.server import Server
from fakes.steps import PROGRESS_TOKEN, REQUEST_ID, Exit, Notify, Raw, Reply
from fakes.tape import Life, Take, Tape
from workbench.core.wire.envelope import legacy_request, modern_request

CHANGED = "notifications/tools/list_changed"
WANTED = {"notifications": {"toolsListChanged": True}}
ACK = Notify(
    ACKNOWLEDGED,
    {
        **WANTED,
        "_meta": {"io.modelcontextprotocol/subscriptionId": REQUEST_ID},
    },
)


class Played:
    """One life of a tape, message by message."""

    def __init__(self, *lives: Life, number: int = 1, **server: Any) -> None:
        tape = Tape(lives=lives)
        self.state = begin(Program(name="p", server=Server(tape=tape, **server)))
        self.outputs: list[Any] = []
        self._do(Started(number))

    def _do(self, event: Any) -> list[dict[str, Any]]:
        self.state, outputs = react(self.state, event, 0.0)
        self.outputs += outputs
        return [json.loads(one.line.data) for one in outputs if isinstance(one, Write)]

    def ask(self, id: int, method: str, params: Any = None, legacy: bool = False) -> Any:
        build = legacy_request(id, method, params or {})
        body = build if legacy else modern_request(id, method, params or {}, "2026-07-28")
        return self._do(Heard(json.dumps(body).encode()))

    def tell(self, *steps: Any) -> Any:
        return self._do(Told(steps))


def test_an_answer_is_given_under_the_id_it_is_asked_with() -> None:
    """Ours: ids belong to the sending."""
    played = Played(Life(takes=(Take(method="tools/list", steps=(Reply(result={"a": 1}),)),)))
    assert played.ask(41, "tools/list") == [{"jsonrpc": "2.0", "id": 41, "result": {"a": 1}}]


def test_what_was_not_recorded_gets_an_error_that_says_so() -> None:
    """Ours: a replay makes nothing up; the code tells a method from its params."""
    played = Played(Life(takes=(Take(method="tools/list", steps=(Reply(result={}),)),)))
    (unknown,), (other,) = played.ask(1, "ping"), played.ask(2, "tools/list", {"cursor": "x"})
    assert (unknown["error"]["code"], other["error"]["code"]) == (-32601, -32602)
    assert "Not in the recording" in unknown["error"]["message"]
    assert '{"cursor":"x"}' in other["error"]["message"]


def test_a_stream_that_was_acknowledged_is_open_again_for_what_comes_later() -> None:
    """Spec: basic/patterns/subscriptions; the stream has the id of the new request."""
    changed = Take(method="tools/call", steps=(Notify(CHANGED, {}, True), Reply(result={})))
    played = Played(Life(takes=(Take(method=LISTEN, params=WANTED, steps=(ACK,)), changed)))
    (acknowledged,) = played.ask(7, LISTEN, WANTED)
    key = "io.modelcontextprotocol/subscriptionId"
    assert acknowledged["params"]["_meta"][key] == 7
    news, _ = played.ask(8, "tools/call")
    assert (news["method"], news["params"]["_meta"][key]) == (CHANGED, 7)


def test_progress_is_told_only_to_who_asks_for_it() -> None:
    """Spec: basic/patterns/progress; no token, no progress."""
    step = Notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 1})
    played = Played(Life(takes=(Take(method="tools/call", steps=(step, Reply(result={}))),)))
    assert len(played.ask(1, "tools/call")) == 1
    progress, _ = played.ask(2, "tools/call", {"_meta": {"progressToken": "t"}})
    assert progress["params"]["progressToken"] == "t"


def test_the_second_life_begins_and_ends_as_the_second_was_recorded() -> None:
    """Ours: a crash belongs to one life."""
    lives = Life(), Life(start=(Raw("7"),), takes=(Take(method="x", steps=(Exit(4),)),))
    played = Played(*lives, number=2)
    assert played.outputs[0].line.data == b"7\n"
    played.ask(1, "x")
    assert [one.status for one in played.outputs if isinstance(one, End)] == [4]


def test_a_legacy_session_hears_news_plainly() -> None:
    """Spec 2025-11-25: there are no streams to stamp."""
    takes = Take(method="initialize", steps=(Reply(result={}),)), Take(method="n", steps=())
    played = Played(Life(takes=takes), era="legacy")
    played.ask(1, "initialize", legacy=True)
    assert played.tell(Notify(CHANGED, {}, True)) == [{"jsonrpc": "2.0", "method": CHANGED}]
