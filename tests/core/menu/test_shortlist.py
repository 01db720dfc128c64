"""The budget: never exceeded, nothing cut, and nothing left out that would have fitted."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.errors import MisuseError
from workbench.core.menu.menu import MenuItem
from workbench.core.menu.shortlist import definition_of, shortlist
from workbench.core.tool import Tool


def item(name: str, description: str = "", **more: Any) -> MenuItem:
    definition = {"name": "local", "description": description, "inputSchema": {"type": "object"}}
    return MenuItem(name, "peer", "local", name, Tool(name="local", definition=definition | more))


A, B, C = item("a", "x" * 100), item("b", "x" * 300), item("c")


def ranking(items: list[MenuItem]) -> list[tuple[int, float]]:
    return [(place, float(len(items) - place)) for place in range(len(items))]


def test_the_text_is_an_array_of_whole_declarations_under_canonical_names() -> None:
    """Seed card: "Best schemas inside the budget"."""
    found = shortlist("x", [A, B, C], ranking([A, B, C]))
    assert json.loads(found.text) == found.definitions == [definition_of(one) for one in (A, B, C)]
    assert [one["name"] for one in found.definitions] == ["a", "b", "c"]
    assert A.tool.definition["name"] == "local"
    assert [one["function"]["name"] for one in found.for_model("openai")] == ["a", "b", "c"]


def test_one_that_does_not_fit_is_passed_over_and_a_smaller_one_is_taken() -> None:
    """Ours: the rest of the budget is not wasted."""
    room = len(shortlist("x", [A, C], ranking([A, C])).text)
    found = shortlist("x", [A, B, C], ranking([A, B, C]), max_chars=room)
    assert found.names == ("a", "c")
    assert len(found.text) == room
    assert [match.outcome for match in found.matches] == ["in", "over", "in"]
    assert shortlist("x", [A, B, C], ranking([A, B, C]), max_chars=room - 1).names == ("a",)


def test_a_limit_ends_the_choice() -> None:
    """Ours: a model that wants three gets three."""
    found = shortlist("x", [A, B, C], ranking([A, B, C]), limit=1)
    assert found.names == ("a",)
    assert [match.outcome for match in found.matches] == ["in", "beyond", "beyond"]


@pytest.mark.parametrize("wishes", [{"max_chars": 1}, {"max_chars": -5}, {"limit": 0}])
def test_a_wish_nobody_can_fulfil_is_refused(wishes: dict[str, int]) -> None:
    """Ours: an empty answer has two characters already."""
    with pytest.raises(MisuseError):
        shortlist("x", [A], ranking([A]), **wishes)


def test_the_smallest_budget_gives_an_empty_array() -> None:
    """Ours: JSON all the same."""
    assert shortlist("x", [A], ranking([A]), max_chars=2).text == "[]"


def test_control_characters_are_escaped_and_count_as_they_are_written() -> None:
    """Design section 7.10: the text may be shown in a terminal."""
    hostile = item("\x1b[2J\u202e", "\x07\u2028\x7f \ud800 <img>")
    found = shortlist("x\x1b", [hostile], ranking([hostile]))
    assert found.text.isprintable()
    assert json.loads(found.text)[0]["name"] == "\x1b[2J\u202e"
    assert shortlist("x", [hostile], ranking([hostile]), max_chars=len(found.text)).names
    assert all(line.isprintable() for line in str(found).split("\n"))
    assert "\x1b" not in str(shortlist("x\x1b", [], []))


def test_the_text_twin_says_what_is_in_and_why_the_others_are_not() -> None:
    """Ours: a reader sees the ranking."""
    found = shortlist("x", [A, B, C], ranking([A, B, C]), max_chars=300, limit=1)
    assert str(found).splitlines() == [
        "  score  chars  tool",
        "   3.00    161  a",
        "   2.00    361  b  (beyond the limit)",
        "   1.00     61  c  (beyond the limit)",
        "1 tool in 163 characters (of 300)",
    ]
    assert "does not fit" in str(shortlist("x", [A], ranking([A]), max_chars=50))
    assert str(shortlist("tea", [], [])) == "nothing matches “tea”"


_TEXT = st.text(max_size=80)
_ITEMS = st.lists(st.builds(item, _TEXT, _TEXT, title=_TEXT), max_size=8)


@given(_ITEMS, st.integers(min_value=2, max_value=1_500))
def test_the_budget_is_kept_and_used(items: list[MenuItem], max_chars: int) -> None:
    """Ours: never over, never a cut declaration, never room left for one passed over."""
    found = shortlist("x", items, ranking(items), max_chars=max_chars)
    assert len(found.text) <= max_chars
    assert json.loads(found.text) == found.definitions
    used = 2
    for match in found.matches:
        needed = match.chars + (1 if used > 2 else 0)
        assert (match.outcome == "in") == (used + needed <= max_chars)
        used += needed if match.outcome == "in" else 0
    assert used == len(found.text)
