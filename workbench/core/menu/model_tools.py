"""The menu in the words of a model interface: ready values for its `tools` parameter.

Takes:  the items of a menu, and which interface is meant
Gives:  a list of JSON values, one declaration an item, named by alias
Never:  changes a schema that a peer wrote, nor gives a model a name that leads nowhere

================  =========================================================  ==============
interface         one tool                                                   schema under
================  =========================================================  ==============
openai            `{"type": "function", "function": {...}}`                  parameters
openai-responses  `{"type": "function", "name": ...}`                        parameters
anthropic         `{"name": ..., "input_schema": ...}`                       input_schema
gemini            one entry of `functionDeclarations`, in one object         parametersJsonSchema
================  =========================================================  ==============

The name a model answers with goes to `client.call` as it is: an alias is routed by table.
A description is a peer's word to a model and no more than that; whether it may be trusted
is the operator's decision, so nothing is left out here.

Source: the interfaces' own references, function calling; case N16.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.text.visible import visible
from workbench.core.tool import Tool

ModelApi: TypeAlias = Literal["openai", "openai-responses", "anthropic", "gemini"]
"""A model interface; "openai" is Chat Completions, which many others copy."""

Definition: TypeAlias = dict[str, Any]


class Offered(Protocol):
    """What is needed of an item of the menu."""

    @property
    def peer(self) -> str:
        """The owner."""

    @property
    def local(self) -> str:
        """The owner's name for it."""

    @property
    def alias(self) -> str:
        """The name a model may use."""

    @property
    def tool(self) -> Tool:
        """The declaration."""


def tool_definitions(items: Iterable[Offered], api: ModelApi) -> list[Definition]:
    """Return what goes into the `tools` of a request.

    Args:
        items: of a menu; their order is kept.
        api: whose request it is.

    Returns:
        JSON values of their own, but for the schemas, which are shared with the menu and
        are to be treated as read-only. Empty when there are no items.

    Raises:
        MisuseError: if the interface is unknown.
    """
    if api not in get_args(ModelApi):
        raise MisuseError(_unknown(api))
    definitions = [_SHAPES[api](item) for item in items]
    if api == "gemini" and definitions:
        return [{"functionDeclarations": definitions}]
    return definitions


def _openai(item: Offered) -> Definition:
    return {"type": "function", "function": _function(item)}


def _responses(item: Offered) -> Definition:
    # Strict mode is this interface's default and refuses most schemas people write.
    return {"type": "function", **_function(item), "strict": False}


def _function(item: Offered) -> Definition:
    schema = item.tool.input_schema
    if "properties" not in schema:
        # The interface refuses an object schema that does not name its properties.
        schema = {**schema, "properties": {}}
    return {**_named(item), "parameters": schema}


def _anthropic(item: Offered) -> Definition:
    return {**_named(item), "input_schema": item.tool.input_schema}


def _gemini(item: Offered) -> Definition:
    # `parameters` would take a subset of OpenAPI; this member takes the schema as it is.
    return {**_named(item), "parametersJsonSchema": item.tool.input_schema}


def _named(item: Offered) -> Definition:
    said = item.tool.description or _title(item) or f"The tool {item.local} of {item.peer}."
    return {"name": item.alias, "description": said}


def _title(item: Offered) -> str:
    title = item.tool.definition.get("title")
    return title if isinstance(title, str) else ""


def _unknown(api: object) -> Failure:
    known = ", ".join(f'"{name}"' for name in get_args(ModelApi))
    return Failure(
        kind=Kind.MISUSE,
        stage="merge",
        detail=f"there is no model interface called {visible(repr(api), 80)}",
        hint=f"It must be one of {known}.",
    )


_SHAPES: Final[dict[ModelApi, Callable[[Offered], Definition]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
