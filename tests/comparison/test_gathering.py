"""Several peers at once, measured: the peer that got a call says where a name leads."""

import json
from pathlib import Path

import pytest
from lab_at_hand import laboratory

from workbench.comparison.gathering import calls_in, gather, gathered
from workbench.comparison.gatherings import SITUATIONS, Peer, kind_of

BY_NAME = {one.name: one for one in SITUATIONS}


def test_ours_keeps_every_tool_whatever_the_order() -> None:
    """Fault matrix M01, M04: needs no network."""
    wanted = [BY_NAME["M01-same-name"], BY_NAME["M04-one-dead"]]
    value = gather(laboratory(), ("workbench",), wanted)
    for one in wanted:
        seen = value.seen[one.name]["workbench"]
        assert (kind_of(one, seen), seen.same_in_reverse) == ("all", True)
    assert value.seen["M01-same-name"]["workbench"].reaches["b/search"] == "b: search"
    assert "b" in value.seen["M04-one-dead"]["workbench"].missing


@pytest.mark.interop
def test_another_client_gathers_the_same_peers() -> None:
    """Ours: a collision that one solves by a prefix and the other refuses."""
    one = BY_NAME["M01-same-name"]
    seen = gather(laboratory(), ("mcp", "fastmcp"), [one]).seen[one.name]
    assert (kind_of(one, seen["mcp"]), seen["mcp"].same_in_reverse) == ("told", False)
    assert seen["fastmcp"].reaches["b_search"] == "b: search"


def test_calls_are_read_from_the_peers_records(tmp_path: Path) -> None:
    """Ours: a client's own word for a route is worth nothing."""
    call = {"method": "tools/call", "params": {"name": "search", "arguments": {"q": "b/search"}}}
    (tmp_path / "b").write_text(f'{json.dumps(call)}\n{{"method":"ping"}}\n"x"\n', encoding="utf-8")
    peers = (Peer("a", "modern"), Peer("b", "modern"))
    assert calls_in(tmp_path, peers) == {"b/search": "b: search"}


def test_a_name_that_nobody_heard_of_leads_nowhere() -> None:
    """Ours: listed is not reached."""
    seen = gathered({"names": ["x"], "missing": {"x": "MCPError"}}, {})
    assert (seen.ended, seen.reaches) == ("menu", {"x": ""})
    assert gathered({"names": None, "why": "ValueError"}, {}).ended == "refused"
    assert gathered({"ended": "hang"}, {}).ended == "hang"
