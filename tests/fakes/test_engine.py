import json
from collections.abc import Callable
from typing import Any

from fakes import (
    PROGRESS_TOKEN,
    REQUEST_ID,
    Fake,
    answer_default,
    ask,
    close,
    delay,
    effect,
    legacy,
    modern,
    notify,
    on,
    on_get,
    on_input_end,
    on_start,
    raw,
    reply,
    silence,
)
from fakes.engine import begin, react
from fakes.events import FakeEvent, Gone, Heard, InputEnded, Started, StreamOpened, Told
from fakes.outputs import Do, End, Forget, Output, Over, Write
from workbench.core.wire.versions import LATEST_MODERN

Body = dict[str, Any]
Build = Callable[..., Body]


def play(fake: Fake, *events: FakeEvent | Body, now: float = 0.0) -> list[Output]:
    state, outputs = begin(fake.program), []
    for event in events:
        if isinstance(event, dict):
            event = Heard(json.dumps(event).encode())
        state, new = react(state, event, now)
        outputs += [one for one in new if not isinstance(one, Over)]
    return outputs


def written(outputs: list[Output]) -> list[bytes]:
    return [b"".join(out.line.pieces()) for out in outputs if isinstance(out, Write)]


def messages(outputs: list[Output]) -> list[Body]:
    return [json.loads(line) for line in written(outputs)]


def test_the_same_events_give_the_same_outputs(modern_body: Build) -> None:
    """Ours: the engine is a pure function; nothing is kept outside its state."""
    fake = modern().script(on("tools/call").nth(2).then(delay(1), answer_default(id="other")))
    call = modern_body(1, "tools/call", {"name": "search", "arguments": {}})
    events = (Started(1), call, call, InputEnded())
    assert play(fake, *events) == play(fake, *events)


def test_reacting_does_not_change_the_state_it_is_given(modern_body: Build) -> None:
    """Ours: an old state can be played again from there."""
    frame = Heard(json.dumps(modern_body(1, "server/discover")).encode())
    old = begin(modern().script(on("server/discover").nth(1).then(silence())).program)
    _, first = react(old, frame, 0.0)
    _, again = react(old, frame, 0.0)
    assert first == again == ()


def test_only_the_named_turn_is_scripted(modern_body: Build) -> None:
    """Ours: `nth(2)` is the second fitting message of a lifetime, nothing else."""
    fake = modern().script(on("tools/list").nth(2).then(reply({"scripted": True})))
    answers = messages(play(fake, *(modern_body(n, "tools/list") for n in (1, 2, 3))))
    assert ["scripted" in one["result"] for one in answers] == [False, True, False]


def test_a_rule_counts_messages_that_another_rule_answered(modern_body: Build) -> None:
    """Ours: turns are a fact about the messages, not about the other rules."""
    fake = modern().script(
        on("tools/list").nth(1).then(reply("first")), on("*").nth(2).then(reply("second"))
    )
    answers = messages(play(fake, *(modern_body(n, "tools/list") for n in (1, 2))))
    assert [one["result"] for one in answers] == ["first", "second"]


def test_a_delay_moves_only_what_follows_it(modern_body: Build) -> None:
    """Ours: a late answer never holds up a later one."""
    fake = modern().script(on("tools/list").nth(1).then(raw("now"), delay(1.5), answer_default()))
    outputs = play(fake, modern_body(1, "tools/list"), modern_body(2, "tools/list"), now=10.0)
    assert [out.at for out in outputs] == [10.0, 11.5, 10.0]


def test_every_edit_of_an_honest_answer_shows_on_the_wire(modern_body: Build) -> None:
    """Ours: malformed variants are edits, so that nothing else differs by accident."""
    edits = answer_default(
        patch={"supportedVersions": ["x"]},
        without=("resultType",),
        id="string",
        envelope={"jsonrpc": "1.0", "error": {"code": 1, "message": "also"}},
        before="\ufeff",
        after="\r\n",
        pad=5,
        times=2,
    )
    fake = modern().script(on("server/discover").then(edits))
    (line,) = written(play(fake, modern_body(7, "server/discover")))
    one, two = line.decode().split("\r\n")[:2]
    assert one == two and one.startswith("\ufeff{     ")
    body = json.loads(one.removeprefix("\ufeff"))
    assert body["id"] == "7" and body["jsonrpc"] == "1.0" and body["error"]["code"] == 1
    assert body["result"]["supportedVersions"] == ["x"] and "resultType" not in body["result"]
    assert body["result"]["cacheScope"] == "public"


def test_ids_can_be_wrong_in_every_way(modern_body: Build) -> None:
    """Case S18: another number, a string, a float, null, none at all."""
    words = ["other", "string", "float", None, 5]
    lines = []
    for word in words:
        fake = modern().script(on("*").then(answer_default(id=word)))
        lines += messages(play(fake, modern_body(1, "server/discover")))
    assert [repr(one["id"]) for one in lines] == ["1001", "'1'", "1.0", "None", "5"]
    missing = modern().script(on("*").then(answer_default(id="missing")))
    assert "id" not in messages(play(missing, modern_body(1, "server/discover")))[0]


def test_marks_become_the_id_and_the_progress_token(modern_body: Build) -> None:
    """Ours: a scripted answer must be able to name the request it belongs to."""
    fake = modern().script(
        on("tools/call").then(
            notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 1}),
            raw('{"id":<<id>>}'),
            reply({"deep": [REQUEST_ID]}),
        )
    )
    call = modern_body(3, "tools/call", {"name": "search", "_meta": {"progressToken": "t"}})
    progress, line, answer = messages(play(fake, call))
    assert progress["params"]["progressToken"] == "t"
    assert line == {"id": 3} and answer["result"] == {"deep": [3]}


def test_a_waiting_request_holds_back_the_rest_until_it_is_answered(
    handshake: list[Body],
) -> None:
    """Case E20: a legacy server pings in the middle of a call and waits for the pong."""
    fake = legacy().script(on("tools/list").then(ask("ping", id=99, wait=True), answer_default()))
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    before = messages(play(fake, *handshake, listing))
    assert before[-1] == {"jsonrpc": "2.0", "id": 99, "method": "ping"}
    wrong = {"jsonrpc": "2.0", "id": "99", "result": {}}
    right = {"jsonrpc": "2.0", "id": 99, "result": {}}
    assert messages(play(fake, *handshake, listing, wrong)) == before
    after = messages(play(fake, *handshake, listing, right))
    assert after[-1]["id"] == 2 and "tools" in after[-1]["result"]


def test_a_cancellation_forgets_the_request_and_closes_its_stream(modern_body: Build) -> None:
    """Spec: after notifications/cancelled on stdio a listen stream is over."""
    fake = modern(list_changed=True).script(
        on("tools/list").then(delay(1, cancellable=True), answer_default())
    )
    listen = modern_body(5, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    cancel = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 5},
    }
    change = Told((notify("notifications/tools/list_changed", listeners=True),))
    key = "io.modelcontextprotocol/subscriptionId"
    acknowledged, changed = messages(play(fake, listen, change))
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert [one["params"]["_meta"][key] for one in (acknowledged, changed)] == [5, 5]
    outputs = play(fake, listen, modern_body(6, "tools/list"), cancel, change)
    assert Forget(at=0.0, request_id=5) in outputs
    assert [out.drop_with for out in outputs if isinstance(out, Write)] == [None, 6]


def test_a_legacy_listener_gets_a_plain_notification(handshake: list[Body]) -> None:
    """Spec: 2025-11-25 has one stream and no subscription ids."""
    change = Told((notify("notifications/tools/list_changed", listeners=True),))
    last = messages(play(legacy(), *handshake, change))[-1]
    assert last == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def test_lifetimes_are_told_apart() -> None:
    """Ours: a fake that dies once must be able to be well afterwards."""
    fake = modern().script(on_start().in_lifetime(1).then(close()))
    assert play(fake, Started(1)) == [End(at=0.0)]
    assert play(fake, Started(2)) == []


def test_the_end_of_input_ends_an_honest_fake_and_a_rule_can_change_that() -> None:
    """Seed card: a stdio server exits on the end of its input."""
    assert play(modern(), InputEnded()) == [End(at=0.0, status=0)]
    assert play(modern().script(on_input_end().then(silence())), InputEnded()) == []


def test_an_executed_call_leaves_an_effect_and_a_refused_one_does_not(modern_body: Build) -> None:
    """Case R03: a test must see whether a side effect happened, and how often."""
    fake = modern(tools=["create"])
    good = play(fake, modern_body(1, "tools/call", {"name": "create"}))
    bad = play(fake, modern_body(1, "tools/call", {"name": "nothing"}))
    assert [out.step for out in good if isinstance(out, Do)] == [effect("create")]
    assert not any(isinstance(out, Do) for out in bad)


def test_lines_that_are_no_message_are_answered_as_json_rpc_says() -> None:
    """Spec: JSON-RPC 2.0, -32700 with id null and -32600; blank lines are nothing."""
    answers = messages(play(modern(), Heard(b"{"), Heard(b"[]"), Heard(b'{"id":4}'), Heard(b"")))
    assert [(one["id"], one["error"]["code"]) for one in answers] == [
        (None, -32700),
        (None, -32600),
        (4, -32600),
    ]


def test_a_huge_repetition_stays_small_until_it_is_written() -> None:
    """Ours: 64 MiB on the wire must not be 64 MiB in a script."""
    fake = modern().script(on_start().then(raw("x" * 1024, newline=False, times=65_536)))
    (output,) = play(fake, Started(1))
    assert isinstance(output, Write) and len(output.line.data) == 1024
    sizes = [len(piece) for piece in output.line.pieces()]
    assert sum(sizes) == 64 * 1024 * 1024 and max(sizes) <= 64 * 1024


def test_chunks_split_a_line_without_changing_it(modern_body: Build) -> None:
    """Case: a frame may arrive a byte at a time."""
    fake = modern().script(on("*").then(answer_default(chunk=1)))
    (output,) = play(fake, modern_body(1, "server/discover", version=LATEST_MODERN))
    assert isinstance(output, Write)
    pieces = list(output.line.pieces())
    assert {len(piece) for piece in pieces} == {1} and json.loads(b"".join(pieces))["id"] == 1


def origins(outputs: tuple[Output, ...]) -> list[tuple[type, int]]:
    return [(type(out), out.origin) for out in outputs if isinstance(out, Write | Do | Over)]


def test_what_is_said_carries_the_number_of_the_exchange_it_belongs_to(modern_body: Build) -> None:
    """Ours: one host, many clients; ids of two clients may be equal."""
    fake = modern(list_changed=True).script(
        on("tools/list").then(notify("notifications/tools/list_changed", listeners=True)),
        on("tools/call").then(silence()),
    )
    wanted = {"notifications": {"toolsListChanged": True}}
    state = begin(fake.program)

    def hear(body: Body, origin: int) -> list[tuple[type, int]]:
        nonlocal state
        state, outputs = react(state, Heard(json.dumps(body).encode(), origin), 0.0)
        return origins(outputs)

    listen = modern_body(1, "subscriptions/listen", wanted)
    assert hear(listen, 4) == [(Write, 4)]
    assert hear(listen, 5) == [(Write, 5)]
    assert hear(modern_body(1, "server/discover"), 6) == [(Write, 6), (Over, 6)]
    assert hear(modern_body(1, "tools/list"), 7) == [(Write, 4), (Write, 5)]
    assert hear(modern_body(1, "tools/call"), 8) == []
    state, outputs = react(state, Gone(4), 0.0)
    assert outputs == ()
    assert hear(modern_body(1, "tools/list"), 9) == [(Write, 5)]
    assert hear({"jsonrpc": "2.0"}, 10) == [(Write, 10), (Over, 10)]


def test_what_waits_for_an_answer_stays_with_its_exchange(handshake: list[Body]) -> None:
    """Ours: the answer comes in another POST than the request."""
    fake = legacy().script(on("ping").then(ask("roots/list", id=9, wait=True), answer_default()))
    state = begin(fake.program)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    seen = []
    for origin, body in enumerate([*handshake, ping, {"jsonrpc": "2.0", "id": 9, "result": {}}]):
        state, outputs = react(state, Heard(json.dumps(body).encode(), origin), 0.0)
        seen.append(origins(outputs))
    assert seen[2:] == [[(Write, 2)], [(Write, 2), (Over, 2)]]


def test_a_stream_of_the_clients_own_can_be_scripted() -> None:
    """Spec: 2025-11-25, the client may open a stream by GET."""
    fake = legacy().script(on_get().nth(2).then(notify("notifications/message", {"data": 1})))
    state, nothing = react(begin(fake.program), StreamOpened(3), 0.0)
    assert nothing == ()
    _, outputs = react(state, StreamOpened(4), 0.0)
    assert origins(outputs) == [(Write, 4)]


def test_news_that_belong_to_no_request_are_marked(handshake: list[Body]) -> None:
    """Spec: 2025-11-25, messages on the client's own stream belong to no request."""
    news = notify("notifications/tools/list_changed", listeners=True)
    fake = legacy().script(on("ping").then(news, notify("notifications/progress")))
    outputs = play(fake, *handshake, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
    assert [out.aside for out in outputs if isinstance(out, Write)] == [False, True, False]
