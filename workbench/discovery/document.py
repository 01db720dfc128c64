"""What of a tool is searched, column by column.

Takes:  a canonical name, its peer, and a definition as the peer declared it
Gives:  one `Document`: six texts
Never:  follows a `$ref`, walks without end, or trusts the shape of anything

Source: ours; Spec: 2026-07-28 server/tools, "Tool".
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from workbench.discovery.words import pairs, spaced, words

MOST_PARAMETERS: Final = 100
"""Parameters looked at of one tool, those inside of others included."""
_MOST_SCHEMAS: Final = 300
_DEEPEST: Final = 5
_MOST_CHOICES: Final = 30
"""Values of an `enum` or `const` that are searched."""
_ALSO: Final = ("allOf", "anyOf", "oneOf")
_NAME_WORDS: Final = 40


class Document(NamedTuple):
    """The searched texts of one tool, in the order of the columns."""

    name: str
    """The name's words, and each joined to the next."""
    title: str
    description: str
    parameters: str
    """The names of the parameters."""
    details: str
    """What is said about the parameters, and the values they may take."""
    peer: str
    """The words of the peer's name: somebody may ask for "postgres tables"."""


COLUMNS: Final = Document._fields


def document_of(canonical: str, peer: str, definition: Mapping[str, Any]) -> Document:
    """Return what is searched of a tool.

    Args:
        canonical: its name in the menu; it may carry the peer's.
        peer: who offers it.
        definition: the whole declaration; members of a wrong type count as absent.
    """
    name = words(canonical, _NAME_WORDS)
    names: list[str] = []
    details: list[str] = []
    for parameter, schema in _parameters(definition.get("inputSchema")):
        names.append(spaced(parameter))
        details += _said(schema)
    annotations = definition.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    titles = [_text(one.get("title")) for one in (definition, hints)]
    return Document(
        name=" ".join((*name, *pairs(name))),
        title=" ".join(filter(None, titles)),
        description=_text(definition.get("description")),
        parameters=" ".join(names),
        details=" ".join(details),
        peer=spaced(peer),
    )


def _parameters(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the parameters, the outer ones first."""
    left = MOST_PARAMETERS
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    for here, depth in waiting:  # it grows while it is walked, up to the bounds
        if not isinstance(here, dict):
            continue
        inner = _inner(here)
        properties = here.get("properties")
        for name, about in properties.items() if isinstance(properties, dict) else ():
            if left == 0:
                return
            left -= 1
            yield str(name), about if isinstance(about, dict) else {}
            inner.append(about)
        if depth < _DEEPEST and inner:
            waiting += ((one, depth + 1) for one in inner[: max(_MOST_SCHEMAS - len(waiting), 0)])


def _inner(schema: dict[str, Any]) -> list[Any]:
    inner = [schema["items"]] if "items" in schema else []
    for keyword in _ALSO:
        several = schema.get(keyword)
        inner += several if isinstance(several, list) else []
    return inner


def _said(schema: dict[str, Any]) -> Iterator[str]:
    for member in ("title", "description"):
        said = _text(schema.get(member))
        if said:
            yield said
    choices = schema.get("enum")
    for choice in choices[:_MOST_CHOICES] if isinstance(choices, list) else ():
        if isinstance(choice, str):
            yield spaced(choice)


def _text(value: Any) -> str:
    return spaced(value) if isinstance(value, str) else ""
