"""The menu for model interfaces: their shapes, their name rules, and the way back."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.errors import MisuseError
from workbench.core.menu.merge import merge
from workbench.core.menu.model_tools import ModelApi
from workbench.core.menu.route import Route, route
from workbench.core.tool import Listing, Tool

APIS: tuple[ModelApi, ...] = ("openai", "openai-responses", "anthropic", "gemini")
RULES = {
    "openai": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
    "openai-responses": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
    "anthropic": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
    "gemini": re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}"),
}
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def listing(peer: str, *names: str, **more: Any) -> Listing:
    tools = (
        Tool(name=name, definition={"name": name, "inputSchema": SCHEMA, **more}) for name in names
    )
    return Listing(peer=peer, tools=tuple(tools))


def names_of(definitions: list[dict[str, Any]]) -> list[str]:
    """Return the names in the order of the request, whatever the interface."""
    plain = definitions[0].get("functionDeclarations", definitions)
    return [one["function"]["name"] if "function" in one else one["name"] for one in plain]


def test_each_interface_gets_its_own_shape() -> None:
    """Ours: each interface's reference, function calling."""
    menu = merge([listing("db", "db.query", description="Asks the database.")])
    name = menu.items[0].alias
    function = {"name": name, "description": "Asks the database.", "parameters": SCHEMA}
    assert menu.for_model("openai") == [{"type": "function", "function": function}]
    assert menu.for_model("openai-responses") == [{"type": "function", **function, "strict": False}]
    assert menu.for_model("anthropic") == [
        {"name": name, "description": "Asks the database.", "input_schema": SCHEMA}
    ]
    declaration = {
        "name": name,
        "description": "Asks the database.",
        "parametersJsonSchema": SCHEMA,
    }
    assert menu.for_model("gemini") == [{"functionDeclarations": [declaration]}]


def test_an_empty_menu_is_an_empty_list_for_everybody() -> None:
    """Ours: a request without tools has an empty list, not a list of nothing."""
    assert [merge([]).for_model(api) for api in APIS] == [[], [], [], []]


def test_an_unknown_interface_is_named_with_the_known_ones() -> None:
    """Ours: bad input gets one clear line."""
    with pytest.raises(MisuseError, match=r"'llama'.*\"anthropic\""):
        merge([]).for_model("llama")  # type: ignore[arg-type]


def test_a_tool_without_description_still_says_what_it_is() -> None:
    """Ours: an interface may insist on a description; the title is the next best."""
    assert merge([listing("p", "t", title="Tea")]).for_model("anthropic")[0]["description"] == "Tea"
    told = merge([listing("p", "t")]).for_model("anthropic")[0]["description"]
    assert told == "The tool t of p."


def test_a_schema_without_properties_gets_some_for_openai_only() -> None:
    """Ours: that interface refuses it; the peer's own schema stays as it was."""
    bare = {"type": "object"}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": bare})
    menu = merge([Listing(peer="p", tools=(tool,))])
    sent = menu.for_model("openai")[0]["function"]["parameters"]
    assert sent == {"type": "object", "properties": {}}
    assert menu.for_model("anthropic")[0]["input_schema"] is tool.input_schema == bare
    assert bare == {"type": "object"}


@pytest.mark.parametrize("name", ["9lives", "-", "--", "_", "2", "7.5", "a:b", "x" * 64, "9" * 64])
@pytest.mark.parametrize("api", APIS)
def test_a_name_fits_wherever_it_is_sent(api: ModelApi, name: str) -> None:
    """Case N16; a name of digits fits two of the interfaces and not the third."""
    (given_name,) = names_of(merge([listing("p", name)]).for_model(api))
    assert RULES[api].fullmatch(given_name)


NAME = st.one_of(
    st.text(min_size=1, max_size=10),
    st.text(st.sampled_from("ab9_-./: é"), min_size=1, max_size=6),
    st.text(st.sampled_from("ab/9"), min_size=60, max_size=130),
)


@settings(max_examples=150, deadline=None)
@given(offers=st.dictionaries(st.sampled_from("abc"), st.lists(NAME, max_size=6, unique=True)))
@pytest.mark.parametrize("policy", ["prefix-on-collision", "reject", "prefix-always"])
def test_every_name_fits_every_interface_and_leads_back(
    policy: Any, offers: dict[str, list[str]]
) -> None:
    """Cases N03, N04, N16: unique, within the rule, and routed to the tool it was made from."""
    menu = merge([listing(peer, *names) for peer, names in offers.items()], policy)
    for api in APIS:
        definitions = menu.for_model(api)
        names = names_of(definitions) if definitions else []
        assert len(set(names)) == len(names) == len(menu.items)
        assert all(RULES[api].fullmatch(name) for name in names)
        for name, item in zip(names, menu.items, strict=True):
            found = route(menu, name, ready=offers)
            assert isinstance(found, Route)
            assert (found.peer, found.local) == (item.peer, item.local)
        json.dumps(definitions)
