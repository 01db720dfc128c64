"""Prompts, resources and completions.

Takes:  one request for one of them
Gives:  the bare result without anything an era adds, or an error

The names are those the official conformance suite asks a server for.
"""

import re
from typing import Any, Final, Literal, TypeAlias

from fakes.eras.everything import samples
from fakes.eras.everything.rounds import PROMPT, next_round
from fakes.eras.session import Scene
from fakes.steps import Error
from workbench.core.wire.keys import INVALID_PARAMS
from workbench.core.wire.message import Request

Era: TypeAlias = Literal["modern", "legacy"]
Bare: TypeAlias = dict[str, Any] | Error

NOT_FOUND_LEGACY: Final = -32002
INPUT_PROMPT: Final = "test_input_required_result_prompt"
_TEMPLATE: Final = re.compile(r"test://template/([^/]+)/data")

_PROMPTS: Final[tuple[dict[str, Any], ...]] = (
    {"name": "test_simple_prompt", "description": "One message."},
    {
        "name": "test_prompt_with_arguments",
        "description": "Repeats its two arguments.",
        "arguments": [
            {"name": name, "description": f"The {which} value.", "required": True}
            for name, which in (("arg1", "first"), ("arg2", "second"))
        ],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "Holds a resource.",
        "arguments": [
            {"name": "resourceUri", "description": "Its address.", "required": True},
        ],
    },
    {"name": "test_prompt_with_image", "description": "Holds an image."},
)
_INPUT: Final = {"name": INPUT_PROMPT, "description": "Asks for a context first."}

_RESOURCES: Final[tuple[dict[str, Any], ...]] = (
    {"uri": samples.STATIC_TEXT, "name": "static-text", "mimeType": "text/plain"},
    {"uri": samples.STATIC_BINARY, "name": "static-binary", "mimeType": "image/png"},
)
_WATCHED: Final = {"uri": samples.WATCHED, "name": "watched-resource", "mimeType": "text/plain"}


def prompts(era: Era) -> dict[str, Any]:
    """Return every prompt of an era."""
    return {"prompts": [*_PROMPTS, *([_INPUT] if era == "modern" else [])]}


def resources(era: Era) -> dict[str, Any]:
    """Return every resource of an era."""
    return {"resources": [*_RESOURCES, *([_WATCHED] if era == "legacy" else [])]}


def templates() -> dict[str, Any]:
    """Return the one template."""
    template = {
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Text that holds the id.",
        "mimeType": "application/json",
    }
    return {"resourceTemplates": [template]}


def get_prompt(request: Request, era: Era, scene: Scene) -> Bare:
    """Return the messages of a prompt, or what it has to know first."""
    name, arguments = request.params.get("name"), request.params.get("arguments")
    given = arguments if isinstance(arguments, dict) else {}
    if name == INPUT_PROMPT and era == "modern":
        more = next_round(PROMPT, request, scene)
        return _messages(samples.text("With your context.")) if more is None else more
    known = next((one for one in _PROMPTS if one["name"] == name), None)
    if known is None:
        return Error(code=INVALID_PARAMS, message=f"Unknown prompt: {name}")
    absent = [one["name"] for one in known.get("arguments", ()) if one["name"] not in given]
    if absent:
        return Error(code=INVALID_PARAMS, message=f"Missing arguments: {', '.join(absent)}")
    if name == "test_prompt_with_arguments":
        return _messages(samples.text(f"{given['arg1']} and {given['arg2']}"))
    if name == "test_prompt_with_embedded_resource":
        return _messages(samples.embedded(str(given["resourceUri"])), samples.text("See above."))
    if name == "test_prompt_with_image":
        return _messages(samples.IMAGE, samples.text("See above."))
    return _messages(samples.text("A simple prompt."))


def read_resource(request: Request, era: Era) -> Bare:
    """Return the contents of a resource; an unknown one is an error, never empty."""
    uri = request.params.get("uri")
    found: dict[str, Any] | None = None
    if uri == samples.STATIC_TEXT or (uri == samples.WATCHED and era == "legacy"):
        found = {"mimeType": "text/plain", "text": "A static text."}
    elif uri == samples.STATIC_BINARY:
        found = {"mimeType": "image/png", "blob": samples.PNG}
    elif isinstance(uri, str) and (match := _TEMPLATE.fullmatch(uri)):
        found = {"mimeType": "application/json", "text": f'{{"id": "{match[1]}"}}'}
    if found is None:
        code = INVALID_PARAMS if era == "modern" else NOT_FOUND_LEGACY
        return Error(code=code, message="Resource not found", data={"uri": uri})
    return {"contents": [{"uri": uri, **found}]}


def complete(request: Request) -> Bare:
    """Return the values an argument may have that begin as it does so far."""
    argument = request.params.get("argument")
    if not isinstance(argument, dict) or not isinstance(argument.get("value"), str):
        return Error(code=INVALID_PARAMS, message="argument.value is missing")
    values = [one for one in ("paris", "park", "party") if one.startswith(argument["value"])]
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}


def _messages(*content: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": one} for one in content]}
