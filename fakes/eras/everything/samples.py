"""The smallest contents of each kind: one pixel, a click, two resources, their blocks."""

from typing import Any, Final

PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
"""One red pixel, base64."""
WAV: Final = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA"
"""Two samples of silence, base64."""

STATIC_TEXT: Final = "test://static-text"
STATIC_BINARY: Final = "test://static-binary"
WATCHED: Final = "test://watched-resource"
EMBEDDED: Final = "test://embedded-resource"

IMAGE: Final[dict[str, Any]] = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO: Final[dict[str, Any]] = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}

ADDRESSED: Final[dict[str, Any]] = {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "by": {"enum": ["post", "phone"]},
    "phone": {"type": "string"},
}
"""The properties of a schema that says more than types."""
KEYWORDS: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "allOf": [{"anyOf": [{"required": ["address"]}, {"required": ["phone"]}]}],
    "if": {"properties": {"by": {"const": "phone"}}, "required": ["by"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["address"]},
    "additionalProperties": False,
}
"""The rest of it."""


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def embedded(uri: str = EMBEDDED) -> dict[str, Any]:
    """Return a block that holds a text resource."""
    resource = {"uri": uri, "mimeType": "text/plain", "text": "An embedded resource."}
    return {"type": "resource", "resource": resource}
