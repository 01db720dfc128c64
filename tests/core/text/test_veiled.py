"""A value that shows no secret and keeps its data."""

import msgspec
import pytest

from workbench.core.call import ToolResult, tool_result
from workbench.core.text.redact import MARK, Redactor
from workbench.core.text.veiled import Veiled, shared_veil

KEY = "sk-canary-4711"


def told(hides: Redactor | None) -> ToolResult:
    raw = {"content": [{"type": "text", "text": f"key {KEY}"}]}
    return ToolResult("p", "t", raw, hides=hides)


def test_what_is_shown_holds_no_secret_and_the_data_does() -> None:
    """Field case X01."""
    result = told(Redactor([KEY]))
    assert result.text == f"key {KEY}"
    for shown in (repr(result), str(result), repr(result.__rich_repr__())):
        assert KEY not in shown and MARK in shown
    assert result.veiled().text == f"key {MARK}"


def test_without_a_redactor_nothing_is_hidden() -> None:
    """Ours: a value somebody made by hand; the check above can fail."""
    assert KEY in repr(told(None)) and told(None).veiled() == told(None)


def test_who_hides_what_is_no_part_of_the_value() -> None:
    """Ours: two clients with the same answer have the same value."""
    assert told(None) == told(Redactor([KEY])) and isinstance(told(None), Veiled)
    assert told(None) != tool_result({"content": []}, peer="p", tool="t")
    assert told(None) != "text"
    with pytest.raises(TypeError, match="unhashable"):
        hash(told(None))


def test_a_value_can_be_encoded_and_who_hides_what_is_not_told() -> None:
    """Ours: an application may keep an answer as JSON; the redactor's secrets stay out of it."""
    hides = Redactor(["another-secret"])
    encoded = msgspec.json.encode(told(hides))
    assert KEY.encode() in encoded and b"another" not in encoded
    assert msgspec.to_builtins(told(hides))["raw"] == told(hides).raw
    assert b"another" not in msgspec.msgpack.encode(hides) + msgspec.json.encode(hides)


def test_a_part_is_cleaned_like_the_whole() -> None:
    """Ours: a large value is shown row by row."""
    assert told(Redactor([KEY])).cleaned({"name": f"keep {KEY}"}) == {"name": f"keep {MARK}"}
    assert told(None).cleaned(KEY) == KEY


def test_what_is_made_of_several_values_hides_what_each_hides() -> None:
    """Ours: one client has one redactor, which goes on learning; two clients have two."""
    one, other = Redactor(["first-secret"]), Redactor(["other-secret"])
    assert shared_veil([]) is None and shared_veil([None]) is None
    assert shared_veil([one, None, one]) is one
    both = shared_veil([one, other])
    assert both is not None and both.clean("first-secret, other-secret") == f"{MARK}, {MARK}"
