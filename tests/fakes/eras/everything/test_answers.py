import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import methods

from fakes import everything
from fakes.engine import begin, react
from fakes.eras.everything.tools import TOOLS, definitions, exists
from fakes.events import Heard
from fakes.outputs import Write
from workbench.core.wire.envelope import modern_request
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN

Body = dict[str, Any]
Build = Callable[..., Body]
ALL: Body = {"elicitation": {}, "sampling": {}, "roots": {}}


def talk(*bodies: Body) -> list[Body]:
    state, lines = begin(everything().program, b"k" * 32), []
    for body in bodies:
        state, outputs = react(state, Heard(json.dumps(body).encode()), 0.0)
        lines += [json.loads(out.line.data) for out in outputs if isinstance(out, Write)]
    return lines


def modern(method: str, params: Any = None) -> list[Body]:
    return talk(modern_request(1, method, params, LATEST_MODERN, ALL))


TWO: Body = {"name": "test_prompt_with_arguments", "arguments": {"arg1": "a", "arg2": "b"}}
URI: Body = {
    "name": "test_prompt_with_embedded_resource",
    "arguments": {"resourceUri": "test://x"},
}
READS: list[tuple[str, Any]] = [
    ("server/discover", {}),
    ("tools/list", {}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "test_simple_prompt"}),
    ("prompts/get", TWO),
    ("prompts/get", URI),
    ("prompts/get", {"name": "test_prompt_with_image"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "test://static-text"}),
    ("resources/read", {"uri": "test://static-binary"}),
    ("resources/read", {"uri": "test://template/123/data"}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "test_prompt_with_arguments"},
            "argument": {"name": "arg1", "value": "par"},
        },
    ),
]  # fmt: skip
NAMES = [one["name"] for one in definitions()]


@pytest.mark.parametrize(("method", "params"), READS)
def test_every_result_is_valid_in_both_eras(
    method: str, params: Any, handshake: list[Body]
) -> None:
    """Spec: the official wire models of both revisions."""
    (answer,) = modern(method, params)
    methods.validate_server_result(method, LATEST_MODERN, answer["result"])
    assert answer["result"]["resultType"] == "complete"
    cacheable = (
        method.endswith("/list") or method == "resources/read" or method == "server/discover"
    )
    assert ("ttlMs" in answer["result"]) is cacheable
    if method == "server/discover":
        return
    request = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
    last = talk(*handshake, request)[-1]
    methods.validate_server_result(method, LATEST_LEGACY, last["result"])
    assert "resultType" not in last["result"] and "ttlMs" not in last["result"]


@pytest.mark.parametrize("tool", [name for name in NAMES if exists(name, "modern")])
def test_every_modern_tool_is_answered_with_a_valid_result(tool: str) -> None:
    """Spec: schema 2026-07-28, and no request from the server."""
    *notes, answer = modern("tools/call", {"name": tool, "arguments": {}})
    methods.validate_server_result("tools/call", LATEST_MODERN, answer["result"])
    assert not any("id" in note for note in notes)


@pytest.mark.parametrize("tool", [name for name in NAMES if exists(name, "legacy")])
def test_every_legacy_tool_is_answered_with_a_valid_result(
    tool: str, handshake: list[Body]
) -> None:
    """Spec: schema 2025-11-25; what is asked in between is answered first."""
    call = {"name": tool, "arguments": {"prompt": "p", "message": "m"}}
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
    said = {"jsonrpc": "2.0", "id": "ask-1", "result": {}}
    lines = talk(*handshake, request)[1:]
    asked = [line for line in lines if line.get("id") == "ask-1"]
    assert bool(asked) is (tool in ("test_sampling",) or "elicitation" in tool)
    answer = talk(*handshake, request, said)[-1]
    assert answer["id"] == 2
    methods.validate_server_result("tools/call", LATEST_LEGACY, answer["result"])


def test_each_era_lists_its_own_tools(handshake: list[Body]) -> None:
    """Ours: a server declares what it serves."""
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    legacy = {one["name"] for one in talk(*handshake, listing)[-1]["result"]["tools"]}
    new = {one["name"] for one in modern("tools/list")[-1]["result"]["tools"]}
    assert legacy | new == set(NAMES) and "test_sampling" in legacy - new
    assert "test_missing_capability" in new - legacy
    for name, here in (("test_sampling", "legacy"), ("test_missing_capability", "modern")):
        assert [era for era in ("modern", "legacy") if exists(name, era)] == [here]  # type: ignore[arg-type]
    assert "error" in modern("tools/call", {"name": "test_sampling"})[-1]


def test_progress_is_reported_only_when_it_was_asked_for() -> None:
    """Spec: progress, the token of the request."""
    tool = "test_tool_with_progress"
    assert len(modern("tools/call", {"name": tool})) == 1
    *notes, _ = modern("tools/call", {"name": tool, "_meta": {"progressToken": 7}})
    assert [note["params"]["progress"] for note in notes] == [0, 50, 100]
    assert {note["params"]["progressToken"] for note in notes} == {7}


def test_logs_come_only_when_they_were_asked_for() -> None:
    """Spec: logging; opt-in by request."""
    tool = {"name": "test_logging_tool"}
    meta = {"_meta": {"io.modelcontextprotocol/logLevel": "info"}}
    assert len(modern("tools/call", tool)) == 1
    assert modern("tools/call", {**tool, **meta})[0]["method"] == "notifications/message"


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("prompts/get", {"name": "none"}, -32602),
        ("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": 1}}, -32602),
        ("resources/read", {"uri": "test://none"}, -32602),
        ("resources/read", {}, -32602),
        ("completion/complete", {"argument": {}}, -32602),
        ("completion/complete", {}, -32602),
        ("tools/call", {"name": "none"}, -32602),
        ("logging/setLevel", {"level": "info"}, -32601),
        ("resources/subscribe", {"uri": "test://static-text"}, -32601),
        ("ping", {}, -32601),
    ],
)
def test_what_it_does_not_have_is_an_error(method: str, params: Any, code: int) -> None:
    """Spec: unknown names are invalid params, removed methods are unknown."""
    (answer,) = modern(method, params)
    assert answer["error"]["code"] == code
    if method == "resources/read":
        assert "uri" in answer["error"]["data"]


def test_a_missing_capability_is_named() -> None:
    """Spec: -32021 with requiredCapabilities."""
    call = {"name": "test_missing_capability"}
    (answer,) = talk(modern_request(1, "tools/call", call, LATEST_MODERN, {}))
    assert answer["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}


def test_a_listener_gets_the_kinds_it_asked_for() -> None:
    """Spec: subscriptions, never a kind that was not requested."""
    wanted = {"notifications": {"promptsListChanged": True}}
    lines = talk(
        modern_request("l", "subscriptions/listen", wanted, LATEST_MODERN, ALL),
        modern_request(2, "tools/call", {"name": "test_trigger_tool_change"}, LATEST_MODERN, ALL),
        modern_request(3, "tools/call", {"name": "test_trigger_prompt_change"}, LATEST_MODERN, ALL),
    )
    news = [line["method"] for line in lines if "method" in line]
    assert news == [
        "notifications/subscriptions/acknowledged",
        "notifications/prompts/list_changed",
    ]


def test_a_tool_for_each_definition() -> None:
    """Ours: nothing is declared that has no handler, and every tool says what it is."""
    assert set(TOOLS) <= set(NAMES) and all(one["description"] for one in definitions())
