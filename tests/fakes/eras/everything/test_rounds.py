from typing import Any

import pytest
from mcp_types import methods

from fakes.eras.everything.rounds import PROMPT, TOOLS, next_round
from fakes.eras.session import Scene
from fakes.steps import Error
from workbench.core.wire.envelope import request_meta
from workbench.core.wire.message import Request
from workbench.core.wire.versions import LATEST_MODERN

ALL: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
SCENE = Scene(now=5.0, secret=b"k" * 32)
NAME = {"action": "accept", "content": {"name": "Ada"}}


def ask(tool: str, scene: Scene = SCENE, capabilities: Any = None, **params: Any) -> Any:
    meta = request_meta(LATEST_MODERN, ALL if capabilities is None else capabilities)
    full = {"name": tool, "arguments": {}, "_meta": meta, **params}
    return next_round(TOOLS[tool], Request(1, "tools/call", full), scene)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_first_round_is_a_valid_result(tool: str) -> None:
    """Spec: schema 2026-07-28 InputRequiredResult."""
    result = ask(tool)
    methods.validate_server_result("tools/call", LATEST_MODERN, result)
    assert result["inputRequests"] and ("requestState" in result) is TOOLS[tool].stateful


def test_an_answer_ends_a_single_round_and_strange_keys_do_not_matter() -> None:
    """Spec: servers should ignore what they do not need, and ask again for what they do."""
    tool = "test_input_required_result_elicitation"
    assert ask(tool, inputResponses={"user_name": NAME, "other": {}}) is None
    again = ask(tool, inputResponses={"other": {}})
    assert again == ask(tool)


@pytest.mark.parametrize("responses", [None, 1, [], "x", {"user_name": 5}, {"user_name": None}])
def test_answers_of_a_wrong_shape_are_refused(responses: Any) -> None:
    """Spec: servers should validate that the data is a valid InputResponses object."""
    refused = ask("test_input_required_result_elicitation", inputResponses=responses)
    assert isinstance(refused, Error) and refused.code == -32602


def test_each_round_has_a_state_of_its_own() -> None:
    """Spec: the state says where a retry stands; no memory in between."""
    tool = "test_input_required_result_multi_round"
    first = ask(tool)
    second = ask(tool, inputResponses={"step1": NAME}, requestState=first["requestState"])
    assert set(second["inputRequests"]) == {"step2"}
    assert second["requestState"] != first["requestState"]
    third = ask(tool, inputResponses={"step2": NAME}, requestState=second["requestState"])
    assert third is None
    skipped = ask(tool, inputResponses={"step2": NAME}, requestState=first["requestState"])
    assert set(skipped["inputRequests"]) == {"step1"}
    unproven = ask(tool, inputResponses={"step1": NAME})
    assert set(unproven["inputRequests"]) == {"step1"}


def test_a_state_that_was_not_given_is_refused() -> None:
    """Spec: tampering, another principal, and state where none was asked for."""
    tool = "test_input_required_result_tampered_state"
    state = ask(tool)["requestState"]
    for scene, sent in (
        (SCENE, state + "-TAMPERED"),
        (SCENE, None),
        (Scene(now=5.0, secret=SCENE.secret, principal="other"), state),
        (Scene(now=1e6, secret=SCENE.secret), state),
    ):
        refused = ask(tool, scene, requestState=sent, inputResponses={"confirm": NAME})
        assert isinstance(refused, Error) and refused.code == -32602
    stateless = ask("test_input_required_result_elicitation", requestState=state)
    assert isinstance(stateless, Error)


def test_only_what_the_client_declared_is_asked_for() -> None:
    """Spec: no inputRequests for undeclared capabilities; -32021 names what is missing."""
    some = ask("test_input_required_result_capabilities", capabilities={"sampling": {}})
    assert [one["method"] for one in some["inputRequests"].values()] == ["sampling/createMessage"]
    refused = ask("test_input_required_result_multiple_inputs", capabilities={"roots": {}})
    assert isinstance(refused, Error) and refused.code == -32021
    assert refused.data == {"requiredCapabilities": {"elicitation": {}, "sampling": {}}}
    assert isinstance(ask("test_input_required_result_capabilities", capabilities={}), Error)


def test_a_prompt_can_need_input_too() -> None:
    """Spec: supported requests."""
    params = {"name": "p", "_meta": request_meta(LATEST_MODERN, ALL)}
    result = next_round(PROMPT, Request(1, "prompts/get", params), SCENE)
    methods.validate_server_result("prompts/get", LATEST_MODERN, result)
