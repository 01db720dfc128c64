"""The clients by name: in one order, and an unknown one is told what there is."""

import pytest

from workbench.comparison.known import CLIENTS, GROUPS, groups_of, in_order
from workbench.core.errors import ConfigError


def test_clients_are_shown_in_one_order() -> None:
    """Ours: a table must not depend on how it was asked for."""
    assert in_order(["fastmcp", "workbench", "fastmcp"]) == ("workbench", "fastmcp")
    assert in_order(CLIENTS) == tuple(CLIENTS)


@pytest.mark.parametrize("asked", [["nobody"], [], ["mcp", "\x1b[31m"]])
def test_an_unknown_client_is_told_what_there_is(asked: list[str]) -> None:
    """Ours: a refusal helps."""
    with pytest.raises(ConfigError, match="workbench-legacy") as raised:
        in_order(asked)
    assert "\x1b" not in str(raised.value)


def test_a_maker_brings_its_groups() -> None:
    """Ours: who asks for FastMCP gets both of its ways."""
    assert groups_of(["fastmcp"]) == ("fastmcp", "fastmcp-group")
    assert groups_of(["workbench-legacy"]) == ("workbench",)
    assert groups_of(CLIENTS) == tuple(GROUPS)
