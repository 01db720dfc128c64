"""Values that hold what a peer answered, and show it without the secrets that are known.

Takes:  a value as it was received, and the redactor of its client
Gives:  the data itself to whoever reads a field, and a text that is safe to keep
Never:  changes the data: an application that asks for a key gets it

A cell shows the value of its last line, and a notebook is saved with its outputs; a log line
shows a value, too. That is where a key that a server repeats would end up.

Source: design section 5, "Secrets never reach a … notebook output"; field case X01.
"""

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from msgspec import Struct

from workbench.core.text.redact import Redactor

T = TypeVar("T")


class Veiled(Struct, frozen=True, eq=False, kw_only=True):
    """What the answers of peers, and what is made of them, have in common."""

    hides: Redactor | None = None
    """Knows the secrets of the client; no part of the value."""

    def veiled(self) -> Self:
        """Return the value with every known secret in it replaced, to be shown."""
        return self.cleaned(self)

    def cleaned(self, part: T) -> T:
        """Return a part of the value as it may be shown: a name, or whole rows of them.

        Of a value that is large, this is cheaper than all of it; see `Redactor.tree`.
        """
        if self.hides is None:
            return part
        clean: T = self.hides.tree(part)
        return clean

    def __eq__(self, other: object) -> bool:
        """Compare everything but who hides what."""
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._names())

    __hash__ = None  # type: ignore[assignment]  # it holds dictionaries

    def __repr__(self) -> str:
        """Return the fields, without secrets."""
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show the same as `repr`; the inherited one would show the fields as they are."""
        clean = self.veiled()
        return [(name, getattr(clean, name)) for name in self._names()]

    def _names(self) -> list[str]:
        return [name for name in self.__struct_fields__ if name != "hides"]


def shared_veil(several: Iterable[Redactor | None]) -> Redactor | None:
    """Return what hides the secrets of several values in one made of them; None for none.

    Values of one client share one redactor, which goes on learning. Of several clients, what
    they know now is put together.
    """
    found = list({id(one): one for one in several if one is not None}.values())
    return Redactor.joined(found) if len(found) > 1 else next(iter(found), None)
