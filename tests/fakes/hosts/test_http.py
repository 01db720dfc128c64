import asyncio
import os
import threading
from typing import Any

import pytest
from mcp.client import Client
from visitor import Visitor

from fakes import Fake, UnexpectedRequest, as_sse, dual_era, legacy, modern, on, silence
from fakes.steps import answer_default
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN


async def visit(url: str, mode: Any) -> tuple[str, list[str], str]:
    async with asyncio.timeout(10), Client(url, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool(tools[0], {"q": "x"})
        return client.protocol_version, tools, result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("fake", "mode", "version"),
    [
        (modern(), "auto", LATEST_MODERN),
        (modern(), LATEST_MODERN, LATEST_MODERN),
        (modern("sse").script(on("*").then(as_sse(), answer_default())), "auto", LATEST_MODERN),
        (legacy(), "auto", LATEST_LEGACY),
        (legacy(refusal="not-initialized"), "auto", LATEST_LEGACY),
        (legacy(), "legacy", LATEST_LEGACY),
        (dual_era(), "auto", LATEST_MODERN),
        (dual_era(), "legacy", LATEST_LEGACY),
    ],
    ids=lambda value: value.name if isinstance(value, Fake) else value,
)
def test_the_official_client_gets_along_with_the_honest_fakes(
    fake: Fake, mode: Any, version: str
) -> None:
    """Ours: a fake nobody else can talk to would prove nothing."""
    with fake.over_http() as url:
        seen, tools, text = asyncio.run(visit(url, mode))
    assert (seen, tools) == (version, ["search", "create"])
    assert text == 'search: {"q":"x"}'
    assert all(one.ended == "answered" for one in fake.exchanges if one.method == "POST")


def test_a_fake_can_live_on_the_loop_of_its_test() -> None:
    """Ours: no thread where a loop is there anyway; `say` works from that loop."""

    async def run() -> None:
        fake = modern()
        async with fake.serve_http() as url:
            fake.say(silence())
            status = await asyncio.to_thread(lambda: Visitor(url).ask("tools/list").status)
            assert status == 200
        with pytest.raises(OSError):
            await asyncio.to_thread(Visitor(url).ask, "tools/list")

    asyncio.run(run())


def test_a_hundred_rounds_leave_no_thread_and_no_socket() -> None:
    """Ours: fully cleaned up, open streams and waiting requests included."""
    fake = modern(list_changed=True).script(on("tools/call").then(silence()))
    wanted = {"notifications": {"toolsListChanged": True}}
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(100):
        with fake.over_http() as url:
            stream = Visitor(url).ask_open("subscriptions/listen", wanted)
            stream.message()
        stream.close()
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == files
    assert fake.lifetimes == 100


def test_a_port_that_is_taken_is_an_error_at_once() -> None:
    """Ours: the caller's mistake is the caller's exception."""
    with modern().over_http() as url:
        port = Visitor(url).port
        with pytest.raises(OSError), modern().over_http(port=port):
            pass
    with modern().over_http(port=port) as again:
        assert again == url


HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 5_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
        b"POST /mcp HTTP/1.0\r\n\r\n",
        b"A" * 100_000,
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n{}",
        HEAD + b"Content-Length: 99\r\n\r\n{}",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nxxxx",
        HEAD + b"Mcp-Method: \xff\xfe\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Expect: nonsense\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Last-Event-ID: 999999999999999999999.-1\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_hostile_bytes_do_not_end_the_host(data: bytes) -> None:
    """Ours: whatever comes in, the next client is served; nothing is logged or raised."""
    with dual_era().over_http() as url:
        Visitor(url).raw(data)
        assert Visitor(url).ask("server/discover").status == 200


def test_hostile_session_headers_do_not_end_the_host() -> None:
    """Ours: event ids and session ids of strangers are only text."""
    with legacy().over_http() as url:
        for name in ("", " ", "None", "0"):
            for event in ("", "1", "\u00b2.\u00b2", "-1.-1", "1.99999999999999999999"):
                headers = {
                    "Mcp-Session-Id": name,
                    "Last-Event-ID": event.encode("latin-1", "replace").decode("latin-1"),
                }
                headers["Accept"] = "text/event-stream"
                assert Visitor(url).send("GET", headers).status in (400, 404)


def test_waiting_in_vain_says_what_was_seen() -> None:
    """Ours: a bounded wait with a useful end."""
    fake = modern()
    with fake.over_http() as url:
        Visitor(url).ask("tools/list")
        with pytest.raises(UnexpectedRequest):
            fake.wait_until(lambda seen: len(seen.exchanges) == 2, timeout_s=0.01)
