"""Mermaid labels that hostile text cannot leave, and the value a notebook draws.

Takes:  any text a peer produced
Gives:  a label of letters, digits, spaces, harmless marks and Mermaid's numeric entities
Never:  lets a character through that starts a statement, a comment, a directive, a link,
        a formula or an element

Spec: mermaid.js.org, "Entity codes to escape characters"; design section 7.10.
"""

from typing import Any, Final

from msgspec import Struct

from workbench.core.text.visible import visible

_PLAIN: Final = frozenset(" -_./,=+()…")


class Diagram(Struct, frozen=True, kw_only=True):
    """A drawing and its text twin; JupyterLab draws the first, everything else shows the second."""

    source: str
    """Mermaid text."""
    text: str
    """The same for a terminal."""

    def __str__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/vnd.mermaid": self.source, "text/plain": self.text}


def label(text: str, limit: int = 80) -> str:
    """Return untrusted text as part of one Mermaid label.

    Args:
        text: anything.
        limit: longest label in characters, before entities.
    """
    return "".join(map(_entity, visible(text, limit)))


def _entity(char: str) -> str:
    if char.isalnum() or char in _PLAIN:
        return char
    return f"#{ord(char)};"
