"""A secret stays where it was put."""

import asyncio
from typing import Any

import pytest

from fakes import error, legacy, modern, on
from workbench import AsyncMultiServerClient
from workbench.core.errors import Refused


def story(work: Any) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            await work

    asyncio.run(bounded())


def test_a_secret_never_leaves_in_a_report_an_error_or_the_journal() -> None:
    """Field case X01: the server echoes its key everywhere."""
    key = "sk-canary-4711"

    async def work() -> None:
        peer = modern("peer", tools=["t"]).script(
            on("tools/call").then(error(-32000, f"bad key {key}", data={"key": key}))
        )
        rude = legacy("rude").script(on("server/discover").then(error(-1, f"key {key}?")))
        client = AsyncMultiServerClient()
        client.journal.redactor.add(key)
        client.add_server("peer", peer)
        client.add_server("rude", rude)
        async with client:
            with pytest.raises(Refused) as caught:
                await client.call("t", {"q": key})
        shown = [
            str(caught.value),
            repr(caught.value.failure),
            client.report().to_json(),
            client.report().to_text(),
            client.journal.to_jsonl(),
            client.journal.to_text(frames=True),
            client.journal.to_mermaid(),
            repr(client.journal.entries()),
        ]
        assert [text for text in shown if key in text] == []
        assert "redacted" in shown[0]

    story(work())
