"""A recorded peer is played again: in memory, as a process, over HTTP."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from driven import driven

from fakes import (
    PROGRESS_TOKEN,
    Fake,
    ScriptError,
    answer_default,
    close,
    delay,
    dual_era,
    error,
    everything,
    legacy,
    modern,
    notify,
    on,
)
from fakes.playback import recorded
from workbench import (
    AsyncMultiServerClient,
    Handlers,
    Journal,
    ManualClock,
    MultiServerClient,
    PeerConfig,
    accept,
)
from workbench.core.errors import WorkbenchError

CALLS = ({"q": "tea"}, {"q": "tea"}, {"q": "milk"})


def visit(
    target: Any, names: tuple[str, ...] = ("search",)
) -> tuple[dict[str, Any], list[Any], str]:
    """Connect, list, call; return the report's row, what came of each call, the journal."""
    with MultiServerClient() as client:
        client.add_server("peer", target, allow_legacy=True)
        client.connect_all()
        client.discover_tools()
        client.merge()
        row = client.report().peers[0].to_dict()
        came = [called(client, given) for given in CALLS]
    for changing in ("ready_ms", "transport"):
        del row[changing]
    return row, came, client.journal.to_jsonl()


def called(client: MultiServerClient, given: dict[str, str]) -> Any:
    try:
        return client.call("search", given, check_arguments=False).raw
    except WorkbenchError as problem:
        return problem.failure.kind


@pytest.mark.parametrize("way", ["memory", "stdio", "http"])
@pytest.mark.parametrize("make", [modern, legacy, dual_era])
def test_report_and_results_of_a_replay_are_those_of_the_recording(make: Any, way: str) -> None:
    """Ours: the purpose; the same on every transport."""
    *honest, text = visit(make(tools=["search"]))
    replay = Fake.from_journal(text)
    if way == "memory":
        *played, _ = visit(replay)
    elif way == "stdio":
        with replay.over_stdio() as command:
            *played, _ = visit(command)
    else:
        with replay.over_http() as url:
            *played, _ = visit(PeerConfig(name="peer", url=url))
    assert played == honest
    assert (
        visit(make(tools=["search"]).script(on("tools/call").then(error(-32603))))[1] != honest[1]
    )


def test_a_recording_over_http_is_played_over_http_and_in_memory() -> None:
    """Ours: statuses are the recording's, messages are the same everywhere."""
    with modern(tools=["search"]).over_http() as url:
        *honest, text = visit(PeerConfig(name="peer", url=url))
    assert visit(Fake.from_journal(text))[1] == honest[1]
    with Fake.from_journal(text).over_http() as url:
        assert visit(PeerConfig(name="peer", url=url))[:2] == tuple(honest)


def test_a_crash_is_played_again_with_its_status_and_last_words() -> None:
    """Ours: an incident that can be shown to others."""
    dying = legacy(refusal="exit", tools=["search"])
    row, came, text = visit(dying.script(on("tools/call").nth(2).then(close())))
    played, again, _ = visit(Fake.from_journal(text))
    assert (row["status"], played["status"]) == ("ready", "ready")
    assert came[:2] == again[:2]


def test_edits_go_before_the_recording() -> None:
    """Ours: "the second call fails"."""
    *_, text = visit(modern(tools=["search"]))
    edited = Fake.from_journal(text).script(on("tools/call").nth(2).then(error(-32603, "no")))
    first, second, third = visit(edited)[1]
    assert first["content"] == [{"type": "text", "text": 'search: {"q":"tea"}'}]
    assert second == "refused by the peer"
    assert third["content"] == [{"type": "text", "text": 'search: {"q":"milk"}'}]


def test_a_part_of_an_answer_can_be_edited() -> None:
    """Ours: every malformed answer is an edit of an honest one, recorded ones too."""
    *_, text = visit(modern(tools=["search"]))
    untyped = on("tools/call").then(answer_default(without=("resultType",)))
    assert visit(Fake.from_journal(text).script(untyped))[1][0] == "protocol violation"


def test_rounds_of_input_are_played_with_their_state() -> None:
    """Spec: basic/patterns/mrtr; the second round is another question."""

    def rounds(target: Any) -> tuple[str, str]:
        handlers = Handlers(elicitation=lambda asked: accept({"sure": True}))
        with MultiServerClient(handlers=handlers) as client:
            client.add_server("peer", target)
            return client.call("search").text, client.journal.to_jsonl()

    from fakes import fault

    said, text = rounds(fault("C10-confirm"))
    assert rounds(Fake.from_journal(text))[0] == said


def test_progress_is_played_between_request_and_answer() -> None:
    """Spec: basic/patterns/progress."""
    step = notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": 1})

    def heard(target: Any) -> tuple[list[float], str]:
        seen: list[float] = []
        with MultiServerClient() as client:
            client.add_server("peer", target)
            client.call("search", on_progress=lambda progress: seen.append(progress.progress))
        return seen, client.journal.to_jsonl()

    seen, text = heard(modern().script(on("tools/call").then(step, answer_default())))
    assert seen == [1] == heard(Fake.from_journal(text))[0]


def test_a_journal_is_read_from_a_file_and_its_peer_is_named(tmp_path: Path) -> None:
    """Ours: one peer needs no name, two do."""
    path = tmp_path / "two.jsonl"
    with MultiServerClient() as client:
        client.add_server("a", modern(tools=["search"]))
        client.add_server("b", legacy(tools=["find"]), allow_legacy=True)
        client.discover_tools()
        client.connect_all()
    path.write_text(client.journal.to_jsonl(), encoding="utf-8")
    assert Fake.from_journal(path, peer="b").program.server.era == "legacy"
    assert Fake.from_journal(str(path), peer="a").name == "a"
    for peer, told in ((None, "recorded: a, b"), ("c", "'c'")):
        with pytest.raises(ScriptError, match=told):
            Fake.from_journal(path, peer=peer)


@pytest.mark.parametrize(
    ("source", "told"),
    [("/no/such/file", "cannot be read"), ("{}", "journal line 1"), ("{", "journal line 1")],
)
def test_what_is_no_journal_is_one_script_error(source: str, told: str) -> None:
    """Ours: a broken script and a broken recording are the same mistake."""
    with pytest.raises(ScriptError, match=told):
        Fake.from_journal(source)


@pytest.mark.parametrize("speed", [-1.0, float("nan"), float("inf")])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    """Ours: 0 is without pauses."""
    with pytest.raises(ScriptError, match="speed"):
        recorded("{}", speed=speed)


def test_an_era_follows_from_what_was_answered() -> None:
    """Ours: over HTTP it decides what a host checks."""
    eras = [
        Fake.from_journal(visit(make())[2]).program.server.era
        for make in (modern, legacy, everything)
    ]
    assert eras == ["modern", "legacy", "modern"]


CHANGED = notify("notifications/tools/list_changed", listeners=True)


def heard(target: Any) -> tuple[list[str], str]:
    """Listen, call, wait for the news; return the methods received and the journal."""

    async def story() -> tuple[list[str], str]:
        async with AsyncMultiServerClient() as client, asyncio.timeout(20):
            client.add_server("peer", target, allow_legacy=True)
            await client.connect_all()
            listening = await client.listen("peer", tools=True)
            await listening.wait_for(lambda one: one.state == "listening")
            await client.discover_tools()
            client.merge()
            lists = len(client.journal.entries("peer", "sent"))
            await client.call("search", {"q": "tea"})
            while "notifications/tools/list_changed" not in methods(client.journal):
                await client.call("search", {"q": "tea"})
            await listening.close()
            assert lists >= 2
        return methods(client.journal), client.journal.to_jsonl()

    return asyncio.run(story())


def methods(journal: Journal) -> list[str]:
    received = journal.entries("peer", "received")
    return [entry.method or "" for entry in received if entry.shape == "notification"]


@pytest.mark.parametrize("way", ["memory", "http"])
@pytest.mark.parametrize("make", [modern, legacy])
def test_news_of_a_stream_comes_again_after_what_caused_it(make: Any, way: str) -> None:
    """Spec: basic/patterns/subscriptions; stamped with the stream of the replay."""
    honest = make(tools=["search"], list_changed=True)
    chatty = honest.script(on("tools/call").nth(1).then(answer_default(), CHANGED))
    said, text = heard(chatty)
    replay = Fake.from_journal(text)
    if way == "memory":
        assert heard(replay)[0] == said
    else:
        with replay.over_http() as url:
            assert set(heard(PeerConfig(name="peer", url=url))[0]) == set(said)
    assert "notifications/tools/list_changed" in said


@pytest.mark.parametrize(("speed", "lasted_s"), [(0.0, 0.0), (1.0, 2.0), (4.0, 0.5)])
def test_pauses_last_as_long_as_asked_for(speed: float, lasted_s: float) -> None:
    """Ours: without a wish there are none, so that a replay is the same each time."""

    def lasted(target: Any) -> tuple[float, str]:
        async def story() -> tuple[float, str]:
            clock = ManualClock()
            client = AsyncMultiServerClient(clock=clock)
            client.add_server("peer", target)
            await driven(client.connect_all(), clock)
            await driven(client.discover_tools(), clock)
            client.merge()
            began_at = clock.now()
            await driven(client.call("search"), clock)
            ended_at = clock.now()
            await driven(client.aclose(), clock)
            return ended_at - began_at, client.journal.to_jsonl()

        return asyncio.run(story())

    slow = modern(tools=["search"]).script(on("tools/call").then(delay(2.0), answer_default()))
    took_s, text = lasted(slow)
    assert took_s == pytest.approx(2.0)
    assert lasted(Fake.from_journal(text, speed=speed))[0] == pytest.approx(lasted_s)


def test_the_same_recording_played_twice_is_the_same_to_the_byte() -> None:
    """Ours: deterministic by default, ids and identity included."""
    *_, text = visit(modern(tools=["search"]))
    one, two = Fake.from_journal(text), Fake.from_journal(text)
    assert one.identity == two.identity

    def received(target: Any) -> list[bytes | None]:
        journal = Journal.from_jsonl(visit(target)[2])
        return [entry.frame for entry in journal.entries(kind="received")]

    assert received(one) == received(two) == received(Fake.from_journal(text))
