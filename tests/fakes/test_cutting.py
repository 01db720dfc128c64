"""Which of the frames that came back belongs to which message."""

import json
from typing import Any

import pytest

from fakes.cutting import cut
from fakes.http_steps import As, Deliver, HangUp, Status
from fakes.steps import Ask, Close, Delay, Error, Exit, Notify, Raw, Reply, Stderr
from fakes.tape import Life, Tape
from workbench.core.journal.entry import Raw as Entry
from workbench.core.journal.facts import Facts
from workbench.core.journal.journal import Journal
from workbench.core.journal.jsonl import read_jsonl

KEY = "io.modelcontextprotocol/subscriptionId"


class Story:
    """A journal under construction, one second an entry."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.at = 0.0

    def _next(self) -> float:
        self.at += 1.0
        return self.at

    def asks(self, id: Any, method: str, **params: Any) -> None:
        body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        self.journal.sent(self._next(), "p", json.dumps(body).encode())

    def tells(self, method: str, **params: Any) -> None:
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        self.journal.sent(self._next(), "p", json.dumps(body).encode())

    def replies(self, id: Any) -> None:
        body = {"jsonrpc": "2.0", "id": id, "result": {}}
        self.journal.sent(self._next(), "p", json.dumps(body).encode())

    def hears(self, body: Any, facts: Facts | None = None) -> None:
        frame = body if isinstance(body, bytes) else json.dumps({"jsonrpc": "2.0", **body}).encode()
        self.journal.received(self._next(), "p", frame, facts)

    def tape(self, speed: float = 0.0) -> Tape:
        entries: list[Entry] = read_jsonl(self.journal.to_jsonl())[0]
        return cut(entries, speed)

    def life(self, speed: float = 0.0) -> Life:
        (life,) = self.tape(speed).lives
        return life

    def steps(self, speed: float = 0.0) -> list[tuple[str, ...]]:
        return [
            tuple(type(step).__name__ for step in take.steps) for take in self.life(speed).takes
        ]


def test_answers_go_to_the_request_with_their_id_whatever_their_order() -> None:
    """Spec: basic/index, responses."""
    story = Story()
    story.asks(1, "a")
    story.asks(2, "b")
    story.hears({"id": 2, "result": {"of": "b"}})
    story.hears({"id": 1, "error": {"code": -1, "message": "of a"}})
    first, second = story.life().takes
    assert (first.steps, second.steps) == (
        (Error(code=-1, message="of a"),),
        (Reply(result={"of": "b"}),),
    )


def test_progress_goes_to_its_token_and_news_to_the_latest_message() -> None:
    """Ours: what nobody can place was caused by what came last."""
    story = Story()
    story.asks(1, "a", _meta={"progressToken": 1})
    story.asks(2, "b")
    story.hears({"method": "notifications/progress", "params": {"progressToken": 1}})
    story.hears({"method": "notifications/tools/list_changed"})
    story.hears(b"not json")
    assert story.steps() == [("Notify",), ("Notify", "Raw")]
    assert story.life().takes[1].steps[0] == Notify(
        "notifications/tools/list_changed", {}, listeners=True
    )


def test_news_of_a_stream_is_said_in_what_caused_it_to_whoever_listens() -> None:
    """Spec: basic/patterns/subscriptions."""
    story = Story()
    story.asks(1, "subscriptions/listen", notifications={})
    acknowledged = "notifications/subscriptions/acknowledged"
    story.hears({"method": acknowledged, "params": {"notifications": {}, "_meta": {KEY: 1}}})
    story.asks(2, "tools/call")
    story.hears({"method": "notifications/tools/list_changed", "params": {"_meta": {KEY: 1}}})
    story.hears({"id": 2, "result": {}})
    story.hears({"id": 1, "result": {"_meta": {KEY: 1}}})
    listen, call = story.life().takes
    assert [type(step) for step in listen.steps] == [Notify], "it stays open on replay"
    assert call.steps == (Notify("notifications/tools/list_changed", {}, True), Reply(result={}))


def test_a_question_of_the_server_is_waited_for_where_it_was() -> None:
    """Spec 2025-11-25: sampling in the middle of a call."""
    story = Story()
    story.asks(1, "tools/call")
    story.hears({"id": 99, "method": "sampling/createMessage", "params": {"maxTokens": 1}})
    story.replies(99)
    story.hears({"id": 1, "result": {}})
    (take,) = story.life().takes
    asked, answer = take.steps
    assert asked == Ask("sampling/createMessage", {"maxTokens": 1}, 99, wait=True)
    assert answer == Reply(result={})


def test_pauses_are_kept_on_demand_only_and_scaled() -> None:
    """Ours: deterministic unless asked."""
    story = Story()
    story.asks(1, "a")
    story.hears({"id": 1, "result": {}})
    assert story.steps() == [("Reply",)]
    assert story.life(1.0).takes[0].steps[0] == Delay(1.0)
    assert story.life(4.0).takes[0].steps[0] == Delay(0.25)


@pytest.mark.parametrize(
    ("facts", "steps"),
    [
        (Facts(exit_status=3, stderr="bye"), (Stderr("bye"), Exit(3))),
        (Facts(signal="SIGKILL"), (Close(),)),
        (Facts(exit_status=0, by_us=True), ()),
    ],
)
def test_an_end_belongs_to_the_message_it_came_after(facts: Facts, steps: Any) -> None:
    """Ours: the call that killed the server kills it again."""
    story = Story()
    story.asks(1, "a")
    story.journal.closed(9.0, "p", "gone", facts)
    assert story.life().takes[0].steps == steps


def test_what_came_before_the_first_message_is_said_at_the_start_and_lives_are_apart() -> None:
    """Fault matrix P21: banners."""
    story = Story()
    for _ in range(2):
        story.journal.opened(0.0, "p")
        story.hears(b"banner")
        story.journal.closed(0.0, "p", "", Facts(exit_status=1))
    tape = story.tape()
    assert [life.start for life in tape.lives] == [(Raw("banner"), Exit(1))] * 2


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (Facts(status=404, trouble="error status", body="no"), Status(code=404, body="no")),
        (
            Facts(status=401, trouble="authorization needed", headers={"www-authenticate": "B"}),
            Status(code=401, headers={"www-authenticate": "B"}),
        ),
        (Facts(trouble="broken"), HangUp(how="close")),
    ],
)
def test_an_http_exchange_without_a_message_is_a_whole_response(facts: Facts, step: Any) -> None:
    """Fault matrix H06 to H17."""
    story = Story()
    story.asks(5, "server/discover")
    story.journal.stray(2.0, "p", "", None, Facts(exchange=5, **_known(facts)))
    assert story.life().takes[0].steps == (step,)
    assert story.tape().http_only


def test_form_and_status_of_an_http_answer_are_kept() -> None:
    """Fault matrix H09: 200 with an error."""
    story = Story()
    story.asks(5, "a")
    stream = {"content-type": "text/event-stream"}
    story.hears(
        {"id": 5, "error": {"code": -32601, "message": ""}},
        Facts(exchange=5, status=200, headers=stream),
    )
    (take,) = story.life().takes
    assert take.steps[:2] == (As("sse"), Deliver(status=200))
    assert not story.tape().http_only, "it means something on every transport"


def test_a_stream_that_ended_without_an_answer_ends_so_again() -> None:
    """Fault matrix H17."""
    story = Story()
    story.asks(5, "a")
    head = {"content-type": "text/event-stream"}
    ended = Facts(exchange=5, status=200, headers=head, trouble="no answer")
    story.journal.stray(2.0, "p", "", None, ended)
    assert story.steps() == [("As", "HangUp")]


def _known(facts: Facts) -> dict[str, Any]:
    return {
        name: value
        for name in ("status", "trouble", "body", "headers")
        if (value := getattr(facts, name))
    }
