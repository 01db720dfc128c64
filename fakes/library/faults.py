"""Every fault by row and variant.

Takes:  a name such as "P20-late", or the id of a row such as "P20"
Gives:  a new `Fake` each time, so that recordings are never shared
"""

from typing import Final

from fakes.errors import ScriptError
from fakes.fake import Fake
from fakes.library.call_faults import call_faults
from fakes.library.handshake_faults import handshake_faults
from fakes.library.http_faults import http_faults
from fakes.library.listing_faults import listing_faults
from fakes.library.probe_faults import probe_faults
from fakes.library.process_faults import process_faults


def all_faults(discovery_timeout_s: float = 1.0) -> dict[str, Fake]:
    """Return a new fake for every variant of every row, in the order of their names.

    Args:
        discovery_timeout_s: the client's discovery timeout; the late ones are 1.5 times it.
    """
    fakes = (
        probe_faults(discovery_timeout_s)
        | handshake_faults()
        | listing_faults()
        | call_faults()
        | process_faults()
        | http_faults(discovery_timeout_s)
    )
    order = sorted(fakes, key=lambda name: ("PLHC".index(name[0]), name))
    return {name: fakes[name].named(name) for name in order}


FAULTS: Final[dict[str, str]] = {name: one.program.about for name, one in all_faults().items()}
"""Name of each variant -> one line that says what the peer does."""


def variants(row: str) -> list[str]:
    """Return the names of a row's variants: `variants("P02")` has eight."""
    return [name for name in FAULTS if name == row or name.startswith(f"{row}-")]


def fault(name: str, *, discovery_timeout_s: float = 1.0) -> Fake:
    """Return the fake for a variant, or for a row the first of its variants.

    Args:
        name: "P20-late", or "P20".
        discovery_timeout_s: the client's discovery timeout; the late ones are 1.5 times it.

    Raises:
        ScriptError: if there is no such row.
    """
    found = variants(name)
    if not found:
        raise ScriptError(
            f"there is no fault {name!r}; rows are P01-P22, L01-L13, H01-H18, C01-C14"
        )
    return all_faults(discovery_timeout_s)[found[0]]
