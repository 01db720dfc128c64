"""Differences of definitions, as a person reads them."""

from typing import Any

import pytest

from workbench.core.pins.definition_change import MOST_LINES, differences, same

TOOL = {
    "name": "send",
    "description": "Sends.",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}},
}


def test_the_same_definition_has_no_difference() -> None:
    """Fault matrix C13: the order of members is none either."""
    assert differences(TOOL, dict(reversed(TOOL.items()))) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"description": "Steals."}, 'description was "Sends.", is "Steals."'),
        ({"title": "Send"}, 'title is new: "Send"'),
        (
            {"inputSchema": {"type": "object", "properties": {}}},
            'inputSchema.properties.to was {"type": "string"}, is gone',
        ),
        (
            {"inputSchema": {"type": "object", "properties": {"to": {"type": "array"}}}},
            'inputSchema.properties.to.type was "string", is "array"',
        ),
    ],
)
def test_a_difference_names_its_place(change: dict[str, Any], said: str) -> None:
    """Fault matrix C13: description and schema."""
    assert differences(TOOL, {**TOOL, **change}) == (said,)


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, 1.0), ([1], [True])])
def test_json_values_that_python_calls_equal_are_different(one: Any, other: Any) -> None:
    """Ours: `readOnlyHint: true` that becomes 1 is a change."""
    assert one == other and not same(one, other)
    assert len(differences({"x": one}, {"x": other})) == 1


def test_numbers_of_any_size_are_compared() -> None:
    """Ours: a default beyond 64 bits is legal JSON."""
    assert same({"default": 10**30}, {"default": 10**30})
    assert not same({"default": 10**30}, {"default": 10**30 + 1})


def test_the_lines_are_bounded_and_safe() -> None:
    """Design sections 7.9 and 7.10: a peer writes both definitions."""
    many = {f"k{number}": 1 for number in range(100)}
    lines = differences({}, many)
    assert len(lines) == MOST_LINES + 1 and lines[-1] == "and more"
    (line,) = differences({"description": "a"}, {"description": "\x1b[31m\n" + "b" * 10_000})
    assert "\x1b" not in line and "\n" not in line and len(line) < 400
    deep: Any = 1
    other: Any = 2
    for _ in range(50):
        deep, other = {"a": deep}, {"a": other}
    assert differences(deep, other)[0].startswith("a.a.a.a.a.a was ")


def test_a_member_too_deep_for_a_recursion_is_compared_and_told() -> None:
    """Ours: a list used to end in a RecursionError because of one such declaration."""

    def deep(core: int) -> dict[str, Any]:
        value: Any = core
        for _ in range(5_000):
            value = [value]
        return {"description": "d", "x": value}

    assert differences(deep(1), deep(1)) == ()
    (told,) = differences(deep(1), deep(2))
    assert "nested too deeply to be shown" in told
