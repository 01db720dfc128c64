"""Ready-made fakes: the honest ones by function, everything by name, situations as casts.

As a whole it is a catalogue that can be handed on: `from fakes import library`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fakes.library.situations import beside, cast, casts

__all__ = ["beside", "cast", "casts"]


def __getattr__(name: str) -> Any:
    # A hundred ready-made fakes are built when one is first asked for, not at every start.
    if name in __all__:
        from fakes.library import situations

        return getattr(situations, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
