"""Every ready-made fake by name.

Takes:  a name
Gives:  a new `Fake`, or an error that offers the nearest names
"""

from collections.abc import Callable
from typing import Final

from fakes.errors import ScriptError
from fakes.fake import Fake
from fakes.library.everything import everything
from fakes.library.honest import colliding, dual_era, legacy, modern, paging, silent

_HONEST: Final[dict[str, Callable[[], Fake]]] = {
    "modern": modern,
    "legacy": legacy,
    "dual_era": dual_era,
    "silent": silent,
    "paging": paging,
    "colliding": colliding,
    "everything": everything,
}


def find(name: str, *, discovery_timeout_s: float = 1.0) -> Fake:
    """Return the fake called `name`.

    Args:
        name: see `names`.
        discovery_timeout_s: the client's discovery timeout in seconds, for late fakes.

    Raises:
        ScriptError: if there is none; the message offers the nearest names.
    """
    if name in _HONEST:
        return _HONEST[name]()
    from fakes.library.faults import FAULTS, fault

    if name in FAULTS:
        return fault(name, discovery_timeout_s=discovery_timeout_s)
    from difflib import get_close_matches

    near = get_close_matches(name, [*_HONEST, *FAULTS], n=3, cutoff=0.3)
    offer = f"; did you mean {', '.join(near)}?" if near else ""
    raise ScriptError(f"there is no fake called {name!r}{offer}")


def names() -> list[tuple[str, str]]:
    """Return every name with its one-line description, the honest ones first."""
    from fakes.library.faults import FAULTS

    honest = [(name, make().program.about) for name, make in _HONEST.items()]
    return honest + [(name, about) for name, about in FAULTS.items()]
