import asyncio
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from fakes import Fake, dual_era, legacy, modern
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN


async def visit(fake: Fake, mode: Any) -> tuple[str, list[str], str]:
    with fake.over_stdio() as command:
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        async with asyncio.timeout(10), Client(parameters, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool(tools[0], {"q": "x"})
            return client.protocol_version, tools, result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("fake", "mode", "version"),
    [
        (modern(), "auto", LATEST_MODERN),
        (modern(), LATEST_MODERN, LATEST_MODERN),
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
    seen, tools, text = asyncio.run(visit(fake, mode))
    assert (seen, tools) == (version, ["search", "create"])
    assert text == 'search: {"q":"x"}'
