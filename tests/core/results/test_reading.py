"""Results of reads, checked."""

from typing import Any

import pytest

from workbench.core.errors import Failure
from workbench.core.results.reading import (
    MOST_SUGGESTIONS,
    Completion,
    PromptRead,
    ResourceRead,
    completion_read,
    prompt_read,
    resource_read,
    server_read,
)


def test_a_resource_has_parts_and_text() -> None:
    """Spec: schema ReadResourceResult."""
    value = {"contents": [{"uri": "u", "text": "a"}, {"uri": "u", "blob": "AA=="},
                          {"uri": "u", "text": "b"}]}  # fmt: skip
    read = resource_read(value, peer="p", uri="u")
    assert isinstance(read, ResourceRead)
    assert (read.text, len(read.contents), read.raw) == ("a\nb", 3, value)


@pytest.mark.parametrize(
    "value",
    [{}, {"contents": {}}, {"contents": ["a"]}, {"contents": [{"text": "a"}]},
     {"contents": [{"uri": "u"}]}, {"contents": [{"uri": "u", "text": 7}]}],
)  # fmt: skip
def test_a_resource_of_the_wrong_shape_is_a_violation(value: Any) -> None:
    """Spec: schema ResourceContents."""
    failure = resource_read(value, peer="p", uri="u")
    assert isinstance(failure, Failure) and failure.rule == "CALL-02"


def test_a_prompt_has_messages_and_text() -> None:
    """Spec: schema GetPromptResult."""
    messages = [
        {"role": "user", "content": {"type": "text", "text": "a"}},
        {"role": "assistant", "content": {"type": "image", "data": ""}},
        {"role": "user", "content": {"type": "text", "text": "b"}},
    ]
    read = prompt_read({"messages": messages, "description": "D"}, peer="p", name="n")
    assert isinstance(read, PromptRead)
    assert (read.text, read.description, len(read.messages)) == ("a\nb", "D", 3)
    bare = prompt_read({"messages": [], "description": 7}, peer="p", name="n")
    assert isinstance(bare, PromptRead) and bare.description == ""


@pytest.mark.parametrize(
    "value",
    [{}, {"messages": {}}, {"messages": [7]}, {"messages": [{"role": "system"}]},
     {"messages": [{"role": "user"}]}, {"messages": [{"role": "user", "content": "hi"}]},
     {"messages": [{"role": "user", "content": {"text": "hi"}}]}],
)  # fmt: skip
def test_a_prompt_of_the_wrong_shape_is_a_violation(value: Any) -> None:
    """Spec: schema PromptMessage."""
    failure = prompt_read(value, peer="p", name="n")
    assert isinstance(failure, Failure) and failure.rule == "CALL-02"


def test_suggestions_keep_their_order() -> None:
    """Spec: server/utilities/completion: ranked by relevance."""
    value = {"completion": {"values": ["b", "a"], "total": 7, "hasMore": True}}
    assert completion_read(value, peer="p") == Completion("p", ("b", "a"), 7, True)
    bare = completion_read({"completion": {"values": [], "total": "7"}}, peer="p")
    assert bare == Completion("p", ())


@pytest.mark.parametrize(
    "value",
    [{}, {"completion": []}, {"completion": {}}, {"completion": {"values": [1]}},
     {"completion": {"values": ["x"] * (MOST_SUGGESTIONS + 1)}}],
)  # fmt: skip
def test_suggestions_of_the_wrong_shape_are_a_violation(value: Any) -> None:
    """Spec: schema CompleteResult: at most 100 values."""
    failure = completion_read(value, peer="p")
    assert isinstance(failure, Failure) and failure.rule == "CALL-02"


def test_a_servers_word_about_itself_is_checked_like_the_probe() -> None:
    """Spec: schema DiscoverResult; the revision in use stays what it was."""
    value = {"resultType": "complete", "supportedVersions": ["new"], "capabilities": {"tools": {}}}
    said = server_read(value, peer="p", version="2026-07-28", stale="old")
    assert not isinstance(said, Failure)
    assert (said.supported, said.version, said.stale) == (("new",), "2026-07-28", "old")
    assert (said.info, said.instructions, str(said.era)) == ({}, "", "modern")
    for wrong in ({**value, "supportedVersions": "new"}, {**value, "capabilities": []}):
        failure = server_read(wrong, peer="p", version="2026-07-28")
        assert isinstance(failure, Failure) and failure.rule == "CALL-02"
    del value["resultType"]
    assert isinstance(server_read(value, peer="p", version="v"), Failure)
    assert not isinstance(server_read(value, peer="p", version="v", lenient=True), Failure)
