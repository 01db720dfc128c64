"""Field cases about processes and pipes that no other file tells with their very recipe."""

from typing import Any, Final

import pytest
from cased import listed, told
from driven import driven
from tiny import tiny

from fakes import answer_default, delay, modern, on, on_start, stderr
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.errors import ProtocolViolation

DOWNLOADS: Final = [
    step
    for part in range(1, 16)
    for step in (delay(1.0), stderr(f"downloading part {part}"))
]  # fmt: skip


@pytest.mark.parametrize(("deadline_ms", "ready"), [(30_000, True), (5_000, False)])
def test_S23_fifteen_seconds_of_downloads_are_a_matter_of_the_peers_own_deadline(
    deadline_ms: int, ready: bool
) -> None:
    """Design, section 5: a deadline of the start, apart from that of a call, and one start."""
    cold = modern("cold", tools=["echo"]).script(
        on_start().then(*DOWNLOADS),
        on("server/discover").then(delay(15.0), answer_default()),
    )

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        row = (await driven(client.connect_all(), clock)).peers[0]
        return row, clock.now()

    row, took_s = told(story, {"cold": cold}, discovery_timeout_ms=deadline_ms, call_timeout_s=1)
    assert (row.status, took_s) == (("ready", 15.0) if ready else ("unavailable", 5.0))
    assert ready or (row.rule == "ERA-11" and "discovery_timeout_ms" in row.hint)
    assert cold.lifetimes == 1, "nobody starts over while it downloads"


DEEP: Final = """
for message in messages():
    if message["method"] == "tools/call" and message["params"]["arguments"]:
        echo(message)
    elif message["method"] == "tools/call":
        deep = "[" * 2000 + "]" * 2000
        text = '{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","content":[%s]}}'
        out.write((text % (message["id"], deep)).encode() + b"\\n")
        out.flush()
    else:
        answer(message)
"""


def test_S26_an_answer_nested_two_thousand_levels_ends_its_call_at_once() -> None:
    """Rule CALL-02: its id can be read, so nobody waits for a deadline; the reader goes on."""
    with listed({"peer": tiny(DEEP)}) as client:
        for _ in range(2):
            # A deadline would raise TookTooLong: only the answer itself can end it this way.
            with pytest.raises(ProtocolViolation, match="nested too deeply"):
                client.call("echo", timeout_s=20)
            assert client.call("echo", {"q": "tea"}).text == "tea"
