"""What handlers give, made into results."""

from pathlib import PurePosixPath
from typing import Any

import pytest

from workbench.core.inputs.inputs import Elicitation, RootsWanted, Sampling
from workbench.core.inputs.replies import (
    Declined,
    Elicited,
    Unfit,
    accept,
    cancel,
    decline,
    reply_for,
)

SAMPLING = Sampling(peer="p", key="k", params={"messages": [], "maxTokens": 5}, requested_tokens=5)
FORM = Elicitation(
    peer="p",
    key="k",
    message="?",
    schema={"type": "object", "properties": {"a": {"type": "string", "default": "d"}, "b": {}}},
)
URL = Elicitation(peer="p", key="k", message="?", mode="url", url="https://a.example/")
ROOTS = RootsWanted(peer="p", key="k")
RESULT = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}


def test_a_text_is_a_whole_sampling_result() -> None:
    """Spec: schema CreateMessageResult."""
    reply = reply_for(SAMPLING, "hi")
    assert reply == {**RESULT, "model": "unnamed", "stopReason": "endTurn"}


def test_a_whole_sampling_result_is_sent_as_it_is() -> None:
    """Spec: schema CreateMessageResult; content may be an array of blocks."""
    assert reply_for(SAMPLING, RESULT) == RESULT
    blocks = {**RESULT, "content": [{"type": "tool_use"}, {"type": "text", "text": ""}]}
    assert reply_for(SAMPLING, blocks) == blocks


@pytest.mark.parametrize("wanted", [SAMPLING, ROOTS])
def test_nothing_declines_what_knows_no_other_no(wanted: Any) -> None:
    """Spec: client/sampling, error handling."""
    assert reply_for(wanted, None) == Declined()


@pytest.mark.parametrize(
    "given",
    [
        7,
        [],
        {},
        {**RESULT, "role": "system"},
        {**RESULT, "content": "hi"},
        {**RESULT, "content": [{"text": "hi"}]},
        {"role": "assistant", "model": "m"},
        {"role": "assistant", "content": {"type": "text"}},
    ],
)
def test_a_sampling_result_of_the_wrong_shape_is_not_sent(given: Any) -> None:
    """Seed card: validate each sampling response."""
    assert isinstance(reply_for(SAMPLING, given), Unfit)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"b": 1}, {"action": "accept", "content": {"a": "d", "b": 1}}),
        (accept({"a": "x"}), {"action": "accept", "content": {"a": "x"}}),
        (accept(), {"action": "accept", "content": {"a": "d"}}),
        (True, {"action": "accept", "content": {"a": "d"}}),
        (False, {"action": "decline"}),
        (decline(), {"action": "decline"}),
        (None, {"action": "cancel"}),
        (cancel(), {"action": "cancel"}),
    ],
)
def test_the_three_actions_of_a_form(given: Any, expected: Any) -> None:
    """Spec: client/elicitation, response actions; an accepted form has its defaults."""
    assert reply_for(FORM, given) == expected


@pytest.mark.parametrize("given", [True, accept(), accept({"a": 1}), {}])
def test_consent_to_an_address_carries_no_content(given: Any) -> None:
    """Spec: client/elicitation: for URL mode the content is omitted."""
    assert reply_for(URL, given) == {"action": "accept"}


@pytest.mark.parametrize("given", [7, "yes", ["a"], Elicited("maybe")])  # type: ignore[arg-type]
def test_an_elicitation_answer_of_another_kind_is_not_sent(given: Any) -> None:
    """Ours: "yes" is a text, not a decision."""
    assert isinstance(reply_for(FORM, given), Unfit)


def test_roots_are_paths_or_declarations() -> None:
    """Spec: client/roots: a root's URI is a file:// URI."""
    given = ["/home/me/a b", PurePosixPath("/tmp/x"), "C:\\mine", {"uri": "file:///n", "name": "N"}]
    assert reply_for(ROOTS, given) == {
        "roots": [
            {"uri": "file:///home/me/a%20b"},
            {"uri": "file:///tmp/x"},
            {"uri": "file:///C:/mine"},
            {"uri": "file:///n", "name": "N"},
        ]
    }


@pytest.mark.parametrize(
    "given", ["/home/me", {"uri": "file:///x"}, 7, ["https://a.example/"], [{"name": "n"}]]
)
def test_what_is_no_list_of_directories_is_not_sent(given: Any) -> None:
    """Spec: client/roots: only file:// URIs; a single text is a mistake, not a list."""
    assert isinstance(reply_for(ROOTS, given), Unfit)
