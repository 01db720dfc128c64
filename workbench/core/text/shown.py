"""The port through which pure values are shown, without importing what shows them.

Takes:  a renderer a kind, registered once by the front door
Gives:  `to_frame()` and rich notebook output on every value that mixes in `Shown`
Never:  imports pandas or IPython; text always works, with nothing registered

Source: design section 3, "views are the only place for pandas".
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

Renderer: TypeAlias = Callable[[Any], Any]
ViewKind: TypeAlias = Literal["frame", "html", "index", "lint"]

_RENDERERS: dict[str, Renderer] = {}


def plug(kind: ViewKind, renderer: Renderer) -> Renderer | None:
    """Register the renderer of one kind and return the one it replaces.

    Args:
        kind: "frame" (value to pandas DataFrame), "html" (value to escaped HTML, or None),
            "index" (menu to what ranks its tools) or "lint" (journal to findings).
        renderer: called with the value each time it is shown; imports what it needs itself.
    """
    before = _RENDERERS.get(kind)
    _RENDERERS[kind] = renderer
    return before


def restore(kind: ViewKind, renderer: Renderer | None) -> Renderer | None:
    """Put back what `plug` returned, or nothing when it is None; return what was there."""
    before = _RENDERERS.pop(kind, None)
    if renderer is not None:
        _RENDERERS[kind] = renderer
    return before


def shown_by(kind: ViewKind, value: Any) -> Any:
    """Return what the renderer of one kind makes of a value.

    Raises:
        MisuseError: if no front door has registered one.
    """
    renderer = _RENDERERS.get(kind)
    if renderer is None:
        raise _unplugged(kind)
    return renderer(value)


class Shown:
    """A value that can be shown as text, and as a table when a front door is loaded."""

    __slots__ = ()

    def to_text(self) -> str:
        """Return the value as plain text, safe for a terminal."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the value as a pandas DataFrame.

        Raises:
            MisuseError: if no front door has registered a renderer.
        """
        return shown_by("frame", self)

    def _repr_html_(self) -> str | None:
        """Return escaped HTML for notebooks, or None when nothing is registered."""
        renderer = _RENDERERS.get("html")
        html = renderer(self) if renderer else None
        return html if isinstance(html, str) else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: HTML if there is a renderer, and always the text twin."""
        bundle = {"text/plain": self.to_text()}
        html = self._repr_html_()
        if html is not None:
            bundle["text/html"] = html
        return bundle


def _unplugged(kind: str) -> Exception:
    from workbench.core.errors import Failure, Kind, MisuseError

    return MisuseError(
        Failure(
            kind=Kind.MISUSE,
            detail=f"no renderer of kind {kind!r} is registered",
            stage="show",
            hint="Import workbench, or call workbench.core.text.shown.plug() with your own.",
        )
    )
