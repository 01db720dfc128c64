"""What a peer may ask back, read strictly."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.inputs.inputs import (
    MOST_REQUESTS,
    Elicitation,
    InputPolicy,
    RootsWanted,
    Sampling,
    read_input,
    read_inputs,
)

ALL = {"sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}, "roots": {}}
FORM = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
MESSAGE = {"role": "user", "content": {"type": "text", "text": "Say yes."}}


def sampling(**params: Any) -> dict[str, Any]:
    params = {"messages": [MESSAGE], "maxTokens": 100, **params}
    return {"method": "sampling/createMessage", "params": params}


def form(**params: Any) -> dict[str, Any]:
    params = {"message": "Really?", "requestedSchema": FORM, **params}
    return {"method": "elicitation/create", "params": params}


def url(address: Any, **params: Any) -> dict[str, Any]:
    params = {"mode": "url", "message": "Sign in", "url": address, **params}
    return {"method": "elicitation/create", "params": params}


def read(request: Any, declared: Any = None, **policy: Any) -> Any:
    return read_input(
        request,
        key="k",
        peer="p",
        declared=ALL if declared is None else declared,
        policy=InputPolicy(**policy),
    )


def test_each_kind_is_read_into_a_value_of_its_own() -> None:
    """Spec: basic/patterns/mrtr, input requests."""
    assert isinstance(read(sampling()), Sampling)
    assert read(form()) == Elicitation(peer="p", key="k", message="Really?", schema=FORM)
    assert read({"method": "roots/list"}) == RootsWanted(peer="p", key="k")


@pytest.mark.parametrize(
    ("request_", "declared", "missing"),
    [
        (sampling(), {}, "sampling"),
        (sampling(tools=[]), {"sampling": {}}, "sampling.tools"),
        (sampling(toolChoice={}), {"sampling": {}}, "sampling.tools"),
        (form(), {"sampling": {}}, "elicitation"),
        (form(), {"elicitation": {"url": {}}}, "elicitation.form"),
        (url("https://a.example/"), {"elicitation": {}}, "elicitation.url"),
        (url("https://a.example/"), {"elicitation": {"form": {}}}, "elicitation.url"),
        ({"method": "roots/list"}, {"elicitation": {}}, "roots"),
    ],
)
def test_what_was_not_declared_is_refused_and_named(
    request_: Any, declared: Any, missing: str
) -> None:
    """Field case M04; rule CALL-05. An empty elicitation object means forms alone."""
    failure = read(request_, declared)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.rule) == (Kind.PROTOCOL_VIOLATION, "CALL-05")
    assert f"needs {missing}," in failure.detail


@pytest.mark.parametrize("declared", [{"elicitation": {}}, {"elicitation": {"form": {}}}])
def test_a_request_without_a_mode_is_a_form(declared: Any) -> None:
    """Spec: client/elicitation: clients must treat an absent mode as form mode."""
    assert read(form(), declared).mode == "form"


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        "roots/list",
        {},
        {"method": 3},
        {"method": "mind/read"},
        {"method": "roots/list", "params": []},
        {"method": "ping"},
        sampling(messages=None),
        sampling(messages=["hi"]),
        sampling(messages=[{"role": "system", "content": {"type": "text"}}]),
        sampling(messages=[{"role": "user", "content": "hi"}]),
        sampling(messages=[{"role": "user", "content": [{}]}]),
        sampling(maxTokens=0),
        sampling(maxTokens=True),
        sampling(maxTokens=1.5),
        sampling(maxTokens=None),
        form(mode="voice"),
        form(message=None),
        form(requestedSchema=None),
        form(requestedSchema={"type": "object", "properties": {"a": {"type": "object"}}}),
    ],
)
def test_a_malformed_request_is_a_violation(request_: Any) -> None:
    """Rule INPUT-04."""
    failure = read(request_)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.rule) == (Kind.PROTOCOL_VIOLATION, "INPUT-04")


@pytest.mark.parametrize(
    "address",
    [
        None,
        7,
        "",
        "a.example",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://",
        "https://a.example:port/",
        "https://a.example/ x",
        "https://a.example/\u202emoc",
        "https://a.example/\n",
        "https://[::1",
    ],
)
def test_an_address_that_is_none_is_refused(address: Any) -> None:
    """Spec: client/elicitation: `url` must be a valid URL; rule INPUT-08."""
    assert read(url(address)).rule == "INPUT-04"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://Login.Example.com:8443/x?y=1", "login.example.com"),
        ("https://user@evil.example/", "evil.example"),
        ("https://ex\u0430mple.com/", "xn--exmple-4nf.com"),
        ("http://localhost/", "localhost"),
    ],
)
def test_the_host_is_shown_so_that_a_look_alike_is_seen(address: str, host: str) -> None:
    """Spec: client/elicitation, safe URL handling; rule INPUT-08."""
    wanted = read(url(address))
    assert (wanted.url, wanted.host) == (address, host)


@pytest.mark.parametrize(("asked", "limit", "given"), [(4000, 400, 400), (10, 400, 10), (9, 5, 5)])
def test_more_tokens_than_the_policy_allows_are_lowered(asked: int, limit: int, given: int) -> None:
    """Seed card, defaults: maxTokens 400 per embedded sampling request."""
    request = sampling(maxTokens=asked)
    wanted = read(request, max_tokens=limit)
    assert (wanted.max_tokens, wanted.requested_tokens) == (given, asked)
    assert request["params"]["maxTokens"] == asked, "the peer's own object stays as it was"


def test_the_default_limit_is_the_seeds() -> None:
    """Seed card, defaults."""
    assert InputPolicy().max_tokens == 400


def test_preferences_are_independent_hints() -> None:
    """Spec: client/sampling, model preferences."""
    wanted = read(
        sampling(
            systemPrompt="Be kind.",
            modelPreferences={
                "hints": [{"name": "small"}, {}, 7, {"name": ""}, {"name": "large"}],
                "costPriority": 0.3,
                "speedPriority": 2,
                "intelligencePriority": True,
            },
        )
    )
    assert wanted.hints == ("small", "large")
    assert wanted.priority("cost") == 0.3
    assert (wanted.priority("speed"), wanted.priority("intelligence")) == (None, None)
    assert (wanted.system_prompt, wanted.text) == ("Be kind.", "Say yes.")


@pytest.mark.parametrize("preferences", [None, [], "small", {"hints": None}, {"hints": [None]}])
def test_strange_preferences_are_no_preferences(preferences: Any) -> None:
    """Ours: advice that cannot be read is no reason to refuse."""
    assert read(sampling(modelPreferences=preferences)).hints == ()


def test_the_text_of_many_blocks_is_that_of_the_last_message() -> None:
    """Spec: client/sampling: content is one block or an array of them."""
    last = {
        "role": "user",
        "content": [
            {"type": "text", "text": "a"},
            {"type": "image"},
            {"type": "text", "text": "b"},
        ],
    }
    assert read(sampling(messages=[MESSAGE, last])).text == "a\nb"
    assert read(sampling(messages=[])).text == ""


def test_a_round_is_read_in_the_peers_order_and_its_first_fault_ends_it() -> None:
    """Ours: nobody is asked a question of a round that is refused."""
    both = {"b": form(), "a": {"method": "roots/list"}}
    read_ = read_inputs(both, peer="p", declared=ALL, policy=InputPolicy())
    assert isinstance(read_, tuple)
    assert [one.key for one in read_] == ["b", "a"]
    failure = read_inputs(
        {**both, "c": {"method": "mind/read"}}, peer="p", declared=ALL, policy=InputPolicy()
    )
    assert isinstance(failure, Failure)


def test_a_round_of_too_many_requests_is_refused() -> None:
    """Ours: everything is bounded."""
    many = {str(n): {"method": "roots/list"} for n in range(MOST_REQUESTS + 1)}
    failure = read_inputs(many, peer="p", declared=ALL, policy=InputPolicy())
    assert isinstance(failure, Failure) and failure.rule == "INPUT-04"
