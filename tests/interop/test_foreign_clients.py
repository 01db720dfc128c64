"""FastMCP's client against the fakes: they are servers for everybody, in both eras."""

from collections.abc import Callable
from typing import Any

import pytest
from foreign import TOOLS, visit

from fakes import Fake, dual_era, legacy, modern

pytestmark = pytest.mark.interop

ERAS = {"modern": modern, "legacy": legacy, "dual": dual_era}


def check(seen: dict[str, Any]) -> None:
    assert seen == {"tools": sorted(TOOLS), "texts": ['search: {"q":"tea"}']}


@pytest.mark.parametrize("era", ERAS)
def test_over_http(era: str, foreign: Callable[[str], Any]) -> None:
    """Ours: a fake is true for clients nobody here wrote."""
    fake: Fake = ERAS[era](tools=TOOLS)
    with fake.over_http() as url:
        check(visit(foreign, url))
    assert "tools/call" in fake.methods()
    assert ("initialize" in fake.methods()) == (era == "legacy")


@pytest.mark.parametrize("era", ERAS)
def test_over_stdio(era: str, foreign: Callable[[str], Any]) -> None:
    """Ours: the same scripts as a process."""
    with ERAS[era](tools=TOOLS).over_stdio() as command:
        server = {"command": command[0], "args": command[1:]}
        check(visit(foreign, {"mcpServers": {"fake": server}}))
