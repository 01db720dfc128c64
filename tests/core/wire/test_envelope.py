"""What each era puts around a request."""

from workbench.core.wire.envelope import (
    error_reply,
    legacy_request,
    modern_request,
    notification,
    request_meta,
    result_reply,
)
from workbench.core.wire.keys import CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY


def test_every_modern_request_is_stamped_anew() -> None:
    """Seed lesson: metadata is not attached once to a connection."""
    params = {"name": "x"}
    first = modern_request(1, "tools/call", params, "2026-07-28", {"roots": {}})
    second = modern_request(2, "tools/call", params, "2026-07-28")
    assert params == {"name": "x"}
    assert first["params"]["_meta"][CAPABILITIES_KEY] == {"roots": {}}
    assert second["params"]["_meta"][CAPABILITIES_KEY] == {}
    assert first["params"]["_meta"] is not second["params"]["_meta"]


def test_other_metadata_is_kept_but_cannot_override_the_protocol() -> None:
    """Spec: basic/index, `_meta`."""
    given = {"_meta": {"progressToken": 7, VERSION_KEY: "1999-01-01"}}
    meta = modern_request(1, "a", given, "2026-07-28")["params"]["_meta"]
    assert (meta["progressToken"], meta[VERSION_KEY]) == (7, "2026-07-28")
    assert given["_meta"][VERSION_KEY] == "1999-01-01"


def test_the_metadata_names_this_client_unless_told_otherwise() -> None:
    """Spec: schema RequestMetaObject."""
    assert request_meta("v")[CLIENT_INFO_KEY]["name"] == "mcp-client-workbench"
    other = {"name": "other", "version": "9"}
    assert request_meta("v", client_info=other)[CLIENT_INFO_KEY] == other


def test_a_legacy_request_carries_no_modern_metadata() -> None:
    """Seed lesson: legacy request shapes for the life of the transport."""
    assert legacy_request(1, "tools/list") == {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert legacy_request(1, "a", {"b": 1})["params"] == {"b": 1}


def test_notifications_and_replies_have_their_plain_shapes() -> None:
    """Spec: basic/index, messages."""
    assert notification("n") == {"jsonrpc": "2.0", "method": "n"}
    assert notification("n", {"a": 1})["params"] == {"a": 1}
    assert result_reply(1, {}) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert error_reply(None, -1, "m")["error"] == {"code": -1, "message": "m"}
    assert error_reply(1, -1, "m", 0)["error"]["data"] == 0
