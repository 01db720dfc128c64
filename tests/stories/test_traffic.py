"""What crosses a pipe once a peer is ready: noise, huge lines, wrong ids, crossed answers.

The ids of the field cases stand in the test names: `pytest -k S20`. Every server here is a
process; whatever it writes, the reader survives and the next call works.
"""

import asyncio
import json
import random
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tiny import command, tiny

from fakes import (
    PROGRESS_TOKEN,
    REQUEST_ID,
    Fake,
    answer_default,
    error,
    exit_,
    fault,
    legacy,
    lines,
    modern,
    notify,
    on,
    on_start,
    raw,
    reply,
    silence,
    stderr,
)
from workbench import AsyncMultiServerClient, MultiServerClient, PeerConfig, ToolResult
from workbench.core.errors import (
    OutcomeUnknown,
    PeerAway,
    ProtocolViolation,
    TookTooLong,
    WorkbenchError,
)
from workbench.core.wire.framing import DEFAULT_FRAME_CAP

pytestmark = pytest.mark.usefixtures("started")

LIMIT_S = 20.0
BRIEF_S = 0.5
"""Deadline of calls that are never answered, in seconds."""


@contextmanager
def talking(server: Fake | PeerConfig, **settings: Any) -> Iterator[MultiServerClient]:
    """Connect one peer over pipes, list and merge its tools, and end it afterwards."""
    if isinstance(server, Fake):
        with server.over_stdio() as argv, talking(command(argv), **settings) as client:
            yield client
        return
    with MultiServerClient() as client:
        client.add_server("peer", server, **settings)
        row = client.connect_all().peers[0]
        assert row.status == "ready", row.reason
        client.discover_tools()
        client.merge()
        yield client


def ready(server: PeerConfig) -> AsyncMultiServerClient:
    client = AsyncMultiServerClient()
    client.add_server("peer", server)
    return client


async def prepared(client: AsyncMultiServerClient) -> None:
    await client.connect_all()
    await client.discover_tools()
    client.merge()


def test_S01_lines_that_are_no_messages_are_recorded_and_skipped() -> None:
    """Case S01: a banner with an emoji, valid JSON that is no object, a log line between."""
    banner = lines("Server starting \U0001f680", "listening", '["ready"]')
    server = modern().script(
        on_start().then(banner), on("tools/call").nth(1).then(raw("INFO called"), answer_default())
    )
    with talking(server) as client:
        for text in ("one", "two"):
            client.call("search", {"q": text})
        strays = [entry.summary for entry in client.journal.entries(kind="stray")]
    assert len([stray for stray in strays if "no message" in stray]) == 4
    assert "\U0001f680" in strays[0]


@pytest.mark.parametrize("size", [200_000, 5_000_000])
def test_S03_a_long_result_arrives_whole(size: int) -> None:
    """Case S03: far above what a line reader takes by default."""
    text = {"content": [{"type": "text", "text": "x" * size}]}
    with talking(modern().script(on("tools/call").then(answer_default(patch=text)))) as client:
        assert len(client.call("search").text) == size


def test_S03_a_line_over_the_cap_costs_only_its_own_call() -> None:
    """Case S03: cap + 1; the call ends by its deadline and says why, the next one works."""
    long = on("tools/call").nth(1).then(answer_default(pad=DEFAULT_FRAME_CAP))
    with talking(modern().script(long)) as client:
        with pytest.raises(TookTooLong, match="the frame was dropped"):
            client.call("search", timeout_s=1.5)
        assert not client.call("search", {"q": "x"}).is_error


def test_S04_an_endless_line_costs_bounded_memory() -> None:
    """Case S04: 64 MiB without a line end, then a valid answer."""
    with talking(fault("C09-64-MiB")) as client:
        tracemalloc.start()
        try:
            assert not client.call("search", timeout_s=LIMIT_S).is_error
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 3 * DEFAULT_FRAME_CAP


def test_S06_line_separators_inside_a_string_are_content() -> None:
    r"""Case S06: U+2028, U+2029, U+0085 raw, VT and FF escaped."""
    said = "one\u2028two\u2029three\u0085four\x0bfive\x0csix"
    text = {"content": [{"type": "text", "text": said}]}
    with talking(modern().script(on("tools/call").then(answer_default(patch=text)))) as client:
        assert client.call("search").text == said


def test_S07_a_byte_that_is_not_utf_8_ends_one_call_only() -> None:
    """Case S07: the bad line is shown, nothing is replaced silently, other answers arrive."""
    with talking(fault("C09-bad-utf-8")) as client:
        with pytest.raises(TookTooLong, match="UTF-8"):
            client.call("search", timeout_s=BRIEF_S)
        assert not client.call("search").is_error


def test_S08_line_ends_of_any_kind_are_understood() -> None:
    """Case S08: CRLF everywhere and two blank lines between the messages."""
    crlf = on("*").then(raw("", times=2), answer_default(after="\r\n"))
    with talking(modern().script(crlf)) as client:
        assert not client.call("search").is_error
        assert not client.call("create").is_error


def test_S08_the_last_answer_needs_no_line_end() -> None:
    """Case S08: written without a newline, then exit 0; the answer counts, the peer is gone."""
    with talking(fault("C09-no-line-end")) as client:
        assert not client.call("search").is_error
        with pytest.raises((PeerAway, OutcomeUnknown)):
            client.call("search", timeout_s=BRIEF_S)


def test_S11_a_noisy_stderr_never_blocks_an_answer() -> None:
    """Case S11: 1 MiB before each answer, half of it without line ends."""
    noise = (stderr("." * 1_024, times=512, newline=False), stderr("log line", times=58_254))
    with talking(modern().script(on("*").then(*noise, answer_default()))) as client:
        for _ in range(3):
            assert not client.call("search", timeout_s=LIMIT_S).is_error


WRONG_IDS: dict[str, Any] = {
    "string": "string",
    "float": "float",
    "zero": 0,
    "null": None,
    "true": True,
    "huge": 10**20,
    "missing": "missing",
    "other": "other",
}


def test_S18_an_answer_counts_only_under_the_id_that_was_asked() -> None:
    """Case S18: "1", 1.0, 0, null, true, 10**20, none; each call ends by its own deadline."""
    rules = [
        on("tools/call").where(name=name).then(answer_default(id=value))
        for name, value in WRONG_IDS.items()
    ]
    server = modern(tools=[*WRONG_IDS, "good"]).script(*rules)

    async def story(argv: list[str]) -> list[Any]:
        client = ready(command(argv))
        await prepared(client)
        calls = (client.call(name, timeout_s=BRIEF_S) for name in WRONG_IDS)
        ends = await asyncio.gather(*calls, return_exceptions=True)
        assert not (await client.call("good")).is_error
        await client.aclose()
        return list(ends)

    with server.over_stdio() as argv:
        ends = asyncio.run(story(argv))
    assert [type(end) for end in ends] == [TookTooLong] * len(WRONG_IDS)
    assert all("meanwhile the peer" in str(end) for end in ends)


def test_S19_what_comes_before_the_answer_is_not_taken_for_it() -> None:
    """Case S19: a log line, progress, an unknown notification and an error without id first."""
    nobody = error(-32700, "Parse error", id=None)
    before = (
        notify("notifications/message", {"level": "info", "data": "working"}),
        notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 1}),
        notify("notifications/nobody/knows", {"x": REQUEST_ID}),
        nobody,
        answer_default(),
    )
    with talking(modern().script(on("tools/call").then(*before))) as client:
        for _ in range(2):
            assert not client.call("search").is_error
        assert client.report().peers[0].status == "ready"
        strays = [entry.what for entry in client.journal.entries(kind="stray")]
    assert len([what for what in strays if "answered id null" in what]) == 2


CROSSED = """
import random
order, held = {order}, []
for message in messages():
    if message["method"] != "tools/call":
        answer(message)
        continue
    held.append(message)
    if len(held) == len(order):
        for index in order: echo(held[index])
        held.clear()
"""


@pytest.mark.parametrize("how", ["reverse", "random"])
def test_S20_twenty_calls_at_once_each_get_their_own_answer(how: str) -> None:
    """Case S20: answered only when all have arrived, in reverse and in random order."""
    order = list(reversed(range(20)))
    if how == "random":
        random.Random(20).shuffle(order)

    async def story() -> list[list[str]]:
        client = ready(tiny(CROSSED.format(order=order)))
        await prepared(client)
        rounds = []
        for turn in range(3):
            asked = [f"{turn}-{number}" for number in range(20)]
            calls = (client.call("echo", {"q": text}, timeout_s=LIMIT_S) for text in asked)
            got = [result.text for result in await asyncio.gather(*calls)]
            rounds.append([got == asked])
        await client.aclose()
        return rounds

    assert asyncio.run(story()) == [[True]] * 3


def test_S20_a_late_answer_is_not_given_to_the_call_that_runs_then() -> None:
    """Case S20: the first call timed out; its answer comes while the second one waits."""
    late = """
held = []
for message in messages():
    if message["method"] != "tools/call":
        answer(message)
        continue
    held.append(message)
    if len(held) == 2:
        for one in held: echo(one)
"""

    with talking(tiny(late)) as client:
        with pytest.raises(TookTooLong):
            client.call("echo", {"q": "first"}, timeout_s=BRIEF_S)
        assert client.call("echo", {"q": "second"}).text == "second"
        assert len(client.journal.entries(kind="stray")) == 1


SHAPES: dict[str, tuple[str, type[WorkbenchError], str]] = {
    "batch": ('[{"jsonrpc":"2.0","id":<<id>>,"result":{}},{}]', TookTooLong, "batch"),
    "no-jsonrpc": ('{"id":<<id>>,"result":{}}', ProtocolViolation, "jsonrpc"),
    "neither": ('{"jsonrpc":"2.0","id":<<id>>}', ProtocolViolation, "neither"),
    "both": (
        '{"jsonrpc":"2.0","id":<<id>>,"result":{},"error":{"code":1,"message":"x"}}',
        ProtocolViolation,
        "both",
    ),
    "string": ('"hello"', TookTooLong, "not a JSON object"),
    "deep": ("[" * 2_000 + "]" * 2_000, TookTooLong, "wrote no message"),
}


def test_S26_a_wrong_envelope_fails_its_own_call_and_nothing_else() -> None:
    """Case S26: at once where the id is known, by the deadline where it is not."""
    rules = [
        on("tools/call").where(name=name).then(raw(text)) for name, (text, _, _) in SHAPES.items()
    ]
    with talking(modern(tools=[*SHAPES, "good"]).script(*rules)) as client:
        for name, (_, kind, said) in SHAPES.items():
            with pytest.raises(kind, match=f"(?i){said}"):
                client.call(name, timeout_s=BRIEF_S)
            assert not client.call("good").is_error


def sent(record: Path, method: str) -> list[dict[str, Any]]:
    bodies = map(json.loads, record.read_text(encoding="utf-8").splitlines())
    return [body for body in bodies if body.get("method") == method]


@pytest.mark.parametrize("how", ["deadline", "task", "loop"])
def test_R05_a_call_that_is_given_up_is_cancelled_at_the_server(how: str, tmp_path: Path) -> None:
    """Case R05: on a deadline, on task.cancel() and when the caller's own timeout fires."""
    record = tmp_path / "received"
    mute = modern().script(on("tools/call").nth(1).then(silence()))

    async def story(argv: list[str]) -> ToolResult:
        client = ready(command(argv))
        await prepared(client)
        if how == "deadline":
            with pytest.raises(TookTooLong):
                await client.call("search", timeout_s=0.05)
        elif how == "loop":
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.call("search"), 0.05)
        else:
            call = asyncio.ensure_future(client.call("search"))
            while not client._pool.members["peer"].owner._link.pending:  # type: ignore[union-attr]
                await asyncio.wait([call], timeout=0.001)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        again = await client.call("search", {"q": "again"})
        await client.aclose()
        return again

    with mute.over_stdio(record=record) as argv:
        assert not asyncio.run(story(argv)).is_error
    first, second = sent(record, "tools/call")
    cancelled = sent(record, "notifications/cancelled")
    assert [body["params"]["requestId"] for body in cancelled] == [first["id"]]
    assert first["id"] != second["id"]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_E20_a_server_request_during_a_call_is_answered_by_era(era: str, tmp_path: Path) -> None:
    """Case E20, C11: a legacy ping gets its pong, sampling a refusal; a modern one nothing."""
    record = tmp_path / "received"
    answers: list[Any] = []
    names = ["C11-legacy-ping", "C11-legacy-sampling"] if era == "legacy" else ["C11-modern-ping"]
    for name in names:
        record.unlink(missing_ok=True)
        with (
            fault(name).over_stdio(record=record) as argv,
            talking(command(argv), allow_legacy=era == "legacy") as client,
        ):
            assert not client.call("search").is_error
            strays = [entry.what for entry in client.journal.entries(kind="stray")]
        bodies = map(json.loads, record.read_text(encoding="utf-8").splitlines())
        answers += [body for body in bodies if "method" not in body]
    if era == "modern":
        assert answers == []
        assert "WIRE-02" in strays[0]
    else:
        pong, refusal = answers
        assert (pong["id"], pong["result"]) == (99, {})
        assert (refusal["id"], refusal["error"]["code"]) == (99, -32601)


def test_E20_legacy_capabilities_are_minimal(tmp_path: Path) -> None:
    """Case E20: a server that refuses unknown sub-fields finds none."""
    record = tmp_path / "received"
    with (
        legacy().over_stdio(record=record) as argv,
        talking(command(argv), allow_legacy=True) as client,
    ):
        assert not client.call("search").is_error
    (offer,) = sent(record, "initialize")
    assert offer["params"]["capabilities"] == {}
    assert sorted(offer["params"]) == ["capabilities", "clientInfo", "protocolVersion"]


def test_S13_a_death_after_half_a_line_loses_only_that_call() -> None:
    """Case S13: half an answer, then exit 9; what is cut is shown, never taken for an answer."""
    half = on("tools/call").then(raw('{"jsonrpc":"2.0","id":<<id>>,"resu', newline=False), exit_(9))
    with talking(modern().script(half)) as client, pytest.raises(OutcomeUnknown, match="status 9"):
        client.call("search")


def test_S18_an_id_answered_twice_is_answered_once() -> None:
    """Case S18, C03: the second answer belongs to nobody, also when another call runs."""
    twice = on("tools/call").then(reply({"resultType": "complete", "content": []}, times=2))
    with talking(modern().script(twice)) as client:
        for _ in range(3):
            assert client.call("search").content == []
        assert len(client.journal.entries(kind="stray")) >= 2
