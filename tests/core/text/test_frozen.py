"""Read-only JSON values: equal, uneditable, and editable again after a deep copy."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.text.frozen import frozen, thawed
from workbench.core.tool import Listing, Tool

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)

EDITS: dict[str, Callable[[Any], Any]] = {
    "dict set": lambda value: value.__setitem__("new", 1),
    "dict delete": lambda value: value.__delitem__("list"),
    "dict update": lambda value: value.update(new=1),
    "dict pop": lambda value: value.pop("list"),
    "dict popitem": lambda value: value.popitem(),
    "dict clear": lambda value: value.clear(),
    "dict setdefault": lambda value: value.setdefault("new", 1),
    "dict or": lambda value: value.__ior__({"new": 1}),
    "inner dict": lambda value: value["dict"].update(x=1),
    "list append": lambda value: value["list"].append(1),
    "list extend": lambda value: value["list"].extend([1]),
    "list insert": lambda value: value["list"].insert(0, 1),
    "list pop": lambda value: value["list"].pop(),
    "list remove": lambda value: value["list"].remove(3),
    "list clear": lambda value: value["list"].clear(),
    "list sort": lambda value: value["list"].sort(),
    "list reverse": lambda value: value["list"].reverse(),
    "list set": lambda value: value["list"].__setitem__(0, 9),
    "list delete": lambda value: value["list"].__delitem__(0),
    "list add": lambda value: value["list"].__iadd__([1]),
    "list times": lambda value: value["list"].__imul__(2),
}


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_raises_and_changes_nothing(edit: str) -> None:
    """Ours: the mistake is told where it is made."""
    plain = {"list": [3, 1, 2], "dict": {"x": 0}}
    value = frozen(plain)
    with pytest.raises(TypeError, match="read-only"):
        EDITS[edit](value)
    assert value == plain


def test_every_changing_method_of_dict_and_list_is_covered() -> None:
    """Ours: a method that a new Python adds must be looked at here."""
    value = frozen({"list": [1]})
    reading = {"copy", "fromkeys", "get", "items", "keys", "values", "count", "index"}
    for one in (value, value["list"]):
        plain = type(one).__mro__[1]
        public = {name for name in vars(plain) if not name.startswith("_")} - reading
        assert {name for name in public if getattr(type(one), name) is getattr(plain, name)} == (
            set()
        )


@settings(max_examples=100, deadline=None)
@given(plain=JSON)
def test_a_frozen_value_is_equal_serializes_alike_and_thaws(plain: Any) -> None:
    """Ours: readers see no difference."""
    value = frozen(plain)
    assert value == plain
    assert msgspec.json.encode(value) == msgspec.json.encode(plain)
    assert json.dumps(value) == json.dumps(plain)
    for loose in (thawed(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert loose == plain
        assert type(loose) is type(plain)


def test_the_source_can_be_edited_without_effect() -> None:
    """Ours: nothing is shared with the value that was given."""
    plain: dict[str, Any] = {"a": [{"b": 1}]}
    value = frozen(plain)
    plain["a"][0]["b"] = 2
    assert value == {"a": [{"b": 1}]}


def test_structs_are_frozen_through_and_deep_copies_are_free_again() -> None:
    """Ours: a listing of tools is the value the cache holds most."""
    listing = Listing(peer="a", tools=(Tool(name="x", definition={"inputSchema": {}}),))
    value = frozen(listing)
    assert value == listing
    with pytest.raises(TypeError):
        value.tools[0].definition["inputSchema"]["type"] = "object"
    loose = copy.deepcopy(value)
    loose.tools[0].definition["inputSchema"]["type"] = "object"
    assert value == listing


def test_a_value_without_a_read_only_form_is_refused() -> None:
    """Ours: a set is no JSON, a struct that can change cannot be shared."""

    class Loose(msgspec.Struct):
        x: int = 0

    for value in ({1}, Loose(), {"deep": [Loose()]}):
        with pytest.raises(TypeError, match="read-only form"):
            frozen(value)


def test_what_is_read_only_already_is_not_copied_again() -> None:
    """Ours: a page that is kept is the very page that was judged."""
    value = frozen({"list": [{"x": 1}]})
    assert frozen(value) is value
    assert frozen({"outer": value})["outer"] is value
