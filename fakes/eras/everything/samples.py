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


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def embedded(uri: str = EMBEDDED) -> dict[str, Any]:
    """Return a block that holds a text resource."""
    resource = {"uri": uri, "mimeType": "text/plain", "text": "An embedded resource."}
    return {"type": "resource", "resource": resource}
