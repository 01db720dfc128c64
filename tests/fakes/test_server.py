from typing import Any

import pytest

from fakes.errors import ScriptError
from fakes.server import Server, define


def test_a_name_becomes_an_honest_tool_and_a_definition_stays_as_it_is() -> None:
    """Ours: `tools=["search", {...}]`."""
    odd: dict[str, Any] = {"name": 7}
    assert Server(tools=("search", odd)).definitions() == [define("search"), odd]


@pytest.mark.parametrize(
    "settings",
    [{"page_size": -1}, {"versions": ()}, {"era": "legacy", "revisions": ()},
     {"era": "dual", "revisions": ()}],
)  # fmt: skip
def test_a_server_that_could_not_even_be_honest_is_refused(settings: dict[str, Any]) -> None:
    """Ours: as early as it can be known."""
    with pytest.raises(ScriptError):
        Server(**settings)


def test_what_is_declared_is_what_is_served() -> None:
    """Spec: capabilities match reality, era by era."""
    plain, loud = Server(), Server(list_changed=True)
    assert (plain.capabilities(), plain.news()) == ({"tools": {}}, {})
    assert loud.capabilities() == {"tools": {"listChanged": True}}
    assert loud.news() == {"toolsListChanged": True}
    full = Server(kind="everything", list_changed=True)
    assert "logging" not in full.capabilities() and "logging" in full.capabilities("legacy")
    assert set(full.news()) == {"toolsListChanged", "promptsListChanged"}
