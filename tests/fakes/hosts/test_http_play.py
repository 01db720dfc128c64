import http.client
import threading

import pytest
from visitor import Visitor
from visitor import modern as build

from fakes import (
    Fake,
    ScriptError,
    answer_default,
    close,
    delay,
    effect,
    error,
    exit_,
    modern,
    notify,
    on,
    on_start,
    raw,
    silence,
    stderr,
)

CALL = {"name": "search", "arguments": {"q": "x"}}
CHANGED = "notifications/tools/list_changed"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
WANTED = {"notifications": {"toolsListChanged": True}}


def test_a_script_is_the_same_as_on_a_pipe() -> None:
    """Ours: rules count per lifetime, whoever the client is."""
    fake = modern().script(on("tools/list").nth(2).then(error(-32603, "Internal error")))
    with fake.over_http() as url:
        answers = [Visitor(url).ask("tools/list") for _ in range(3)]
    assert ["error" in answer.json for answer in answers] == [False, True, False]
    assert answers[1].status == 200
    fake.check(all_rules_used=True)


@pytest.mark.parametrize("step", [close(), exit_(9)])
def test_the_end_of_the_server_drops_the_connection_and_starts_a_lifetime(step: object) -> None:
    """Case R03: it dies in a call; the next call finds it well."""
    dying = on("tools/call").in_lifetime(1).then(effect("paid"), step)  # type: ignore[arg-type]
    fake = modern().script(dying)
    with fake.over_http() as url:
        with pytest.raises(OSError):
            Visitor(url).ask("tools/call", CALL)
        assert Visitor(url).ask("tools/call", CALL).status == 200
    assert (fake.lifetimes, fake.effects) == (2, ["paid", "search"])


def test_a_server_that_cannot_start_drops_every_connection() -> None:
    """Case S12: no start, no answer; and no endless loop of restarts either."""
    fake = modern().script(on_start().then(stderr("no licence"), exit_(2)))
    with fake.over_http() as url:
        for _ in range(3):
            with pytest.raises(OSError):
                Visitor(url).ask("server/discover")
    assert fake.lifetimes == 4
    well = modern().script(on_start().in_lifetime(1).then(exit_(2)))
    with well.over_http() as url:
        assert Visitor(url).ask("server/discover").status == 200


def test_a_dying_server_ends_every_stream() -> None:
    """Case L01: the listen stream of one client ends with the call of another."""
    fake = modern(list_changed=True).script(on("tools/call").then(exit_(1)))
    with fake.over_http() as url:
        with Visitor(url).ask_open("subscriptions/listen", WANTED) as stream:
            stream.message()
            with pytest.raises(OSError):
                Visitor(url).ask("tools/call", CALL)
            with pytest.raises((OSError, http.client.IncompleteRead)):
                stream.response.read()


def test_a_listen_stream_is_acknowledged_first_and_then_gets_the_news() -> None:
    """Spec: subscriptions; every notification carries the id of its listen request."""
    fake = modern(list_changed=True)
    with fake.over_http() as url:
        visitor = Visitor(url)
        with (
            visitor.ask_open("subscriptions/listen", WANTED, id=7) as first,
            visitor.ask_open("subscriptions/listen", WANTED, id=7) as second,
            visitor.ask_open("subscriptions/listen", {"notifications": {}}, id="z") as third,
        ):
            for stream, number in ((first, 7), (second, 7), (third, "z")):
                acknowledged = stream.message()
                assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
                assert acknowledged["params"]["_meta"] == {SUBSCRIPTION: number}
            fake.say(notify(CHANGED, listeners=True))
            for stream in (first, second):
                news = stream.message()
                assert news["method"] == CHANGED
                assert news["params"]["_meta"] == {SUBSCRIPTION: 7}
            fake.say(raw("garbage"))
            assert third.event()["data"] == "garbage"


def test_news_of_a_call_reach_the_streams_of_others() -> None:
    """Row C08: list_changed while a list is fetched."""
    fake = modern(list_changed=True).script(
        on("tools/list").then(notify(CHANGED, listeners=True), answer_default())
    )
    with fake.over_http() as url:
        with Visitor(url).ask_open("subscriptions/listen", WANTED) as stream:
            stream.message()
            listed = Visitor(url).ask("tools/list")
            assert listed.headers["content-type"] == "application/json"
            assert stream.message()["method"] == CHANGED


def test_a_client_that_hangs_up_cancels_its_request() -> None:
    """Spec: cancellation; closing the stream is the signal on this transport."""
    fake = modern(list_changed=True).script(
        on("tools/call").nth(1).then(delay(60, cancellable=True), effect("late")),
        on("tools/call").nth(2).then(delay(0.05), effect("anyway")),
        on("tools/call").then(silence()),
    )
    with fake.over_http() as url:
        visitor = Visitor(url)
        for expected in (1, 2):
            cancelled = threading.Thread(target=_hang_up_soon, args=(visitor, fake, expected))
            cancelled.start()
            cancelled.join(5)
            assert not cancelled.is_alive()
        fake.wait_until(lambda seen: "anyway" in seen.effects)
        stream = visitor.ask_open("subscriptions/listen", WANTED)
        stream.message()
        stream.close()
        fake.wait_until(lambda seen: seen.exchanges[-1].ended == "client left")
        fake.say(notify(CHANGED, listeners=True))
    assert fake.effects == ["anyway"]


def _hang_up_soon(visitor: Visitor, fake: Fake, number: int) -> None:
    headers, body = build("tools/call", CALL)
    connection = http.client.HTTPConnection("127.0.0.1", visitor.port, timeout=5)
    connection.request("POST", "/mcp", body, headers)
    fake.wait_until(lambda seen: len(seen.received) == number)
    connection.close()
    fake.wait_until(lambda seen: seen.exchanges[number - 1].ended == "client left")


def test_nobody_is_told_when_nothing_is_served() -> None:
    """Ours: a test that talks to nobody is wrong."""
    fake = modern()
    with fake.over_http():
        fake.say(silence())
    with pytest.raises(ScriptError):
        fake.say(silence())
